package stages

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/mlir"
	"ltc/stablehlo"
)

// stage is a program of the chain, and where its values come from and go to. Slots are the values
// of a run that programs pass on: the arguments of the module first, then results of stages.
type stage struct {
	text      string
	ordinals  []int // by op of the text, the ordinal in the module
	args      []int // by argument, the slot that it is of
	shapeArgs []shapeArg
	results   []int // by result, the slot that it is for; nil: the stage is the last
	given     []int // by result, the result of the module that it is; -1: none
	roots     []int // the slots of roots, results of the stage, which the host reads
	limits    []limit
}

// limit is the most that an integer of a root can be, and the op that it is a size of.
type limit struct {
	root, at int
	most     int64
	op       *mlir.Op // without operands and results
}

// shapeArg is an argument without memory, behind the others: its sizes are the integers of a root.
type shapeArg struct {
	slot, rank int
}

// split cuts a module, whose functions were inlined, where sizes that follow from data become
// known; nil if none does.
func split(p *backends.Program) ([]*stage, error) {
	main := p.Module.Func("main")
	if main == nil || main.Body() == nil {
		return nil, nil
	}
	body := main.Body()
	last := len(body.Ops) - 1
	c := &cutter{
		module: p.Module, main: main, rest: byParts(body.Ops[:last]), ret: body.Ops[last],
		sizing: sizing{known: map[*mlir.Value]bool{}, data: map[*mlir.Value]bool{}},
		slots:  map[*mlir.Value]int{}, most: map[element]largest{}, names: map[element]string{}, early: map[int]bool{},
	}
	for i, a := range body.Args {
		c.slots[a] = i
	}
	c.slot = len(body.Args)
	for _, op := range c.rest {
		bounds(op, c.most)
	}
	var all []*stage
	for {
		roots, waiting := c.ready()
		if len(roots) == 0 && waiting {
			return nil, fmt.Errorf("a size follows from a value that no stage of the program gives")
		}
		if len(roots) == 0 && len(all) == 0 {
			return nil, nil
		}
		var ops []*mlir.Op
		if len(roots) > 0 {
			ops = c.take(roots)
		} else {
			ops, c.rest = c.rest, nil
		}
		s, err := c.stage(ops, roots)
		if err != nil {
			return nil, err
		}
		if all = append(all, s); len(roots) == 0 {
			return all, nil
		}
		c.learn(roots)
	}
}

// cutter is the work of split.
type cutter struct {
	sizing
	module *mlir.Module
	main   *mlir.Op
	rest   []*mlir.Op // that are in no stage yet
	ret    *mlir.Op
	slots  map[*mlir.Value]int // of the values that stages pass on
	slot   int                 // the next one
	most   map[element]largest
	names  map[element]string // of symbols

	blocked map[*mlir.Op]bool // the ops of the rest that need a size which is not known yet
	early   map[int]bool      // the results of the module that a stage before the last gives
}

// ready returns the roots that can be computed before any size that is not known yet; waiting is
// whether there are roots at all.
func (c *cutter) ready() (roots []*mlir.Value, waiting bool) {
	c.blocked = map[*mlir.Op]bool{}
	blocked := map[*mlir.Value]bool{}
	var found []*mlir.Value
	effects := false // of an op that is blocked: those behind it run behind it
	for _, op := range c.rest {
		of := c.rootsOf(op)
		effect := op.Code.Info().Traits.Has(mlir.Effects)
		block := len(of) > 0 || effect && effects
		for v := range op.Uses() {
			block = block || blocked[v]
		}
		if block {
			c.blocked[op] = true
			effects = effects || effect
			for _, r := range op.Results {
				blocked[r] = true
			}
		}
		for _, r := range of {
			if !slices.Contains(found, r) {
				found = append(found, r)
			}
		}
	}
	for _, r := range found {
		if !blocked[r] && sizesOf(r) {
			roots = append(roots, r)
		}
	}
	return roots, len(found) > 0
}

// take takes out of the rest the ops that the stage of roots has. They need no size which is not
// known yet. Those that fuse with their users in later stages stay in the rest.
func (c *cutter) take(roots []*mlir.Value) (ops []*mlir.Op) {
	here := map[*mlir.Op]bool{}
	for _, op := range c.rest {
		here[op] = !c.blocked[op]
	}
	used := map[*mlir.Value]bool{} // in this stage, or by main's return
	for _, v := range append(slices.Clone(roots), c.ret.Operands...) {
		used[v] = true
	}
	for _, op := range slices.Backward(c.rest) {
		if !here[op] {
			continue
		}
		stays := !sinks(op, here) || slices.ContainsFunc(op.Results, func(r *mlir.Value) bool { return used[r] })
		if here[op] = stays; stays {
			for v := range op.Uses() {
				used[v] = true
			}
		}
	}
	var rest []*mlir.Op
	for _, op := range c.rest {
		if here[op] {
			ops = append(ops, op)
		} else {
			rest = append(rest, op)
		}
	}
	c.rest = rest
	return ops
}

// sinks reports whether an op that only later stages use is theirs: kernels compute it where it is
// used, and it reads no more of this stage than what it gives.
func sinks(op *mlir.Op, here map[*mlir.Op]bool) bool {
	if len(op.Results) == 1 && folds(op.Results[0]) {
		return true
	}
	switch op.Code {
	case stablehlo.Constant, stablehlo.Iota, stablehlo.BroadcastInDim, stablehlo.Reshape, stablehlo.Convert, stablehlo.Slice, stablehlo.Transpose:
	default:
		if traits := op.Code.Info().Traits; !traits.Has(mlir.Elementwise) || traits.Has(mlir.Effects) {
			return false
		}
	}
	made := 0
	for _, v := range op.Operands {
		if v.Def != nil && here[v.Def] && !isRecomputed(v) {
			made++
		}
	}
	return made <= 1
}

// stage makes the program of ops. Without roots it is the last.
func (c *cutter) stage(ops []*mlir.Op, roots []*mlir.Value) (*stage, error) {
	b := &assembly{cutter: c, stage: new(stage), here: map[*mlir.Op]bool{}, body: &mlir.Block{}, attrs: mlir.ArrayAttr{}, dims: dimsOf(c.module)}
	for _, op := range ops {
		b.here[op] = true
	}
	var gives []*mlir.Value
	if len(roots) == 0 {
		for j, v := range c.ret.Operands {
			if !c.early[j] {
				gives, b.given = append(gives, v), append(b.given, j)
			}
		}
	} else {
		gives = c.passed(ops, roots)
		for i, v := range gives {
			b.results, b.given = append(b.results, c.slot+i), append(b.given, c.gives(v, roots))
			if slices.Contains(roots, v) {
				b.stage.roots = append(b.stage.roots, c.slot+i)
				for k := range int(v.Type.(*mlir.TensorType).Elements()) {
					if m, ok := c.most[element{v, k}]; ok {
						op := m.op.Like()
						op.Pos, op.Ordinal = m.op.Pos, m.op.Ordinal
						b.limits = append(b.limits, limit{i, k, m.n, op})
					}
				}
			}
		}
	}
	for _, op := range ops {
		b.use(op)
	}
	for _, v := range gives {
		b.value(v)
	}
	if len(roots) == 0 {
		b.donated()
	}
	b.sortArgs()
	for _, op := range ops {
		if err := b.clone(op); err != nil {
			return nil, err
		}
	}
	if err := b.finish(gives); err != nil {
		return nil, err
	}
	for i, v := range gives {
		if len(roots) > 0 {
			c.slots[v] = c.slot + i
		}
	}
	c.slot += len(b.results)
	return b.stage, nil
}

// gives returns the result of the module that v is, which a stage before the last gives; -1 if v is
// none. Results of open sizes are the last stage's. So are those that take over an argument's memory.
func (c *cutter) gives(v *mlir.Value, roots []*mlir.Value) int {
	j := slices.Index(c.ret.Operands, v)
	if j < 0 || v.Def == nil || slices.Contains(roots, v) || open(v.Type) || slices.Contains(c.ret.Operands[j+1:], v) {
		return -1
	}
	args, _ := c.main.Attrs.Get("arg_attrs").(mlir.ArrayAttr)
	for _, a := range args {
		d, _ := a.(mlir.DictAttr)
		if n, ok := mlir.Int(mlir.Dict(d).Get("tf.aliasing_output")); ok && int(n) == j {
			return -1
		}
	}
	c.early[j] = true
	return j
}

// passed returns the values that a stage of ops passes on to later ones, roots first.
func (c *cutter) passed(ops []*mlir.Op, roots []*mlir.Value) []*mlir.Value {
	all := slices.Clone(roots)
	made := map[*mlir.Value]bool{}
	for _, op := range ops {
		for _, r := range op.Results {
			made[r] = true
		}
	}
	uses := func(visit func(v *mlir.Value)) {
		for _, op := range c.rest {
			for v := range op.Uses() {
				visit(v)
			}
		}
		for _, v := range c.ret.Operands {
			visit(v)
		}
	}
	add := func(v *mlir.Value) {
		if made[v] && !slices.Contains(all, v) && !c.repeated(v, roots) {
			all = append(all, v)
		}
	}
	uses(add)
	// A value that is recomputed needs its operands.
	var inner func(v *mlir.Value)
	inner = func(v *mlir.Value) {
		if v.Def != nil && c.repeated(v, roots) {
			for _, o := range v.Def.Operands {
				add(o)
				inner(o)
			}
		}
	}
	uses(inner)
	return all
}

// repeated reports whether each stage that uses a value computes it: what takes no time, and sizes.
// These follow from roots, of earlier stages or of the one at hand, as expressions do: passed on, they
// would be sizes of their own.
func (c *cutter) repeated(v *mlir.Value, roots []*mlir.Value) bool {
	if isRecomputed(v) {
		return true
	}
	if !folds(v) {
		return false
	}
	for _, o := range v.Def.Operands {
		if !c.known[o] && !slices.Contains(roots, o) && !c.repeated(o, roots) {
			return false
		}
	}
	return true
}

// isRecomputed reports whether a value takes less time to compute than to pass on.
func isRecomputed(v *mlir.Value) bool {
	if v.Def == nil {
		return false
	}
	switch v.Def.Code {
	case stablehlo.Constant, stablehlo.Iota, stablehlo.Complex:
		return true
	case stablehlo.GetDimensionSize: // of an argument, which names the size
		return v.Def.Operands[0].Def == nil
	case stablehlo.BroadcastInDim:
		t, ok := v.Def.Operands[0].Type.(*mlir.TensorType)
		return ok && !t.Unranked && t.Static() && t.Elements() == 1
	case stablehlo.Reshape, stablehlo.Convert, stablehlo.Transpose:
		return isRecomputed(v.Def.Operands[0])
	}
	return false
}

// byParts returns ops with others that take complex values apart and put them together for their users.
// Stages pass on the parts: no caller holds complex numbers.
func byParts(ops []*mlir.Op) (all []*mlir.Op) {
	whole := map[*mlir.Value]*mlir.Value{}
	var use func(op *mlir.Op)
	use = func(op *mlir.Op) {
		for i, v := range op.Operands {
			if w, ok := whole[v]; ok {
				op.Operands[i] = w
			}
		}
		for inner := range op.Inner() {
			use(inner)
		}
	}
	for _, op := range ops {
		use(op)
		all = append(all, op)
		add := func(code mlir.Code, t mlir.Type, from ...*mlir.Value) *mlir.Value {
			x := mlir.NewOp(code, from, t)
			x.Loc, x.Pos, x.Ordinal = op.Loc, op.Pos, op.Ordinal
			all = append(all, x)
			return x.Results[0]
		}
		for _, v := range op.Results {
			t, _ := v.Type.(*mlir.TensorType)
			if t == nil || op.Code == stablehlo.Complex {
				continue
			}
			if e, ok := t.Elem.(mlir.ComplexType); ok {
				part := &mlir.TensorType{Elem: e.Elem, Shape: t.Shape, Encoding: t.Encoding, Unranked: t.Unranked}
				whole[v] = add(stablehlo.Complex, t, add(stablehlo.Real, part, v), add(stablehlo.Imag, part, v))
			}
		}
	}
	return all
}

func dimsOf(m *mlir.Module) mlir.Dict {
	d, _ := m.Attrs.Get("ltc.dims").(mlir.DictAttr)
	return slices.Clone(mlir.Dict(d))
}

// symbol returns the name of the size that an element of a root is.
func (c *cutter) symbol(e element) string {
	if name, ok := c.names[e]; ok {
		return name
	}
	name := fmt.Sprintf("count%d", len(c.names))
	for strings.Contains(fmt.Sprint(c.main.Attrs.Get("arg_attrs")), `"`+name+`"`) || dimsOf(c.module).Get(name) != nil {
		name += "'"
	}
	c.names[e] = name
	return name
}

// mostOf returns the most that an element of a root can be.
func (c *cutter) mostOf(e element) int64 {
	if b, ok := c.most[e]; ok {
		return max(b.n, 1)
	}
	return math.MaxInt32
}
