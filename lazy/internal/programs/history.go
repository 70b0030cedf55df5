package programs

import (
	"fmt"
	"slices"
	"sync"

	"ltc/internal/callsite"
	"ltc/ir"
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
}

// compiledLine is a line that marks steps, calls a Function or reads tensors.
type compiledLine struct {
	call    bool               // of a Function
	latest  []*ir.Graph        // compiled latest, at most stormFamilies, the latest first
	hashes  [stormTotal]uint64 // of the latest programs; compile n is at n % stormTotal
	total   int                // compiles
	similar int                // of these, programs with the ops of the one before
	cached  [stormCompiles]int64
	growth  dimension // the latest change of one
	even    int       // how often it was the same in a row
	warned  bool
}

// dimension is a dimension of a program and by how much it changed.
type dimension struct{ node, axis, by int }

// Note notes that g was compiled for the line at, which calls a Function if call is set,
// while so many programs had been found compiled. It returns what differs from the program
// that was compiled for the line before; the zero Change if there was none.
func (h *History) Note(g *ir.Graph, at callsite.Site, call bool, found int64) Change {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.lines[at]
	if l == nil {
		if h.lines == nil {
			h.lines = map[callsite.Site]*compiledLine{}
		}
		l = &compiledLine{call: call}
		h.lines[at] = l
	}
	c := l.compiled(g, found)
	if call && c.Now == 0 && c.Was == 0 { // an argument comes with the call
		c.Now, c.Was = at, at
	}
	return c
}

// compiled notes the compile of g while so many programs had been found compiled.
func (l *compiledLine) compiled(g *ir.Graph, found int64) (c Change) {
	similar := true
	if l.total > 0 {
		if slices.Contains(l.hashes[:min(l.total, stormTotal)], g.Hash()) {
			c = evicted(g)
		} else {
			c, similar = l.differs(g)
		}
	}
	l.hashes[l.total%stormTotal] = g.Hash()
	l.latest = slices.Insert(l.latest[:min(len(l.latest), stormFamilies-1)], 0, g)
	l.total++
	if similar {
		l.cached[l.similar%stormCompiles] = found
		l.similar++
	}
	storm := false
	c.Compiles, c.Cached = l.total, found
	if first := l.cached[l.similar%stormCompiles]; l.similar >= stormCompiles {
		if first <= found { // else the counters were reset
			c.Cached = found - first
		}
		storm = similar && c.Cached <= stormCached
	}
	c.Storm = !l.warned && (storm || l.total == stormTotal)
	l.warned = l.warned || c.Storm
	return c
}

// Change is what differs between two programs of one line.
type Change struct {
	What     string        // the op now, and what it was before
	Was, Now callsite.Site // their lines; unknown if no op differs
	Do       string        // what to do about it

	Compiles int   // of the line
	Cached   int64 // programs found compiled since the first of the latest similar ones
	Storm    bool  // the line compiles again and again, and it was not said before
}

// String prints the change with its lines and what to do.
func (c Change) String() string {
	switch {
	case c.Now == 0 && c.Was == 0:
		return c.What + "; " + c.Do
	case c.Now == c.Was || c.Was == 0:
		return fmt.Sprintf("%v: %s; %s", c.Now, c.What, c.Do)
	case c.Now == 0:
		return fmt.Sprintf("%s, recorded at %v; %s", c.What, c.Was, c.Do)
	}
	return fmt.Sprintf("%v: %s, recorded at %v; %s", c.Now, c.What, c.Was, c.Do)
}

func evicted(g *ir.Graph) Change {
	c := Change{What: "nothing: this program was compiled before, and dropped from the cache",
		Do: "raise ProgramCacheLimit or LTC_PROGRAM_CACHE_BYTES"}
	if len(g.Results) > 0 {
		c.Was = g.Results[0].Loc
		c.Now = c.Was
	}
	return c
}

// differs compares g with the latest of the programs before that has the same ops on
// the same operands, as similar reports; if none has, with the latest of all.
func (l *compiledLine) differs(g *ir.Graph) (c Change, similar bool) {
	was, now := difference(l.latest[0], g)
	for _, before := range l.latest {
		if x, y := difference(before, g); ir.Alike(x, y) {
			return l.change(x, y), true
		}
	}
	return l.change(was, now), false
}

// difference returns the nodes that tell b from a; none where the results do. Those
// that are not alike go first; then those of other types, from which other attributes
// and numbers may follow.
func difference(a, b *ir.Graph) (was, now *ir.Node) {
	typed := false
	for x, y := range ir.Differences(a, b) {
		switch {
		case varies(x, y):
			if now == nil {
				was, now = x, y
			}
		case !ir.Alike(x, y):
			return x, y
		case typed:
		case x.TypeText() != y.TypeText():
			was, now, typed = x, y, true
		case now == nil:
			was, now = x, y
		}
	}
	return was, now
}

// change says what to do about the nodes that tell two programs apart.
func (l *compiledLine) change(was, now *ir.Node) (c Change) {
	if was == now {
		return Change{What: "other results, or other memory that they take over", Do: "give MarkStep the same roots, and assign and donate the same, in each step"}
	}
	if was != nil {
		c.Was = was.Loc
	}
	if now != nil {
		c.Now = now.Loc
	}
	switch {
	case varies(was, now):
		c.What = fmt.Sprintf("the number %s, now another", ir.FormatLiteral(was.Type.DType, uint64(was.Attrs[ir.ConstantValue].Int)))
		c.Do = "nothing to change: numbers of this line are arguments from now on, and other values compile nothing"
	case begins(was, now) || begins(now, was):
		c.What = fmt.Sprintf("%s, was %s", opText(now), opText(was))
		c.Do = "if each step hands it on to the next, it begins as a constant, which the first program has in it: begin with host data instead (From), an argument in every step"
	case !ir.Alike(was, now):
		c.What = fmt.Sprintf("%s, was %s", opText(now), opText(was))
		c.Do = "record the same ops in each step: choose values with Where instead of an if, and give loops one number of turns"
	case was.TypeText() != now.TypeText():
		c.What = fmt.Sprintf("%s, was %s", opText(now), was.TypeText())
		c.Do = l.resized(was, now)
	default:
		c.What, c.Do = attributes(was, now)
	}
	return c
}

// varies reports whether a number of an op has become an argument because it varies.
func varies(was, now *ir.Node) bool {
	return was != nil && now != nil && was.Op == ir.OpConstant && now.Op == ir.OpParameter && was.Loc == now.Loc && was.Type.Equal(now.Type)
}

// begins reports whether a constant of one program is an argument of the other.
func begins(constant, argument *ir.Node) bool {
	if constant == nil || argument == nil || argument.Op != ir.OpParameter {
		return false
	}
	for constant.Op == ir.OpBroadcast {
		constant = constant.In[0]
	}
	return constant.Op == ir.OpConstant || constant.Op == ir.OpIota
}

// resized says what to do about a type that changes.
func (l *compiledLine) resized(was, now *ir.Node) (do string) {
	before, after := was.Type, now.Type
	for i, t := range now.Results() {
		if i < len(was.Results()) && !t.Equal(was.Results()[i]) {
			before, after = was.Results()[i], t
			break
		}
	}
	if before.DType != after.DType || before.Rank() != after.Rank() {
		return "bring it to one dtype and rank"
	}
	by := func(axis int) int { return after.Shape[axis] - before.Shape[axis] }
	axis := 0
	for by(axis) == 0 {
		axis++
	}
	g := dimension{int(now.ID), axis, by(axis)}
	if l.even++; g != l.growth {
		l.growth, l.even = g, 1
	}
	if g.by > 0 && l.even >= evenGrowth {
		return fmt.Sprintf("axis %d grows by %d each time: keep a buffer of the largest size and give the position as a Scalar; write where Iota equals it, and mask the elements beyond", axis, g.by)
	}
	if l.call {
		return fmt.Sprintf("pad axis %d to one size, or to few, and mask the padding; or Export the function with AnySize for that axis, and serve it as a model, which is compiled once for all sizes", axis)
	}
	return fmt.Sprintf("pad axis %d to one size, or to few sizes that Warmup compiles beforehand, and mask the padding", axis)
}

// attributes describes nodes that differ in attributes or a composite's numbers alone.
func attributes(was, now *ir.Node) (what, do string) {
	a, b := was.AttrTexts(), now.AttrTexts()
	what = fmt.Sprintf("other attributes of %s", opText(now))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			what = fmt.Sprintf("%s with %s, was %s", opText(now), b[i], a[i])
			break
		}
	}
	if now.Op == ir.OpConstant {
		literal := func(n *ir.Node) string {
			return ir.FormatLiteral(n.Type.DType, uint64(n.Attrs[ir.ConstantValue].Int))
		}
		return fmt.Sprintf("the constant %s, was %s", literal(now), literal(was)),
			"make the number an argument: Scalar or NewScalar once, and Set before each step"
	}
	return what, "attributes are part of the program: keep them the same, or choose by an argument, as Gather does by indices and Where by a mask"
}

// opText names a node: its op, its type and a parameter's name.
func opText(n *ir.Node) string {
	if n == nil {
		return "nothing"
	}
	name := n.Op.String()
	switch {
	case n.Op == ir.OpComposite:
		name = n.Body.Name
	case n.Op == ir.OpParameter && n.ParamName() != "":
		name += fmt.Sprintf(" %q", n.ParamName())
	}
	return name + " " + n.TypeText()
}
