package metrics

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Peaks are the most bytes that programs take which are run: since ever, and since each watch
// began. Its methods may be called from any goroutine.
type Peaks struct {
	most    atomic.Int64
	watches atomic.Pointer[[]*atomic.Int64] // never changed, but replaced
	watcher sync.Mutex                      // of those who replace it
}

// Raise notes that a program is run which takes so many bytes.
func (p *Peaks) Raise(bytes int64) {
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

// Most returns the most bytes since ever, or since Forget.
func (p *Peaks) Most() int64 { return p.most.Load() }

// Forget begins anew. Watches go on.
func (p *Peaks) Forget() { p.most.Store(0) }

// Watch begins a watch. The function that it returns ends the watch.
func (p *Peaks) Watch() (stop func() int64) {
	w := new(atomic.Int64)
	p.change(func(all []*atomic.Int64) []*atomic.Int64 { return append(all, w) })
	return func() int64 {
		p.change(func(all []*atomic.Int64) []*atomic.Int64 {
			return slices.DeleteFunc(all, func(x *atomic.Int64) bool { return x == w })
		})
		return w.Load()
	}
}

func (p *Peaks) change(edit func([]*atomic.Int64) []*atomic.Int64) {
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
