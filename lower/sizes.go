package lower

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// sizes computes the sizes of a function that are expressions (package dims) from those of
// its arguments, at its beginning.
type sizes struct {
	args   []*mlir.Value
	shapes [][]int64 // of args
	loc    mlir.Location
	ops    []*mlir.Op
	known  map[int64]*mlir.Value // by size, a tensor<1xi64>
	lists  map[string]*mlir.Value
	bound  map[int64]bool // whether a dimension of an argument binds a symbol

	sections []section     // of counts, in their order
	counted  map[int64]int // by size, the section of the count that it is
	open     *int          // the section that ops are emitted into; nil: the block at hand
}

func newSizes(args []*mlir.Value, loc mlir.Location) *sizes {
	shapes := make([][]int64, len(args))
	for i, a := range args {
		if t, ok := a.Type.(*mlir.TensorType); ok {
			shapes[i] = t.Shape
		}
	}
	return &sizes{args: args, shapes: shapes, loc: loc, known: map[int64]*mlir.Value{}, lists: map[string]*mlir.Value{}, bound: map[int64]bool{}, counted: map[int64]int{}}
}

// dynamicOf is, by static op, the op that takes as operands what may depend on sizes.
var dynamicOf = func() map[mlir.Code]mlir.Code {
	all := map[mlir.Code]mlir.Code{}
	for op := range mlir.Codes() {
		if info := op.Info(); info.Static != nil && !info.Traits.Has(mlir.Expanded) {
			all[info.Static.Op] = op
		}
	}
	return all
}()

// opened makes op the dynamic one where its result's shape or its attributes are expressions
// that no operand binds.
func (l *lowerer) opened(op *mlir.Op) {
	if dynamic := dynamicOf[op.Code]; dynamic != 0 {
		parts := dynamic.Info().Static.Parts
		if parts[0].Attr == "" { // its one part is the shape of the last result
			if t, ok := op.Results[len(op.Results)-1].Type.(*mlir.TensorType); ok && dims.HasExpr(t.Shape...) {
				l.become(op, dynamic, parts[0], t.Shape)
			}
		} else if slices.ContainsFunc(parts, func(p mlir.StaticPart) bool { return dims.HasExpr(listOf(op, p.Attr)...) }) {
			for _, p := range parts {
				l.become(op, dynamic, p, listOf(op, p.Attr))
			}
		}
	}
	for _, a := range op.Attrs {
		if dims.HasExpr(listOf(op, a.Name)...) {
			l.fail(fmt.Errorf("%s: its %s depends on a size that is open, which no op of StableHLO takes", op.Name(), a.Name))
		}
	}
}

// listOf returns the integers of an attribute that is a list of them; nil of others.
func listOf(op *mlir.Op, attr string) []int64 {
	a, _ := op.Attrs.Get(attr).(mlir.DenseArrayAttr)
	return a.Ints
}

// become makes op the dynamic one, which takes a part as an operand and not as an attribute.
func (l *lowerer) become(op *mlir.Op, dynamic mlir.Code, p mlir.StaticPart, list []int64) {
	op.Code = dynamic
	op.Operands = slices.Insert(slices.Clone(op.Operands), p.Operand, l.sizeList(list))
	op.Attrs = slices.DeleteFunc(slices.Clone(op.Attrs), func(a mlir.NamedAttr) bool { return p.Attr != "" && a.Name == p.Attr })
}

// fail notes the first error, at the op at hand.
func (l *lowerer) fail(err error) {
	if l.err == nil {
		l.err = at(l.loc, err)
	}
}

// at puts a place before what is wrong there, if it is known.
func at(loc mlir.Location, err error) error {
	if loc == nil {
		return err
	}
	return fmt.Errorf("%v: %w", loc, err)
}

// inPrelude has f emit ops at the beginning of the function, or behind the last of the counts that
// the sizes of a list depend on.
func (l *lowerer) inPrelude(list []int64, f func() *mlir.Value) *mlir.Value {
	at, outer := l.sizes.sectionOf(list...), l.sizes.open
	if outer != nil && *outer == at {
		return f()
	}
	block, loc := l.block, l.loc
	prelude := &mlir.Block{}
	l.block, l.sizes.open = prelude, &at
	if l.loc == nil {
		l.loc = l.sizes.loc
	} // else the op that needs the size first: a size may be none of the text's type
	v := f()
	l.block, l.loc, l.sizes.open = block, loc, outer
	if at >= 0 {
		s := &l.sizes.sections[at]
		s.ops = append(s.ops, prelude.Ops...)
	} else {
		l.sizes.ops = append(l.sizes.ops, prelude.Ops...)
	}
	return v
}

// sizeList returns sizes as a tensor of i64.
func (l *lowerer) sizeList(list []int64) *mlir.Value {
	var key strings.Builder
	for _, d := range list {
		fmt.Fprint(&key, d, " ")
	}
	if v := l.sizes.lists[key.String()]; v != nil {
		return v
	}
	v := l.inPrelude(list, func() *mlir.Value {
		if dims.Static(list) {
			return l.integers(list...)
		}
		var pieces []*mlir.Value
		for i := 0; i < len(list); {
			if dims.IsExpr(list[i]) {
				pieces = append(pieces, l.sizeOf(list[i]))
				i++
				continue
			}
			from := i
			for ; i < len(list) && !dims.IsExpr(list[i]); i++ {
				continue
			}
			pieces = append(pieces, l.integers(list[from:i]...))
		}
		if len(pieces) == 1 {
			return pieces[0]
		}
		return l.emit(stablehlo.Concatenate, mlir.Tensor(mlir.I64, int64(len(list))), pieces, attr("dimension", mlir.I64Attr(0)))
	})
	l.sizes.lists[key.String()] = v
	return v
}

var oneI64 = mlir.Tensor(mlir.I64, 1)

// integers emits a constant.
func (l *lowerer) integers(v ...int64) *mlir.Value {
	t := mlir.Tensor(mlir.I64, int64(len(v)))
	var data []byte
	for _, n := range v {
		data = binary.LittleEndian.AppendUint64(data, uint64(n))
	}
	return l.emit(stablehlo.Constant, t, nil, attr("value", mlir.Dense(t, data)))
}

// size returns a size as a scalar of i64.
func (l *lowerer) size(d int64) *mlir.Value {
	v := l.sizeList([]int64{d})
	return l.emit(stablehlo.Reshape, mlir.Tensor(mlir.I64), []*mlir.Value{v})
}

// sizeOf emits a size as a tensor<1xi64> into the prelude, which is the block at hand.
func (l *lowerer) sizeOf(d int64) *mlir.Value {
	if v := l.sizes.known[d]; v != nil {
		return v
	}
	v := l.inPrelude([]int64{d}, func() *mlir.Value { return l.fold(d) })
	l.sizes.known[d] = v
	return v
}

// fold emits what computes an expression.
func (l *lowerer) fold(d int64) *mlir.Value {
	type sized struct {
		size int64
		v    *mlir.Value
	}
	return dims.Fold(d, func(d int64) sized { return sized{d, l.leaf(d)} }, func(op dims.Op, x, y sized) sized {
		size := dims.Apply(op, x.size, y.size)
		if op == dims.Floor {
			return sized{size, l.quotient(x.size, y.size, x.v, y.v)}
		}
		return sized{size, l.two(sizeOps[op], x.v, y.v)}
	}).v
}

// sizeOps are the ops that compute sizes as expressions do.
var sizeOps = map[dims.Op]mlir.Code{dims.Plus: stablehlo.Add, dims.Times: stablehlo.Multiply, dims.Least: stablehlo.Minimum, dims.Greatest: stablehlo.Maximum}

// two emits an op on two sizes.
func (l *lowerer) two(code mlir.Code, x, y *mlir.Value) *mlir.Value {
	return l.emit(code, oneI64, []*mlir.Value{x, y})
}

// quotient emits floor(a / b), whose values are x and y.
func (l *lowerer) quotient(a, b int64, x, y *mlir.Value) *mlir.Value {
	lo, _ := dims.Bounds(a)
	if lo >= 0 {
		return l.two(stablehlo.Divide, x, y)
	}
	if least, _ := dims.Bounds(b); least > 0 { // (a + k·b)/b - k rounds down: nothing is negative
		k := dims.CeilDiv(-lo, least)
		if more := dims.Mul(k, b); dims.AtMost(more, dims.Largest) {
			var n *mlir.Value
			if dims.IsExpr(more) {
				n = l.two(stablehlo.Multiply, l.integers(k), y)
			} else {
				n = l.integers(more)
			}
			return l.two(stablehlo.Subtract, l.two(stablehlo.Divide, l.two(stablehlo.Add, x, n), y), l.integers(k))
		}
	}
	r := l.two(stablehlo.Remainder, l.two(stablehlo.Add, l.two(stablehlo.Remainder, x, y), y), y)
	return l.two(stablehlo.Divide, l.two(stablehlo.Subtract, x, r), y)
}

// leaf emits a number or the value of a symbol.
func (l *lowerer) leaf(d int64) *mlir.Value {
	if !dims.IsExpr(d) {
		return l.integers(d)
	}
	if v := l.sizes.known[d]; v != nil {
		return v
	}
	v := l.inPrelude(nil, func() *mlir.Value { return l.symbol(d) })
	l.sizes.known[d] = v
	return v
}

// symbol emits the value of a symbol, from the dimension of an argument that binds it.
func (l *lowerer) symbol(d int64) *mlir.Value {
	t := dims.BindingOf(d, l.sizes.shapes)
	if t.By == 0 {
		l.fail(fmt.Errorf("the size %s is open, and no argument of the function has it", dims.String(d)))
		return l.integers(0)
	}
	v := l.emit(stablehlo.GetDimensionSize, mlir.Tensor(mlir.I32), []*mlir.Value{l.sizes.args[t.Of]}, attr("dimension", mlir.I64Attr(int64(t.Axis))))
	v = l.emit(stablehlo.Convert, mlir.Tensor(mlir.I64), []*mlir.Value{v})
	v = l.emit(stablehlo.Reshape, oneI64, []*mlir.Value{v})
	if t.Plus != 0 {
		v = l.emit(stablehlo.Subtract, oneI64, []*mlir.Value{v, l.integers(t.Plus)})
	}
	if t.By != 1 {
		v = l.emit(stablehlo.Divide, oneI64, []*mlir.Value{v, l.integers(t.By)})
	}
	return v
}

// binds reports whether the arguments bind all symbols of a size.
func (s *sizes) binds(d int64) bool {
	if !dims.IsExpr(d) {
		return true
	}
	for _, x := range dims.Symbols(d) {
		bound, ok := s.bound[x]
		if !ok {
			bound = dims.BindingOf(x, s.shapes).By != 0
			s.bound[x] = bound
		}
		if !bound {
			return false
		}
	}
	return true
}

// unnamed writes `?` for the sizes of a module that are expressions, and what the symbols of
// main's arguments are: ltc.dim and ltc.dims. An expression is named by its text. Named has shapes with other
// symbols, if it is not nil.
func (l *lowerer) unnamed(g *ir.Graph, named []types.Shape) {
	main := l.module.Ops[0]
	bounds := mlir.Dict{}
	args := argAttrs(main)
	for i, a := range main.Body().Args {
		t, ok := a.Type.(*mlir.TensorType)
		if !ok || !dims.HasExpr(t.Shape...) {
			continue
		}
		names := mlir.ArrayAttr{}
		shape := g.Params[i].Type.Shape
		if named != nil {
			shape = named[i]
		}
		for _, d := range shape {
			name, lo, hi, ok := dims.SymbolOf(d)
			if !ok && dims.IsExpr(d) {
				name = dims.String(d)
				least, most := dims.Bounds(d)
				lo, hi, ok = int64(least), int64(most), true
			}
			if names = append(names, mlir.StringAttr(name)); ok {
				bounds.Set(name, mlir.ArrayAttr{mlir.IntegerAttr{Value: lo}, mlir.IntegerAttr{Value: hi}})
			}
		}
		args[i].Set("ltc.dim", names)
	}
	if len(bounds) > 0 {
		setArgAttrs(main, args)
		l.module.Attrs.Set("ltc.dims", mlir.DictAttr(bounds))
	}
	l.module.Retype((*mlir.TensorType).Opened)
}

// binds reports whether the types of a graph's parameters bind all symbols of it.
func binds(g *ir.Graph) bool {
	s, all := newSizes(nil, nil), true
	for _, p := range g.Params {
		s.shapes = append(s.shapes, tensor(p.Type).Shape)
	}
	ir.EachSize(g, func(d int) { all = all && s.binds(int64(d)) })
	return all
}
