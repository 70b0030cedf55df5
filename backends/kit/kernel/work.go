package kernel

import (
	"fmt"
	"slices"
	"strings"

	"ltc/ir/types"
)

// Work is the number of operations and bytes of a launch, counted from its kernel. A Work is
// computed, not measured. Its numbers divided by the time of a run are the speed of the run.
type Work struct {
	// Flops counts operations on floats. An instruction that computes counts once for each point
	// of the axes that its value depends on. A reduction counts once for each point of its stage.
	// An add, an exp and a comparison count 1 each. Loads, stores, constants, conversions,
	// selects and the arithmetic of indices count 0. A product of m×k and k×n matrices thus
	// counts 2mnk. A contraction of integers is counted in the same way.
	Flops float64
	// Bytes counts once each element that a load can reach, however often the element is read.
	// It also counts once each element that a store can reach. A store that combines counts as a
	// load too. Locals count 0, since they should stay in caches.
	Bytes float64
	// Factors is the type of the factors of a contraction; Invalid for other kernels.
	Factors types.DType
}

// Work returns the number of operations and bytes of a launch with these run-time sizes.
func (k *Kernel) Work(sizes []int64) Work {
	var w Work
	deps := k.Dependence()
	c, product := AsContraction(k)
	if product {
		w.Factors = c.A.Type
	}
	read, written := make([]float64, len(k.Params)), make([]float64, len(k.Params))
	for s := range k.Stages {
		all := AxisRange(0, len(k.Axes)+len(k.Stages[s].Axes))
		for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
			i := &k.Instrs[id]
			along := deps[id]
			if i.Op == Reduce {
				along = all
			}
			points := k.points(s, along, sizes)
			if k.computes(i) || product && (id == c.Product || id == c.Sum) {
				w.Flops += points
			}
			if i.Mem == nil || i.Mem.Local {
				continue
			}
			points = k.reached(s, i.Mem, deps, sizes)
			if i.Op == Store {
				written[i.Mem.Param] += points
			}
			if i.Op == Load || i.Mem.Combine != Invalid {
				read[i.Mem.Param] += points
			}
		}
	}
	for p := range k.Params {
		has := 1.0
		for d, n := range k.Params[p].Dims {
			if k.Params[p].Strides[d] != ZeroStride {
				has *= float64(n.Of(sizes))
			}
		}
		w.Bytes += (min(read[p], has) + min(written[p], has)) * float64(k.Params[p].DType.Size())
	}
	return w
}

// computes reports whether an instruction counts as an operation on floats.
func (k *Kernel) computes(i *Instr) bool {
	switch i.Op {
	case Constant, Iota, SizeOf, Load, Store, Convert, BitcastConvert, Select:
		return false
	}
	return len(i.Args) > 0 && k.Instrs[i.Args[0]].Type.IsFloat()
}

// points returns the number of points of a set of axes, by the numbering of stage s.
func (k *Kernel) points(s int, axes AxisSet, sizes []int64) float64 {
	n := 1.0
	for a := range len(k.Axes) + len(k.Stages[s].Axes) {
		if axes.Has(a) {
			n *= float64(k.Axis(s, a).Size.Of(sizes))
		}
	}
	return n
}

// reached returns how many elements an access of stage s can reach at most.
func (k *Kernel) reached(s int, m *Access, deps []AxisSet, sizes []int64) float64 {
	var along AxisSet
	for _, x := range m.Index {
		for _, t := range x.Terms {
			along |= 1 << t.Axis
		}
		if x.Value != None {
			v := deps[x.Value]
			if x.Value < k.Stages[s].Begin {
				v &= AxisRange(0, len(k.Axes))
			}
			along |= v
		}
	}
	return k.points(s, along, sizes)
}

// Describe returns a short text for people that says what a kernel computes, such as "matmul f32
// 64×512×784, add, maximum". The text names the matrix product of a contraction, with its sizes
// M×N×K. Then the text lists the arithmetic and mathematical ops, each once, in their order. A
// kernel without any is described by its comparisons, selects, conversions and iotas, or as a
// copy.
func (k *Kernel) Describe(sizes []int64) string {
	return k.describe(func(c *Contraction) string {
		n := func(axes []int) float64 {
			var set AxisSet
			for _, a := range axes {
				set |= 1 << a
			}
			return k.points(0, set, sizes)
		}
		what := fmt.Sprintf("matmul %v %.0f×%.0f×%.0f", c.narrowest(), n(c.M), n(c.N), n(c.K))
		if len(c.Batch) > 0 {
			what = fmt.Sprintf("%.0f × %s", n(c.Batch), what)
		}
		return what
	})
}

// narrowest returns the type of the factor with the smaller elements: the other factor may
// be computed in the type of the sums.
func (c *Contraction) narrowest() types.DType {
	if c.B.Type.Size() < c.A.Type.Size() {
		return c.B.Type
	}
	return c.A.Type
}

// Title is [Kernel.Describe] without sizes.
func (k *Kernel) Title() string {
	return k.describe(func(c *Contraction) string { return fmt.Sprintf("matmul %v", c.narrowest()) })
}

// describe is Describe with the text for a contraction, product.
func (k *Kernel) describe(product func(c *Contraction) string) string {
	var said, aside []string
	say := func(what string) {
		if !slices.Contains(said, what) {
			said = append(said, what)
		}
	}
	first := ID(0)
	if c, ok := AsContraction(k); ok {
		say(product(c))
		first = c.Sum + 1
	}
	for id := first; int(id) < len(k.Instrs); id++ {
		switch i := &k.Instrs[id]; i.Op {
		case Constant, SizeOf:
		case Iota, Convert, BitcastConvert, Select:
			aside = append(aside, i.Op.String())
		case CompareEQ, CompareNE, CompareLT, CompareLE, CompareGT, CompareGE:
			aside = append(aside, "compare")
		case Load, Store:
			if i.Op == Store && i.Mem.Local && k.Carries(k.StageOf(id)) {
				say("scan")
			}
			if i.Mem.Combine != Invalid {
				say("scatter " + i.Mem.Combine.String())
			} else if slices.ContainsFunc(i.Mem.Index, func(x Index) bool { return x.Value != None }) {
				say(map[Op]string{Load: "gather", Store: "scatter"}[i.Op])
			}
		case Reduce:
			say("reduce " + Op(i.Aux).String())
		case Scan:
			with, _ := AsScan(i.Aux)
			say("scan " + with.String())
		default:
			say(i.Op.String())
		}
	}
	switch {
	case len(said) > 0:
	case len(aside) > 0:
		for _, what := range aside {
			say(what)
		}
	default:
		return "copy"
	}
	return strings.Join(said, ", ")
}
