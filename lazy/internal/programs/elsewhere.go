package programs

import (
	"fmt"
	"sync"

	"ltc/internal/callsite"
	"ltc/internal/explain"
)

// Setting is what of a device makes it compile programs of its own.
type Setting struct {
	Device  string // its name
	Opened  callsite.Site
	Backend string
	Options []string // all, in one order: Threads = 1
	Numbers string   // the one of these that says whether numbers are constants
}

// mostElsewhere is how many compiles of the process are remembered.
const mostElsewhere = 256

// everywhere are the latest compiles of all devices of the process.
var everywhere elsewhere

// elsewhere remembers which lines had which programs compiled for which devices. It holds
// no programs.
type elsewhere struct {
	mu   sync.Mutex
	ring [mostElsewhere]compiledFor
	next int
}

type compiledFor struct {
	hash, form uint64
	at         callsite.Site
	setting    *Setting
}

// note notes a compile of a program whose form is now. It returns the difference of the
// devices, if another device had compiled the same program for the line, and has another
// backend or other options; else nil.
func (e *elsewhere) note(p *Compiled, now *explain.Program) (d *explain.Difference) {
	g := p.Program.Graph
	x := compiledFor{g.Hash(), now.Form(), p.At, p.Setting}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.ring {
		was := &e.ring[(e.next-1-i+2*mostElsewhere)%mostElsewhere]
		if was.at != x.at || was.form != x.form || was.setting == x.setting {
			continue
		}
		if d = was.setting.differs(x.setting, was.hash == x.hash); d != nil {
			break
		}
	}
	e.ring[e.next] = x
	e.next = (e.next + 1) % mostElsewhere
	return d
}

// differs says in what devices differ that have compiled the same program; same is whether
// it is so with numbers of ops as they are.
func (s *Setting) differs(now *Setting, same bool) *explain.Difference {
	if s.Numbers == now.Numbers && !same {
		return nil
	}
	d := &explain.Difference{Kind: explain.Options, Alike: true}
	switch option := changedOption(s.Options, now.Options); {
	case s.Backend != now.Backend:
		d.Kind, d.What = explain.Backend, fmt.Sprintf("device %s, was %s", now.Device, s.Device)
	case option >= 0:
		d.What = fmt.Sprintf("%s, was %s, on the device opened at %v", now.Options[option], s.Options[option], now.Opened)
	default:
		return nil // each device compiles its own
	}
	d.Do = explain.Kinds[d.Kind].Do
	return d
}

// changedOption returns the first option that is another; -1 if none is.
func changedOption(was, now []string) int {
	for i := range min(len(was), len(now)) {
		if was[i] != now[i] {
			return i
		}
	}
	return -1
}
