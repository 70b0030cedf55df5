package cuda

import (
	"cmp"
	"slices"

	"ltc/backends/cuda/driver"
	"ltc/backends/kit/plan"
)

// large is how many bytes a value has at least that is copied beside the kernels of its
// run: below, the copy takes less time than saying what waits for what.
const large = 1 << 20

// beside is a stream of copies beside a queue's kernels. What of it the kernels need, or
// it of them, events say.
type beside struct {
	stream *driver.Stream
	due    bool // the queue's own stream does not yet wait for all that is in it
}

// open makes the stream, once. The queue is locked and its context entered, here and
// below.
func (q *Queue) open(b *beside) (err error) {
	if b.stream == nil {
		b.stream, err = q.dev.ctx.NewStream(0)
	}
	return err
}

// order has what is queued in a stream from now on wait for what another has by now.
func (q *Queue) order(then, first *driver.Stream) error {
	e, err := q.markIn(first)
	if err != nil {
		return err
	}
	q.idle = append(q.idle, e) // who waits has its own copy of where it was recorded
	return then.Wait(e)
}

// join has the queue wait for its copies, or waits for them where it cannot have that:
// memory that they use may then be another's.
func (q *Queue) join() error {
	for _, b := range [...]*beside{&q.in, &q.out} {
		if !b.due {
			continue
		}
		if err := q.order(q.stream, b.stream); err != nil {
			if err := b.stream.Synchronize(); err != nil {
				return err
			}
		}
		b.due = false
	}
	return nil
}

// accesses returns, by argument, the first step that reads it, and by result the last
// that writes it.
func accesses(p *plan.Program) (reads, writes []int) {
	first, last := make([]int, len(p.Values)), make([]int, len(p.Values))
	for i := len(p.Steps) - 1; i >= 0; i-- {
		ins, outs := p.Access(i)
		for _, v := range ins {
			first[v] = i
		}
		for _, v := range outs {
			last[v] = max(last[v], i)
		}
	}
	for _, v := range p.Args {
		reads = append(reads, first[v])
	}
	for _, v := range p.Results {
		writes = append(writes, last[v])
	}
	return reads, writes
}

// apart puts a transfer that is large with those that are copied beside the kernels: of
// an argument, before the step that reads it first, of a result, behind the one that
// writes it last.
func (r *runner) apart(list *[]transfer, t transfer, step int) bool {
	if t.view.Type.Bytes() < r.q.large {
		return false
	}
	t.step = step
	*list = append(*list, t)
	return true
}

// placeApart gives those of a list places in the run's block, in the order of steps.
func (r *runner) placeApart(list []transfer) {
	slices.SortStableFunc(list, func(a, b transfer) int { return cmp.Compare(a.step, b.step) })
	for i := range list {
		list[i] = r.inBlock(list[i])
	}
}

// begin has copies of large arguments wait for what the queue has by now, which may use
// the memory that the run has.
func (r *runner) begin() error {
	if len(r.late) == 0 {
		return nil
	}
	r.lock()
	if err := r.q.open(&r.q.in); err != nil {
		return err
	}
	return r.q.order(r.q.in.stream, r.q.stream)
}

// prefetch queues the copies of large arguments that steps up to one read, beside the
// kernels that were queued before: the host prepares them while these run.
func (r *runner) prefetch(upTo int) error {
	for ; r.prefetched < len(r.late) && r.late[r.prefetched].step <= upTo; r.prefetched++ {
		t, q := &r.late[r.prefetched], r.q
		r.lock()
		for at := 0; at < t.n; {
			s, err := q.stage(t.n - at)
			if err != nil {
				return err
			}
			some := s.host.Bytes()[:copy(s.host.Bytes(), t.host[at:t.n])]
			q.in.due = true
			if err := q.in.stream.ToDevice(r.block.at+driver.Ptr(t.at+at), some); err != nil {
				return err
			}
			if err := s.used(q.in.stream); err != nil {
				return err
			}
			at += len(some)
		}
		if err := q.order(q.stream, q.in.stream); err != nil {
			return err
		}
		q.in.due = false
		r.Copied.Add(int64(t.n))
	}
	return nil
}

// mark notes where large results are written that steps up to one write last, and what
// steps of the host wait for.
func (r *runner) mark(upTo int) (err error) {
	if err := r.note(upTo); err != nil {
		return err
	}
	for ; r.marked < len(r.early) && r.early[r.marked].step <= upTo; r.marked++ {
		r.lock()
		if r.early[r.marked].after, err = r.q.markLocked(); err != nil {
			return err
		}
	}
	return nil
}

// crosses reports whether a large argument is read for the first time inside a row, or a
// large result written for the last. Its kernels are then launched one by one, since a
// graph would wait for the one and have the other wait.
func (r *runner) crosses(x row) bool {
	for i := r.prefetched; i < len(r.late); i++ {
		if s := r.late[i].step; x.from < s && s < x.to {
			return true
		}
	}
	for i := r.marked; i < len(r.early); i++ {
		if s := r.early[i].step; x.from <= s && s < x.to-1 {
			return true
		}
	}
	return false
}

// landing is what the device copies to a stage of the host's, and where that goes.
type landing struct {
	from *stage
	to   []byte
	// own says that nobody sees what it goes to if the run fails.
	own bool
}

// downloadLarge copies large results to the host, each as soon as it is written, while
// later kernels run. Memory of the caller's is written when all of these are done. It
// reports whether they are.
func (r *runner) downloadLarge() (done bool, err error) {
	if len(r.early) == 0 {
		return false, nil
	}
	if err := r.mark(len(r.e.steps)); err != nil {
		return false, err
	}
	r.lock()
	q := r.q
	if err := q.open(&q.out); err != nil {
		return false, err
	}
	var last landing
	for i := range r.early {
		t := &r.early[i]
		if err := q.out.stream.Wait(t.after); err != nil {
			return done, err
		}
		q.idle, t.after = append(q.idle, t.after), nil
		for at := 0; at < t.n; {
			s, err := q.stage(t.n - at)
			if err != nil {
				return done, err
			}
			n := min(len(s.host.Bytes()), t.n-at)
			q.out.due = true
			if err := q.out.stream.ToHost(s.host.Bytes()[:n], r.block.at+driver.Ptr(t.at+at)); err != nil {
				return done, err
			}
			if err := s.used(q.out.stream); err != nil {
				return done, err
			}
			if done, err = r.land(last, done); err != nil {
				return done, err
			}
			last = landing{s, t.host[at : at+n], t.own}
			at += n
		}
	}
	if done, err = r.land(last, done); err == nil {
		q.out.due = false
	}
	return done, err
}

// land waits for a landing and has it where it goes. done says whether all kernels of the
// run are known to be done.
func (r *runner) land(l landing, done bool) (bool, error) {
	if l.from == nil {
		return done, nil
	}
	if !l.own && !done {
		if err := r.q.stream.Synchronize(); err != nil {
			return false, err
		}
		done = true
	}
	if err := l.from.done.Synchronize(); err != nil {
		return done, err
	}
	copy(l.to, l.from.host.Bytes())
	return done, nil
}
