package conformance

import (
	"errors"
	"fmt"
	"slices"

	"ltc/mlir"
)

// mostOps is how many ops a test may have once its calls are inlined.
const mostOps = 1 << 20

// inside calls f for every op in the regions of op until f returns false.
func inside(op *mlir.Op, f func(*mlir.Op) bool) {
	(&mlir.Module{Ops: []*mlir.Op{op}}).Walk(func(o *mlir.Op) bool { return o == op || f(o) })
}

// having returns the functions in which an op is, or in a function that they call,
// for which is returns true.
func having(m *mlir.Module, is func(*mlir.Op) bool) map[*mlir.Op]bool {
	found := map[*mlir.Op]bool{}
	for more := true; more; {
		more = false
		for _, f := range m.Ops {
			if f.Name != "func.func" || found[f] {
				continue
			}
			inside(f, func(op *mlir.Op) bool {
				found[f] = is(op) || found[m.Func(op.Callee())]
				return !found[f]
			})
			more = more || found[f]
		}
	}
	return found
}

// reached returns the functions that the ops of a block name, and those that these
// name in turn.
func reached(m *mlir.Module, b *mlir.Block) map[*mlir.Op]bool {
	found := map[*mlir.Op]bool{}
	var visit func(op *mlir.Op) bool
	visit = func(op *mlir.Op) bool {
		op.Symbols(func(name string) {
			if f := m.Func(name); f != nil && !found[f] {
				found[f] = true
				inside(f, visit)
			}
		})
		return true
	}
	(&mlir.Module{Ops: b.Ops}).Walk(visit)
	return found
}

// copier copies ops. Calls of the functions in inlined become the ops of these.
type copier struct {
	m       *mlir.Module
	inlined map[*mlir.Op]bool
	running []*mlir.Op // the functions whose ops are being copied
	ops     int
}

// copies returns copies of ops; values maps the values that they use, where they are
// not the same, and gets their results.
func (c *copier) copies(ops []*mlir.Op, values map[*mlir.Value]*mlir.Value) ([]*mlir.Op, error) {
	var out []*mlir.Op
	for _, op := range ops {
		if f := c.m.Func(op.Callee()); f != nil && c.inlined[f] {
			body, err := c.call(op, f, values)
			if err != nil {
				return nil, err
			}
			out = append(out, body...)
			continue
		}
		o, err := c.copy(op, values)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// call returns the ops of the function that op calls, with op's operands.
func (c *copier) call(op, f *mlir.Op, values map[*mlir.Value]*mlir.Value) ([]*mlir.Op, error) {
	b := f.Body()
	switch {
	case slices.Contains(c.running, f):
		return nil, at(op, fmt.Errorf("@%s calls itself", f.SymName()))
	case b == nil || len(b.Args) != len(op.Operands):
		return nil, at(op, fmt.Errorf("@%s cannot be inlined", f.SymName()))
	}
	own := map[*mlir.Value]*mlir.Value{}
	for i, a := range b.Args {
		own[a] = mapped(values, op.Operands[i])
	}
	c.running = append(c.running, f)
	out, err := c.copies(b.Ops[:len(b.Ops)-1], own)
	c.running = c.running[:len(c.running)-1]
	if err != nil {
		return nil, err
	}
	for i, v := range b.Ops[len(b.Ops)-1].Operands {
		values[op.Results[i]] = mapped(own, v)
	}
	return out, nil
}

func (c *copier) copy(op *mlir.Op, values map[*mlir.Value]*mlir.Value) (*mlir.Op, error) {
	if c.ops++; c.ops > mostOps {
		return nil, at(op, fmt.Errorf("the test has more than %d ops with its calls inlined", mostOps))
	}
	if len(op.Successors) > 0 {
		return nil, at(op, errors.New("a test's ops have no successors"))
	}
	o := &mlir.Op{Name: op.Name, Attrs: slices.Clone(op.Attrs), Loc: op.Loc, Pos: op.Pos}
	for _, v := range op.Operands {
		o.Operands = append(o.Operands, mapped(values, v))
	}
	for i, r := range op.Results {
		o.Results = append(o.Results, &mlir.Value{Type: r.Type, Def: o, Index: i, Loc: r.Loc})
		values[r] = o.Results[i]
	}
	for _, r := range op.Regions {
		region := &mlir.Region{}
		for _, b := range r.Blocks {
			block := &mlir.Block{Label: b.Label}
			for i, a := range b.Args {
				block.Args = append(block.Args, &mlir.Value{Type: a.Type, Block: block, Index: i, Loc: a.Loc})
				values[a] = block.Args[i]
			}
			var err error
			if block.Ops, err = c.copies(b.Ops, values); err != nil {
				return nil, err
			}
			region.Blocks = append(region.Blocks, block)
		}
		o.Regions = append(o.Regions, region)
	}
	return o, nil
}

func mapped(values map[*mlir.Value]*mlir.Value, v *mlir.Value) *mlir.Value {
	if to, ok := values[v]; ok {
		return to
	}
	return v
}
