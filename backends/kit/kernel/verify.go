package kernel

import (
	"fmt"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// The rules that [Verify] checks, by the labels that its errors end with.
const (
	ruleNames     = "kernel_names"     // names are words that do not begin with a digit; no two operands or locals share a name, nor two axes in scope
	ruleSizes     = "kernel_sizes"     // sizes are literals from 0, or run-time sizes of the kernel, all of which are used
	ruleOperands  = "kernel_operands"  // dtypes are real, strides are one per dimension; each Out operand is stored to
	ruleStages    = "kernel_stages"    // stages hold all instructions, in order
	ruleUse       = "kernel_use"       // values are of the stage before their use, or uniform ones of earlier stages
	ruleArity     = "kernel_arity"     // an op has as many arguments as its row says; only loads and stores have a Mem
	ruleTypes     = "kernel_types"     // the types of an op's arguments and value are those of its row
	ruleConstants = "kernel_constants" // bits above the type are 0; a bool is 0 or 1
	ruleAxes      = "kernel_axes"      // axes are those of the kernel and the stage, at most 64
	ruleReduce    = "kernel_reduce"    // a reduction is in a stage with axes, its op combines, and only later stages use its value
	ruleScan      = "kernel_scan"      // a stage that scans has one axis, of a scanned kind, ops that combine, and no reductions; no other axis is scanned
	ruleAccess    = "kernel_access"    // accesses are of operands and locals that exist, with one index per dimension and the type of the element
	ruleIndex     = "kernel_index"     // terms ascend by axis, and no factor is 0; the value of an index is an integer
	ruleTable     = "kernel_table"     // the index of a dimension with a table is a loaded i64 alone, and its access has no guard
	ruleGuard     = "kernel_guard"     // a guarded load has an argument, others have none
	ruleStore     = "kernel_store"     // stores are to Out operands and locals
	ruleCombine   = "kernel_combine"   // only stores to operands combine, with an op that combines
	ruleLocals    = "kernel_locals"    // a local is loaded only after an earlier stage has stored to it
	// ruleInPlace is for memory that is both loaded from and stored to. If that is an Out
	// operand, points that differ in the kernel's axes access different elements. A stage
	// that loads and stores the same memory accesses one element at each point, loads before
	// it stores, and different points access different elements. Along a scanned axis,
	// all points may access one element of a local.
	ruleInPlace = "kernel_in_place"
)

// Verify returns an error for the first rule that a kernel breaks. Verify never panics, whatever
// the kernel. A kernel that passes can be printed, checked by [Bounds] and run.
func Verify(k *Kernel) error {
	v := &verifier{k: k, id: None, used: map[int]bool{}}
	v.signature()
	v.stages()
	for s := range k.Stages {
		if v.err != nil {
			break
		}
		v.stage(s)
	}
	v.whole()
	return v.err
}

type verifier struct {
	k    *Kernel
	at   string // the part of the kernel that is being checked, if id is None
	id   ID     // the instruction that is being checked; else None
	used map[int]bool
	// storedIn is the first stage that stores to each local, -1 if none does.
	storedIn []int
	err      error
}

func (v *verifier) fail(rule, format string, args ...any) {
	if v.err != nil {
		return
	}
	at := v.at
	if v.id != None {
		if at = fmt.Sprintf("%%%d", v.id); v.k.Instrs[v.id].Op < NumOps {
			at += " " + v.k.Instrs[v.id].Op.String()
		}
	}
	v.err = fmt.Errorf("kernel %s: %s: %s (%s)", v.k.Name, at, fmt.Sprintf(format, args...), rule)
}

// signature checks the kernel's name, operands, locals and axes.
func (v *verifier) signature() {
	k := v.k
	v.at = "signature"
	v.name(k.Name)
	names := map[string]bool{}
	for i := range k.Params {
		p := &k.Params[i]
		v.at = "operand " + p.Name
		v.distinct(names, p.Name)
		v.sizes(p.Dims...)
		if !p.DType.IsReal() {
			v.fail(ruleOperands, "it has elements of %v", p.DType)
		}
		if len(p.Strides) != len(p.Dims) {
			v.fail(ruleOperands, "%s for %s", diag.Count(len(p.Strides), "stride"), diag.Count(len(p.Dims), "dimension"))
		}
		for _, s := range p.Strides {
			if s > TableStride {
				v.fail(ruleOperands, "%d is not a class of strides", uint8(s))
			}
		}
	}
	v.storedIn = make([]int, len(k.Locals))
	for i := range k.Locals {
		l := &k.Locals[i]
		v.at, v.storedIn[i] = "local "+l.Name, -1
		v.distinct(names, l.Name)
		v.sizes(l.Dims...)
		if !l.DType.IsReal() {
			v.fail(ruleOperands, "it has elements of %v", l.DType)
		}
	}
	v.axes(nil, k.Axes)
	for _, a := range k.Axes {
		if a.Kind != FreeAxis {
			v.fail(ruleScan, "axis %s of the kernel is scanned: only those of stages are", a.Name)
		}
	}
}

// axes checks axes, given those that are in scope before them.
func (v *verifier) axes(scope, axes []Axis) {
	names := map[string]bool{}
	for _, a := range scope {
		names[a.Name] = true
	}
	for _, a := range axes {
		v.at = "axis " + a.Name
		v.distinct(names, a.Name)
		v.sizes(a.Size)
		if a.Kind > ReverseAxis {
			v.fail(ruleScan, "%d is not a kind of axis", uint8(a.Kind))
		}
	}
}

func (v *verifier) distinct(names map[string]bool, name string) {
	v.name(name)
	if names[name] {
		v.fail(ruleNames, "two have the name %s", name)
	}
	names[name] = true
}

func (v *verifier) name(s string) {
	if s == "" || '0' <= s[0] && s[0] <= '9' {
		v.fail(ruleNames, "%q is not a name", s)
	}
	for i := range len(s) {
		if !wordByte(s[i]) {
			v.fail(ruleNames, "%q is not a name", s)
		}
	}
}

func (v *verifier) sizes(sizes ...Size) {
	for _, s := range sizes {
		if i, ok := s.Sym(); ok {
			v.used[i] = true
			if i >= v.k.Sizes {
				v.fail(ruleSizes, "there is no size %v", s)
			}
		}
	}
}

// stages checks that the bodies of the stages are all instructions, in order.
func (v *verifier) stages() {
	at := ID(0)
	for s := range v.k.Stages {
		v.at = fmt.Sprintf("stage %d", s)
		if st := &v.k.Stages[s]; st.Begin != at || st.End < at {
			v.fail(ruleStages, "it has the instructions %d to %d, want the first to be %d", st.Begin, st.End, at)
		} else {
			at = st.End
		}
	}
	if v.at = "stages"; int(at) != len(v.k.Instrs) {
		v.fail(ruleStages, "they hold %d of %s", at, diag.Count(len(v.k.Instrs), "instruction"))
	}
}

func (v *verifier) stage(s int) {
	v.axes(v.k.Axes, v.k.Stages[s].Axes)
	for _, a := range v.k.Stages[s].Axes {
		if a.Kind != FreeAxis && len(v.k.Stages[s].Axes) > 1 {
			v.fail(ruleScan, "axis %s is scanned: a stage that scans has no other axis", a.Name)
		}
	}
	if n := v.axesOf(s); n > 64 {
		v.fail(ruleAxes, "stage %d has %s with those of the kernel, more than 64", s, diag.Count(n, "axis"))
	}
	for id := v.k.Stages[s].Begin; id < v.k.Stages[s].End && v.err == nil; id++ {
		i := &v.k.Instrs[id]
		if v.id = id; i.Op >= NumOps || i.Op == Invalid {
			v.fail(ruleArity, "%d is not an op", uint8(i.Op))
			return
		}
		v.instr(s, id, i)
	}
	v.id = None
}

// whole checks the rules that concern all instructions together.
func (v *verifier) whole() {
	if v.err != nil {
		return
	}
	v.at = "sizes"
	for i := range min(v.k.Sizes, len(v.used)+1) {
		if !v.used[i] {
			v.fail(ruleSizes, "%v is not used", Sym(i))
		}
	}
	if v.k.Sizes < 0 {
		v.fail(ruleSizes, "there are %d of them", v.k.Sizes)
	}
	all := v.accesses()
	v.operands(all)
	v.locals(all)
}

// allowed reports whether an op's row allows a dtype, which may be invalid or complex.
func allowed(op Op, t types.DType) bool { return t.IsReal() && op.Takes(t) }
