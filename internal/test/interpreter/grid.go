package interpreter

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ltc/backends/reference/eval"
	"ltc/internal/diag"
	"ltc/soa"
)

// processGrid is the StableHLO processes of one parallel run and what they exchange.
// Each process is a goroutine with memory of its own; what one gives to others
// is copied.
type processGrid struct {
	replicas, partitions int
	cancel               context.CancelCauseFunc

	mu       sync.Mutex
	running  int // processes that have not ended and do not wait
	waiting  []*waiter
	meetings map[string]*meeting
	mail     map[string][]parcel
	failed   error            // of the first process that failed
	infeed   []*eval.Function // whose results the next infeed ops get

	load *load // of the run, which all grids in it share
}

// load is what the processes of a run take that are alive at once, with what is
// on its way between them. Those of a grid can run grids of their own, so that
// a few functions can ask for more processes than any machine has room for, and
// a loop can send without end.
type load struct {
	mu               sync.Mutex
	processes, bytes int
}

// mostProcesses bounds the processes of a run; each takes some KiB besides its
// values.
const mostProcesses = 1 << 14

// add takes n more processes of so many bytes together into account, or none
// with an error. Negative numbers give back what was taken.
func (l *load) add(n, bytes int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.processes+n > mostProcesses {
		return fmt.Errorf("%s beside the %d that run: at most %d can at once", diag.Count(n, "process"), l.processes, mostProcesses)
	}
	if err := soa.Fits(l.bytes + bytes); bytes > 0 && err != nil {
		return fmt.Errorf("the memory of all processes, and what they have sent to nobody yet: %w", err)
	}
	l.processes, l.bytes = l.processes+n, l.bytes+bytes
	return nil
}

// process is one process of a grid.
type process struct {
	*processGrid
	replica, partition int
}

// parcel is values on their way between processes.
type parcel struct {
	types []eval.Tensor
	bytes [][]byte
}

// size is what the values take, and about what there is around them.
func (c parcel) size() int {
	n := 64
	for _, b := range c.bytes {
		n += len(b) + 64
	}
	return n
}

// meeting is a collective op for which some of the group have arrived.
type meeting struct {
	parcels []parcel // by index in the group; nil bytes before it arrived
	missing int
	waiters []*waiter
}

// waiter is a process that waits.
type waiter struct {
	p        *process
	op, want string
	done     chan struct{}
	err      error // why it has waited in vain; set before done is closed
}

func newGrid(replicas, partitions int, of *load) *processGrid {
	return &processGrid{
		load: of, replicas: replicas, partitions: partitions, running: replicas * partitions,
		meetings: map[string]*meeting{}, mail: map[string][]parcel{},
	}
}

// processOf returns the process that a run belongs to: outside of a parallel
// run, the only one of a grid.
func processOf(r *run) *process {
	state := r.State()
	p, _ := (*state).(*process)
	if p == nil {
		p = &process{processGrid: newGrid(1, 1, &load{})}
		*state = p
	}
	return p
}

// id is the process's position in row-major order of the grid.
func (p *process) id() int { return p.replica*p.partitions + p.partition }

func (p *process) String() string { return p.name(p.id()) }

func (g *processGrid) name(id int) string {
	return fmt.Sprintf("(%d, %d)", id/g.partitions, id%g.partitions)
}

// pack copies the first n operands.
func pack(s *site, r *run, n int) parcel {
	c := parcel{types: s.In[:n]}
	for i := range n {
		c.bytes = append(c.bytes, slices.Clone(r.In(i)))
	}
	return c
}

// meet waits until every process of the group has come to the op on the
// channel, and returns what each brought, in the group's order.
func (p *process) meet(ctx context.Context, op string, channel int, group []int, mine parcel) ([]parcel, error) {
	key := fmt.Sprint(op, channel, group)
	p.mu.Lock()
	m := p.meetings[key]
	if m == nil {
		m = &meeting{parcels: make([]parcel, len(group)), missing: len(group)}
		p.meetings[key] = m
	}
	m.parcels[slices.Index(group, p.id())] = mine
	if m.missing--; m.missing == 0 {
		delete(p.meetings, key) // those who come next meet anew
		for _, w := range m.waiters {
			p.wake(w, nil)
		}
		p.mu.Unlock()
		return m.parcels, nil
	}
	names := make([]string, 0, len(group))
	for _, id := range group {
		names = append(names, p.name(id))
	}
	w := &waiter{p: p, op: op, want: "all of " + strings.Join(names, ", ")}
	m.waiters = append(m.waiters, w)
	if err := p.wait(ctx, w); err != nil {
		return nil, err
	}
	return m.parcels, nil
}

// post leaves values under an address. Those left first are taken first.
func (p *process) post(address string, c parcel) error {
	if err := p.load.add(0, c.size()); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mail[address] = append(p.mail[address], c)
	for _, w := range p.waiting {
		if w.want == address {
			p.wake(w, nil)
			return nil
		}
	}
	return nil
}

// take waits for values at an address.
func (p *process) take(ctx context.Context, op, address string) (parcel, error) {
	for {
		p.mu.Lock()
		if q := p.mail[address]; len(q) > 0 {
			p.mail[address] = q[1:]
			p.mu.Unlock()
			return q[0], p.load.add(0, -q[0].size())
		}
		if err := p.wait(ctx, &waiter{p: p, op: op, want: address}); err != nil {
			return parcel{}, err
		}
	}
}

// forget drops what was sent to nobody; all processes have ended.
func (g *processGrid) forget() {
	for _, q := range g.mail {
		for _, c := range q {
			_ = g.load.add(0, -c.size()) // less always fits
		}
	}
	clear(g.mail)
}

// wait waits until w is woken. It is called with the lock held, and gives it back.
func (p *process) wait(ctx context.Context, w *waiter) error {
	w.done = make(chan struct{})
	p.waiting = append(p.waiting, w)
	p.running--
	p.checkDeadlock()
	p.mu.Unlock()
	select {
	case <-w.done:
		return w.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wake(w, context.Cause(ctx))
	return w.err
}

// wake lets a waiting process go on; the lock is held.
func (g *processGrid) wake(w *waiter, err error) {
	if i := slices.Index(g.waiting, w); i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
		g.running++
		w.err = err
		close(w.done)
	}
}

// checkDeadlock ends the waiting when nobody is left who could end it; the
// lock is held.
func (g *processGrid) checkDeadlock() {
	if g.running > 0 || len(g.waiting) == 0 {
		return
	}
	if g.failed != nil {
		g.wakeAll(g.failed)
		return
	}
	var all []string
	for _, w := range g.waiting {
		all = append(all, fmt.Sprintf("process %v in %s for %s", w.p, w.op, w.want))
	}
	slices.Sort(all)
	err := fmt.Errorf("deadlock: no process is left that could come: %s", strings.Join(all, "; "))
	g.wakeAll(err)
}

func (g *processGrid) wakeAll(err error) {
	for _, w := range slices.Clone(g.waiting) {
		g.wake(w, err)
	}
}

// end notes that a process has ended. An error ends the others too.
func (p *process) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	if err != nil && p.failed == nil {
		p.failed = err
		p.cancel(err)
	}
	p.checkDeadlock()
}
