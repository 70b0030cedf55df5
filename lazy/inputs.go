package lazy

import (
	"errors"
	"fmt"
	"iter"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/sched"
	"ltc/shapeinfer"
)

// record returns the graph of open sizes that the function records for the inputs. It is what graphs for
// some numbers in place of the symbols have in common, else the graph that is recorded for the symbols.
func (in *inputs) record(f *Function) (*shapeinfer.Open, error) {
	given := make([]types.Type, len(in.all))
	for i, x := range in.all {
		given[i] = x.Type
	}
	var samples []*ir.Graph
	var err error
	taken := map[int]bool{}
	for _, from := range []iter.Seq[int]{many, few, some} {
		v := numbersFor(in.symbols, from, taken)
		sizes := make([]types.Type, len(given))
		for i, t := range given {
			sizes[i] = v.ofType(t)
		}
		g, failed := f.graphOf(sizes, false)
		if failed == nil {
			samples = append(samples, g)
		} else {
			err = fmt.Errorf("%w (with %s)", failed, v.say(in.symbols)) // a program may need more elements than a few
		}
		for _, n := range v {
			taken[n] = true
		}
	}
	if len(samples) == 0 {
		return nil, err
	}
	if len(samples) > 1 {
		var o *shapeinfer.Open
		if o, err = shapeinfer.Generalize(samples, given...); err == nil {
			return o, nil
		}
	}
	if o := in.symbolic(f, given, samples); o != nil {
		return o, nil
	}
	if errors.Is(err, shapeinfer.ErrNoExpression) {
		err = fmt.Errorf("%w; there, compute a size from x.Dim(i) by SizeAdd, SizeSub, SizeMul, SizeDiv, SizeMin and SizeMax instead of operators of Go, and a number from x.Size(i)", err)
	}
	return nil, err
}

// symbolic returns the graph that the function records for the types, whose sizes are symbols. It is nil
// if there is none, or if one of the samples is no instance of it: the function took a name for a number.
func (in *inputs) symbolic(f *Function, given []types.Type, samples []*ir.Graph) *shapeinfer.Open {
	g, err := f.graphOf(given, true)
	if err != nil || countsIn(g) {
		return nil
	}
	o, err := shapeinfer.OpenGraph(g)
	if err != nil {
		return nil
	}
	for _, s := range samples {
		if !o.Fits(s) {
			return nil
		}
	}
	return o
}

// graphOf returns the graph that the function records for arguments of the types, whose sizes may be
// expressions if open is set. A panic at these is an error: Go code cannot know what they are.
func (f *Function) graphOf(given []types.Type, open bool) (g *ir.Graph, err error) {
	t := &traced{owner: sched.Goroutine(), types: given, open: open, ready: make(chan struct{})}
	if open {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("func: the function panics for sizes that are open: %v", r)
			}
		}()
	}
	err = f.record(t, f.names(len(given)), func(recorded *ir.Graph) error {
		g = recorded.Clone()
		return nil
	})
	return g, err
}
