package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/internal/sharing"
	"ltc/ir/types"
	"ltc/soa"
)

// Table is the table of columns of a view, in the form in which kernels read the table.
type Table struct {
	Entries []int64 // by column, its distance from the first column in elements
	// Remote is a view of the copy of Entries in a device's memory. On the host, Remote is the
	// zero View.
	Remote soa.View
	// Stale says that Remote differs from Entries. The device copies Entries to Remote and
	// resets Stale.
	Stale bool
}

// delivery is the way of a result to its destination.
type delivery uint8

const (
	inPlace    delivery = iota // kernels write it there
	downloaded                 // the device copies it there
	staged                     // the run copies it there from dense memory of the host
)

// staging is dense memory of the host that stands in for a view of the caller. It grows as
// needed and is kept from call to call.
type staging struct {
	mem  soa.View // bytes
	view soa.View // mem in the type of the last call; zero if there is none
}

// base returns memory of at least so many bytes. It reuses the memory of earlier calls if
// that is large enough.
func (s *staging) base(bytes int) unsafe.Pointer {
	switch room := s.mem.Type.Elements(); {
	case s.mem.IsZero():
		s.mem, s.view = bytesView(bytes), soa.View{}
	case room < bytes: // at least half as much again, so that slowly growing sizes allocate seldom
		s.mem, s.view = bytesView(max(bytes, room*3/2)), soa.View{}
	}
	return s.mem.Base()
}

// like returns dense memory of the type of v. Too little memory is an error.
func (s *staging) like(v *soa.View) (soa.View, error) {
	if !s.view.IsZero() && s.view.Type.Equal(v.Type) {
		return s.view, nil
	}
	if err := soa.Fits(v.Type.Bytes()); err != nil {
		return soa.View{}, fmt.Errorf("a copy of %v: %w", v, err)
	}
	s.base(v.Type.Bytes())
	return s.typed(v.Type), nil
}

// typed returns the memory as a dense view of type t, which it is large enough for.
func (s *staging) typed(t types.Type) soa.View {
	if s.view.IsZero() || !s.view.Type.Equal(t) {
		t.Shape = slices.Clone(t.Shape) // the caller may change its shape later
		s.view = soa.At(s.mem.Base(), t)
	}
	return s.view
}

func bytesView(n int) soa.View { return soa.Make(types.Of(types.U8, max(n, 1))) }

// reached reports whether kernels can access the memory of a view.
func (r *Run) reached(v *soa.View) bool { return r.device == nil || v.Remote() != nil }

// placeArgs chooses the memory that kernels read each argument from: the argument's own,
// or a copy. It makes the host's copies.
func (r *Run) placeArgs(c *backends.Call) error {
	p, copies := r.Program, 0
	for i, id := range p.Args {
		val := &p.Values[id]
		if val.Last < 0 {
			continue // no step reads it
		}
		var v *soa.View
		if r.Bound != nil && !r.Bound[i].IsZero() {
			v = &r.Bound[i]
		} else {
			v = &c.Args[i]
		}
		sharing.Read(*v)
		switch {
		case val.Layout != nil:
			if err := r.placeView(id, v, i); err != nil {
				return fmt.Errorf("execute: argument %d: %w", i, err)
			}
			continue
		case v.IsDense() && r.reached(v):
			r.Mem[id] = v.Base()
			continue
		case r.device != nil:
			if err := r.device.Upload(i, v); err != nil {
				return fmt.Errorf("execute: argument %d: %w", i, err)
			}
			continue
		}
		if copies += v.Type.Bytes(); soa.Fits(copies) != nil {
			return fmt.Errorf("argument %d: a copy of %v: %w", i, v, soa.Fits(copies))
		}
		d, err := r.DenseArg(i, v)
		if err != nil { // another goroutine may have released it
			return fmt.Errorf("argument %d: %w", i, err)
		}
		r.Copied.Add(int64(d.Type.Bytes()))
		r.Mem[id] = d.Base()
	}
	return nil
}

// DenseArg returns a dense copy of v, argument i, in the host's memory. The run owns the
// copy and reuses it in the next call.
func (r *Run) DenseArg(i int, v *soa.View) (soa.View, error) {
	d, err := r.dense[i].like(v)
	if err == nil {
		err = soa.Copy(d, *v)
	}
	return d, err
}

// DenseResult returns dense memory of the host for result j. The run owns this memory, and
// copies it to v at the end of the call.
func (r *Run) DenseResult(j int, v *soa.View) (soa.View, error) {
	r.results[j] = staged
	return r.dense[len(r.Program.Args)+j].like(v)
}

// placeView sets the address, strides and table of a value that has a layout from its view.
// Number is that of [Run.Table].
func (r *Run) placeView(id plan.ValueID, v *soa.View, number int) error {
	if !slices.Equal(r.Strides[id], v.Strides) {
		r.Strides[id] = append(r.Strides[id][:0], v.Strides...)
		r.Moved = true
	}
	if r.Mem[id] = v.Start(); v.Table == nil {
		return nil
	}
	at, err := r.Table(number, v)
	r.Mem[r.Program.Values[id].Table] = at
	return err
}

// Table brings the table of a view up to date and returns the address at which kernels read the
// table. Number i is argument i; the numbers of results follow those of arguments. On a device,
// the table is at that address only after the device has copied the stale Tables.
func (r *Run) Table(number int, v *soa.View) (unsafe.Pointer, error) {
	if r.Tables == nil {
		r.Tables = make([]Table, len(r.dense))
	}
	t, n := &r.Tables[number], len(v.Table)
	if len(t.Entries) != n {
		t.Entries = slices.Grow(t.Entries[:0], n)[:n]
		t.Remote, t.Stale = soa.View{}, true
	}
	size := int64(v.Type.DType.Size())
	for i, p := range v.Table {
		at := (int64(uintptr(p)) - int64(uintptr(v.Table[0]))) / size
		if t.Entries[i] != at {
			t.Entries[i], t.Stale = at, true
		}
	}
	if r.device == nil {
		return unsafe.Pointer(unsafe.SliceData(t.Entries)), nil
	}
	if t.Remote.IsZero() {
		var err error
		if t.Remote, err = r.target.Make(types.Of(types.I64, max(n, 1))); err != nil {
			return nil, r.explained(err)
		}
		t.Stale = true
	}
	return t.Remote.Base(), nil
}

// explained returns an error of [Target.Make] with what [Plan].Explain adds.
func (r *Run) explained(err error) error {
	if r.Explain == nil {
		return err
	}
	return r.Explain(err)
}

// placeResults chooses the memory that kernels write each result to. That is the result's
// own memory if direct is set and no later step can fail, or if the program is a region.
// Otherwise it is memory of the run. Watch is the first step that writes memory of the
// caller; the number of steps if none does.
func (r *Run) placeResults(ctx context.Context, c *backends.Call, direct bool) (watch int, err error) {
	p, cancellable := r.Program, ctx.Done() != nil
	watch, direct = len(p.Steps), direct || r.Rules.Region
	for j, id := range p.Results {
		v, atOnce, made := &r.Fresh[j], true, r.Rules.Made(c, j)
		if made {
			if *v, err = r.make(c, j); err != nil {
				return 0, err
			}
		} else if v, atOnce = r.Rules.Destination(c, j, cancellable); !direct {
			atOnce = false
		}
		switch {
		case p.Values[id].Layout != nil:
			if err := r.placeView(id, v, len(p.Args)+j); err != nil {
				return 0, err
			}
		case atOnce && v.IsDense() && r.reached(v):
			r.Mem[id] = v.Base()
		default:
			if err := r.placeApart(j, v, made); err != nil {
				return 0, err
			}
			continue
		}
		if !made && !r.Rules.Region {
			watch = min(watch, p.Values[id].First)
		}
	}
	return watch, nil
}

// placeApart makes kernels write result j to memory of the run, from which it is copied to
// v. Own says that the run has allocated v.
func (r *Run) placeApart(j int, v *soa.View, own bool) error {
	if r.device == nil {
		id := r.Program.Results[j]
		r.results[j] = staged
		r.Mem[id] = r.dense[len(r.Program.Args)+j].base(r.Program.Values[id].Type.Bytes())
		return nil
	}
	r.results[j] = downloaded
	if err := r.device.Download(j, v, own); err != nil {
		return fmt.Errorf("execute: result %d: %w", j, err)
	}
	return nil
}

// make returns fresh memory for result j of a call, which has none of the caller's.
func (r *Run) make(c *backends.Call, j int) (soa.View, error) {
	t := r.Program.Signature.Results[j].Type
	if r.Resized {
		t.Shape = slices.Clone(t.Shape)
	}
	if r.device == nil || !c.Resident {
		return c.Make(t), nil
	}
	v, err := r.target.Make(t)
	if err != nil {
		err = r.explained(err)
	}
	return v, err
}

// commit sets the results of the call, and copies those that are staged.
func (r *Run) commit(c *backends.Call) error {
	for j := range r.Fresh {
		to, fresh := &c.Results[j], &r.Fresh[j]
		switch {
		case !fresh.IsZero():
			*to = *fresh
		case to.IsZero():
			*to = c.Args[r.Program.Signature.Results[j].Alias]
		}
		how := r.results[j]
		if how == inPlace && !fresh.IsZero() {
			continue
		}
		if sharing.Write(*to); how != staged {
			continue
		}
		if err := r.deliver(j, to); err != nil && !errors.Is(err, soa.ErrReleased) {
			return fmt.Errorf("execute: result %d: %w", j, err)
		}
	}
	return nil
}

// deliver copies a staged result to its destination.
func (r *Run) deliver(j int, to *soa.View) error {
	d := &r.dense[len(r.Program.Args)+j]
	n := to.Type.Bytes()
	if r.device == nil {
		r.Copied.Add(int64(n))
		if to.IsDense() {
			copy(unsafe.Slice((*byte)(to.Base()), n), unsafe.Slice((*byte)(d.mem.Base()), n))
			return nil
		}
	}
	return soa.Copy(*to, d.typed(to.Type))
}
