package lazy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/sched"
	"ltc/lower"
	"ltc/soa"
)

// AnySize is a dimension of an [Input] that is open: the exported program runs
// for every size of it, from 0 on.
const AnySize = backends.AnySize

// Input is an argument of an exported function.
type Input struct {
	Name string
	Type types.Type // dimensions may be [AnySize], which stands for one size then
}

// Exported is a function as the text of a StableHLO program, and the values that
// its constants have.
type Exported struct {
	Text      string
	Constants map[string]soa.View // by argument (ltc.name); one copy of each
}

// openName is what texts call the open size, mostOpen the most that it can be:
// texts compute shapes of it, and get_dimension_size gives it as an i32.
const (
	openName = "n"
	mostOpen = 1<<31 - 1
)

// exportSizes are the sizes that a function with an open one is traced for, and
// then for a small one: see [smallSize].
var exportSizes = []int{251, 1021, 4093}

// smallSize returns a size of few elements that is told from other dimensions:
// neither it nor what is made of it, a multiple or a neighbour, is one of dims.
// Ops that the program has twice for one size of all would be one otherwise.
func smallSize(dims map[int]bool) int {
	for n := 3; ; n++ {
		if !dims[n-1] && !dims[n] && !dims[n+1] && !dims[2*n] && !dims[3*n] {
			return n
		}
	}
}

// Export returns the function as a program that needs neither the function nor its device.
// The text takes the inputs. Its constants are the variables and other tensors that the
// function uses, with the values that these have now. Outputs names the results; there are
// as many names as results, or none. Where inputs have an open dimension the function is
// traced for several sizes, from a few elements to thousands. It must record the same ops
// for all of them, and tensors that it uses, scalars among them, must have the same values.
// A function that takes another way below some few elements is not found out. A function
// that assigns variables or draws random numbers cannot be exported.
func (f *Function) Export(inputs []Input, outputs ...string) (*Exported, error) {
	if f == nil || !f.dev.opens() {
		return nil, fmt.Errorf("export: %w: the device given to Func is nil, or the Function is", ErrUsage)
	}
	names := make([]string, len(inputs))
	open := false
	for i, in := range inputs {
		if in.Name == "" || slices.Contains(names[:i], in.Name) {
			return nil, fmt.Errorf("export: %w: input %d has the name %q, which must be there and its own", ErrUsage, i, in.Name)
		}
		if !in.Type.DType.Valid() {
			return nil, fmt.Errorf("export: %w: input %q has no Type, such as types.Of(types.F32, lazy.AnySize, 2)", ErrUsage, in.Name)
		}
		names[i] = in.Name
		open = open || slices.Contains(in.Type.Shape, AnySize)
	}
	for j, name := range outputs {
		if name == "" || slices.Contains(outputs[:j], name) {
			return nil, fmt.Errorf("export: %w: result %d has the name %q, which must be there and its own", ErrUsage, j, name)
		}
	}
	sizes := exportSizes
	if !open {
		sizes = sizes[:1]
	}
	e := &exporting{f: f, names: names, inputs: inputs, outputs: outputs, dims: map[int]bool{}}
	for _, n := range sizes {
		if _, err := e.add(n); err != nil {
			var bad *OpError
			if open && errors.As(err, &bad) {
				err = fmt.Errorf("%w (%d stands for the size that is open)", err, n)
			}
			return nil, err
		}
	}
	if open {
		// A program may need more elements than these few, which its ops then say.
		if recorded, err := e.add(smallSize(e.dims)); err != nil && recorded {
			return nil, err
		}
	}
	text, err := e.text.Text(openName, 0, mostOpen)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	return &Exported{Text: text, Constants: e.constants}, nil
}

// exporting is the work of one export.
type exporting struct {
	f              *Function
	names, outputs []string
	inputs         []Input
	text           lower.Export
	constants      map[string]soa.View // of the first size
	first          int
	dims           map[int]bool // of all tensors of the first size
}

// add adds the function where open dimensions are n. It returns whether the
// function could be recorded, and what is wrong with what was.
func (e *exporting) add(n int) (recorded bool, err error) {
	f, names, inputs, outputs := e.f, e.names, e.inputs, e.outputs
	t := &traced{owner: sched.Goroutine(), ready: make(chan struct{})}
	for i, in := range inputs {
		typ := types.Type{DType: in.Type.DType, Shape: slices.Clone(in.Type.Shape)}
		for d := range typ.Shape {
			if typ.Shape[d] == AnySize {
				typ.Shape[d] = n
			}
		}
		if err := typ.Check(); err != nil {
			return false, fmt.Errorf("export: input %q: %w: %w", names[i], ErrType, err)
		}
		t.types = append(t.types, typ)
	}
	constants := map[string]soa.View{}
	err = f.record(t, names, func(g *ir.Graph) error {
		recorded = true
		if len(t.assigns) > 0 {
			return fmt.Errorf("export: %w: the function assigns %q; return the new value instead", ErrUsage, t.assigns[0].v.name)
		}
		if len(outputs) > 0 && len(outputs) != t.results {
			return fmt.Errorf("export: %w: %s for %s", ErrUsage, diag.Count(len(outputs), "name"), diag.Count(t.results, "result"))
		}
		marks := make([]lower.Mark, len(t.params))
		for i, p := range t.params {
			if p.arg >= 0 {
				marks[i].Name = names[p.arg]
				continue
			}
			if p.draw != nil {
				return fmt.Errorf("export: %w: the function draws random numbers; take them as an input instead", ErrUsage)
			}
			name := unusedName(g.Params[i].ParamName(), names, constants)
			marks[i] = lower.Mark{Name: name, Constant: true}
			held := &Tensor{dev: f.dev, v: p.v, val: p.value}
			v, err := held.data(context.Background(), SyncValue)
			if err != nil {
				return err
			}
			was, known := e.constants[name]
			dense, same := v.view, true
			if !known || !dense.IsDense() || dense.Remote() != nil {
				dense, err = memory.Dense(v.view)
			}
			if known && err == nil { // compared where it is: a copy for each size would be memory four times
				same = sameBytes(was, dense)
				dense = was
			}
			v.unpin()
			if err != nil {
				return fmt.Errorf("export: %q: %w", name, err)
			}
			if !same {
				return fmt.Errorf("export: the constant %q has other values for %s than for %d: compute it from a tensor of that size (a sum of ones is the size), or make it an input", name, diag.Count(n, "element"), e.first)
			}
			constants[name] = dense
		}
		if err := e.text.Add(n, g, marks, outputs); err != nil {
			return fmt.Errorf("export: %w", err)
		}
		if e.constants == nil {
			e.constants, e.first = constants, n
			for _, node := range g.Nodes {
				for _, d := range node.Type.Shape {
					e.dims[d] = true
				}
			}
		}
		return nil
	})
	return recorded, err
}

// sameBytes reports whether dense views of one type have the same elements, as they
// lie in memory; views of different types count as the same.
func sameBytes(a, b soa.View) bool {
	n := a.Type.Bytes()
	same := !a.Type.Equal(b.Type) || n == 0 || bytes.Equal(unsafe.Slice((*byte)(a.Base()), n), unsafe.Slice((*byte)(b.Base()), n))
	runtime.KeepAlive(a) // they may be mapped
	runtime.KeepAlive(b)
	return same
}

// unusedName returns name, or one that begins with it and that nothing else has.
func unusedName(name string, inputs []string, constants map[string]soa.View) string {
	if name == "" {
		name = "constant"
	}
	for k, base := 1, name; ; k++ {
		if _, taken := constants[name]; !taken && !slices.Contains(inputs, name) {
			return name
		}
		name = fmt.Sprintf("%s_%d", base, k)
	}
}
