package cuda

import (
	"math"

	"ltc/backends/cuda/cublaslt"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// ending is what becomes of the sums of a contraction, as cuBLASLt says it.
type ending struct {
	epilogue cublaslt.Epilogue
	to       *kernel.Access
	added    []*kernel.Access // to the sums, before all else
}

// endingOf returns what becomes of a contraction's sums; false if it is something that
// the library does not compute. It has a ReLU, too, but one that makes NaN 0, where the
// text's maximum keeps it: that is a kernel's.
//
// Sums of f16 and bf16 that the text rounds before something is added, or a maximum
// taken, are rounded once, after that: the result is no farther from the exact one.
// What GELU's formula computes must be of f32.
func endingOf(k *kernel.Kernel, c *kernel.Contraction) (e ending, ok bool) {
	end := k.Stages[0].End
	store := kernel.None
	for id := end; int(id) < len(k.Instrs); id++ {
		if k.Instrs[id].Op != kernel.Store {
			continue
		}
		if store != kernel.None {
			return e, false
		}
		store = id
	}
	if store == kernel.None || !straight(k.Instrs[store].Mem) {
		return e, false
	}
	e.to = k.Instrs[store].Mem
	out := k.Params[e.to.Param].DType
	for i := range k.Instrs {
		if m := k.Instrs[i].Mem; m != nil && kernel.ID(i) != store && m.Param == e.to.Param {
			return e, false // what was there before matters
		}
	}
	f := &finder{k: k, c: c, out: out}
	v := f.rounded(k.Instrs[store].Args[0])
	e.epilogue, e.added, ok = f.find(v)
	return e, ok
}

// straight reports whether an access is at sums of axes, always, and of an operand.
func straight(m *kernel.Access) bool {
	if m.Local || m.Guard || m.Combine != kernel.Invalid {
		return false
	}
	for _, x := range m.Index {
		if x.Value != kernel.None {
			return false
		}
	}
	return true
}

// finder looks for what the library computes in what follows a contraction.
type finder struct {
	k   *kernel.Kernel
	c   *kernel.Contraction
	out types.DType // of the result
}

// rounded returns what a value is rounded from, if it is rounded to the result's type.
func (f *finder) rounded(v kernel.ID) kernel.ID {
	if i := &f.k.Instrs[v]; i.Op == kernel.Convert && i.Type == f.out && f.k.Instrs[i.Args[0]].Type == f.c.Type {
		return i.Args[0]
	}
	return v
}

// find returns the epilogue that a value is of the sum and what is added to it.
func (f *finder) find(v kernel.ID) (e cublaslt.Epilogue, added []*kernel.Access, ok bool) {
	if added, ok = f.added(v); ok {
		return cublaslt.Plain, added, true
	}
	for id := f.k.Stages[0].End - 1; id < v; id++ { // of what it is GELU
		if f.k.Instrs[id].Type != types.F32 {
			continue
		}
		if added, ok = f.added(id); ok && isGELU(f.k, v, id) {
			return cublaslt.GELU, added, true
		}
	}
	return 0, nil, false
}

// added reports whether a value is the sum with operands added to it, and where these
// are loaded.
func (f *finder) added(v kernel.ID) (all []*kernel.Access, ok bool) {
	v = f.rounded(v)
	if v == f.c.Sum {
		return nil, true
	}
	i := &f.k.Instrs[v]
	if i.Op != kernel.Add {
		return nil, false
	}
	for n, other := range i.Args {
		m := f.loaded(other)
		if m == nil {
			continue
		}
		if all, ok = f.added(i.Args[1-n]); ok {
			return append(all, m), true
		}
	}
	return nil, false
}

// loaded returns where an operand of the result's type is loaded, if a value is that;
// nil if it is something else.
func (f *finder) loaded(v kernel.ID) *kernel.Access {
	i := &f.k.Instrs[v]
	if i.Op == kernel.Convert && i.Type == f.c.Type {
		i = &f.k.Instrs[i.Args[0]] // exactly
	}
	if i.Op != kernel.Load || !straight(i.Mem) || f.k.Params[i.Mem.Param].DType != f.out {
		return nil
	}
	return i.Mem
}

// smooth is A + B·tanh(T), where all three are polynomials in a value, by powers from
// 0; with is set if B is not 0.
type smooth struct {
	a, b, t polynomial
	with    bool
}

type polynomial [4]float64

// plus returns p + k·q.
func (p polynomial) plus(q polynomial, k float64) polynomial {
	for i := range p {
		p[i] += k * q[i]
	}
	return p
}

// times returns p·q; false if its degree is too high.
func (p polynomial) times(q polynomial) (r polynomial, ok bool) {
	for i, x := range p {
		for j, y := range q {
			switch {
			case x == 0 || y == 0:
			case i+j >= len(r):
				return r, false
			default:
				r[i+j] += x * y
			}
		}
	}
	return r, true
}

// near reports whether coefficients are those of another, as far as f32 has them. One
// that is NaN is near none.
func (p polynomial) near(q polynomial) bool {
	for i := range p {
		if !(math.Abs(p[i]-q[i]) <= 1e-6*math.Abs(q[i])) {
			return false
		}
	}
	return true
}

// isGELU reports whether a value is x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))) of
// another, in whichever order that is computed in f32.
func isGELU(k *kernel.Kernel, v, x kernel.ID) bool {
	m := smoother{k: k, x: x, seen: map[kernel.ID]smooth{}}
	s, ok := m.of(v)
	c := math.Sqrt(2 / math.Pi)
	half := polynomial{0, 0.5}
	return ok && s.with && s.a.near(half) && s.b.near(half) && s.t.near(polynomial{0, c, 0, c * 0.044715})
}

// smoother finds out what values are of one of them.
type smoother struct {
	k    *kernel.Kernel
	x    kernel.ID
	seen map[kernel.ID]smooth // of those that are something
}

// of returns what a value is.
func (m *smoother) of(v kernel.ID) (s smooth, ok bool) {
	if v == m.x {
		return smooth{a: polynomial{0, 1}}, true
	}
	if s, ok = m.seen[v]; ok || v < m.x || m.k.Instrs[v].Type != types.F32 {
		return s, ok
	}
	if s, ok = m.made(&m.k.Instrs[v]); ok {
		m.seen[v] = s
	}
	return s, ok
}

func (m *smoother) made(i *kernel.Instr) (s smooth, ok bool) {
	if i.Op == kernel.Constant {
		return smooth{a: polynomial{float64(math.Float32frombits(uint32(i.Aux)))}}, true
	}
	if len(i.Args) < 1 || len(i.Args) > 2 {
		return s, false
	}
	p, ok := m.of(i.Args[0])
	if !ok {
		return s, false
	}
	q, ok := m.of(i.Args[len(i.Args)-1])
	if !ok {
		return s, false
	}
	number := !q.with && q.a == polynomial{q.a[0]}
	switch i.Op {
	case kernel.Negate:
		return p.times(&smooth{a: polynomial{-1}})
	case kernel.Add:
		return p.plus(&q, 1)
	case kernel.Subtract:
		return p.plus(&q, -1)
	case kernel.Multiply:
		return p.times(&q)
	case kernel.Divide:
		return scaled(&p, 1/q.a[0], number && q.a[0] != 0)
	case kernel.Power:
		if !number || q.a[0] != 2 && q.a[0] != 3 {
			return s, false
		}
		s, ok = p.times(&p)
		if ok && q.a[0] == 3 {
			s, ok = s.times(&p)
		}
		return s, ok
	case kernel.Tanh:
		return smooth{b: polynomial{1}, t: p.a, with: true}, !p.with
	}
	return s, false
}

func scaled(p *smooth, by float64, ok bool) (smooth, bool) {
	if !ok {
		return smooth{}, false
	}
	return p.times(&smooth{a: polynomial{by}})
}

// plus returns p + k·q; false if that has two of tanh.
func (p *smooth) plus(q *smooth, k float64) (smooth, bool) {
	r := smooth{a: p.a.plus(q.a, k), b: p.b.plus(q.b, k), t: p.t, with: p.with || q.with}
	if !p.with {
		r.t = q.t
	}
	return r, !p.with || !q.with || p.t == q.t
}

// times returns p·q; false if that has two of tanh.
func (p *smooth) times(q *smooth) (r smooth, ok bool) {
	if p.with && q.with {
		return r, false
	}
	if q.with {
		p, q = q, p
	}
	a, ok := p.a.times(q.a)
	b, okB := p.b.times(q.a)
	return smooth{a: a, b: b, t: p.t, with: p.with}, ok && okB
}
