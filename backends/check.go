package backends

import (
	"fmt"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/soa"
)

// CheckCall returns an error for the first argument or result of c that does not fit sig. Errors
// are a wrong number of arguments or results, a wrong dtype or shape, an invalid view, and a
// read-only view of a result. A queue is an error, too: programs in the host's memory have none.
// Bound has, for each argument, the view that [Executable].Bind
// has fixed or the zero View; it is nil if no argument is bound. Of a bound argument, CheckCall
// checks only that its memory was not released. CheckCall fills an empty c.Results with zero
// views.
func CheckCall(sig *Signature, c *Call, bound []soa.View) error {
	if c.Queue != nil {
		return fmt.Errorf("execute: a queue of another backend: %T", c.Queue)
	}
	return CheckCallOn(sig, c, bound, nil)
}

// CheckCallOn is [CheckCall] for a backend whose programs access the remote memory m as well as
// the host's memory. The backend itself checks the queue. If m is nil, programs access only the host's memory.
func CheckCallOn(sig *Signature, c *Call, bound []soa.View, m soa.Remote) error {
	if len(c.Args) != len(sig.Args) {
		return fmt.Errorf("execute: %s given, the program takes %d", diag.Count(len(c.Args), "argument"), len(sig.Args))
	}
	if len(c.Results) == 0 && len(sig.Results) > 0 {
		c.Results = make([]soa.View, len(sig.Results))
	}
	if len(c.Results) != len(sig.Results) {
		return fmt.Errorf("execute: %s given, the program has %d", diag.Count(len(c.Results), "result"), len(sig.Results))
	}
	for i := range c.Args {
		a := &sig.Args[i]
		if bound != nil && !bound[i].IsZero() {
			if bound[i].Released() {
				return fmt.Errorf("execute: bound argument %s: %w: release it only after the last run", Label(i, a.Name), soa.ErrReleased)
			}
			continue
		}
		if c.Args[i].Plain(&a.Type) {
			continue
		}
		err := Fits(c.Args[i], a.Type)
		if err == nil {
			err = reached(&c.Args[i], m)
		}
		if err != nil {
			return fmt.Errorf("execute: argument %s: %w", Label(i, a.Name), err)
		}
		if a.Alias >= 0 && c.Results[a.Alias].IsZero() && c.Args[i].Overlaps() {
			return fmt.Errorf("execute: argument %s is donated to result %d but repeats elements (strides %v): give that result memory of its own",
				Label(i, a.Name), a.Alias, c.Args[i].Strides)
		}
		if a.Alias >= 0 && c.Results[a.Alias].IsZero() && c.Args[i].ReadOnly() && !(c.Resident && m != nil) {
			return fmt.Errorf("execute: argument %s is donated to result %d: %w: give that result memory of its own", Label(i, a.Name), a.Alias, soa.ErrReadOnly)
		}
	}
	for j := range c.Results {
		v, r := &c.Results[j], &sig.Results[j]
		if v.Plain(&r.Type) || v.IsZero() {
			continue
		}
		err := Fits(*v, r.Type)
		if err == nil {
			err = reached(v, m)
		}
		if err != nil {
			return fmt.Errorf("execute: result %s: %w", Label(j, r.Name), err)
		}
		if v.Overlaps() {
			return fmt.Errorf("execute: result %s repeats elements (strides %v) and cannot be written", Label(j, r.Name), v.Strides)
		}
		if v.ReadOnly() {
			return fmt.Errorf("execute: result %s: %w", Label(j, r.Name), soa.ErrReadOnly)
		}
	}
	return nil
}

// CheckBind returns an error for the first argument that [Executable].Bind cannot fix: the text
// does not mark the argument ltc.constant, or the value does not fit the argument's type.
func CheckBind(sig *Signature, constants map[int]soa.View) error {
	for i := range sig.Args { // in order, so that the same mistake is always the first
		v, given := constants[i]
		if !given {
			continue
		}
		a := &sig.Args[i]
		if !a.Constant {
			return fmt.Errorf("bind: argument %s is not marked ltc.constant", Label(i, a.Name))
		}
		if err := Fits(v, a.Type); err != nil {
			return fmt.Errorf("bind: argument %s: %w", Label(i, a.Name), err)
		}
	}
	for i := range constants {
		if i < 0 || i >= len(sig.Args) {
			return fmt.Errorf("bind: there is no argument %d: the program takes %d", i, len(sig.Args))
		}
	}
	return nil
}

// reached returns an error if a view is in remote memory other than m.
func reached(v *soa.View, m soa.Remote) error {
	if !v.OffHeap() {
		return nil
	}
	if r := v.Remote(); r != nil && r != m {
		return fmt.Errorf("it is in the memory of %v, which the program does not reach: copy it with soa.Copy", r)
	}
	return nil
}

// Fits returns an error if v cannot be an argument or result of type want, or is invalid. A
// dimension of [AnySize] in want fits any size.
func Fits(v soa.View, want types.Type) error {
	switch {
	case v.IsZero():
		return fmt.Errorf("want %s, got no view", TypeText(want))
	case !v.Type.Equal(want) && !opens(want, v.Type):
		return fmt.Errorf("want %s, got %v", TypeText(want), v.Type)
	}
	return v.Check()
}

// TypeText formats the type of an argument or result. A dimension of [AnySize] is printed as ?.
func TypeText(t types.Type) string { return strings.ReplaceAll(t.String(), strconv.Itoa(AnySize), "?") }

// Label returns the text for argument or result i in errors: the number i and, if name is not
// empty, the name.
func Label(i int, name string) string {
	if name == "" {
		return strconv.Itoa(i)
	}
	return fmt.Sprintf("%d (%q)", i, name)
}

// Dimension is a dimension of an argument of a call, for errors about its size.
type Dimension struct {
	Arg  int
	Name string // of the argument; "" if it has none
	Axis int
}

func (d Dimension) String() string {
	return fmt.Sprintf("dimension %d of argument %s", d.Axis, Label(d.Arg, d.Name))
}

// Outside returns the error of a call in which the dimension is n, out of the bounds of the text.
func (d Dimension) Outside(n, least, most int) error {
	return fmt.Errorf("execute: %v is %d: the program is for %d to %d", d, n, least, most)
}

// Differs returns the error of a call in which the dimension is n, and another, which the text says
// is the same size, is m.
func (d Dimension) Differs(n int, other Dimension, m int) error {
	return fmt.Errorf("execute: %v is %d, and %v %d: they are one size", d, n, other, m)
}

// opens reports whether t equals want, except in the sizes that want leaves open.
func opens(want, t types.Type) bool {
	if t.DType != want.DType || len(t.Shape) != len(want.Shape) {
		return false
	}
	for i, n := range want.Shape {
		if n != AnySize && n != t.Shape[i] {
			return false
		}
	}
	return true
}
