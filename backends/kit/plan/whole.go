package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/internal/diag"
	"ltc/ir/types"
)

// whole reports how a program that was read is none that a text becomes: it names values,
// kernels or results that are not there, or takes a value for more than its memory holds. What
// makes a program executable and runs it takes all that for granted. Views says that it may be a variant.
func (p *Program) whole(views bool) error {
	if err := wholeSignature(p.Signature); err != nil {
		return err
	}
	switch {
	case !p.has(p.Args...) || !p.has(p.Results...) || len(p.Args) != len(p.Signature.Args) || len(p.SizeArgs) > len(p.Args) || len(p.Results) != len(p.Signature.Results):
		return errors.New("arguments or results have no values")
	case p.Arena < 0 || p.LastFallible < -1 || p.LastFallible >= len(p.Steps):
		return errors.New("its arena or its last step that can fail is none")
	}
	for i, id := range p.Args {
		if v := &p.Values[id]; v.Kind != Argument || v.Index != i {
			return fmt.Errorf("value %d is not argument %d", id, i)
		}
	}
	for j, id := range p.Results {
		if v := &p.Values[id]; v.Kind != Result || v.Index != j {
			return fmt.Errorf("value %d is not result %d", id, j)
		}
	}
	for i := range p.Values {
		if err := p.wholeValue(ValueID(i), views); err != nil {
			return fmt.Errorf("value %d: %w", i, err)
		}
	}
	for i := range p.Steps {
		if err := p.wholeWork(p.Steps[i].Work, views); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	if err := p.wholeLives(); err != nil {
		return err
	}
	if err := p.Check(); err != nil {
		return err
	}
	for i := range p.Steps {
		for _, r := range p.Steps[i].Regions() {
			if err := r.whole(false); err != nil {
				return fmt.Errorf("step %d: %w", i, err)
			}
		}
		if err := p.wholeRegions(p.Steps[i].Work); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

// wholeSignature is whole of a signature: types are those of tensors, and an argument and the
// result that takes it over name each other.
func wholeSignature(s *backends.Signature) error {
	for i := range s.Args {
		a := &s.Args[i]
		if err := a.Type.Check(); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
		if a.Alias < -1 || a.Alias >= len(s.Results) || a.Alias >= 0 && (s.Results[a.Alias].Alias != i || !s.Results[a.Alias].Type.Equal(a.Type)) {
			return fmt.Errorf("result %d does not take over argument %d", a.Alias, i)
		}
	}
	for j := range s.Results {
		r := &s.Results[j]
		if err := r.Type.Check(); err != nil {
			return fmt.Errorf("result %d: %w", j, err)
		}
		if r.Alias < -1 || r.Alias >= len(s.Args) || r.Alias >= 0 && s.Args[r.Alias].Alias != j {
			return fmt.Errorf("result %d does not take over argument %d", j, r.Alias)
		}
	}
	return nil
}

// has reports whether there are values.
func (p *Program) has(list ...ValueID) bool {
	return !slices.ContainsFunc(list, func(v ValueID) bool { return v < 0 || int(v) >= len(p.Values) })
}

// wholeValue is whole of a value. A program that is no variant has neither layouts nor tables,
// and no step depends on them.
func (p *Program) wholeValue(id ValueID, views bool) error {
	v := &p.Values[id]
	if err := v.Type.Check(); err != nil {
		return err
	}
	if v.Layout != nil && !views || v.First < -1 || v.First >= len(p.Steps) || v.Last < -1 || v.Last >= len(p.Steps) {
		return errors.New("it has a layout, or steps that are not there")
	}
	size := v.Type.Bytes()
	switch v.Kind {
	case Argument:
		switch i := v.Index; {
		case i < 0 || i >= len(p.Args) || p.Args[i] != id:
			return fmt.Errorf("it is not argument %d", i)
		case !alike(v.Type, p.Signature.Args[i].Type):
			return fmt.Errorf("%v is not argument %d", v.Type, i)
		case i >= len(p.Args)-len(p.SizeArgs) && (v.Type.DType != types.I32 || v.Type.Elements() != 1):
			return fmt.Errorf("%v is not the size %d", v.Type, i)
		}
	case Result:
		if i := v.Index; i < 0 || i >= len(p.Results) || p.Results[i] != id || !alike(v.Type, p.Signature.Results[i].Type) {
			return fmt.Errorf("%v is not result %d", v.Type, i)
		}
	case Temporary:
		if v.First >= 0 && (v.Offset < 0 || v.Offset > p.Arena || size > p.Arena-v.Offset) {
			return fmt.Errorf("%v at %d is outside of the arena, which has %s", v.Type, v.Offset, diag.Count(p.Arena, "byte"))
		}
		if v.Offset%v.Type.DType.Size() != 0 {
			return fmt.Errorf("%v at %d is not aligned", v.Type, v.Offset)
		}
	case Constant:
		if n := len(v.Data); n != size && n != v.Type.DType.Size() {
			return fmt.Errorf("%v has %s", v.Type, diag.Count(n, "byte"))
		}
	case Table:
		if !views || v.Index < 0 || !p.has(ValueID(v.Index)) || p.Values[v.Index].Table != id || v.Type.DType != types.I64 {
			return errors.New("it is the table of no value")
		}
	default:
		return fmt.Errorf("a value of kind %d", v.Kind)
	}
	if v.Layout != nil && (v.Kind != Argument && v.Kind != Result || len(v.Layout) != len(p.Shape(id))) {
		return errors.New("it has the layout of another value")
	}
	if v.Layout != nil && v.Layout.Table() >= 0 && (!p.has(v.Table) || p.Values[v.Table].Kind != Table || p.Values[v.Table].Index != int(id)) {
		return errors.New("it has no table")
	}
	if v.Over != None && !p.has(v.Over) {
		return fmt.Errorf("there is no value %d", v.Over)
	}
	return nil
}

// wholeLives is whole of the steps that values say they are written and read by.
func (p *Program) wholeLives() error {
	written := make([]bool, len(p.Values))
	for i := range p.Steps {
		reads, writes := p.Steps[i].Work.Access(p)
		for _, id := range writes {
			if p.Values[id].First == i {
				written[id] = true
			}
		}
		for _, id := range slices.Concat(reads, writes) {
			if v := &p.Values[id]; v.First > i || v.Last < i {
				return fmt.Errorf("value %d: it is there from step %d to %d, and step %d accesses it", id, v.First, v.Last, i)
			}
		}
	}
	for id := range p.Values {
		if v := &p.Values[id]; v.First >= 0 != written[id] || v.First < 0 && v.Kind == Result {
			return fmt.Errorf("step %d does not write value %d", v.First, id)
		}
	}
	return nil
}

// alike reports whether two types are the same but for how their elements are shaped.
func alike(a, b types.Type) bool { return a.DType == b.DType && a.Elements() == b.Elements() }

// writable reports whether a step may write values.
func (p *Program) writable(list ...ValueID) bool {
	return p.has(list...) && !slices.ContainsFunc(list, func(v ValueID) bool {
		return p.Values[v].Kind != Temporary && p.Values[v].Kind != Result || p.Values[v].First < 0
	})
}

// readable reports whether values have memory that a step may read.
func (p *Program) readable(list ...ValueID) bool {
	return p.has(list...) && !slices.ContainsFunc(list, func(v ValueID) bool {
		return p.Values[v].Kind == Temporary && p.Values[v].First < 0
	})
}

// holds reports whether the memory of a value holds dense elements of a type.
func (p *Program) holds(list ...HostArg) bool {
	return !slices.ContainsFunc(list, func(a HostArg) bool {
		return !p.readable(a.Value) || a.Type.Check() != nil || a.Type.Bytes() > p.elements(a.Value)*p.Values[a.Value].Type.DType.Size()
	})
}

var (
	errNoValues  = errors.New("it works on values that are not there, or have less memory")
	errOfAnother = errors.New("it is not what it says")
)

// wholeWork is whole of the work of a step.
func (p *Program) wholeWork(w Work, views bool) error {
	switch w := w.(type) {
	case *Launch:
		return p.wholeLaunch(w, views)
	case *Sort:
		return p.wholeSort(w)
	case *Host:
		if !p.holds(w.Args...) || !p.writable(w.Outs...) {
			return errNoValues
		}
	case *Triangular:
		return p.wholeTriangular(w)
	case *Composite:
		args, outs := w.Arrays()
		if _, ok := BlockDotOf(w); !ok {
			return errOfAnother
		}
		if !p.holds(args...) || !p.holds(outs...) || !p.writable(ValuesOf(outs)...) || !p.writable(w.Work...) {
			return errNoValues
		}
	case *Loop:
		n := len(w.Init)
		if len(w.Outs) != n || len(w.Stays) != n {
			return errOfAnother
		}
		if !p.holds(w.Init...) || !p.holds(w.Captured...) || !p.writable(w.Outs...) || !p.holds(outsOf(w.Outs, w.Init)...) {
			return errNoValues
		}
	case *Branch:
		index := w.Index.Type
		if len(w.Branches) == 0 || len(w.Ops) != len(w.Branches) || index.Check() != nil || index.Elements() != 1 || index.DType != types.Bool && index.DType != types.I32 {
			return errOfAnother
		}
		if !p.holds(w.Index) || !p.holds(w.Captured...) || !p.writable(w.Outs...) {
			return errNoValues
		}
	}
	return nil
}

// outsOf returns values as the types that others have.
func outsOf(outs []ValueID, types []HostArg) []HostArg {
	all := slices.Clone(types)
	for i := range all {
		all[i].Value = outs[i]
	}
	return all
}

func (p *Program) wholeLaunch(l *Launch, views bool) error {
	if l.Kernel < 0 || l.Kernel >= len(p.Kernels) {
		return fmt.Errorf("there is no kernel %d", l.Kernel)
	}
	k := p.Kernels[l.Kernel]
	if len(l.Operands) != len(k.Params) || len(l.Sizes) != k.Sizes || len(l.Strides) != k.StrideArgs() || l.Parts < 0 || len(l.Moving) > 0 && !views {
		return errors.New("operands, sizes or strides are those of another kernel")
	}
	if l.Copies && (len(k.Params) != 2 || k.Params[0].Out || !k.Params[1].Out) {
		return errors.New("its kernel copies nothing")
	}
	for i := range l.Operands {
		o := &l.Operands[i]
		if !p.readable(o.Value) || k.Params[i].Out && !p.writable(o.Value) || len(o.By) > 0 && !views || !p.along(o.Value, o.By) ||
			p.Values[o.Value].Type.DType.Size() != k.Params[i].DType.Size() {
			return fmt.Errorf("operand %d is not one of the kernel", i)
		}
	}
	for _, m := range l.Moving {
		if m.At < 0 || m.At >= len(l.Strides) || m.Operand < 0 || m.Operand >= len(l.Operands) || !p.along(l.Operands[m.Operand].Value, m.By) {
			return errors.New("a stride is that of no operand")
		}
	}
	return p.countable(l)
}

// along reports whether factors are of strides that a value has.
func (p *Program) along(v ValueID, by []Factor) bool {
	return !slices.ContainsFunc(by, func(f Factor) bool { return f.Dim < 0 || f.Dim >= len(p.Shape(v)) })
}

// countable reports whether places of a launch, which [Program.Check] computes, overflow.
func (p *Program) countable(l *Launch) error {
	most, apart := 1.0, 1.0
	for _, n := range l.Sizes {
		most = max(most, float64(n))
	}
	for _, s := range l.Strides {
		apart = max(apart, math.Abs(float64(s)))
	}
	const limit = 1 << 62
	for i := range l.Operands {
		x := &p.Kernels[l.Kernel].Params[i]
		reach := math.Abs(float64(l.Operands[i].Offset))
		for _, d := range x.Dims {
			reach += max(most, float64(d.Of(l.Sizes))) * apart
		}
		if reach*float64(x.DType.Size()) >= limit {
			return fmt.Errorf("operand %d reaches further than an int counts", i)
		}
	}
	return nil
}

func (p *Program) wholeSort(s *Sort) error {
	if len(s.Args) == 0 || len(s.Outs) == 0 || len(s.Outs) != len(s.From) || len(s.Of) != len(s.Less.Params) {
		return errOfAnother
	}
	if !p.holds(s.Args...) || !p.holds(s.Outs...) || !p.writable(ValuesOf(s.Outs)...) || !p.writable(s.Work...) {
		return errNoValues
	}
	shape := s.Shape()
	kept := s.ResultShape()
	if s.Dim < 0 || s.Dim >= len(shape) || len(kept) != len(shape) || kept[s.Dim] > shape[s.Dim] {
		return errOfAnother
	}
	first := slices.Clone(shape)
	if first[s.Dim] = kept[s.Dim]; !kept.Equal(first) {
		return errOfAnother
	}
	for _, a := range s.Args {
		if !a.Type.Shape.Equal(shape) {
			return errOfAnother
		}
	}
	for i, from := range s.From {
		t := s.Outs[i].Type
		if from < Places || from >= len(s.Args) || !t.Shape.Equal(kept) || from >= 0 && t.DType != s.Args[from].Type.DType || from == Places && !HoldsPlaces(t.DType) {
			return fmt.Errorf("result %d is none of its operands", i)
		}
	}
	return s.wholeLess()
}

// wholeLess is whole of a comparator: a kernel of one point, of scalars.
func (s *Sort) wholeLess() error {
	k := s.Less
	if err := kernel.Verify(k); err != nil {
		return err
	}
	outs := 0
	for i, of := range s.Of {
		x := &k.Params[i]
		want := types.Bool
		if x.Out != (of.Operand == -1) || of.Operand < -1 || of.Operand >= len(s.Args) {
			return fmt.Errorf("the comparator's parameter %d is none of its operands", i)
		}
		if x.Out {
			outs++
		} else {
			want = s.Args[of.Operand].Type.DType
		}
		if x.DType != want || len(x.Dims) > 0 {
			return fmt.Errorf("the comparator's parameter %d is not a scalar of %v", i, want)
		}
	}
	if outs != 1 || len(k.Axes) > 0 || k.Sizes > 0 || len(k.Locals) > 0 {
		return errors.New("the comparator is a kernel of another kind")
	}
	return kernel.Bounds(k, nil)
}

func (p *Program) wholeTriangular(t *Triangular) error {
	if len(t.Outs) != 1 || t.DType != types.F32 && t.DType != types.F64 {
		return errOfAnother
	}
	if !p.holds(t.Args...) || !p.holds(t.Outs...) || !p.writable(ValuesOf(t.Outs)...) || !p.writable(t.Work...) {
		return errNoValues
	}
	if !t.fits() {
		return errOfAnother
	}
	return nil
}

// wholeRegions is whole of what the regions of work take and give; the regions are whole.
func (p *Program) wholeRegions(w Work) error {
	switch w := w.(type) {
	case *Loop:
		takes := slices.Concat(w.Init, w.Captured)
		if !fits(w.Cond, takes, []HostArg{{Type: types.Of(types.Bool)}}) || !fits(w.Body, takes, w.Init) {
			return errors.New("regions take or give something else than the loop carries")
		}
	case *Branch:
		gives := make([]HostArg, len(w.Outs))
		for i, v := range w.Outs {
			gives[i] = HostArg{v, p.Values[v].Type}
		}
		for _, b := range w.Branches {
			if !fits(b, w.Captured, gives) {
				return errors.New("a branch takes or gives something else")
			}
		}
	}
	return nil
}

// fits reports whether a region takes and gives types, in any shape.
func fits(region *Program, takes, gives []HostArg) bool {
	s := region.Signature
	return slices.EqualFunc(s.Args, takes, func(a backends.Arg, t HostArg) bool { return alike(a.Type, t.Type) }) &&
		slices.EqualFunc(s.Results, gives, func(r backends.Result, t HostArg) bool { return alike(r.Type, t.Type) })
}
