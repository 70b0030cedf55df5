package kernel

import (
	"ltc/backends/kit/kernel/ops"
	"ltc/internal/diag"
	"ltc/ir/types"
)

func (v *verifier) instr(s int, id ID, i *Instr) {
	v.arguments(s, id, i)
	if v.err != nil {
		return
	}
	if (i.Mem != nil) != (i.Op == Load || i.Op == Store) {
		v.fail(ruleArity, "it accesses memory, or should")
		return
	}
	if i.Aux != 0 && (i.Op.Computes() || i.Mem != nil) {
		v.fail(ruleArity, "it takes nothing besides its arguments, but has %d", i.Aux)
	}
	switch i.Op {
	case Constant:
		v.constant(i)
	case Iota:
		if v.types(i); i.Aux < 0 || i.Aux >= int64(v.axesOf(s)) {
			v.fail(ruleAxes, "there is no axis %d", i.Aux)
		}
	case SizeOf:
		if v.sizes(Size(i.Aux)); i.Type != types.I64 {
			v.fail(ruleTypes, "a size is an i64, not a value of %v", i.Type)
		}
	case Reduce:
		v.reduce(s, i)
	case Scan:
		v.scan(s, i)
	case Lookup:
		v.lookup(i)
	case Loop:
		v.fail(ruleTypes, "a loop stands in expansions alone, which have its code")
	case Load, Store:
		v.access(s, id, i)
	default:
		v.types(i)
	}
}

func (v *verifier) axesOf(s int) int { return len(v.k.Axes) + len(v.k.Stages[s].Axes) }

// arguments checks the number of an instruction's arguments, and that each can be used in
// stage s.
func (v *verifier) arguments(s int, id ID, i *Instr) {
	want := i.Op.Arity()
	switch {
	case i.Op == Store, i.Op == Reduce, i.Op == Scan, i.Op == Lookup:
		want = 1
	case i.Op == Loop:
		want = len(i.Args)
	case i.Op == Load && i.Mem != nil && i.Mem.Guard:
		if len(i.Args) != 1 {
			v.fail(ruleGuard, "%s, want the value that stands for elements outside", diag.Count(len(i.Args), "argument"))
		}
		want = 1
	case i.Op == Load && len(i.Args) > 0:
		v.fail(ruleGuard, "it has an argument and no guard")
	}
	if len(i.Args) != want {
		v.fail(ruleArity, "%s, want %d", diag.Count(len(i.Args), "argument"), want)
	}
	for n, a := range i.Args {
		v.use(s, id, a, "argument", n)
	}
}

// use checks that the value a can be used by instruction id of stage s, as its
// n-th argument or index.
func (v *verifier) use(s int, id, a ID, what string, n int) {
	if a < 0 || a >= id {
		v.fail(ruleUse, "%s %d, %%%d, is not before it", what, n, a)
		return
	}
	def := &v.k.Instrs[a]
	switch {
	case def.Op == Store:
		v.fail(ruleUse, "%s %d, %%%d, is a store", what, n, a)
	case a >= v.k.Stages[s].Begin:
		if def.Op == Reduce {
			v.fail(ruleReduce, "%s %d, %%%d, is a reduction of the same stage", what, n, a)
		}
	case !v.k.Uniform(a):
		v.fail(ruleUse, "%s %d, %%%d, is of an earlier stage and differs along its axes", what, n, a)
	}
}

// types checks the types of an op that computes, or of an iota, against its row.
func (v *verifier) types(i *Instr) {
	form := i.Op.row().Form
	first := i.Type
	if len(i.Args) > 0 {
		first = v.k.Instrs[i.Args[0]].Type
	}
	if !i.Type.IsReal() || !allowed(i.Op, first) {
		v.fail(ruleTypes, "it does not take %v to give %v", first, i.Type)
		return
	}
	like, rest := i.Type, i.Args // like is the type that the arguments in rest must have
	switch form {
	case ops.AnyUnary:
		rest = nil
		switch {
		case i.Op == IsFinite && i.Type != types.Bool,
			i.Op == BitcastConvert && (i.Type == types.Bool || i.Type.Size() != first.Size()):
			v.fail(ruleTypes, "it does not take %v to %v", first, i.Type)
		}
	case ops.Comparison:
		if like = first; i.Type != types.Bool {
			v.fail(ruleTypes, "a comparison is a bool, not a value of %v", i.Type)
		}
	case ops.Ternary:
		if i.Op == Select {
			rest = rest[1:]
		}
	}
	for _, a := range rest {
		if t := v.k.Instrs[a].Type; t != like {
			v.fail(ruleTypes, "%%%d is a value of %v, want %v", a, t, like)
		}
	}
}

func (v *verifier) constant(i *Instr) {
	v.types(i)
	if v.err != nil {
		return
	}
	n := 8 * i.Type.Size()
	if i.Type == types.Bool {
		n = 1
	}
	if n < 64 && uint64(i.Aux)>>n != 0 {
		v.fail(ruleConstants, "%#x has more bits than a value of %v", uint64(i.Aux), i.Type)
	}
}

// combines checks that o can combine values of type t.
func (v *verifier) combines(rule string, o Op, t types.DType) {
	switch {
	case o >= NumOps:
		v.fail(rule, "there is no such op to combine with")
	case !o.Combines() || !allowed(o, t):
		v.fail(rule, "values of %v cannot be combined with %v", t, o)
	}
}

func (v *verifier) lookup(i *Instr) {
	switch table, row := TableRow(i.Aux).Table(); {
	case table == nil || row >= table.Rows():
		v.fail(ruleTypes, "there is no such table, or row of it")
	case i.Type.Size() < 4 || table.Floats(row) != nil != i.Type.IsFloat() || table.Floats(row) == nil && i.Type.Size() != 8:
		v.fail(ruleTypes, "table %s has no values of %v", table.Name, i.Type)
	case !v.k.Instrs[i.Args[0]].Type.IsInteger():
		v.fail(ruleTypes, "%%%d is a value of %v, want an integer", i.Args[0], v.k.Instrs[i.Args[0]].Type)
	}
}

func (v *verifier) reduce(s int, i *Instr) {
	if len(v.k.Stages[s].Axes) == 0 {
		v.fail(ruleReduce, "its stage has no axes")
	}
	if t := v.k.Instrs[i.Args[0]].Type; t != i.Type {
		v.fail(ruleTypes, "%%%d is a value of %v, want %v", i.Args[0], t, i.Type)
	}
	if v.k.Stages[s].Scanned() != FreeAxis {
		v.fail(ruleScan, "its stage scans along its axis")
	}
	v.combines(ruleReduce, Op(min(uint64(i.Aux), uint64(NumOps))), i.Type)
}

func (v *verifier) scan(s int, i *Instr) {
	if v.k.Stages[s].Scanned() == FreeAxis {
		v.fail(ruleScan, "its stage has no axis that is scanned")
	}
	if t := v.k.Instrs[i.Args[0]].Type; t != i.Type {
		v.fail(ruleTypes, "%%%d is a value of %v, want %v", i.Args[0], t, i.Type)
	}
	v.combines(ruleScan, Op(min(uint64(i.Aux&^exclusiveScan), uint64(NumOps))), i.Type)
}

func (v *verifier) access(s int, id ID, i *Instr) {
	m, k := i.Mem, v.k
	n := len(k.Params)
	if m.Local {
		n = len(k.Locals)
	}
	if m.Param < 0 || m.Param >= n {
		v.fail(ruleAccess, "there is no operand or local %d", m.Param)
		return
	}
	var name string
	var t types.DType
	var dims []Size
	if m.Local {
		l := &k.Locals[m.Param]
		name, t, dims = l.Name, l.DType, l.Dims
		v.local(s, i, name)
	} else {
		p := &k.Params[m.Param]
		name, t, dims = p.Name, p.DType, p.Dims
		if i.Op == Store && !p.Out {
			v.fail(ruleStore, "operand %s is not Out", name)
		}
	}
	if len(m.Index) != len(dims) {
		v.fail(ruleAccess, "%s of %s, which has %s", diag.Count(len(m.Index), "index"), name, diag.Count(len(dims), "dimension"))
	}
	if i.Type != t {
		v.fail(ruleTypes, "%s has elements of %v, not %v", name, t, i.Type)
	}
	for _, a := range i.Args {
		if got := k.Instrs[a].Type; got != t {
			v.fail(ruleTypes, "%%%d is a value of %v, %s has elements of %v", a, got, name, t)
		}
	}
	if m.Combine != Invalid {
		if i.Op == Load || m.Local {
			v.fail(ruleCombine, "only stores to operands combine")
		}
		v.combines(ruleCombine, m.Combine, t)
	}
	for d := range m.Index {
		v.index(s, id, d, &m.Index[d])
		if !m.Local && d < len(k.Params[m.Param].Strides) && k.Params[m.Param].Strides[d] == TableStride {
			v.table(d, m)
		}
	}
}

// table checks the index of a dimension of class [TableStride].
func (v *verifier) table(d int, m *Access) {
	x := &m.Index[d]
	if v.err != nil {
		return
	}
	if m.Guard || len(x.Terms) > 0 || x.Offset != 0 || x.Value == None {
		v.fail(ruleTable, "index %d of a dimension with a table is no entry of it alone, or guarded", d)
		return
	}
	i := &v.k.Instrs[x.Value]
	if i.Op != Load || i.Type != types.I64 || i.Mem.Guard || i.Mem.Local || v.k.Params[i.Mem.Param].Out {
		v.fail(ruleTable, "index %d: %%%d is not loaded from a table of i64", d, x.Value)
	}
}

// local checks that an earlier stage has stored to a local that an instruction loads.
func (v *verifier) local(s int, i *Instr, name string) {
	first := &v.storedIn[i.Mem.Param]
	switch {
	case i.Op == Store && *first < 0:
		*first = s
	case i.Op == Load && (*first < 0 || *first == s):
		v.fail(ruleLocals, "local %s is stored to in no earlier stage", name)
	}
}

func (v *verifier) index(s int, id ID, d int, x *Index) {
	last := -1
	for _, t := range x.Terms {
		if t.Axis >= v.axesOf(s) || t.Axis < 0 {
			v.fail(ruleAxes, "index %d: there is no axis %d", d, t.Axis)
			return
		}
		if t.Axis <= last || t.Factor == 0 {
			v.fail(ruleIndex, "index %d: its terms are not in the order of the axes, or one has no factor", d)
		}
		last = t.Axis
	}
	if x.Value == None {
		return
	}
	if v.use(s, id, x.Value, "index", d); v.err != nil {
		return
	}
	if t := v.k.Instrs[x.Value].Type; !t.IsInteger() {
		v.fail(ruleIndex, "index %d: %%%d is a value of %v, want an integer", d, x.Value, t)
	}
}
