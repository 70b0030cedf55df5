package lazy

import (
	"slices"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/ir"
)

// peaks are the most bytes that programs take which are run: since ever, and since each watch.
type peaks struct {
	most    atomic.Int64
	watches atomic.Pointer[[]*atomic.Int64] // never changed, but replaced
	watcher sync.Mutex                      // of those who replace it
}

// raise notes that a program is run which takes so many bytes.
func (p *peaks) raise(bytes int64) {
	raise(&p.most, bytes)
	if all := p.watches.Load(); all != nil {
		for _, w := range *all {
			raise(w, bytes)
		}
	}
}

func raise(most *atomic.Int64, bytes int64) {
	for now := most.Load(); bytes > now; now = most.Load() {
		if most.CompareAndSwap(now, bytes) {
			return
		}
	}
}

// watch begins a watch. What it returns ends it.
func (p *peaks) watch() (stop func() int64) {
	w := new(atomic.Int64)
	p.change(func(all []*atomic.Int64) []*atomic.Int64 { return append(all, w) })
	return func() int64 {
		p.change(func(all []*atomic.Int64) []*atomic.Int64 {
			return slices.DeleteFunc(all, func(x *atomic.Int64) bool { return x == w })
		})
		return w.Load()
	}
}

func (p *peaks) change(edit func([]*atomic.Int64) []*atomic.Int64) {
	p.watcher.Lock()
	defer p.watcher.Unlock()
	var all []*atomic.Int64
	if now := p.watches.Load(); now != nil {
		all = slices.Clone(*now)
	}
	if all = edit(all); len(all) == 0 {
		p.watches.Store(nil)
		return
	}
	p.watches.Store(&all)
}

// WatchPeak watches the memory of programs that the trace runs, until stop is called. stop
// returns the most bytes that one of them takes: its arguments, the results that take over no
// argument's memory, and the workspace that its plan has. The number is known when the program is
// compiled, so that it is the same in each run; it depends on the backend, and on its number of
// threads. A program counts when its step is marked. Watches may overlap.
func (tr *Trace) WatchPeak() (stop func() int64) { return tr.some().counters.watch() }

// WatchPeak watches the programs of calls of the function, as [Trace.WatchPeak] does.
func (f *Function) WatchPeak() (stop func() int64) {
	if f == nil {
		return func() int64 { return 0 }
	}
	return f.counters.watch()
}

// WatchPeak watches the programs that all traces and functions of the device run, as
// [Trace.WatchPeak] does. Programs that run at the same time are not added up.
func (d *Device) WatchPeak() (stop func() int64) {
	if d == nil {
		return func() int64 { return 0 }
	}
	return d.all.watch()
}

// took returns the bytes that a run has taken whose sizes are open.
func (e *executable) took(c *backends.Call) int64 {
	n, _ := e.workspace()
	for i := range c.Args {
		n += int64(c.Args[i].Type.Bytes())
	}
	for j := range c.Results {
		if e.of.Graph.Alias[j] < 0 {
			n += int64(c.Results[j].Type.Bytes())
		}
	}
	return n
}

// planned returns the bytes that a run takes: arguments, results and workspace. If sizes are open
// it is what the run tells.
func (e *executable) planned() (int64, error) {
	if e.of.Open != nil {
		return 0, nil // see took
	}
	n, err := e.workspace()
	return n + bytesOf(e.of.Graph.Params) + bytesOf(ownResults(e.of.Graph)), err
}

// ownResults returns the results of a program that take over no argument's memory.
func ownResults(g *ir.Graph) (own []*ir.Node) {
	for j, r := range g.Results {
		if g.Alias[j] < 0 {
			own = append(own, r)
		}
	}
	return own
}

func bytesOf(nodes []*ir.Node) (n int64) {
	for _, x := range nodes {
		n += int64(atMost(x.Type).Bytes())
	}
	return n
}
