package cuda

import (
	"slices"

	"ltc/backends/kit/plan"
	"ltc/soa"
)

// atOnce stands for a step before the first: what it has written are arguments.
const atOnce = -1

// await finds out behind which steps events are noted, in their order, since steps of
// the host read what they wrote: these wait for no more than that.
func (x *code) await() {
	p := x.program
	x.awaited = nil // slices of another size may be its own
	written := make([]int, len(p.Values))
	for v := range written {
		written[v] = atOnce
	}
	for i := range x.steps {
		s := &x.steps[i]
		s.awaits = nil
		_, outs := p.Access(i)
		if s.Host() != nil || s.lacks != nil {
			for _, v := range s.fetched() {
				s.awaits = append(s.awaits, written[v])
				x.awaited = append(x.awaited, written[v])
			}
		}
		for _, v := range outs {
			written[v] = i
		}
	}
	slices.Sort(x.awaited)
	x.awaited = slices.Compact(x.awaited)
}

// fetched returns the values that a step of the host copies from the device, or may.
func (s *step) fetched() []plan.ValueID {
	var all []plan.ValueID
	if h := s.Host(); h != nil {
		for _, a := range h.Args {
			all = append(all, a.Value)
		}
		return all
	}
	for _, o := range s.Operands {
		all = append(all, o.Value)
	}
	return all
}

// note notes where what steps up to one have written is there, if steps of the host wait
// for it.
func (r *runner) note(upTo int) error {
	for n := len(r.events); n < len(r.e.awaited) && r.e.awaited[n] <= upTo; n++ {
		r.lock()
		e, err := r.q.markLocked()
		if err != nil {
			return err
		}
		r.events = append(r.events, e)
	}
	return nil
}

// Fetch copies operand j of step i, one of the host's, as soon as it is written, beside
// kernels that were queued since then.
func (r *runner) Fetch(dst soa.View, i, j int, v plan.ValueID) error {
	n, _ := slices.BinarySearch(r.e.awaited, r.e.steps[i].awaits[j])
	q := r.q
	return q.do(func() error {
		if err := q.open(&q.out); err != nil {
			return err
		}
		if err := q.out.stream.Wait(r.events[n]); err != nil {
			return err
		}
		if r.prefetched > 0 { // it may be a large argument
			if err := q.order(q.out.stream, q.in.stream); err != nil {
				return err
			}
		}
		q.out.due = true
		if err := q.receive(q.out.stream, bytesOf(dst), r.at(v)); err != nil {
			return err
		}
		q.out.due = false
		return nil
	})
}
