package cudafake

// clock says what comes before something: of each lane, how many of its things.
// Lane 0 is the host's, each stream has another.
type clock []uint32

func (c clock) at(lane int) uint32 {
	if lane < len(c) {
		return c[lane]
	}
	return 0
}

// join adds what comes before something else.
func (c *clock) join(o clock) {
	for len(*c) < len(o) {
		*c = append(*c, 0)
	}
	for i, n := range o {
		(*c)[i] = max((*c)[i], n)
	}
}

// tick adds one thing of a lane, and returns its number.
func (c *clock) tick(lane int) uint32 {
	for len(*c) <= lane {
		*c = append(*c, 0)
	}
	(*c)[lane]++
	return (*c)[lane]
}

// moment is when something happens: after all that its clock says.
type moment struct {
	clock clock
	lane  int
	tick  uint32
	what  string
	// Within a graph:
	launch *launched
	node   int
}

// before reports whether a is certain to be over when b begins.
func (a *moment) before(b *moment) bool {
	if a.launch != nil && a.launch == b.launch {
		return a.node == b.node || a.launch.before(a.node, b.node)
	}
	return b.clock.at(a.lane) >= a.tick
}

// now is the moment of something that the host does.
func (f *Fake) now(what string) *moment {
	tick := f.host.tick(0)
	return &moment{clock: append(clock(nil), f.host...), tick: tick, what: what}
}
