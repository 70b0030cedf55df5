package vector

import (
	"fmt"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

// Module is LLVM IR under construction for a machine.
type Module struct {
	Machine Machine
	IR      *ir.Module

	declared  map[string]*ir.Func
	constants map[string]*ir.Global
	temporal  *metadata.Tuple

	text    printer // of the first functions
	printed int     // how many these are
}

// NewModule starts a module.
func NewModule(m Machine) *Module {
	return &Module{
		Machine:   m,
		IR:        ir.NewModule(),
		declared:  map[string]*ir.Func{},
		constants: map[string]*ir.Global{},
	}
}

// Kernel starts a function with the signature of all kernels: i32 name(i64*),
// a pointer to the words of its arguments; it returns a status, 0 for success.
func (m *Module) Kernel(name string) *Builder {
	args := ir.NewParam("args", ll.I64Ptr)
	b := m.Func(name, ll.I32, args)
	b.args = args
	return b
}

// Func starts a function with the machine's attributes.
func (m *Module) Func(name string, result ll.Type, params ...*ir.Param) *Builder {
	f := m.IR.NewFunc(name, result, params...)
	f.FuncAttrs = m.Machine.Attributes()
	return &Builder{Module: m, Machine: m.Machine, Func: f, Block: f.NewBlock("entry")}
}

// Declare returns the function with the given name and type, which is declared
// if it is not there: an intrinsic, for instance.
func (m *Module) Declare(name string, result ll.Type, params ...ll.Type) *ir.Func {
	if f := m.declared[name]; f != nil {
		return f
	}
	list := make([]*ir.Param, len(params))
	for i, t := range params {
		list[i] = ir.NewParam("", t)
	}
	f := m.IR.NewFunc(name, result, list...)
	m.declared[name] = f
	return f
}

// data returns the address of a constant array in memory, aligned to 64 bytes;
// the same one for the same name, which stands for its content.
func (m *Module) data(name string, t ll.Type, lanes func() []uint64) *ir.Global {
	if g := m.constants[name]; g != nil {
		return g
	}
	bits := lanes()
	list := make([]constant.Constant, len(bits))
	for i, v := range bits {
		list[i] = &literal{typ: t, text: number(t, v)}
	}
	g := m.IR.NewGlobalDef(name, constant.NewArray(ll.NewArray(uint64(len(bits)), t), list...))
	g.Immutable = true
	g.Linkage = enum.LinkagePrivate
	g.UnnamedAddr = enum.UnnamedAddrUnnamedAddr
	g.Align = 64
	m.constants[name] = g
	return g
}

// streaming returns the mark of stores that go past the caches.
func (m *Module) streaming() *metadata.Attachment {
	if m.temporal == nil {
		m.temporal = &metadata.Tuple{MetadataID: -1, Fields: []metadata.Field{constant.NewInt(ll.I32, 1)}}
		m.IR.MetadataDefs = append(m.IR.MetadataDefs, m.temporal)
	}
	return &metadata.Attachment{Name: "nontemporal", Node: m.temporal}
}

// KeepRolled returns the mark of a loop's branch that keeps LLVM from unrolling
// it.
func (m *Module) KeepRolled() *metadata.Attachment {
	off := &metadata.Tuple{MetadataID: -1, Fields: []metadata.Field{&metadata.String{Value: "llvm.loop.unroll.disable"}}}
	loop := &metadata.Tuple{MetadataID: -1, Distinct: true}
	loop.Fields = []metadata.Field{loop, off}
	m.IR.MetadataDefs = append(m.IR.MetadataDefs, off, loop)
	return &metadata.Attachment{Name: "llvm.loop", Node: loop}
}

// Value is lanes of a dtype in registers.
type Value struct {
	V     value.Value
	DType types.DType
}

// Lanes returns how many lanes v has; a scalar has one.
func (v Value) Lanes() int { return lanesOf(v.V.Type()) }

func (v Value) String() string { return fmt.Sprintf("%dx%v", v.Lanes(), v.DType) }
