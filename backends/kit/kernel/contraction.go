package kernel

import (
	"math/bits"
	"slices"

	"ltc/ir/types"
)

// Contraction is a kernel that computes a matrix product with its epilogue. For each point of
// the kernel's axes, its first stage sums the products of two factors over the stage's axes. The
// stages after the first have no axes, and compute the epilogue: values that depend on the sum.
// Batch, M, N and K each have any number of axes, in the order of the kernel. A convolution is a
// contraction too: an axis of M and one of K can run along the same dimension.
type Contraction struct {
	A, B Factor
	// Batch has the kernel's axes along which both factors vary. M has the axes along which A
	// alone varies, and N the axes along which B alone varies. Batch and M may be empty. The
	// last axis outside of Batch is in N.
	Batch, M, N []int
	K           []int       // the axes of the first stage, numbered after the kernel's axes
	Sum         ID          // the reduction
	Type        types.DType // of products and sums
	Product     ID          // the product that Sum adds up
}

// Factor is one of the two factors of a [Contraction].
type Factor struct {
	Value ID // an argument of the product
	// Load is the load that gives Value after an optional bitcast and then an optional
	// conversion. The load has no guard, and its indices are sums of axes. Load is None if Value
	// is computed in another way.
	Load ID
	// Source is the load whose elements a schedule turns into Value while it packs them. Source
	// equals Load if Load is set. Otherwise it is the load in Body whose indices use the most
	// axes, and the first of several such loads. Three kinds of loads do not count: loads of
	// locals, loads with a guard, and loads with a value in an index. Source is None if no load
	// is left.
	Source ID
	// Bordered says that Value is an element of an image with a border of 0: a load that is not Load
	// for its guard alone, and gives 0 outside of its operand.
	Bordered bool
	Type     types.DType // of the loaded elements, after a bitcast; of Value if Load is None
	Body     []ID        // the instructions that compute Value, ascending
}

// AsContraction returns a verified kernel as a contraction; false if the kernel is no
// contraction.
func AsContraction(k *Kernel) (*Contraction, bool) {
	if len(k.Stages) < 2 || len(k.Stages[0].Axes) == 0 || len(k.Locals) > 0 || slices.ContainsFunc(k.Stages[1:], func(s Stage) bool { return len(s.Axes) > 0 }) {
		return nil, false
	}
	first := k.Stages[0]
	sum := first.End - 1
	if sum < first.Begin+1 || k.Instrs[sum].Op != Reduce || Op(k.Instrs[sum].Aux) != Add {
		return nil, false
	}
	product := k.Instrs[sum].Args[0]
	if k.Instrs[product].Op != Multiply || slices.ContainsFunc(k.Instrs[first.Begin:sum], func(i Instr) bool { return i.Op == Store || i.Op == Reduce || i.Op == Scan }) {
		return nil, false
	}
	c := &Contraction{Sum: sum, Product: product, Type: k.Instrs[sum].Type}
	c.A, c.B = k.factor(k.Instrs[product].Args[0]), k.factor(k.Instrs[product].Args[1])
	for a := range first.Axes {
		c.K = append(c.K, len(k.Axes)+a)
	}
	deps := k.Dependence()
	for a := range k.Axes {
		switch l, r := deps[c.A.Value].Has(a), deps[c.B.Value].Has(a); {
		case !l && !r: // the same sum again and again
			return nil, false
		case l && r:
			c.Batch = append(c.Batch, a)
		case l:
			c.M = append(c.M, a)
		default:
			c.N = append(c.N, a)
		}
	}
	if len(c.M)+len(c.N) == 0 {
		return nil, false
	}
	if len(c.N) == 0 || len(c.M) > 0 && c.M[len(c.M)-1] > c.N[len(c.N)-1] {
		c.A, c.B, c.M, c.N = c.B, c.A, c.N, c.M
	}
	return c, true
}

// factor describes how a value of the first stage is computed.
func (k *Kernel) factor(v ID) Factor {
	f := Factor{Value: v, Load: v}
	needed := map[ID]bool{v: true}
	for id := v; id >= 0; id-- {
		if !needed[id] {
			continue
		}
		f.Body = append(f.Body, id)
		i := &k.Instrs[id]
		for _, a := range i.Args {
			needed[a] = true
		}
		if i.Mem != nil {
			for _, x := range i.Mem.Index {
				if x.Value != None {
					needed[x.Value] = true
				}
			}
		}
	}
	slices.Reverse(f.Body)
	if w := &k.Instrs[f.Load]; w.Op == Convert { // one only: a second conversion may round
		f.Load = w.Args[0]
	}
	f.Type = k.Instrs[f.Load].Type
	if w := &k.Instrs[f.Load]; w.Op == BitcastConvert {
		f.Load = w.Args[0]
	}
	i := &k.Instrs[f.Load]
	if i.Op != Load || i.Mem.Guard || slices.ContainsFunc(i.Mem.Index, func(x Index) bool { return x.Value != None }) {
		f.Load, f.Type = None, k.Instrs[v].Type
	}
	f.Bordered = k.bordered(v)
	f.Source = f.Load
	if f.Load == None {
		f.Source = k.sourceOf(f.Body)
	}
	return f
}

// bordered reports whether a value is a load that gives 0 outside of its operand, whose indices are
// sums of axes.
func (k *Kernel) bordered(v ID) bool {
	i := &k.Instrs[v]
	if i.Op != Load || i.Mem.Local || !i.Mem.Guard || slices.ContainsFunc(i.Mem.Index, func(x Index) bool { return x.Value != None }) {
		return false
	}
	other := &k.Instrs[i.Args[0]]
	return other.Op == Constant && other.Aux == 0
}

// sourceOf returns the load of body whose indices use the most axes; see [Factor].Source.
func (k *Kernel) sourceOf(body []ID) ID {
	most, source := 0, None
	for _, id := range body {
		i := &k.Instrs[id]
		if i.Op != Load || i.Mem.Guard || i.Mem.Local || slices.ContainsFunc(i.Mem.Index, func(x Index) bool { return x.Value != None }) {
			continue
		}
		axes := AxisSet(0)
		for _, x := range i.Mem.Index {
			for _, t := range x.Terms {
				axes |= 1 << t.Axis
			}
		}
		if n := bits.OnesCount64(uint64(axes)); n > most {
			most, source = n, id
		}
	}
	return source
}

// StrideAlong returns the distance, in elements, between the accesses of neighbouring points of
// an axis, given the strides of the operand's dimensions. [Index].Value must be None in all
// indices.
func (m *Access) StrideAlong(axis int, strides []int64) int64 {
	n := int64(0)
	for d := range m.Index {
		for _, t := range m.Index[d].Terms {
			if t.Axis == axis {
				n += t.Factor * strides[d]
			}
		}
	}
	return n
}

// Origin returns the distance, in elements, from the operand's first element to the access at
// point 0 of all axes. Strides are as in [Access.StrideAlong].
func (m *Access) Origin(strides []int64) int64 {
	n := int64(0)
	for d := range m.Index {
		n += m.Index[d].Offset * strides[d]
	}
	return n
}
