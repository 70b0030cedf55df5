package lazy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// pair is a tensor in both libraries.
type pair struct {
	name string
	lazy *Tensor
	is   *eager
	made int  // the step
	view bool // it has a base
}

// machine runs a program.
type machine struct {
	dev       *Device
	tr, other *Trace
	step      int
	live      []*pair
	vars      []*pair
	kept      []*store
	written   map[*store]bool
	touched   map[int]bool    // variables that the step has read
	readers   map[*store]bool // what it has read
	code      []string
	names     int
	failure   string
}

func newMachine(dev *Device) *machine {
	m := &machine{dev: dev, tr: NewTrace(dev), other: NewTrace(dev), written: map[*store]bool{}, touched: map[int]bool{}, readers: map[*store]bool{}}
	for i, shape := range [][]int{{2, 3}, {4}} {
		data := make([]float32, size(shape))
		for k := range data {
			data[k] = float32(10*i + k)
		}
		name := fmt.Sprintf("w%d", i)
		v := SetValues(dev.Variable(name, F32, shape...), data)
		e := newEager(slices.Clone(data), shape)
		e.mem.variable = i
		p := &pair{name: name, lazy: v, is: e}
		m.vars, m.live = append(m.vars, p), append(m.live, p)
		m.say("%s := SetValues(dev.Variable(%q, F32, %s), %s)", name, name, listed(shape), floatsCode(data))
	}
	return m
}

func (m *machine) say(format string, args ...any) {
	m.code = append(m.code, fmt.Sprintf(format, args...))
}

func (m *machine) fail(format string, args ...any) {
	if m.failure == "" {
		m.failure = fmt.Sprintf(format, args...)
		m.say("// %s", m.failure)
	}
}

func listed(n []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(n)), ", "), "[]")
}

func floatsCode(x []float32) string {
	return "[]float32{" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(x)), ", "), "[]") + "}"
}

// usable reports whether the rules let p be used now.
func (m *machine) usable(p *pair) bool {
	mem := p.is.mem
	if mem.donated == 2 {
		return false
	}
	return !mem.computed || mem.kept || mem.step == m.step
}

// pick returns live tensor number n of those that can be used.
func (m *machine) pick(n int) *pair {
	for i := range m.live {
		p := m.live[(n+i)%len(m.live)]
		if m.usable(p) {
			return p
		}
	}
	return m.vars[0]
}

func (m *machine) name() string { m.names++; return "t" + strconv.Itoa(m.names) }

// add brings a new tensor in.
func (m *machine) add(x *Tensor, e *eager, view bool, format string, args ...any) {
	p := &pair{name: m.name(), lazy: x, is: e, made: m.step, view: view}
	m.say(p.name+" := "+format, args...)
	if x.Err() != nil {
		m.fail("an error: %v", x.Err())
		return
	}
	if got := []int(x.Shape()); !slices.Equal(got, e.shape) {
		m.fail("its shape is %v, want %v", got, e.shape)
		return
	}
	m.live = append(m.live, p)
	if len(m.live) > 24 {
		m.live = slices.Delete(m.live, 2, 3)
	}
}

func (m *machine) compute(x *Tensor, values []float32, shape []int, format string, args ...any) {
	for i, v := range values {
		values[i] = float32(int(v) % modulus)
	}
	e := newEager(values, slices.Clone(shape))
	e.mem.computed, e.mem.step = true, m.step
	m.add(x.Rem(x.like(modulus)), e, false, format+".Rem(mod)", args...)
}

// read marks what p reads in the step.
func (m *machine) reads(ps ...*pair) {
	for _, p := range ps {
		m.readers[p.is.mem] = true
		if v := p.is.mem.variable; v >= 0 {
			m.touched[v] = true
		}
	}
}

// in is p in the trace: variables and their views are in none.
func (m *machine) in(p *pair) (*Tensor, string) {
	if p.lazy.tr == nil {
		return m.tr.View(p.lazy), "tr.View(" + p.name + ")"
	}
	return p.lazy, p.name
}

// broadcastable returns b's elements in a's shape.
func broadcastable(a, b *pair) (*eager, bool) { return b.is.expand(a.is.shape) }

// run runs one instruction.
func (m *machine) run(i instr) {
	a, b := m.pick(i.a), m.pick(i.b)
	switch {
	case i.op <= opClone:
		m.runCompute(i, a, b)
	case i.op <= opBind:
		m.runView(i, a)
	case i.op <= opAssign:
		m.runWrite(i, a, b)
	default:
		m.runStep(i, a, b)
	}
}

func (m *machine) runCompute(i instr, a, b *pair) {
	x, name := m.in(a)
	va := a.is.values()
	switch i.op {
	case opHost:
		shape := [][]int{{3}, {2, 2}, {4, 3}, {2, 3, 2}, {1, 4}, {}}[i.n[0]%6]
		data := make([]float32, size(shape))
		for k := range data {
			data[k] = float32((i.n[1] + 7*k) % modulus)
		}
		e := newEager(slices.Clone(data), shape)
		if i.n[2]%4 == 0 && len(shape) > 0 {
			m.add(Borrow(m.tr, data, shape...), e, false, "Borrow(tr, %s, %s)", floatsCode(data), listed(shape))
			return
		}
		t := From(m.tr, data, max(len(data), 1))
		if len(shape) == 0 {
			m.add(t.Reshape(), e, true, "From(tr, %s).Reshape()", floatsCode(data))
			return
		}
		m.add(From(m.tr, data, shape...), e, false, "From(tr, %s, %s)", floatsCode(data), listed(shape))
	case opAdd, opMul:
		w, ok := broadcastable(a, b)
		if !ok {
			return
		}
		m.reads(a, b)
		vb := w.values()
		out := make([]float32, len(va))
		for k := range out {
			if out[k] = va[k] + vb[k]; i.op == opMul {
				out[k] = va[k] * vb[k]
			}
		}
		if i.op == opAdd {
			m.compute(x.Add(b.lazy), out, a.is.shape, "%s.Add(%s)", name, b.name)
		} else {
			m.compute(x.Mul(b.lazy), out, a.is.shape, "%s.Mul(%s)", name, b.name)
		}
	case opSum:
		if len(a.is.shape) == 0 {
			return
		}
		m.reads(a)
		n := a.is.shape[len(a.is.shape)-1]
		out := make([]float32, size(a.is.shape[:len(a.is.shape)-1]))
		for k, v := range va {
			out[k/n] += v
		}
		m.compute(x.Sum(-1), out, a.is.shape[:len(a.is.shape)-1], "%s.Sum(-1)", name)
	case opClone:
		m.reads(a)
		e := newEager(va, a.is.shape)
		e.mem.computed, e.mem.step = true, m.step
		m.add(x.Clone(), e, false, "%s.Clone()", name)
	}
}

func (m *machine) runView(i instr, a *pair) {
	e, rank := a.is, len(a.is.shape)
	x, name := a.lazy, a.name
	view := func(shape, strides []int, offset int) *eager {
		return &eager{mem: e.mem, offset: offset, shape: shape, strides: strides}
	}
	axis := 0
	if rank > 0 {
		axis = i.n[0] % rank
	}
	switch i.op {
	case opReshape:
		n := size(e.shape)
		shapes := [][]int{{n}, {1, n}, {n, 1}}
		for d := 2; d < n; d++ {
			if n%d == 0 {
				shapes = append(shapes, []int{d, n / d}, []int{n / d, 1, d})
			}
		}
		shape := shapes[i.n[0]%len(shapes)]
		if n == 0 {
			shape = e.shape
		}
		// The places say whether the elements lie in a window of this shape.
		if strides, ok := fitStrides(e, shape); ok {
			m.add(x.Reshape(shape...), view(shape, strides, e.offset), true, "%s.Reshape(%s)", name, listed(shape))
			return
		}
		m.reads(a)
		x, name = m.in(a)
		copied := newEager(e.values(), shape)
		copied.mem.computed, copied.mem.step = true, m.step
		m.add(x.Reshape(shape...), copied, false, "%s.Reshape(%s)", name, listed(shape))
	case opTranspose:
		perm := rand.New(rand.NewPCG(uint64(i.n[0]), 1)).Perm(rank)
		shape, strides := make([]int, rank), make([]int, rank)
		for k, p := range perm {
			shape[k], strides[k] = e.shape[p], e.strides[p]
		}
		m.add(x.Transpose(perm...), view(shape, strides, e.offset), true, "%s.Transpose(%s)", name, listed(perm))
	case opSlice:
		starts, limits, steps := make([]int, rank), make([]int, rank), make([]int, rank)
		shape, strides, offset := make([]int, rank), make([]int, rank), e.offset
		for k, d := range e.shape {
			steps[k] = 1 + (i.n[2]>>k)%3
			if d > 0 {
				starts[k] = (i.n[0] >> k) % d
			}
			limits[k] = starts[k]
			if d > starts[k] {
				limits[k] += 1 + (i.n[1]>>k)%(d-starts[k])
			}
			shape[k] = (limits[k] - starts[k] + steps[k] - 1) / steps[k]
			strides[k] = e.strides[k] * steps[k]
			offset += starts[k] * e.strides[k]
		}
		m.add(x.Slice(starts, limits, steps), view(shape, strides, offset), true, "%s.Slice([]int{%s}, []int{%s}, []int{%s})", name, listed(starts), listed(limits), listed(steps))
	case opSelect:
		if rank == 0 || e.shape[axis] == 0 {
			return
		}
		k := i.n[1] % e.shape[axis]
		m.add(x.Select(axis, k), view(slices.Delete(slices.Clone(e.shape), axis, axis+1), slices.Delete(slices.Clone(e.strides), axis, axis+1), e.offset+k*e.strides[axis]),
			true, "%s.Select(%d, %d)", name, axis, k)
	case opNarrow:
		if rank == 0 || e.shape[axis] == 0 {
			return
		}
		k := i.n[1] % e.shape[axis]
		n := 1 + i.n[2]%(e.shape[axis]-k)
		shape := slices.Clone(e.shape)
		shape[axis] = n
		m.add(x.Narrow(axis, k, n), view(shape, e.strides, e.offset+k*e.strides[axis]), true, "%s.Narrow(%d, %d, %d)", name, axis, k, n)
	case opDiagonal:
		if rank < 2 {
			return
		}
		a1, a2, off := axis, (axis+1+i.n[1]%(rank-1))%rank, i.n[2]%3-1
		n := max(min(e.shape[a1]-max(-off, 0), e.shape[a2]-max(off, 0)), 0)
		if n == 0 {
			return
		}
		var shape, strides []int
		for k := range e.shape {
			if k != a1 && k != a2 {
				shape, strides = append(shape, e.shape[k]), append(strides, e.strides[k])
			}
		}
		m.add(x.Diagonal(off, a1, a2), view(append(shape, n), append(strides, e.strides[a1]+e.strides[a2]), e.offset+max(-off, 0)*e.strides[a1]+max(off, 0)*e.strides[a2]),
			true, "%s.Diagonal(%d, %d, %d)", name, off, a1, a2)
	case opStrided:
		n := len(e.mem.data)
		if n == 0 {
			return
		}
		sizes, strides, offset := []int{1 + i.n[0]%3, 1 + i.n[1]%3}, []int{i.n[2] % 4, 1 + i.n[0]%2}, i.n[1]%n
		if offset+(sizes[0]-1)*strides[0]+(sizes[1]-1)*strides[1] >= n {
			return
		}
		m.add(x.AsStrided(sizes, strides, offset), view(sizes, strides, offset), true, "%s.AsStrided([]int{%s}, []int{%s}, %d)", name, listed(sizes), listed(strides), offset)
	case opExpand:
		if rank == 0 || rank > 3 {
			return
		}
		shape := append([]int{1 + i.n[0]%2}, e.shape...)
		w, _ := e.expand(shape)
		m.add(x.BroadcastTo(shape...), w, true, "%s.BroadcastTo(%s)", name, listed(shape))
	case opSqueeze:
		var shape, strides []int
		for k, d := range e.shape {
			if d != 1 {
				shape, strides = append(shape, d), append(strides, e.strides[k])
			}
		}
		m.add(x.Squeeze(), view(shape, strides, e.offset), true, "%s.Squeeze()", name)
	case opBind:
		m.reads(a)
		m.add(m.tr.View(x), view(e.shape, e.strides, e.offset), true, "tr.View(%s)", name)
	}
}

func (m *machine) runWrite(i instr, a, b *pair) {
	x, name := a.lazy, a.name
	if a.is.mem.variable >= 0 && x.tr == nil {
		x, name = m.tr.View(x), "tr.View("+name+")"
	}
	va := a.is.values()
	var vb []float32
	if i.op == opAddTo || i.op == opMulTo || i.op == opCopy || i.op == opAssign {
		w, ok := broadcastable(a, b)
		if !ok || i.op == opAssign && !slices.Equal(a.is.shape, b.is.shape) {
			return
		}
		vb = w.values()
	}
	if a.is.overlaps() {
		if i.n[0]%8 == 0 { // refused, and the step with it
			m.say("%s.Fill_(1) // elements overlap", name)
			if x.Clone().Err() != nil {
				m.fail("an error: %v", x.Clone().Err())
			}
		}
		return
	}
	m.reads(a, b)
	out := make([]float32, len(va))
	var y *Tensor
	switch i.op {
	case opAddTo, opMulTo:
		f, method := (*Tensor).Add_, "Add_"
		if i.op == opMulTo {
			f, method = (*Tensor).Mul_, "Mul_"
		}
		for k := range out {
			if out[k] = va[k] + vb[k]; i.op == opMulTo {
				out[k] = va[k] * vb[k]
			}
			out[k] = float32(int(out[k]) % modulus)
		}
		m.say("%s.%s(%s).Rem_(mod)", name, method, b.name)
		if y = f(x, b.lazy); y.Err() == nil {
			y = y.Rem_(y.like(modulus))
		}
	case opNegate:
		for k := range out {
			out[k] = -va[k]
		}
		m.say("%s.Neg_()", name)
		y = x.Neg_()
	case opFill:
		for k := range out {
			out[k] = float32(i.n[0] % 100)
		}
		m.say("%s.Fill_(%d)", name, i.n[0]%100)
		y = x.Fill_(float64(i.n[0] % 100))
	case opCopy:
		copy(out, vb)
		m.say("%s.Copy_(%s)", name, b.name)
		y = x.Copy_(b.lazy)
	case opAssign:
		copy(out, vb)
		src, from := m.in(b)
		m.say("%s.Assign(%s)", name, from)
		y = x.Assign(src)
	}
	if y.Err() != nil {
		m.fail("an error: %v", y.Err())
		return
	}
	a.is.write(out)
	if a.is.mem.donated == 1 {
		a.is.mem.donated = 0
	}
	m.written[a.is.mem] = true
}

func (m *machine) compare(p *pair, want []float32) {
	got, err := ToSlice[float32](p.lazy)
	if err != nil {
		m.fail("an error: %v", err)
	} else if len(got) != len(want) || len(got) > 0 && !slices.Equal(got, want) {
		m.fail("it is %v, want %v", got, want)
	}
}

func (m *machine) runStep(i instr, a, b *pair) {
	switch i.op {
	case opValue, opItem:
		if a.is.mem.variable >= 0 && a.lazy.tr == nil {
			return // the device's version, which opMark compares
		}
		m.reads(a)
		m.say("%s.Value()", a.name)
		if i.op == opItem {
			_, err := a.lazy.Value()
			if err != nil {
				m.fail("an error: %v", err)
			}
		}
		m.compare(a, a.is.values())
		a.is.mem.kept = true
	case opMark:
		m.mark(i, a, b)
	case opKeep:
		if a.is.mem.donated != 0 {
			return
		}
		m.say("%s.Keep()", a.name)
		a.lazy.Keep()
		m.kept = append(m.kept, a.is.mem)
	case opRelease:
	case opDonate:
		m.donate(a)
	case opOther:
		m.assignElsewhere(m.vars[i.n[0]%2], i.n[1]%50)
	case opLook:
		m.look(a)
	}
}

func (m *machine) donate(a *pair) {
	mem := a.is.mem
	ok := !a.view && mem.variable < 0 && mem.donated == 0 && a.lazy.val != nil && !a.lazy.val.borrowed && !a.lazy.val.version && a.lazy.val.donor.Load() == nil
	if !ok || m.written[mem] || slices.Contains(m.kept, mem) || a.lazy.alias != nil && len(a.lazy.alias.past) > 0 {
		return
	}
	m.say("%s.Donate()", a.name)
	if err := a.lazy.Donate().Err(); err != nil {
		m.fail("an error: %v", err)
	}
	mem.donated = 1
}

// mark ends the step with up to two roots, and compares all that can be read.
func (m *machine) mark(i instr, a, b *pair) {
	var roots []*Tensor
	var names []string
	for k, p := range []*pair{a, b} {
		if (i.n[0]>>k)%2 == 0 && p.is.mem.donated == 0 {
			roots, names = append(roots, p.lazy), append(names, p.name)
			p.is.mem.kept = true
		}
	}
	for _, mem := range m.kept {
		mem.kept = true
	}
	m.say("tr.MarkStep(%s)", strings.Join(names, ", "))
	if err := m.tr.MarkStep(roots...); err != nil {
		m.fail("an error: %v", err)
		return
	}
	m.step++
	m.kept = nil
	clear(m.written)
	clear(m.touched)
	clear(m.readers)
	m.settleDonations()
	for k, p := range m.live {
		if m.usable(p) && (i.n[1]>>k)%2 == 0 {
			m.say("%s.Value()", p.name)
			m.compare(p, p.is.values())
		}
	}
}

// donatedNow reports whether the tensor's donation is used up.
func (t *Tensor) donatedNow() bool { return t.alias != nil && t.donated() }

// assignElsewhere lets the other trace write a variable, if this step has not
// met it: otherwise the two steps are concurrent, which no eager library has.
func (m *machine) assignElsewhere(v *pair, by int) {
	if m.touched[v.is.mem.variable] || v.lazy.v == nil {
		return
	}
	if m.tr.vars[v.lazy.v] != nil {
		return
	}
	m.say("other.View(%s).Fill_(%d); other.MarkStep()", v.name, by)
	m.other.View(v.lazy).Fill_(float64(by))
	if err := m.other.MarkStep(); err != nil {
		m.fail("an error: %v", err)
	}
	for k := range v.is.mem.data {
		v.is.mem.data[k] = float32(by)
	}
}

// look computes with a tensor in the other trace. Variables are there what they
// were before the step, computed tensors nothing at all.
func (m *machine) look(a *pair) {
	mem := a.is.mem
	if mem.variable >= 0 && m.tr.vars[m.vars[mem.variable].lazy.v] != nil || m.written[mem] || mem.computed && a.lazy.storage().val == nil {
		return
	}
	if mem.donated == 1 && m.readers[mem] {
		return // the step could not read it any more
	}
	m.say("y := other.Read(%s).AddScalar(1); other.MarkStep(y)", a.name)
	y := m.other.Read(a.lazy).AddScalar(1)
	if err := m.other.MarkStep(y); err != nil {
		m.fail("an error: %v", err)
		return
	}
	want := a.is.values()
	for k := range want {
		want[k]++
	}
	m.compare(&pair{lazy: y}, want)
	m.settleDonations()
}

// settleDonations notes which donations are used up.
func (m *machine) settleDonations() {
	for _, p := range m.live {
		if p.is.mem.donated == 1 && p.lazy.storage().donatedNow() {
			p.is.mem.donated = 2
		}
	}
}
