package programs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/shapeinfer"
)

// Families finds programs that differ only in sizes, and the program whose sizes are open that
// stands for all of them. The program is made when a line has a second one compiled that differs
// in sizes. It runs a graph only if the graph is the program's for some sizes, op by op
// ([shapeinfer.Open.Fits]).
type Families struct {
	// Opened hears, once for each, of a program whose sizes are open and that has been compiled, or
	// why it has not, and of the line and the graphs that it was made for.
	Opened func(o *shapeinfer.Open, at callsite.Site, now, before *ir.Graph, failed error)

	// Kept hears of a graph that is compiled with its sizes as numbers, of its line, and why.
	Kept func(g *ir.Graph, at callsite.Site, why error)

	mu      sync.Mutex
	all     map[uint64]*family               // by outline
	pending map[*shapeinfer.Open]func(error) // what reports the end of a compile that is about to begin
}

// mostFamilies is how many outlines are remembered. When there are more all are forgotten.
const mostFamilies = 2048

// family is what has been compiled of one outline.
type family struct {
	open    []*shapeinfer.Open // the latest last, at most mostOpen
	samples []recorded         // the latest last, at most mostRecorded
	static  bool               // sizes stay numbers
	why     error              // of the latest samples that have no program
	failed  int                // how often there was no program for samples
}

// recorded is a graph of numbers that a line has had compiled.
type recorded struct {
	graph *ir.Graph
	at    callsite.Site
}

const (
	mostOpen     = 4  // of one outline: more differ in other things than sizes
	mostRecorded = 16 // graphs of one outline that are kept as samples
	mostFailed   = 6  // attempts of one outline to find a graph of open sizes
)

// find returns the open graph that g, of an outline, is an instance of; nil if there is none.
func (f *Families) find(g *ir.Graph, outline uint64) *shapeinfer.Open {
	f.mu.Lock()
	var open []*shapeinfer.Open
	if x := f.all[outline]; x != nil {
		open = x.open // which is replaced, not changed
	}
	f.mu.Unlock()
	return fitting(open, g)
}

// fitting returns the latest of open graphs that g is an instance of; nil if there is none.
func fitting(open []*shapeinfer.Open, g *ir.Graph) *shapeinfer.Open {
	for _, fits := range []func(*shapeinfer.Open, *ir.Graph) bool{(*shapeinfer.Open).Matches, (*shapeinfer.Open).Reduces} {
		for _, o := range slices.Backward(open) {
			if fits(o, g) {
				return o
			}
		}
	}
	return nil
}

// mostNormal is how many open graphs of other outlines are compared with a graph.
const mostNormal = 16

// normal returns the open graph of another outline that g is an instance of, with fewer ops: see
// [shapeinfer.Open.Reduces]; nil if there is none. It is of g's outline, too, from then on.
func (f *Families) normal(g *ir.Graph, outline uint64) *shapeinfer.Open {
	f.mu.Lock()
	var open []*shapeinfer.Open
	for _, key := range slices.Sorted(maps.Keys(f.all)) { // the same graphs in each run
		for _, o := range f.all[key].open {
			if len(open) < mostNormal && o.Takes(g) {
				open = append(open, o)
			}
		}
	}
	f.mu.Unlock()
	o := fitting(open, g)
	if o != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if x := f.of(outline); !slices.Contains(x.open, o) && len(x.open) < mostOpen-1 {
			x.open = append(slices.Clone(x.open), o)
		}
	}
	return o
}

// open returns the open graph that g is an instance of. If there is none, it makes one of g and the
// graphs of the same line that differ in sizes. Without these it notes g and returns nil: g is compiled
// with its sizes as numbers.
func (f *Families) open(g *ir.Graph, at func() callsite.Site) *shapeinfer.Open {
	outline := g.Outline()
	if o := f.find(g, outline); o != nil {
		return o
	}
	if o := f.normal(g, outline); o != nil {
		return o
	}
	site := at()
	mine, samples, why := f.note(g, outline, site)
	if why != nil {
		f.Kept(g, site, why)
	}
	if len(samples) == 0 {
		return nil
	}
	o, err := shapeinfer.Generalize(append(slices.Clone(samples), mine)) // others look up programs meanwhile
	if err != nil && len(samples) > 1 {                                  // ops that size 1 makes others, say
		// What has an open graph differs from mine in more than sizes, as in a constant.
		if i := slices.IndexFunc(samples, func(s *ir.Graph) bool { return f.find(s, outline) == nil }); i >= 0 {
			o, err = shapeinfer.Generalize([]*ir.Graph{samples[i], mine})
		}
	}
	if err != nil {
		f.Kept(g, site, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.of(outline)
	if err != nil {
		x.fail(err)
		return nil
	}
	if there := fitting(x.open, g); there != nil || x.static { // of another goroutine
		return there
	}
	x.open = append(slices.Clone(x.open), o)
	if len(x.open) == mostOpen {
		x.static, x.why = true, errMany
	}
	if f.pending == nil {
		f.pending = map[*shapeinfer.Open]func(error){}
	}
	f.pending[o] = func(failed error) { f.Opened(o, site, mine, samples[0], failed) }
	return o
}

// errMany is why sizes stay numbers once an outline has mostOpen programs of open sizes.
var errMany = fmt.Errorf("programs of open sizes of these ops differ in more than sizes, and have reached their limit of %d", mostOpen)

// errNone is why a size of 0 stays a number.
var errNone = errors.New("a size of 0 has a program of its own")

// zeros returns which dimensions of g's parameters are 0, and whether any is.
func zeros(g *ir.Graph) (which []bool, some bool) {
	for _, p := range g.Params {
		for _, n := range p.Type.Shape {
			which, some = append(which, n == 0), some || n == 0
		}
	}
	return which, some
}

// note notes a copy of g as a sample of its outline. It returns the copy, and the latest graphs of the
// same line that may differ from it in sizes, but for those that are 0. There are none if sizes stay
// numbers, where why may say the reason, or if g was noted before.
func (f *Families) note(g *ir.Graph, outline uint64, site callsite.Site) (mine *ir.Graph, samples []*ir.Graph, why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.of(outline)
	if x.static {
		return nil, nil, x.why
	}
	none, some := zeros(g)
	for _, s := range slices.Backward(x.samples) {
		if s.at == site && ir.Equal(s.graph, g) {
			return nil, nil, nil // it was dropped from the cache, or is not to be compiled with open sizes
		}
		if s.at != site || len(samples) == shapeinfer.MostSamples-1 {
			continue
		}
		if of, _ := zeros(s.graph); !slices.Equal(of, none) {
			if some {
				why = errNone
			}
			continue
		}
		samples = append(samples, s.graph)
	}
	if len(samples) > 0 {
		why = nil
	}
	mine = g.Clone()
	x.samples = append(x.samples, recorded{mine, site})
	x.samples = x.samples[max(0, len(x.samples)-mostRecorded):]
	return mine, samples, why
}

// fail notes why samples have no program.
func (x *family) fail(why error) {
	x.failed++
	x.why = why
	x.static = x.static || x.failed >= mostFailed
}

// report reports how the compile of a new program ended.
func (f *Families) report(o *shapeinfer.Open, err error) {
	f.mu.Lock()
	end := f.pending[o]
	delete(f.pending, o)
	f.mu.Unlock()
	if end != nil {
		end(err)
	}
}

// Add adds an open graph that was recorded so, unless it is there.
func (f *Families) Add(o *shapeinfer.Open) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if x := f.of(o.Graph.Outline()); !slices.Contains(x.open, o) {
		x.open = append(slices.Clone(x.open), o)
	}
}

// of returns the family of an outline, made if it is new.
func (f *Families) of(outline uint64) *family {
	x := f.all[outline]
	if x == nil {
		if len(f.all) == mostFamilies || f.all == nil {
			f.all, f.pending = map[uint64]*family{}, nil
		}
		x = &family{}
		f.all[outline] = x
	}
	return x
}

// refused notes that o was not compiled. If the backend has no code for it, its sizes are numbers
// from now on. Other errors are of one attempt: the next size may have another.
func (f *Families) refused(o *shapeinfer.Open, err error) {
	f.report(o, err)
	_, fallback := errors.AsType[*backends.FallbackError](err)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range f.all { // it has further outlines where a size is 1
		if slices.Contains(x.open, o) {
			x.open = slices.DeleteFunc(slices.Clone(x.open), func(y *shapeinfer.Open) bool { return y == o })
		}
	}
	switch x := f.all[o.Graph.Outline()]; {
	case x == nil:
	case fallback, errors.Is(err, errors.ErrUnsupported):
		x.open, x.samples, x.static, x.why = nil, nil, true, nil // the log says why
	default:
		x.fail(err)
	}
}
