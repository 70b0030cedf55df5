package gemm

import (
	"strings"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
)

// Machine is what kernels are generated for.
type Machine struct {
	vector.Machine
	// VNNI says that the machine, of level AVX512 or above, has dot products of
	// bytes and of integers of 16 bits (AVX512_VNNI).
	VNNI bool
	// L2 is the bytes of a core's L2 cache, 0 if unknown. Plans are cut by it,
	// kernels and the order of sums do not depend on it.
	L2 int
}

// String tells apart machines that get different text.
func (m Machine) String() string {
	s := m.Level.String()
	if m.VNNI {
		s += "+vnni"
	}
	if m.Splats {
		s += "+splats"
	}
	return s
}

// module is a module under construction.
type module struct {
	*vector.Module
	on Machine
}

func newModule(on Machine) *module { return &module{vector.NewModule(on.Machine), on} }

// function starts a function that others of the module call.
func (m *module) function(name string, result ll.Type, params ...*ir.Param) *fn {
	f := m.begin(m.Func(name, result, params...))
	f.Func.Linkage = enum.LinkageInternal
	f.Func.FuncAttrs = append(f.Func.FuncAttrs, enum.FuncAttrNoInline)
	return f
}

// exported starts a function of type t that is called by its address.
func (m *module) exported(name string, t *ll.FuncType) *fn {
	params := make([]*ir.Param, len(t.Params))
	for i, p := range t.Params {
		params[i] = ir.NewParam("", p)
	}
	return m.begin(m.Func(name, t.RetType, params...))
}

// kernel starts a function of the signature that the host calls, i32 name(args),
// and returns its argument block.
func (m *module) kernel(name string) (*fn, value.Value) {
	args := ir.NewParam("args", ll.I8Ptr)
	return m.begin(m.Func(name, ll.I32, args)), args
}

// begin adds to what functions of package vector have.
func (m *module) begin(b *vector.Builder) *fn {
	m.on.Extend(b)
	return &fn{b}
}

// Extend lets a function of package vector use what the machine has besides its level.
func (m Machine) Extend(b *vector.Builder) {
	if !m.VNNI {
		return
	}
	attrs := b.Func.FuncAttrs
	features := ""
	kept := attrs[:0:0]
	for _, a := range attrs {
		if p, ok := a.(ir.AttrPair); ok && p.Key == "target-features" {
			features = p.Value + ","
			continue
		}
		kept = append(kept, a)
	}
	b.Func.FuncAttrs = append(kept, ir.AttrPair{Key: "target-features", Value: features + "+avx512vnni"})
}

// unitName makes a name of parts for a unit and its functions.
func unitName(parts ...string) string { return "gemm_" + strings.Join(parts, "_") }
