package eval

import (
	"errors"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/backends/reference/internal/loops"
	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

// A function is open when the text leaves the size of any dimension in it open: `?`, or
// a size that is only bounded. Its memory cannot be planned, so it runs op by op. The
// types of an op's results follow from the types of its operands. The op is prepared
// for these types like any other, and writes to fresh memory.

// value is a value of an open function: what leaves says its type is made of.
type value []part

// openProgram runs the open functions of a module. All of it but the cache is
// only read from, by runs that may be many at once.
type openProgram struct {
	*compiler
	cache *opCache
}

// openFunction prepares an open function with a signature that is not open, so
// that others can call it: as one step.
func (c *compiler) openFunction(fn *mlir.Op) (*code, error) {
	b := &builder{compiler: c, code: &code{name: fn.SymName(), lastFallible: -1}}
	if err := c.survey(fn); err != nil {
		return nil, err
	}
	t, args := fn.FuncType(), []part(nil)
	slots := func(list []mlir.Type, kind slotKind) []int {
		var all []int
		for i, t := range list {
			ts, reason := leaves(t)
			if reason != "" {
				c.lack(fn, fmt.Sprintf("type %d of the signature: %s", i, reason))
			}
			for _, t := range ts {
				all = append(all, b.newSlot(slot{bytes: t.bytes(), kind: kind}))
				b.code.types = append(b.code.types, t)
			}
		}
		return all
	}
	b.code.args = slots(t.Ins, external)
	b.pos++
	b.code.results = slots(t.Outs, planned)
	for _, s := range b.code.args {
		b.touch(s, b.pos)
	}
	for _, s := range b.code.results {
		b.touch(s, maxPos)
	}
	for _, t := range b.code.types[:len(b.code.args)] {
		args = append(args, part{tensor: t})
	}
	p := &openProgram{c, newOpCache(c)}
	code := b.code
	code.lastFallible = b.pos
	code.steps = []step{{op: fn, work: loops.Tank, pos: b.pos, try: func(f *frame) error {
		in := slices.Clone(args)
		for i, s := range code.args {
			in[i].p = f.p[s]
		}
		out, err := p.call(f.ws, fn, in)
		if err != nil {
			return err
		}
		for i, s := range code.results {
			loops.CopyBytes(f.p[s], out[i].p, out[i].bytes())
		}
		return nil
	}}}
	code.layout()
	return code, nil
}

// call runs fn on what its arguments are made of and returns what its results
// are made of.
func (p *openProgram) call(ws *workspace, fn *mlir.Op, in value) (value, error) {
	env := map[*mlir.Value]value{}
	body := fn.Body()
	if err := give(env, "argument", body.Args, in); err != nil {
		return nil, fmt.Errorf("@%s: %w", fn.SymName(), err)
	}
	return p.block(ws, env, body)
}

// block runs a block whose arguments are in env.
func (p *openProgram) block(ws *workspace, env map[*mlir.Value]value, bl *mlir.Block) (value, error) {
	for _, op := range bl.Ops[:len(bl.Ops)-1] {
		if ws.Done != nil && ws.Cancelled() {
			return nil, ws.halt(op)
		}
		out, err := p.op(ws, env, op)
		if err == nil {
			err = give(env, "result", op.Results, out)
		}
		if err != nil {
			return nil, p.failed(ws, op, err)
		}
		for _, v := range p.opens.dying[op] {
			delete(env, v)
		}
	}
	return valuesOf(env, bl.Ops[len(bl.Ops)-1].Operands), nil
}

// failed gives an error of op its place, unless it is of an op inside it or
// says that the run was cancelled.
func (p *openProgram) failed(ws *workspace, op *mlir.Op, err error) error {
	var inner *backends.RunError
	if !errors.As(err, &inner) && ws.ctx.Err() == nil {
		err = p.errorAt(op, err)
	}
	return runError(op, err)
}

// valuesOf returns what values are made of, one after the other.
func valuesOf(env map[*mlir.Value]value, vs []*mlir.Value) value {
	var all value
	for _, v := range vs {
		all = append(all, env[v]...)
	}
	return all
}

// op runs an op and returns what its results are made of.
func (p *openProgram) op(ws *workspace, env map[*mlir.Value]value, op *mlir.Op) (value, error) {
	in := valuesOf(env, op.Operands)
	switch op.Code {
	case stablehlo.Tuple, stablehlo.OptimizationBarrier, stablehlo.AsyncDone:
		return in, nil
	case stablehlo.GetTupleElement:
		index, tuple := stablehlo.AsGetTupleElement(op).Index(), op.Operands[0].Type.(mlir.TupleType)
		at := len(leafTypes(mlir.TupleType{Elems: tuple.Elems[:index]}))
		return in[at : at+len(leafTypes(tuple.Elems[index]))], nil
	case stablehlo.If:
		return p.region(ws, env, op, 1-int(*(*uint8)(in[0].p)&1), nil)
	case stablehlo.Case:
		i := int(*(*int32)(in[0].p))
		if i < 0 || i >= len(op.Regions) {
			i = len(op.Regions) - 1
		}
		return p.region(ws, env, op, i, nil)
	case stablehlo.AsyncStart:
		return p.region(ws, env, op, 0, in)
	case stablehlo.While:
		return p.while(ws, env, op, in)
	}
	if callee := p.Module.Func(op.Callee()); callee != nil && p.isOpen(callee) {
		return p.call(ws, callee, in)
	}
	return p.plain(ws, env, op, in)
}

// region runs region i of op with the given arguments.
func (p *openProgram) region(ws *workspace, env map[*mlir.Value]value, op *mlir.Op, i int, in value) (value, error) {
	bl := op.Regions[i].Blocks[0]
	if err := give(env, "block argument", bl.Args, in); err != nil {
		return nil, err
	}
	return p.block(ws, env, bl)
}

// give makes parts the values of vs. A region may hand on less than its type
// says, so that sizes that the types of vs declare need not be those that come.
func give(env map[*mlir.Value]value, what string, vs []*mlir.Value, parts value) error {
	for i, v := range vs {
		leaves := leafTypes(v.Type)
		if len(parts) < len(leaves) {
			return fmt.Errorf("%s %d: %s for %v", what, i, diag.Count(len(parts), "value"), v.Type)
		}
		for k, t := range leaves {
			if tt, ok := t.(*mlir.TensorType); ok {
				if _, err := closed(tt, parts[k].shape, nil); err != nil {
					return fmt.Errorf("%s %d gets %w", what, i, err)
				}
			}
		}
		env[v], parts = parts[:len(leaves):len(leaves)], parts[len(leaves):]
	}
	return nil
}

func (p *openProgram) while(ws *workspace, env map[*mlir.Value]value, op *mlir.Op, v value) (value, error) {
	for {
		if ws.Done != nil && ws.Cancelled() {
			return nil, ws.halt(op)
		}
		more, err := p.region(ws, env, op, 0, v)
		if err != nil || *(*uint8)(more[0].p) == 0 {
			return v, err
		}
		if v, err = p.region(ws, env, op, 1, v); err != nil {
			return nil, err
		}
	}
}

// plain runs an op that is prepared like those of other functions.
func (p *openProgram) plain(ws *workspace, env map[*mlir.Value]value, op *mlir.Op, in value) (value, error) {
	s, values, err := resolve(op, in)
	if err != nil {
		return nil, err
	}
	all := tensorsOf(in)
	if len(s.kept) < len(in) {
		kept := make(value, len(s.kept))
		for i, k := range s.kept {
			kept[i] = in[k]
		}
		in = kept
	}
	results, _, err := s.resultTypes(p.Module, op, tensorsOf(in), ws.wanted)
	if err == nil && s.op != op {
		_, _, err = inferShapes(p.Module, op, all, results)
	}
	if err != nil {
		return nil, err
	}
	args := slices.Clone(in)
	outside := slices.Collect(op.Captured())
	types := make([][]tensor, len(outside))
	for i, v := range outside {
		types[i] = tensorsOf(env[v])
		args = append(args, env[v]...)
	}
	code, err := p.cache.prepare(ws.ctx, op, s.op, values, tensorsOf(in), outside, types, results)
	if err != nil {
		return nil, err
	}
	var out value
	for _, t := range results {
		ts, reason := leaves(t)
		if reason != "" {
			return nil, fmt.Errorf("%s", reason)
		}
		for _, t := range ts {
			if err := soa.Fits(t.bytes()); err != nil {
				return nil, err
			}
			out = append(out, part{t, first(soa.New(t.bytes() + 1).Bytes())})
		}
	}
	return out, code.run(ws, args, out)
}

// resolve returns the op to run for op on the given operands, and the values of
// operands that have become attributes or shapes.
func resolve(op *mlir.Op, in value) (special, [][]int, error) {
	return resolveBy(op, in, func(k int) ([]int, error) { return readInts(in[k].p, in[k].tensor) })
}

// resolveBy is resolve where ints reads the integers of an operand.
func resolveBy(op *mlir.Op, in value, ints func(k int) ([]int, error)) (special, [][]int, error) {
	read := func(k int) ([]int, error) {
		if k >= len(in) {
			return nil, fmt.Errorf("it has %s", diag.Count(len(in), "operand"))
		}
		return ints(k)
	}
	if d := static(op); d != nil {
		values, err := valuesBy(d, read)
		if err != nil {
			return special{}, nil, err
		}
		if op.Code == stablehlo.RealDynamicSlice {
			if err := exceeded(values[1], in[0].shape); err != nil {
				return special{}, nil, err
			}
		}
		return specialise(d, op, values), values, nil
	}
	s := special{op: op}
	for k := range in {
		s.kept = append(s.kept, k)
	}
	switch op.Code {
	case stablehlo.SetDimensionSize:
		size, err := read(1)
		if err != nil {
			return s, nil, err
		}
		dim := int(stablehlo.AsSetDimensionSize(op).Dimension())
		if most := largestSize(op.Operands[0].Type, dim, in[0].shape[dim]); size[0] < 0 || size[0] > most {
			return s, nil, fmt.Errorf("the size %d of dimension %d is not in [0, %d]", size[0], dim, most)
		}
		s.shape = with(in[0].shape, dim, size[0])
	case stablehlo.CustomCall:
		for _, k := range stablehlo.ShapeOperands(op) {
			shape, err := read(k)
			if err != nil {
				return s, nil, err
			}
			s.shapes = append(s.shapes, shape)
		}
	case stablehlo.RNG:
		shape, err := read(2)
		if err != nil {
			return s, nil, err
		}
		s.shape = shape
	}
	return s, nil, nil
}

// exceeded returns the error of the first limit of a slice that is more than the operand has.
func exceeded(limits, shape []int) error {
	for i, n := range limits {
		if i < len(shape) && n > shape[i] && dims.Static([]int{n, shape[i]}) {
			return &backends.BoundError{Size: int64(n), Bound: int64(shape[i])}
		}
	}
	return nil
}

// largestSize returns what dimension d of a value of type t can be set to: its size in the
// text, or its bound; the size that it has if there is neither.
func largestSize(t mlir.Type, d, has int) int {
	if t, ok := t.(*mlir.TensorType); ok {
		if n := t.Shape[d]; n != mlir.Dynamic {
			return int(n)
		}
		if bounds := stablehlo.Bounds(t); d < len(bounds) && bounds[d] != mlir.Dynamic {
			return int(bounds[d])
		}
	}
	return has
}

// resultTypes returns the types of the results of op, of module m, for operands of types in:
// what its rule says, with which types of known sizes must agree. What operands do not tell
// of an op, such as how many random bits it is to give, are the shapes wanted of its
// results, if these are known.
// Guards are what has to hold of sizes that are expressions.
func (s *special) resultTypes(m *mlir.Module, op *mlir.Op, in []tensor, wanted map[*mlir.Value][]int) (types []mlir.Type, guards []dims.Guard, err error) {
	types = make([]mlir.Type, len(op.Results))
	left := -1 // a result that is open still
	become := func(i int, shape []int) error {
		c, err := closed(op.Results[i].Type.(*mlir.TensorType), shape, &guards)
		if err != nil {
			return fmt.Errorf("result %d gets %w", i, err)
		}
		types[i] = c
		return nil
	}
	for i, r := range op.Results {
		types[i] = r.Type
		_, ok := r.Type.(*mlir.TensorType)
		var shape []int
		switch {
		case !ok && openType(r.Type):
			return nil, nil, fmt.Errorf("the operands do not tell the sizes in %v", r.Type)
		case !ok:
		case s.shape != nil && i == s.shaped:
			shape = s.shape
		case s.shapes != nil && openType(r.Type):
			shape = s.shapes[i]
		case openType(r.Type) && opTable[s.op.Code].unshaped != "":
			shape = wanted[r]
		}
		if shape != nil {
			if err := become(i, shape); err != nil {
				return nil, nil, err
			}
		}
		if openType(types[i]) {
			left = i
		}
	}
	if left < 0 && !openOp(op) && !(m.Symbolic && hasExprs(op)) && s.op == op {
		return types, guards, nil
	}
	inferred, more, err := inferShapes(m, s.op, in, types)
	guards = append(guards, more...)
	if why := opTable[s.op.Code].unshaped; err != nil && (left < 0 || why == "" || why == howManyBits) {
		return nil, nil, err
	}
	for i := range types {
		switch {
		case err == nil && inferred[i] != nil:
			if err := become(i, inferred[i]); err != nil {
				return nil, nil, err
			}
		case openType(types[i]):
			return nil, nil, untold(s.op, i)
		}
	}
	return types, guards, nil
}
