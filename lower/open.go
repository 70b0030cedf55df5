package lower

import (
	"fmt"
	"slices"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// Open returns the module that modules are for the sizes at, at least three, of one
// dimension. Types have a `?` where they differ, and values that depend on the size are
// computed from that of an argument. Arguments of main say by ltc.dim which of their
// dimensions it is, under the given name, and the module says the least and most size. The
// modules must be of one trace, lowered for arguments of each size; the first is changed
// and returned. An error names the op that cannot be the same for all sizes, and its line.
func Open(name string, least, most int, at []int, modules []*mlir.Module) (*mlir.Module, error) {
	o := &opening{at: at, dynamic: map[mlir.Code]mlir.Code{}}
	for range modules {
		o.first = append(o.first, map[*mlir.Value]*mlir.Value{})
	}
	for op := range mlir.Codes() {
		if info := op.Info(); info.Static != nil && !info.Traits.Has(mlir.Expanded) {
			o.dynamic[info.Static.Op] = op
		}
	}
	m := modules[0]
	for k, f := range m.Ops {
		fs := make([]*mlir.Op, len(modules))
		for i, other := range modules {
			if len(other.Ops) != len(m.Ops) || other.Ops[k].SymName() != f.SymName() {
				return nil, fmt.Errorf("traces for %d and %s call other functions", at[0], diag.Count(at[i], "element"))
			}
			fs[i] = other.Ops[k]
		}
		if err := o.function(fs); err != nil {
			return nil, fmt.Errorf("@%s: %w", f.SymName(), err)
		}
	}
	main := m.Func("main")
	args := argAttrs(main)
	for i, a := range main.Body().Args {
		names, some := mlir.ArrayAttr{}, false
		t, _ := a.Type.(*mlir.TensorType)
		if t == nil {
			continue
		}
		for _, d := range t.Shape {
			entry := mlir.StringAttr("")
			if d == mlir.Dynamic {
				entry, some = mlir.StringAttr(name), true
			}
			names = append(names, entry)
		}
		if some {
			args[i].Set("ltc.dim", names)
		}
	}
	setArgAttrs(main, args)
	m.Attrs.Set("ltc.dims", mlir.DictAttr{{Name: name, Value: mlir.ArrayAttr{mlir.IntegerAttr{Value: int64(least)}, mlir.IntegerAttr{Value: int64(most)}}}})
	m.Number()
	return m, verify.Module(m)
}

// opening is the work on one module.
type opening struct {
	at      []int
	first   []map[*mlir.Value]*mlir.Value // by module: what its values are in the first
	dynamic map[mlir.Code]mlir.Code       // by static op: the op that takes what may depend on sizes as operands

	// of the function at hand
	args    []*mlir.Value
	lines   map[*mlir.Value][]types.Line // of args
	prelude []*mlir.Op                   // what computes size
	size    *mlir.Value                  // per·n, a tensor<1xi64>; nil until it is needed
	per     int64
	lists   map[string]*mlir.Value // numbers that the prelude computes
	ops     []*mlir.Op             // of the block at hand
	loc     mlir.Location
	err     error
}

// function opens the same function of all modules.
func (o *opening) function(fs []*mlir.Op) error {
	o.size, o.prelude, o.lines, o.lists = nil, nil, map[*mlir.Value][]types.Line{}, map[string]*mlir.Value{}
	f := fs[0]
	blocks := make([]*mlir.Block, len(fs))
	for i := range fs {
		if blocks[i] = fs[i].Body(); blocks[i] == nil {
			return fmt.Errorf("it has no body of one block")
		}
	}
	o.args = blocks[0].Args
	if err := o.block(blocks); err != nil {
		return err
	}
	if o.err != nil {
		return o.err
	}
	body := blocks[0]
	body.Ops = append(o.prelude, body.Ops...)
	t := &mlir.FunctionType{}
	for _, a := range body.Args {
		t.Ins = append(t.Ins, a.Type)
	}
	for _, v := range body.Ops[len(body.Ops)-1].Operands {
		t.Outs = append(t.Outs, v.Type)
	}
	f.Attrs.Set("function_type", mlir.TypeAttr{Type: t})
	return nil
}

// block opens the same block of all modules.
func (o *opening) block(blocks []*mlir.Block) error {
	b, outer := blocks[0], o.ops
	vs := make([]*mlir.Value, len(blocks))
	for k := range b.Args {
		for i := range blocks {
			if len(blocks[i].Args) != len(b.Args) {
				return fmt.Errorf("blocks differ in their arguments")
			}
			vs[i] = blocks[i].Args[k]
		}
		lines, err := o.value(vs)
		if err != nil {
			return err
		}
		o.lines[b.Args[k]] = lines
	}
	o.ops = nil
	same := make([]*mlir.Op, len(blocks))
	for k, op := range b.Ops {
		for i := range blocks {
			if len(blocks[i].Ops) != len(b.Ops) || blocks[i].Ops[k].Name() != op.Name() {
				return at(op.Loc, fmt.Errorf("for %s other ops are recorded than for %d: what the model records must not depend on the size", diag.Count(o.at[i], "element"), o.at[0]))
			}
			same[i] = blocks[i].Ops[k]
		}
		o.loc = op.Loc
		if err := o.op(same); err != nil {
			return at(op.Loc, fmt.Errorf("%s: %w", op.Name(), err))
		}
	}
	b.Ops, o.ops = o.ops, outer
	return nil
}

// at puts a place before what is wrong there, if it is known.
func at(loc mlir.Location, err error) error {
	if loc == nil {
		return err
	}
	return fmt.Errorf("%v: %w", loc, err)
}

// value opens the type of a value and returns what its dimensions are; nil if
// they do not depend on the size.
func (o *opening) value(vs []*mlir.Value) ([]types.Line, error) {
	for i, v := range vs {
		o.first[i][v] = vs[0]
	}
	t, ok := vs[0].Type.(*mlir.TensorType)
	if !ok {
		return nil, nil
	}
	open := &mlir.TensorType{Elem: t.Elem, Shape: slices.Clone(t.Shape), Encoding: t.Encoding}
	lines, some := make([]types.Line, len(t.Shape)), false
	numbers := make([]int64, len(vs))
	for d := range t.Shape {
		for i, v := range vs {
			u, ok := v.Type.(*mlir.TensorType)
			if !ok || len(u.Shape) != len(t.Shape) || u.Elem.String() != t.Elem.String() {
				return nil, fmt.Errorf("%v is %v for %s", t, v.Type, diag.Count(o.at[i], "element"))
			}
			numbers[i] = u.Shape[d]
		}
		l, ok := types.Through(o.at, numbers)
		if !ok {
			return nil, fmt.Errorf("dimension %d is %v for %v elements, not so many more for each element more", d, numbers, o.at)
		}
		if lines[d] = l; l.Slope != 0 {
			open.Shape[d], some = mlir.Dynamic, true
		}
	}
	if !some {
		return nil, nil
	}
	vs[0].Type = open
	return lines, nil
}

// wired reports how ops of the same name differ in what they work on.
func (o *opening) wired(same []*mlir.Op) error {
	op := same[0]
	for i, other := range same {
		equal := len(other.Operands) == len(op.Operands) && len(other.Results) == len(op.Results) && len(other.Regions) == len(op.Regions)
		for k := 0; equal && k < len(op.Operands); k++ {
			equal = o.first[i][other.Operands[k]] == op.Operands[k]
		}
		for r := 0; equal && r < len(op.Regions); r++ {
			equal = len(other.Regions[r].Blocks) == len(op.Regions[r].Blocks)
		}
		if !equal {
			return fmt.Errorf("for %s it works on other values than for %d: what the model records must not depend on the size", diag.Count(o.at[i], "element"), o.at[0])
		}
	}
	return nil
}

// op appends the op that is the same one for all sizes.
func (o *opening) op(same []*mlir.Op) error {
	if err := o.wired(same); err != nil {
		return err
	}
	lines, err := o.results(same)
	if err == nil {
		err = o.regions(same)
	}
	if err != nil {
		return err
	}
	if same[0].Code == stablehlo.Constant {
		return o.constant(same, lines)
	}
	differ, err := o.attributes(same)
	if err != nil {
		return err
	}
	return o.sized(same[0], lines, differ)
}

// results opens the types of an op's results and returns what the dimensions of the
// last are, which is the one of all ops that take a shape; see value.
func (o *opening) results(same []*mlir.Op) (lines []types.Line, err error) {
	vs := make([]*mlir.Value, len(same))
	for k := range same[0].Results {
		for i := range same {
			vs[i] = same[i].Results[k]
		}
		if lines, err = o.value(vs); err != nil {
			return nil, fmt.Errorf("result %d: %w", k, err)
		}
	}
	return lines, nil
}

// regions opens the blocks of an op.
func (o *opening) regions(same []*mlir.Op) error {
	for r := range same[0].Regions {
		for k := range same[0].Regions[r].Blocks {
			blocks := make([]*mlir.Block, len(same))
			for i := range same {
				blocks[i] = same[i].Regions[r].Blocks[k]
			}
			if err := o.block(blocks); err != nil {
				return err
			}
		}
	}
	return nil
}

// sized appends an op whose result has dimensions lines, or nil, and whose attributes
// differ as given. Where its shape or its attributes depend on the size, it is the op that
// takes these as operands, which the op table names.
func (o *opening) sized(op *mlir.Op, lines []types.Line, differ map[string][]types.Line) error {
	if dynamic := o.dynamic[op.Code]; dynamic != 0 {
		parts := dynamic.Info().Static.Parts
		if parts[0].Attr == "" { // its one part is the shape
			if lines != nil {
				o.become(op, dynamic, parts[0], lines)
			}
		} else if len(differ) > 0 {
			for _, p := range parts {
				l, err := linesOf(op, p.Attr, differ)
				if err != nil {
					return err
				}
				o.become(op, dynamic, p, l)
				delete(differ, p.Attr)
			}
		}
	}
	for _, a := range op.Attrs {
		if differ[a.Name] != nil {
			return fmt.Errorf("its %s depends on the size, which no op of StableHLO takes", a.Name)
		}
	}
	o.ops = append(o.ops, op)
	return nil
}

// become makes op the dynamic one, which takes a part as an operand and not as an
// attribute.
func (o *opening) become(op *mlir.Op, dynamic mlir.Code, p mlir.StaticPart, lines []types.Line) {
	op.Code = dynamic
	op.Operands = slices.Insert(slices.Clone(op.Operands), p.Operand, o.list(lines))
	op.Attrs = slices.DeleteFunc(slices.Clone(op.Attrs), func(a mlir.NamedAttr) bool { return p.Attr != "" && a.Name == p.Attr })
}

// linesOf returns an attribute as numbers that depend on the size, or do not.
func linesOf(op *mlir.Op, attr string, differ map[string][]types.Line) ([]types.Line, error) {
	if l := differ[attr]; l != nil {
		return l, nil
	}
	a, ok := op.Attrs.Get(attr).(mlir.DenseArrayAttr)
	if !ok {
		return nil, fmt.Errorf("its %s is no list of integers", attr)
	}
	var l []types.Line
	for _, n := range a.Ints {
		l = append(l, types.Line{Base: n})
	}
	return l, nil
}

// attributes returns the attributes, lists of integers, that depend on the size.
func (o *opening) attributes(same []*mlir.Op) (map[string][]types.Line, error) {
	var differ map[string][]types.Line
	for _, a := range same[0].Attrs {
		text, equal := a.Value.String(), true
		lists := make([]mlir.DenseArrayAttr, len(same))
		for i := range same {
			v := same[i].Attrs.Get(a.Name)
			equal = equal && v != nil && v.String() == text
			lists[i], _ = v.(mlir.DenseArrayAttr)
		}
		if equal {
			continue
		}
		var lines []types.Line
		numbers := make([]int64, len(same))
		for d := range lists[0].Ints {
			for i := range same {
				if len(lists[i].Ints) != len(lists[0].Ints) {
					return nil, fmt.Errorf("its %s depends on the size", a.Name)
				}
				numbers[i] = lists[i].Ints[d]
			}
			l, ok := types.Through(o.at, numbers)
			if !ok {
				return nil, fmt.Errorf("its %s has %v for %v elements, not so many more for each element more", a.Name, numbers, o.at)
			}
			lines = append(lines, l)
		}
		if lines == nil {
			return nil, fmt.Errorf("its %s depends on the size: %s for %s", a.Name, text, diag.Count(o.at[0], "element"))
		}
		if differ == nil {
			differ = map[string][]types.Line{}
		}
		differ[a.Name] = lines
	}
	return differ, nil
}
