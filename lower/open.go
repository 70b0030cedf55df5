package lower

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"ltc/ir/types"
	"ltc/mlir"
)

// Open returns the module that modules are for the sizes at, at least three, of
// one dimension: types have a `?` where they differ, and what depends on the size
// is computed from that of an argument. Arguments of main say by ltc.dim which of
// their dimensions it is, under the given name, and the module that it lies
// between least and most. The modules must be of one trace, lowered for arguments
// of each size; the first is changed and returned. The error names the op and its
// line that cannot be the same for all sizes.
func Open(name string, least, most int, at []int, modules []*mlir.Module) (*mlir.Module, error) {
	o := &opening{at: at, dynamic: map[string]string{}}
	for range modules {
		o.first = append(o.first, map[*mlir.Value]*mlir.Value{})
	}
	for _, op := range mlir.OpNames() {
		if info, _ := mlir.Info(op); info.Static != nil {
			o.dynamic[info.Static.Op] = op
		}
	}
	m := modules[0]
	for k, f := range m.Ops {
		fs := make([]*mlir.Op, len(modules))
		for i, other := range modules {
			if len(other.Ops) != len(m.Ops) || other.Ops[k].SymName() != f.SymName() {
				return nil, fmt.Errorf("traces for %d and %d elements call other functions", at[0], at[i])
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
	return m, mlir.Verify(m)
}

// opening is the work on one module.
type opening struct {
	at      []int
	first   []map[*mlir.Value]*mlir.Value // by module: what its values are in the first
	dynamic map[string]string             // by static op: the op that takes what may depend on sizes as operands

	// of the function at hand
	args    []*mlir.Value
	lines   map[*mlir.Value][]line // of args
	prelude []*mlir.Op             // what computes size
	size    *mlir.Value            // per·n, a tensor<1xi64>; nil until it is needed
	per     int64
	lists   map[string]*mlir.Value // numbers that the prelude computes
	ops     []*mlir.Op             // of the block at hand
	loc     mlir.Location
	err     error
}

// line is a number that depends on the size n: slope·n + base.
type line struct{ slope, base int64 }

// through returns the line through numbers for the sizes at; false if they are
// on none.
func (o *opening) through(numbers []int64) (line, bool) {
	d := int64(o.at[1] - o.at[0])
	l := line{slope: (numbers[1] - numbers[0]) / d}
	l.base = numbers[0] - l.slope*int64(o.at[0])
	for i, n := range numbers {
		if l.slope*int64(o.at[i])+l.base != n {
			return l, false
		}
	}
	return l, true
}

// function opens the same function of all modules.
func (o *opening) function(fs []*mlir.Op) error {
	o.size, o.prelude, o.lines, o.lists = nil, nil, map[*mlir.Value][]line{}, map[string]*mlir.Value{}
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
			if len(blocks[i].Ops) != len(b.Ops) || blocks[i].Ops[k].Name != op.Name {
				return fmt.Errorf("%v: for %d elements other ops are recorded than for %d: what the model records must not depend on the size", op.Loc, o.at[i], o.at[0])
			}
			same[i] = blocks[i].Ops[k]
		}
		o.loc = op.Loc
		if err := o.op(same); err != nil {
			return fmt.Errorf("%v: %s: %w", op.Loc, op.Name, err)
		}
	}
	b.Ops, o.ops = o.ops, outer
	return nil
}

// value opens the type of a value and returns what its dimensions are; nil if
// they do not depend on the size.
func (o *opening) value(vs []*mlir.Value) ([]line, error) {
	for i, v := range vs {
		o.first[i][v] = vs[0]
	}
	t, ok := vs[0].Type.(*mlir.TensorType)
	if !ok {
		return nil, nil
	}
	open := &mlir.TensorType{Elem: t.Elem, Shape: slices.Clone(t.Shape), Encoding: t.Encoding}
	lines, some := make([]line, len(t.Shape)), false
	numbers := make([]int64, len(vs))
	for d := range t.Shape {
		for i, v := range vs {
			u, ok := v.Type.(*mlir.TensorType)
			if !ok || len(u.Shape) != len(t.Shape) || u.Elem.String() != t.Elem.String() {
				return nil, fmt.Errorf("%v is %v for %d elements", t, v.Type, o.at[i])
			}
			numbers[i] = u.Shape[d]
		}
		l, ok := o.through(numbers)
		if !ok {
			return nil, fmt.Errorf("dimension %d is %v for %v elements, not so many more for each element more", d, numbers, o.at)
		}
		if lines[d] = l; l.slope != 0 {
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
			return fmt.Errorf("for %d elements it works on other values than for %d: what the model records must not depend on the size", o.at[i], o.at[0])
		}
	}
	return nil
}

// op appends the op that is the same one for all sizes.
func (o *opening) op(same []*mlir.Op) error {
	op := same[0]
	if err := o.wired(same); err != nil {
		return err
	}
	var lines []line // of the one result
	static := op.Results
	if len(static) == 1 {
		static = []*mlir.Value{{Type: op.Results[0].Type}}
	}
	vs := make([]*mlir.Value, len(same))
	for k := range op.Results {
		for i := range same {
			vs[i] = same[i].Results[k]
		}
		l, err := o.value(vs)
		if err != nil {
			return fmt.Errorf("result %d: %w", k, err)
		}
		lines = l
	}
	for r := range op.Regions {
		for k := range op.Regions[r].Blocks {
			blocks := make([]*mlir.Block, len(same))
			for i := range same {
				blocks[i] = same[i].Regions[r].Blocks[k]
			}
			if err := o.block(blocks); err != nil {
				return err
			}
		}
	}
	if op.Name == "stablehlo.constant" {
		return o.constant(same, lines, static)
	}
	differ, err := o.attributes(same)
	if err != nil {
		return err
	}
	name := o.dynamic[op.Name]
	info, _ := mlir.Info(name)
	shaped := name != "" && info.Static.Parts[0].Attr == ""
	switch {
	case shaped && lines != nil:
		op.Operands = slices.Insert(slices.Clone(op.Operands), info.Static.Parts[0].Operand, o.list(lines))
	case name != "" && len(differ) > 0:
		for _, p := range info.Static.Parts {
			l := differ[p.Attr]
			if l == nil {
				a, ok := op.Attrs.Get(p.Attr).(mlir.DenseArrayAttr)
				if !ok {
					return fmt.Errorf("its %s is no list of integers", p.Attr)
				}
				for _, n := range a.Ints {
					l = append(l, line{base: n})
				}
			}
			delete(differ, p.Attr)
			op.Operands = slices.Insert(slices.Clone(op.Operands), p.Operand, o.list(l))
			op.Attrs = slices.DeleteFunc(slices.Clone(op.Attrs), func(a mlir.NamedAttr) bool { return a.Name == p.Attr })
		}
	default:
		name = op.Name
	}
	for _, a := range op.Attrs {
		if differ[a.Name] != nil {
			return fmt.Errorf("its %s depends on the size, which no op of StableHLO takes", a.Name)
		}
	}
	op.Name = name
	o.ops = append(o.ops, op)
	return nil
}

// attributes returns the attributes, lists of integers, that depend on the size.
func (o *opening) attributes(same []*mlir.Op) (map[string][]line, error) {
	var differ map[string][]line
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
		var lines []line
		numbers := make([]int64, len(same))
		for d := range lists[0].Ints {
			for i := range same {
				if len(lists[i].Ints) != len(lists[0].Ints) {
					return nil, fmt.Errorf("its %s depends on the size", a.Name)
				}
				numbers[i] = lists[i].Ints[d]
			}
			l, ok := o.through(numbers)
			if !ok {
				return nil, fmt.Errorf("its %s has %v for %v elements, not so many more for each element more", a.Name, numbers, o.at)
			}
			lines = append(lines, l)
		}
		if lines == nil {
			return nil, fmt.Errorf("its %s depends on the size: %s for %d elements", a.Name, text, o.at[0])
		}
		if differ == nil {
			differ = map[string][]line{}
		}
		differ[a.Name] = lines
	}
	return differ, nil
}

// constant appends a constant, or one element of it spread over an open type. One
// whose elements are all one number that depends on the size, such as what a mean
// divides by, is computed from it.
func (o *opening) constant(same []*mlir.Op, lines []line, static []*mlir.Value) error {
	op := same[0]
	first, _ := op.Attrs.Get("value").(*mlir.DenseAttr)
	if first == nil {
		return fmt.Errorf("it has no value")
	}
	differ := false
	for i := range same {
		a, _ := same[i].Attrs.Get("value").(*mlir.DenseAttr)
		differ = differ || a == nil || a.Literal != first.Literal
	}
	if lines == nil && !differ {
		o.ops = append(o.ops, op)
		return nil
	}
	var scalar *mlir.Value
	if differ {
		l, err := o.numberIn(same)
		if err != nil {
			return err
		}
		scalar = o.emit("stablehlo.reshape", mlir.Tensor(mlir.I64), []*mlir.Value{o.list([]line{l})})
		if first.Type.Elem.String() != mlir.I64.String() {
			scalar = o.emit("stablehlo.convert", mlir.Tensor(first.Type.Elem), []*mlir.Value{scalar})
		}
	} else {
		data, splat, err := first.Decode()
		if err != nil || !splat {
			return fmt.Errorf("a literal of %v elements for an open size", static[0].Type)
		}
		t := mlir.Tensor(first.Type.Elem)
		scalar = o.emit("stablehlo.constant", t, nil, attr("value", mlir.Dense(t, data)))
	}
	o.spread(op, scalar, lines)
	return nil
}

// spread appends what has a scalar everywhere in the place of the constant op, whose
// dimensions are lines if some depend on the size.
func (o *opening) spread(op *mlir.Op, scalar *mlir.Value, lines []line) {
	if t, ok := op.Results[0].Type.(*mlir.TensorType); ok && len(t.Shape) == 0 {
		scalar.Def.Results, op.Results[0].Def = op.Results, scalar.Def
		return
	}
	spread := mlir.NewOp("stablehlo.broadcast_in_dim", []*mlir.Value{scalar})
	if lines != nil {
		spread = mlir.NewOp("stablehlo.dynamic_broadcast_in_dim", []*mlir.Value{scalar, o.list(lines)})
	}
	spread.Attrs, spread.Loc, spread.Results = mlir.Dict{ints("broadcast_dimensions", nil)}, op.Loc, op.Results
	op.Results[0].Def = spread
	o.ops = append(o.ops, spread)
}

// numberIn returns the number that constants have in all elements.
func (o *opening) numberIn(same []*mlir.Op) (line, error) {
	const unknown = "its value depends on the size in a way that is not known for others: compute it from a tensor of that size instead (a number of elements is a sum of ones)"
	numbers := make([]int64, len(same))
	for i, op := range same {
		a, _ := op.Attrs.Get("value").(*mlir.DenseAttr)
		if a == nil {
			return line{}, errors.New("it has no value")
		}
		data, splat, err := a.Decode()
		if err != nil || !splat && a.Type.Elements() != 1 {
			return line{}, errors.New(unknown)
		}
		n, ok := wholeNumber(mlir.DTypeOf(a.Type.Elem), data)
		if !ok {
			return line{}, errors.New(unknown)
		}
		numbers[i] = n
	}
	l, ok := o.through(numbers)
	if !ok {
		return l, errors.New(unknown)
	}
	return l, nil
}

// wholeNumber returns the integer that an element is, if it is one of a type that
// holds the sizes that programs have.
func wholeNumber(d types.DType, data []byte) (int64, bool) {
	switch d {
	case types.I32:
		return int64(int32(binary.LittleEndian.Uint32(data))), true
	case types.I64:
		return int64(binary.LittleEndian.Uint64(data)), true
	case types.F32:
		f := math.Float32frombits(binary.LittleEndian.Uint32(data))
		return int64(f), float32(int64(f)) == f
	case types.F64:
		f := math.Float64frombits(binary.LittleEndian.Uint64(data))
		return int64(f), float64(int64(f)) == f
	}
	return 0, false
}

func (o *opening) emit(name string, t mlir.Type, operands []*mlir.Value, attrs ...mlir.NamedAttr) *mlir.Value {
	op := mlir.NewOp(name, operands, t)
	op.Attrs, op.Loc = attrs, o.loc
	o.ops = append(o.ops, op)
	return op.Results[0]
}

// list returns numbers as a tensor of i64, which is computed at the function's
// beginning.
func (o *opening) list(lines []line) *mlir.Value {
	key := fmt.Sprint(lines)
	if v := o.lists[key]; v != nil {
		return v
	}
	outer := o.ops
	o.ops = nil
	v := o.numbers(lines)
	o.prelude, o.ops, o.lists[key] = append(o.prelude, o.ops...), outer, v
	return v
}

// numbers emits numbers as a tensor of i64.
func (o *opening) numbers(lines []line) *mlir.Value {
	var pieces []*mlir.Value
	for i := 0; i < len(lines); {
		if lines[i].slope != 0 {
			pieces = append(pieces, o.number(lines[i]))
			i++
			continue
		}
		var fixed []int64
		for ; i < len(lines) && lines[i].slope == 0; i++ {
			fixed = append(fixed, lines[i].base)
		}
		pieces = append(pieces, o.integers(fixed))
	}
	if len(pieces) == 1 {
		return pieces[0]
	}
	return o.emit("stablehlo.concatenate", mlir.Tensor(mlir.I64, int64(len(lines))), pieces, attr("dimension", mlir.I64Attr(0)))
}

var oneI64 = mlir.Tensor(mlir.I64, 1)

// integers emits a constant.
func (o *opening) integers(v []int64) *mlir.Value {
	t := mlir.Tensor(mlir.I64, int64(len(v)))
	var data []byte
	for _, n := range v {
		data = binary.LittleEndian.AppendUint64(data, uint64(n))
	}
	return o.emit("stablehlo.constant", t, nil, attr("value", mlir.Dense(t, data)))
}

// number emits slope·n + base.
func (o *opening) number(l line) *mlir.Value {
	v := o.elements()
	times := l.slope
	if times%o.per == 0 {
		times /= o.per
	} else {
		v = o.emit("stablehlo.divide", oneI64, []*mlir.Value{v, o.integers([]int64{o.per})})
	}
	if times != 1 {
		v = o.emit("stablehlo.multiply", oneI64, []*mlir.Value{v, o.integers([]int64{times})})
	}
	if l.base != 0 {
		v = o.emit("stablehlo.add", oneI64, []*mlir.Value{v, o.integers([]int64{l.base})})
	}
	return v
}

// elements returns per·n, which an argument of the function tells.
func (o *opening) elements() *mlir.Value {
	if o.size != nil {
		return o.size
	}
	arg, dim, l := o.teller()
	if arg == nil {
		o.err = fmt.Errorf("%v: a size depends on that of the inputs, but no argument of the function has it", o.loc)
		o.per = 1
		return o.integers([]int64{0})
	}
	o.per = l.slope
	outer := o.ops
	o.ops = nil
	v := o.emit("stablehlo.get_dimension_size", mlir.Tensor(mlir.I32), []*mlir.Value{arg}, attr("dimension", mlir.I64Attr(int64(dim))))
	v = o.emit("stablehlo.convert", mlir.Tensor(mlir.I64), []*mlir.Value{v})
	v = o.emit("stablehlo.reshape", oneI64, []*mlir.Value{v})
	if l.base != 0 {
		v = o.emit("stablehlo.subtract", oneI64, []*mlir.Value{v, o.integers([]int64{l.base})})
	}
	o.prelude, o.ops, o.size = append(o.prelude, o.ops...), outer, v
	return v
}

// teller returns the argument and the dimension of it that tell n best. A value
// with a size that depends on n has it from an argument.
func (o *opening) teller() (arg *mlir.Value, dim int, l line) {
	for _, a := range o.args {
		for d, x := range o.lines[a] {
			if x.slope != 0 && (arg == nil || x == line{1, 0}) {
				arg, dim, l = a, d, x
			}
			if l == (line{1, 0}) {
				return arg, dim, l
			}
		}
	}
	return arg, dim, l
}
