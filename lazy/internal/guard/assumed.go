package guard

import (
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/programs"
	"ltc/soa"
)

// Assumed has the indices in loops of a program that are in range for some arguments and not for others. A
// loop that generates text begins at a position that is an argument, runs a number of iterations, and writes a cache.
// With a call of the host behind the loop the run would copy the cache, as a run that fails writes nothing.
// Before a run [Assumed.Holds] shows from elements of the arguments that the indices are in range. Where it
// cannot show that, the [Assumed.Rehearsal] of the program tells.
type Assumed struct {
	graph   *ir.Graph // the program, which writes over no arguments
	checks  ir.Checks // of graph: all
	indices []location
	args    []int // the arguments that the indices depend on

	known  atomic.Pointer[[]interval] // the indices are in range if elements of args are in these
	mu     sync.Mutex
	misses int // how often elements were outside of known since it was found, and the indices in range

	once      sync.Once
	rehearsal *ir.Graph
	// Compiled has the program of the rehearsal, once its user has compiled it.
	Compiled atomic.Pointer[programs.Program]
}

// location is where a program has indices, and which are in range.
type location struct {
	of     *ir.Node
	in     interval
	around []caller // of the graph of the node, the innermost first
}

// caller is a node that calls or runs a graph.
type caller struct {
	node      *ir.Node
	condition bool // the graph is that of a while
}

// callers returns the nodes around the graph.
func (r *ranges) callers() (all []caller) {
	for ; r.caller != nil; r = r.outer() {
		all = append(all, caller{r.caller, r.condition})
	}
	return all
}

// contained reports whether all elements there are in range. program is of the program itself.
func (l *location) contained(program *ranges) bool {
	r := program
	for _, c := range slices.Backward(l.around) {
		r = &ranges{within: r, caller: c.node, condition: c.condition}
		if c.node.Op == ir.OpWhile && !c.condition && carriesOf(c.node) > 0 {
			r.carry(0)
			if slices.ContainsFunc(r.carried, func(in interval) bool { return in.low > in.high }) { // there is no iteration
				return true
			}
		}
	}
	in := r.of(l.of)
	return in.low >= l.in.low && in.high <= l.in.high
}

// assumes returns the arguments of g, of rank 0 or more, that have the indices at l in range if their
// elements are suitable; none if no elements of arguments would.
func (l *location) assumes(g *ir.Graph) (args []int) {
	const sample = 2 // also as a number of iterations: one more than tells what the second begins with
	at := max(l.in.low, min(l.in.high, sample))
	r := &ranges{args: make([]interval, len(g.Params))}
	for i, p := range g.Params {
		if r.args[i] = full(p.Type.DType); p.Type.DType.IsInteger() {
			r.args[i] = interval{at, at}
		}
	}
	if !l.contained(r) {
		return nil
	}
	with := slices.Clone(r.args)
	for _, i := range r.met {
		was := with[i]
		if with[i] = full(g.Params[i].Type.DType); !l.contained(&ranges{args: with}) {
			with[i] = was
			args = append(args, i)
		}
	}
	return args
}

// assumed returns what the search has found to depend on arguments of g.
func (s *search) assumed(g *ir.Graph, checks *ir.Checks) *Assumed {
	a := &Assumed{graph: g.Clone(), indices: s.locations, args: s.depends}
	for i := range a.graph.Alias {
		a.graph.Alias[i] = -1
	}
	a.checks = checks.Of(a.graph)
	for _, l := range a.indices {
		outermost := &l.around[len(l.around)-1]
		outermost.node = a.graph.Nodes[outermost.node.ID]
	}
	none := make([]interval, len(a.args))
	for k := range none {
		none[k] = interval{math.MaxInt64, math.MinInt64}
	}
	a.known.Store(&none)
	return a
}

// Holds reports whether the indices are in range for what the arguments of the program are. Memory of
// another device than the host is looked at only if remote is set.
func (a *Assumed) Holds(args []soa.View, remote bool) (bool, error) {
	known, inside := *a.known.Load(), true
	for k, i := range a.args {
		if v := &args[i]; v.IsZero() || v.Remote() != nil && !remote {
			return true, nil // which nobody looks at
		}
		in, err := extremes(args[i])
		if err != nil {
			return false, err
		}
		inside = inside && in.low >= known[k].low && in.high <= known[k].high
	}
	if inside {
		return true, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := make([]interval, len(a.args))
	for k, i := range a.args {
		var err error
		if now[k], err = extremes(args[i]); err != nil {
			return false, err
		}
	}
	if !a.contained(now) {
		return false, nil
	}
	a.learn(now)
	return true, nil
}

// contained reports whether the indices are in range if elements of the arguments are in these.
func (a *Assumed) contained(in []interval) bool {
	r := &ranges{args: make([]interval, len(a.graph.Params))}
	for i, p := range a.graph.Params {
		r.args[i] = full(p.Type.DType)
	}
	for k, i := range a.args {
		r.args[i] = in[k]
	}
	return !slices.ContainsFunc(a.indices, func(l location) bool { return !l.contained(r) })
}

// mostMisses is how often elements may be outside of what is known until that is found anew: to find it takes
// about as long as to show so often that the indices are in range.
const mostMisses = 32

// learn notes elements of the arguments for which the indices are in range. As a position grows from run to
// run, it finds out how large it may be.
func (a *Assumed) learn(now []interval) {
	if a.misses++; a.misses < mostMisses && (*a.known.Load())[0].low <= (*a.known.Load())[0].high {
		known := slices.Clone(*a.known.Load())
		for k := range known {
			known[k] = known[k].union(now[k])
		}
		if a.contained(known) {
			a.known.Store(&known)
		}
		return
	}
	a.misses = 0
	most := int64(0)
	for _, l := range a.indices {
		most = max(most, l.in.high-l.in.low)
	}
	for k, i := range a.args {
		whole := full(a.graph.Params[i].Type.DType)
		for step := int64(1) << min(bits.Len64(uint64(most)), 40); step > 0; step /= 2 {
			was := now[k]
			if now[k].high = was.high + step; now[k].high > whole.high || now[k].high < was.high || !a.contained(now) {
				now[k].high = was.high
			}
			if now[k].low = was.low - step; now[k].low < whole.low || now[k].low > was.low || !a.contained(now) {
				now[k].low = was.low
			}
		}
	}
	a.known.Store(&now)
}

// Rehearsal returns the program with calls of the host for all indices that it computes. It writes over no arguments.
func (a *Assumed) Rehearsal() *ir.Graph {
	a.once.Do(func() { a.rehearsal = a.graph.Checked(&a.checks) })
	return a.rehearsal
}

// callsHost reports whether g calls functions of the host that are not ours.
func callsHost(g *ir.Graph) bool {
	return slices.ContainsFunc(g.Nodes, func(n *ir.Node) bool {
		if n.Op == ir.OpHostCall {
			return n.Attrs[ir.HostCallName].Str != hostName
		}
		if n.Body != nil {
			for _, body := range n.Body.Graphs() {
				if callsHost(body) {
					return true
				}
			}
		}
		return false
	})
}

// extremes returns the least and the largest element of v, as of integers of its dtype: 0 if it has none.
func extremes(v soa.View) (interval, error) {
	v, err := memory.OnHost(v)
	if err != nil {
		return interval{}, err
	}
	return integers[v.Type.DType].extremes(v), nil
}

func (of[T]) extremes(v soa.View) (in interval) {
	soa.With(v, func(all []T) {
		if len(all) == 0 {
			return
		}
		least, most := all[0], all[0]
		for _, x := range all {
			least, most = min(least, x), max(most, x)
		}
		in = interval{int64(least), int64(most)}
		if d := types.U64; v.Type.DType == d { // the last stands for all above
			in = interval{int64(min(uint64(least), math.MaxInt64)), int64(min(uint64(most), math.MaxInt64))}
		}
	})
	return in
}
