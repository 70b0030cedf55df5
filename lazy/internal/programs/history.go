package programs

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/internal/explain"
	"ltc/ir"
	"ltc/shapeinfer"
)

// A line that compiles again and again is warned of once, at the stormCompiles-th of
// similar programs. The device must have found at most stormCached programs compiled
// since the first of these. Compile stormTotal of a line is warned of in any case.
const (
	stormCompiles = 8
	stormCached   = 64
	stormTotal    = 64
)

// stormFamilies is how many of the programs compiled latest for a line a new one is
// compared with: a function that both training and evaluation call marks the steps of
// two programs in turn.
const stormFamilies = 4

// evenGrowth is how often in a row a dimension grows by the same number before it
// counts as a sequence that grows by a token at a time.
const evenGrowth = 3

// History knows of each line of the user's program what was compiled for it. It is looked
// at only when a compile has happened.
type History struct {
	mu    sync.Mutex
	lines map[callsite.Site]*compiledLine
	some  bool // programs have been compiled
}

// compiledLine is a line that marks steps, calls a Function or reads tensors.
type compiledLine struct {
	call    bool               // of a Function
	latest  []sketched         // compiled latest, at most stormFamilies, the latest first
	hashes  [stormTotal]uint64 // of the latest programs; compile n is at n % stormTotal
	total   int                // compiles
	similar int                // of these, programs with the ops of the one before
	cached  [stormCompiles]int64
	growth  dimension // the latest change of one
	even    int       // how often it was the same in a row
	warned  bool
}

// sketched is a graph that was compiled.
type sketched struct {
	graph  *ir.Graph
	sketch explain.Sketch
}

// dimension is a dimension of a program and by how much it changed.
type dimension struct{ node, axis, by int }

// Compiled is a program that was compiled for a line.
type Compiled struct {
	Program *Program
	At      callsite.Site
	Call    bool              // the line calls a Function
	Read    string            // the line reads the result of this op in the midst of its step; "" if not
	Opens   bool              // sizes that vary become open
	Found   int64             // how many programs the device had found compiled before
	Setting *Setting          // of the device
	Others  func() []*Program // compiled programs of the device, the latest used first
}

// Note notes a compile. It returns why the program was compiled; the zero Change if it is
// the first one of the device.
func (h *History) Note(p Compiled) Change {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := !h.some
	h.some = true
	l := h.lines[p.At]
	if l == nil {
		if h.lines == nil {
			h.lines = map[callsite.Site]*compiledLine{}
		}
		l = &compiledLine{call: p.Call}
		h.lines[p.At] = l
	}
	p.Program.at = p.At
	c := l.compiled(&p, first)
	if p.Call && !c.First {
		c.calledAt(p.At)
	}
	return c
}

// Compare returns what differs from p in the program that was compiled before for its line,
// as Note does, and notes nothing. If none was, it compares with others of the device. The
// Change is zero without any of these.
func (h *History) Compare(p Compiled) (c Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := explain.Of(p.Program.Graph)
	l, s := h.lines[p.At], search{now: now, below: math.MaxInt}
	switch {
	case l != nil && l.hasCompiled(p.Program.Graph):
		c = again(&p)
	case l != nil:
		c, _ = l.differs(&p, now)
	default:
		if s.others(&p); s.best == nil {
			return c
		}
		c.Difference, c.Nearest = *s.best.Difference(), s.at
	}
	if p.Call {
		c.calledAt(p.At)
	}
	return c
}

// calledAt says that the parameter that differs came with a call at that line.
func (c *Change) calledAt(at callsite.Site) {
	if c.Do != "" && c.Now == 0 && c.Was == 0 {
		c.Now, c.Was = at, at
	}
}

// Warm notes that a program was compiled ahead of its step, by the line at.
func (h *History) Warm(p *Program, at callsite.Site) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.some = true
	p.at = at
}

// hasCompiled reports whether a program equal to g is among the latest of the line.
func (l *compiledLine) hasCompiled(g *ir.Graph) bool {
	return slices.Contains(l.hashes[:min(l.total, stormTotal)], g.Hash())
}

// compiled notes the compile of a program; first says that the device had compiled none.
func (l *compiledLine) compiled(p *Compiled, first bool) (c Change) {
	g, similar := p.Program.Graph, true
	now := explain.Of(g)
	elsewhere := everywhere.note(p, now)
	switch {
	case l.hasCompiled(g):
		c = again(p)
	case l.total > 0:
		if c, similar = l.differs(p, now); similar {
			l.grew(&c)
		}
	case elsewhere != nil && p.Read == "":
		c.Difference = *elsewhere
		c.First = true
	case !first:
		c = begun(p, now)
	}
	switch {
	case c.Kind != explain.Shape:
	case p.Program.Open != nil:
		c.Do = explain.ForAllSizes
	case p.Opens && c.Numbers && c.Alike:
		c.Do = explain.NextForAllSizes
	}
	l.hashes[l.total%stormTotal] = g.Hash()
	l.latest = slices.Insert(l.latest[:min(len(l.latest), stormFamilies-1)], 0, sketched{g, p.Program.sketch})
	l.total++
	if similar {
		l.cached[l.similar%stormCompiles] = p.Found
		l.similar++
	}
	storm := false
	c.Compiles, c.Cached = l.total, p.Found
	if first := l.cached[l.similar%stormCompiles]; l.similar >= stormCompiles {
		if first <= p.Found { // else the counters were reset
			c.Cached = p.Found - first
		}
		storm = similar && c.Cached <= stormCached
	}
	c.Storm = !l.warned && (storm || l.total == stormTotal)
	l.warned = l.warned || c.Storm
	return c
}

// Change is why a program was compiled.
type Change struct {
	explain.Difference               // from the nearest program; nothing to do if there is none
	Nearest            callsite.Site // the line that the nearest program was compiled for; unknown if none is near
	First              bool          // the line had compiled no program before

	Compiles int   // of the line
	Cached   int64 // programs found compiled since the first of the latest similar ones
	Storm    bool  // the line compiles again and again, and it was not said before
}

// again says why a program is compiled that the line had compiled before.
func again(p *Compiled) (c Change) {
	g := p.Program.Graph
	c.Kind, c.What, c.Nearest = explain.Evicted, "nothing: this program was compiled before, and dropped from the cache", p.At
	for _, other := range p.Others() {
		if other != p.Program && ir.Equal(other.Graph, g) {
			c.Kind, c.What, c.Nearest = explain.Lines, "nothing but lines: this program was compiled before, as other lines recorded it", other.at
			break
		}
	}
	c.Do = explain.Kinds[c.Kind].Do
	if len(g.Results) > 0 {
		c.Was = g.Results[0].Loc
		c.Now = c.Was
	}
	return c
}

// begun says why the first program of a line is compiled, and how it differs from the
// nearest one.
func begun(p *Compiled, now *explain.Program) (c Change) {
	c.First = true
	if p.Read != "" {
		c.Kind, c.What, c.Do = explain.Read, fmt.Sprintf("the result of %s is read before MarkStep, by a program of its own", p.Read), explain.Kinds[explain.Read].Do
		return c
	}
	c.Kind, c.What, c.Do = explain.NewLine, "the first program of this line", explain.Kinds[explain.NewLine].Do
	s := search{now: now, below: nearOps + 1}
	if s.others(p); s.best == nil {
		return c
	}
	d := s.best.Difference()
	c.Nearest, c.Ops = s.at, d.Ops
	if d.Kind == explain.Equal {
		c.Kind, c.Do = explain.Lines, explain.Kinds[explain.Lines].Do
		c.What = fmt.Sprintf("nothing but lines: this program was compiled before, for %v", s.at)
		return c
	}
	c.What += fmt.Sprintf("; the nearest, of %v, differs in %s: %s", s.at, diag.Count(d.Ops, "op"), d.What)
	return c
}

// differs compares a program with the nearest of those before that have the same ops on the
// same operands, as similar reports. If none has, it compares with the nearest of all.
func (l *compiledLine) differs(p *Compiled, now *explain.Program) (c Change, similar bool) {
	s := search{now: now, below: math.MaxInt}
	sketch := &p.Program.sketch
	for i := range l.latest {
		if before := &l.latest[i]; sketch.Least(&before.sketch) == 0 {
			similar = s.try(before.graph, p.At).Alike || similar
		}
	}
	if !similar {
		for i := range l.latest {
			if before := &l.latest[i]; sketch.Least(&before.sketch) > 0 {
				s.add(before.graph, p.At, sketch.Least(&before.sketch))
			}
		}
		s.others(p)
	}
	c.Difference, c.Nearest = *s.best.Difference(), s.at
	if d := s.ofOneSize(p.Program.Graph); d != nil {
		c.Difference = *d
	}
	if r := c.Resized; r != nil && l.call {
		c.Do = fmt.Sprintf("pad axis %d to one size, or to few, and mask the padding; or Export the function with AnySize for that axis, and serve it as a model, which is compiled once for all sizes", r.Axis)
	}
	return c, similar
}

// nearOps is in how many ops the nearest program of another line may differ.
const nearOps = 32

// Near is how many of a device's programs are looked at for the nearest one, and compared
// how many of them, and of those of the line, are compared op by op.
const (
	Near     = 256
	compared = 4
)

// search looks for the nearest program.
type search struct {
	now   *explain.Program
	best  *explain.Comparison // nil if there is none yet
	was   *ir.Graph           // that of the best
	at    callsite.Site       // the line of the best
	below int                 // fewer ops must differ
	tried int
	next  []candidate // by least
}

type candidate struct {
	graph *ir.Graph
	at    callsite.Site
	least int // in how many ops it differs at least
}

// try compares with a program of the line at.
func (s *search) try(g *ir.Graph, at callsite.Site) *explain.Comparison {
	s.tried++
	c := explain.Compare(explain.Of(g), s.now)
	if alike := s.best != nil && s.best.Alike; c.Alike && !alike || c.Alike == alike && c.Ops < s.below {
		s.best, s.was, s.at, s.below = c, g, at, c.Ops
	}
	return c
}

// ofOneSize returns what differs between the best and a program for the same sizes: the open ones of
// one are those of the other. It is nil if nothing does, or if not just one has open sizes.
func (s *search) ofOneSize(now *ir.Graph) *explain.Difference {
	was := shapeinfer.Resized(s.was, now)
	if was == nil {
		if was, now = s.was, shapeinfer.Resized(now, s.was); now == nil {
			return nil
		}
	}
	if c := explain.Compare(explain.Of(was), explain.Of(now)); c.Ops > 0 {
		return c.Difference()
	}
	return nil
}

// add adds a program to try, unless it differs in too many ops, or others in fewer.
func (s *search) add(g *ir.Graph, at callsite.Site, least int) {
	if least >= s.below {
		return
	}
	i := len(s.next)
	for i > 0 && s.next[i-1].least > least {
		i--
	}
	if i < compared {
		s.next = slices.Insert(s.next[:min(len(s.next), compared-1)], i, candidate{g, at, least})
	}
}

// others tries the programs that were added and those of other lines of the device.
func (s *search) others(p *Compiled) {
	for _, x := range p.Others() {
		if x != p.Program && x.at != 0 && x.at != p.At {
			s.add(x.Graph, x.at, p.Program.sketch.Least(&x.sketch))
		}
	}
	for _, c := range s.next {
		if s.tried >= compared || c.least >= s.below {
			break
		}
		s.try(c.graph, c.at)
	}
}

// grew notes a dimension that is another, and says what to do about one that goes on growing.
func (l *compiledLine) grew(c *Change) {
	r := c.Resized
	if r == nil {
		return
	}
	g := dimension{r.Op, r.Axis, r.By}
	if l.even++; g != l.growth {
		l.growth, l.even = g, 1
	}
	if g.by > 0 && l.even >= evenGrowth {
		c.Do = fmt.Sprintf("axis %d grows by %d each time: keep a buffer of the largest size and give the position as a Scalar; write where Iota equals it, and mask the elements beyond", g.axis, g.by)
	}
}
