package plan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Encode returns the program as bytes that [Decode] reads: all but its Module, its Logger and
// what it was made from. It reports false for a program with parts that no bytes stand for: registered functions, ops that
// fell back to the host, and composites but products with quantized matrices.
func (p *Program) Encode() ([]byte, bool) {
	c := &coder{}
	c.program(p)
	return c.data, c.err == nil
}

// ErrHost is the error of [Decode] and [DecodeFamily] for an op of the host that Hosts has no executable for, such
// as a call of a function that this process has not registered. The bytes may be whole.
var ErrHost = errors.New("an op of the host cannot run")

// Hosts makes the text of a [Host] executable, and says how many threads it may use.
type Hosts func(text string) (run backends.Executable, threads int, err error)

// Decode reads what [Program.Encode] has written in a process of the same executable; again is
// the program's origin, and hosts makes its ops of the host executable. Without hosts such an op is an error. Any other bytes are an error, or a program that can be made executable:
// all that it names is there, and its steps stay within the memory of their values
// ([Program.Check]). Whether it is the program of a text is for the caller to know.
func Decode(data []byte, again Origin, hosts Hosts) (*Program, error) {
	c := &coder{data: data, reading: true, from: again, hosts: hosts}
	p := new(Program)
	c.program(p)
	if c.err = c.end(); c.err == nil {
		c.err = p.whole(false)
	}
	if c.err != nil {
		return nil, fmt.Errorf("plan: decode: %w", c.err)
	}
	return p, nil
}

// coder writes or reads values. Its methods are given what they write or where they read to,
// so that the form of each type is written down once. What they write they only read: it may belong to
// a program that runs.
type coder struct {
	data    []byte // what has been written, or what is still to be read
	reading bool
	err     error // the first one; methods do nothing after it
	from    Origin
	hosts   Hosts
	depth   int // of locations and regions in each other
	// sizes are those that are expressions, of a family; nil: none are.
	sizes *expressions
	// parsed are kernels by their text; nil: none are kept.
	parsed map[string][]*kernel.Kernel
}

// mostDepth is how deep locations and regions may lie in each other: each takes stack.
const mostDepth = 1000

// nested codes what may have others of its kind in it.
func (c *coder) nested(code func()) {
	if c.depth++; c.depth > mostDepth {
		c.fail("locations or regions are more than %d deep", mostDepth)
	}
	if c.err == nil {
		code()
	}
	c.depth--
}

func (c *coder) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// integer codes an integer.
func integer[N ~int | ~int32 | ~int64 | ~uint8 | ~uint64](c *coder, v *N) {
	if !c.reading {
		c.data = binary.AppendVarint(c.data, c.codeOf(int64(*v)))
		return
	}
	x, n := binary.Varint(c.data)
	if x = c.number(x); n <= 0 || int64(N(x)) != x {
		c.fail("a number is cut off or too large")
		c.data = nil
		return
	}
	*v, c.data = N(x), c.data[n:]
}

func (c *coder) flag(v *bool) {
	var n uint8
	if *v {
		n = 1
	}
	if integer(c, &n); c.reading {
		*v = n != 0
	}
}

// count codes the length of something that takes at least a byte for each of n; -1 is nil.
func (c *coder) count(n int) int {
	integer(c, &n)
	if c.reading && (c.err != nil || n > len(c.data) || n < -1) {
		c.fail("a list of %d is cut off", n)
		return -1
	}
	return n
}

func (c *coder) text(v *string) {
	n := c.count(len(*v))
	switch {
	case !c.reading:
		c.data = append(c.data, *v...)
	case n > 0:
		*v, c.data = string(c.data[:n]), c.data[n:]
	}
}

// slice codes a slice; each codes an element.
func slice[T any](c *coder, v *[]T, each func(*T)) {
	n := len(*v)
	if *v == nil {
		n = -1
	}
	n = c.count(n)
	if !c.reading {
		for i := range *v {
			each(&(*v)[i])
		}
		return
	}
	if n < 0 {
		return
	}
	// An element can take many times the bytes that stand for it: memory grows with what is read.
	const ahead = 64
	*v = make([]T, 0, min(n, ahead))
	for len(*v) < n && c.err == nil {
		var x T
		*v = append(*v, x)
		each(&(*v)[len(*v)-1])
	}
}

func integers[N ~int | ~int32 | ~int64](c *coder, v *[]N) {
	slice(c, v, func(x *N) { integer(c, x) })
}

func (c *coder) flags(v *[]bool) { slice(c, v, c.flag) }

func (c *coder) bytes(v *[]byte) {
	n := len(*v)
	if *v == nil {
		n = -1
	}
	n = c.count(n)
	switch {
	case !c.reading:
		c.data = append(c.data, *v...)
	case n >= 0:
		*v, c.data = append(make([]byte, 0, n), c.data[:n]...), c.data[n:]
	}
}

func (c *coder) dtype(v *types.DType) {
	n := int64(*v)
	if integer(c, &n); c.reading {
		*v = types.DType(n)
	}
}

func (c *coder) typ(v *types.Type) {
	c.dtype(&v.DType)
	integers(c, (*[]int)(&v.Shape))
}

func (c *coder) program(p *Program) {
	sig := p.Signature
	if sig == nil {
		sig = new(backends.Signature)
	}
	if c.signature(sig); c.reading {
		p.Signature = sig
	}
	slice(c, &p.Values, c.value)
	c.kernels(&p.Kernels)
	integers(c, &p.Args)
	integers(c, &p.Results)
	integers(c, &p.SizeArgs)
	integer(c, &p.Arena)
	integer(c, &p.LastFallible)
	if c.reading {
		p.From = c.from
	}
	at := 0
	slice(c, &p.Steps, func(s *Step) {
		integer(c, &s.Ordinal)
		c.location(&s.Loc)
		c.work(&s.Work, at)
		c.flag(&s.Together)
		at++
	})
}

func (c *coder) signature(s *backends.Signature) {
	slice(c, &s.Args, func(a *backends.Arg) {
		c.text(&a.Name)
		c.typ(&a.Type)
		integer(c, &a.Alias)
		c.flag(&a.Constant)
	})
	slice(c, &s.Results, func(r *backends.Result) {
		c.text(&r.Name)
		c.typ(&r.Type)
		integer(c, &r.Alias)
	})
}

func (c *coder) value(v *Value) {
	integer(c, &v.Kind)
	c.typ(&v.Type)
	integer(c, &v.Index)
	integer(c, &v.Offset)
	integer(c, &v.Over)
	c.bytes(&v.Data)
	integer(c, &v.First)
	integer(c, &v.Last)
	slice(c, (*[]kernel.Stride)(&v.Layout), func(s *kernel.Stride) { integer(c, s) })
	integer(c, &v.Table)
	integer(c, &v.Views)
}

// kernels codes kernels in their text form, whose parser checks them.
func (c *coder) kernels(v *[]*kernel.Kernel) {
	var all strings.Builder
	for _, k := range *v {
		all.WriteString(k.String())
	}
	text := all.String()
	c.text(&text)
	if !c.reading || c.err != nil {
		return
	}
	read, known := c.parsed[text]
	if !known {
		if read, c.err = kernel.ParseAll(text); c.parsed != nil && c.err == nil {
			c.parsed[text] = read
		}
	}
	*v = read
}

// kinds of work, as they are coded.
const (
	isLaunch uint8 = iota
	isSort
	isTriangular
	isLoop
	isBranch
	isHost
	isComposite
)

// errNotBytes says that a program has parts that no bytes stand for.
var errNotBytes = errors.New("it has parts that no bytes stand for")

// kindOf returns how the kind of work is coded; false if it is not.
func kindOf(w Work) (kind uint8, ok bool) {
	switch w := w.(type) {
	case *Host:
		// Fallbacks are not coded: each compile reports them. Composites of the host are not: the registered functions decide.
		return isHost, w.Why == "" && w.Op != stablehlo.Composite
	case *Launch:
		return isLaunch, true
	case *Sort:
		return isSort, true
	case *Triangular:
		return isTriangular, true
	case *Loop:
		return isLoop, true
	case *Branch:
		return isBranch, true
	case *Composite:
		_, ok := BlockDotOf(w) // others have attributes that are not coded
		return isComposite, ok
	}
	return 0, false
}

// work codes the work of the step of a number.
func (c *coder) work(v *Work, step int) {
	var kind uint8
	if !c.reading {
		var ok bool
		if kind, ok = kindOf(*v); !ok {
			c.err = errNotBytes
			return
		}
	}
	switch integer(c, &kind); kind {
	case isLaunch:
		c.launch(coded[Launch](c, v))
	case isSort:
		c.sort(coded[Sort](c, v))
	case isTriangular:
		c.triangular(coded[Triangular](c, v))
	case isLoop:
		c.loop(coded[Loop](c, v), step)
	case isBranch:
		c.branch(coded[Branch](c, v), step)
	case isHost:
		c.host(coded[Host](c, v))
	case isComposite:
		c.composite(coded[Composite](c, v))
	default:
		c.fail("work of kind %d", kind)
	}
}

// coded returns the work to write, or new work that is read.
func coded[W any, P interface {
	*W
	Work
}](c *coder, v *Work) *W {
	if c.reading {
		*v = P(new(W))
	}
	return (*v).(P)
}

func (c *coder) launch(l *Launch) {
	integer(c, &l.Kernel)
	slice(c, &l.Operands, func(o *Operand) {
		integer(c, &o.Value)
		integer(c, &o.Offset)
		c.factors(&o.By)
	})
	integers(c, &l.Sizes)
	integers(c, &l.Strides)
	slice(c, &l.Moving, func(m *Moving) {
		integer(c, &m.At)
		integer(c, &m.Operand)
		c.factors(&m.By)
	})
	c.flag(&l.Copies)
	integer(c, &l.Parts)
	c.flag(&l.Pitches)
}

func (c *coder) factors(v *[]Factor) {
	slice(c, v, func(f *Factor) {
		integer(c, &f.Dim)
		integer(c, &f.By)
	})
}

func (c *coder) arg(a *HostArg) {
	integer(c, &a.Value)
	c.typ(&a.Type)
}

func (c *coder) args(lists ...*[]HostArg) {
	for _, v := range lists {
		slice(c, v, c.arg)
	}
}

func (c *coder) host(h *Host) {
	name := h.Op.String()
	if c.text(&name); c.reading {
		h.Op = mlir.CodeOf(name)
	}
	c.text(&h.Reason)
	c.text(&h.Text)
	c.args(&h.Args)
	integers(c, &h.Outs)
	switch {
	case !c.reading || c.err != nil:
	case c.hosts == nil:
		c.fail("an op of the host")
	default:
		var err error
		if h.Run, h.Threads, err = c.hosts(h.Text); err != nil {
			c.fail("%w: %w", ErrHost, err)
		}
	}
}

func (c *coder) sort(s *Sort) {
	integer(c, &s.Dim)
	less := []*kernel.Kernel{s.Less}
	if c.reading {
		less = nil
	}
	if c.kernels(&less); c.err == nil && len(less) != 1 {
		c.fail("a sort has %s", diag.Count(len(less), "comparator"))
	}
	if c.err != nil {
		return
	}
	if c.reading {
		s.Less = less[0]
	}
	slice(c, &s.Of, func(x *Compared) {
		integer(c, &x.Operand)
		c.flag(&x.Second)
	})
	c.args(&s.Args, &s.Outs)
	integers(c, &s.From)
	integers(c, &s.Work)
}

func (c *coder) triangular(t *Triangular) {
	for _, v := range []*bool{&t.Solve, &t.Lower, &t.Left, &t.Transposed, &t.Unit} {
		c.flag(v)
	}
	c.dtype(&t.DType)
	for _, v := range []*int{&t.Count, &t.N, &t.Sides} {
		integer(c, v)
	}
	c.args(&t.Args, &t.Outs)
	integers(c, &t.Work)
}

// composite codes one whose attributes are integers, as i64.
func (c *coder) composite(w *Composite) {
	c.text(&w.Name)
	slice(c, (*[]mlir.NamedAttr)(&w.Attrs), func(a *mlir.NamedAttr) {
		n, _ := mlir.Int(a.Value)
		c.text(&a.Name)
		integer(c, &n)
		a.Value = mlir.I64Attr(n)
	})
	for _, all := range []*[]Dense{&w.Args, &w.Outs} {
		slice(c, all, func(d *Dense) {
			integer(c, &d.Value)
			c.typ(&d.Type)
			integers(c, &d.Strides)
		})
	}
	integers(c, &w.Work)
}

func (c *coder) loop(l *Loop, step int) {
	c.region(&l.Cond, step, 0)
	c.region(&l.Body, step, 1)
	c.args(&l.Init, &l.Captured)
	integers(c, &l.Outs)
	c.flags(&l.Stays)
	integers(c, (*[]int)(&l.CondOps))
	integers(c, (*[]int)(&l.BodyOps))
}

func (c *coder) branch(b *Branch, step int) {
	c.arg(&b.Index)
	region := 0
	slice(c, &b.Branches, func(p **Program) {
		c.region(p, step, region)
		region++
	})
	c.args(&b.Captured)
	integers(c, &b.Outs)
	slice(c, &b.Ops, func(o *Ordinals) { integers(c, (*[]int)(o)) })
}

// region codes a region of a step.
func (c *coder) region(p **Program, step, n int) {
	if c.err != nil {
		return
	}
	outer := c.from
	if c.reading {
		*p, c.from = new(Program), regionOrigin{outer, step, n}
	}
	c.nested(func() { c.program(*p) })
	c.from = outer
}

// location kinds, as they are coded.
const (
	noLoc uint8 = iota
	fileLoc
	rangeLoc
	nameLoc
	callLoc
	fusedLoc
	unknownLoc
)

// location codes a location; one with metadata is an error.
func (c *coder) location(v *mlir.Location) {
	if c.err != nil {
		return
	}
	if !c.reading { // what is set below is a copy
		written := *v
		v = &written
	}
	kind := noLoc
	switch l := (*v).(type) {
	case mlir.FileLoc:
		kind = fileLoc
	case mlir.RangeLoc:
		kind = rangeLoc
	case mlir.NameLoc:
		kind = nameLoc
	case mlir.CallLoc:
		kind = callLoc
	case mlir.FusedLoc:
		if kind = fusedLoc; l.Metadata != nil {
			c.err = errNotBytes
		}
	case mlir.UnknownLoc:
		kind = unknownLoc
	}
	switch integer(c, &kind); kind {
	case noLoc:
	case fileLoc:
		l, _ := (*v).(mlir.FileLoc)
		c.file(&l)
		*v = l
	case rangeLoc:
		l, _ := (*v).(mlir.RangeLoc)
		c.file(&l.FileLoc)
		integer(c, &l.EndLine)
		integer(c, &l.EndCol)
		*v = l
	case nameLoc:
		l, _ := (*v).(mlir.NameLoc)
		c.text(&l.Name)
		c.nested(func() { c.location(&l.Child) })
		*v = l
	case callLoc:
		l, _ := (*v).(mlir.CallLoc)
		c.nested(func() { c.location(&l.Callee) })
		c.nested(func() { c.location(&l.Caller) })
		*v = l
	case fusedLoc:
		l, _ := (*v).(mlir.FusedLoc)
		c.nested(func() { slice(c, &l.Locs, c.location) })
		*v = l
	case unknownLoc:
		*v = mlir.UnknownLoc{}
	default:
		c.fail("a location of kind %d", kind)
	}
}

func (c *coder) file(l *mlir.FileLoc) {
	c.text(&l.File)
	integer(c, &l.Line)
	integer(c, &l.Col)
}
