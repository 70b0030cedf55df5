package cuda

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/backends/kit"
	"ltc/soa"
)

// prepare decides where all values of a run are, and gets the memory for it. It
// returns the first step that writes memory of the caller's.
func (r *runner) prepare(c *backends.Call) (watch int, err error) {
	p := r.e.program
	besides := aligned(p.Arena)
	r.bytes = besides + r.e.besides
	for i := range p.Args {
		if err := r.argument(c, i); err != nil {
			return 0, fmt.Errorf("execute: argument %d: %w", i, err)
		}
	}
	for i := range r.pack {
		r.pack[i] = r.inBlock(r.pack[i])
	}
	r.placeApart(r.late)
	if watch, err = r.results(c); err != nil {
		return 0, err
	}
	if r.q != r.e.on.dev.home { // arguments may have been made there
		if err := r.q.After(r.e.on.dev.home); err != nil {
			return 0, err
		}
	}
	if err := r.acquire(); err != nil {
		return 0, err
	}
	r.besides = r.block.at + driver.Ptr(besides)
	for v := range p.Values {
		if val := &p.Values[v]; val.Kind == kit.Temporary {
			r.mem[v] = r.block.at + driver.Ptr(val.Offset)
		}
	}
	for _, list := range [...][]transfer{r.up, r.late, r.pack, r.down, r.early, r.place} {
		for i := range list {
			r.mem[list[i].value] = r.block.at + driver.Ptr(list[i].at)
		}
	}
	if r.moved || !slices.Equal(r.mem, r.was) {
		copy(r.was, r.mem)
		r.places++
		r.moved = false
	}
	return watch, nil
}

// argument finds out where the kernels read an argument: where it lies, or where it is
// to be brought.
func (r *runner) argument(c *backends.Call, i int) error {
	p := r.e.program
	id := p.Args[i]
	if p.Values[id].Last < 0 {
		return nil // nobody reads it
	}
	var v soa.View
	if r.e.bound != nil {
		v = r.e.bound[i]
	}
	if v.IsZero() {
		v = c.Args[i]
	}
	if p.Values[id].Layout != nil {
		return r.placeView(id, &v, i)
	}
	if v.Remote() != nil && v.IsDense() {
		r.mem[id] = first(&v)
		return nil
	}
	t := transfer{value: id, view: v}
	var err error
	if v.Remote() != nil {
		if t.kernel, t.table, err = r.shuffler(&v, i, false); err != nil {
			return err
		}
		if t.kernel != nil {
			r.pack = append(r.pack, t)
			return nil
		}
	}
	soa.TouchRead(v)
	if t.host, err = r.staged(i, v, true); err != nil {
		return err
	}
	if !r.apart(&r.late, t, r.e.reads[i]) {
		r.up = append(r.up, r.inBlock(t))
	}
	return nil
}

// acquire has the runner use the queue, and gets it its block.
func (r *runner) acquire() (err error) {
	r.lock()
	if r.bytes == 0 {
		return nil
	}
	if r.block, err = r.q.acquire(r.bytes); err == nil || !errors.Is(err, driver.OutOfMemory) {
		return err
	}
	r.unlock() // memory may come back from others
	p, err := r.q.allocHard(r.bytes)
	if err != nil {
		return r.e.short(err)
	}
	r.block = block{p, r.bytes, r.bytes}
	r.lock()
	return nil
}

// inBlock gives a transfer a place in the run's block: large ones begin as the
// driver's memory does, small ones lie side by side.
func (r *runner) inBlock(t transfer) transfer {
	const small = 4 << 10
	t.n = t.view.Type.Bytes()
	at := roundUp(r.bytes, t.view.Type.DType.Size())
	if t.n >= small {
		at = aligned(r.bytes)
	}
	t.at, r.bytes = at, at+t.n
	return t
}

// staged returns the host's memory that stands for a view: its own, or, if that is
// not dense or not the host's, a copy's.
func (r *runner) staged(i int, v soa.View, filled bool) ([]byte, error) {
	if v.IsDense() && v.Remote() == nil {
		return bytesOf(v), nil
	}
	if r.dense[i].IsZero() {
		if err := soa.Fits(v.Type.Bytes()); err != nil {
			return nil, fmt.Errorf("a copy of %v: %w", v, err)
		}
		r.dense[i] = soa.Make(v.Type)
	}
	if filled {
		if err := soa.Copy(r.dense[i], v); err != nil {
			return nil, err
		}
	}
	return bytesOf(r.dense[i]), nil
}

// bytesOf returns the memory of a dense view of the host's.
func bytesOf(v soa.View) []byte { return unsafe.Slice((*byte)(v.Base()), v.Type.Bytes()) }

// results decides where results are written: where they belong if that cannot go
// wrong, else in the run's block.
func (r *runner) results(c *backends.Call) (watch int, err error) {
	p := r.e.program
	watch = len(p.Steps)
	for j, id := range p.Results {
		v, direct, err := r.result(c, j)
		if err != nil {
			return 0, err
		}
		if laid := p.Values[id].Layout != nil; laid || direct && v.Remote() != nil && v.IsDense() {
			if r.mem[id] = first(&v); laid {
				err = r.placeView(id, &v, len(p.Args)+j)
			}
			if err != nil {
				return 0, err
			}
			if r.fresh[j].IsZero() && !r.e.rules.Region {
				watch = min(watch, p.Values[id].First)
			}
			continue
		}
		t := transfer{value: id, view: v}
		if v.Remote() != nil && !v.IsDense() {
			if t.kernel, t.table, err = r.shuffler(&v, len(p.Args)+j, true); err != nil {
				return 0, fmt.Errorf("execute: result %d: %w", j, err)
			}
		}
		if v.Remote() != nil && (v.IsDense() || t.kernel != nil) {
			r.place = append(r.place, t)
			continue
		}
		if t.host, err = r.staged(len(p.Args)+j, v, false); err != nil {
			return 0, fmt.Errorf("execute: result %d: %w", j, err)
		}
		t.own = !r.fresh[j].IsZero() || !v.IsDense()
		if !r.apart(&r.early, t, r.e.writes[j]) {
			r.down = append(r.down, r.inBlock(t)) // one after the other, so that they are copied as one
		}
	}
	for i := range r.place {
		r.place[i] = r.inBlock(r.place[i])
	}
	r.placeApart(r.early)
	return watch, nil
}

// result returns where result j belongs, and whether it may be written there at once.
func (r *runner) result(c *backends.Call, j int) (v soa.View, direct bool, err error) {
	if r.e.rules.Made(c, j) {
		if r.fresh[j], err = r.make(c, j); err != nil {
			return v, false, r.e.short(err)
		}
		return r.fresh[j], true, nil
	}
	to, direct := r.e.rules.Place(c, j)
	return *to, direct, nil
}

// make returns memory for a result that the caller leaves to us.
func (r *runner) make(c *backends.Call, j int) (soa.View, error) {
	t := r.e.program.Signature.Results[j].Type
	if c.Resident {
		return r.e.on.dev.Make(t)
	}
	return c.Make(t), nil
}

// upload brings the arguments to the run's block that are not read where they are, and
// tables of columns.
func (r *runner) upload() error {
	if err := r.bringTables(); err != nil {
		return err
	}
	for i := range r.pack {
		if err := r.shuffle(&r.pack[i], false); err != nil {
			return err
		}
	}
	if err := r.begin(); err != nil {
		return err
	}
	if len(r.up) == 0 {
		return nil
	}
	q, copied := r.q, 0
	for i := range r.up {
		copied += r.up[i].n
	}
	r.e.copied.Add(int64(copied))
	r.lock()
	list, at, end := r.up, r.up[0].at, r.up[len(r.up)-1].end()
	for at < end {
		s, err := q.stage(end - at)
		if err != nil {
			return err
		}
		some := s.host.Bytes()[:min(len(s.host.Bytes()), end-at)]
		list = each(list, at, some, func(staged, host []byte) { copy(staged, host) })
		if err := q.stream.ToDevice(r.block.at+driver.Ptr(at), some); err != nil {
			return err
		}
		if err := s.used(q.stream); err != nil {
			return err
		}
		at += len(some)
	}
	return nil
}

func (t *transfer) end() int { return t.at + t.n }

// each calls do with what transfers have of a part of the run's block, beginning at
// an offset, that is staged, and with their own memory. It returns the transfers
// that have something left behind it.
func each(list []transfer, at int, staged []byte, do func(staged, host []byte)) []transfer {
	end := at + len(staged)
	for i := range list {
		t := &list[i]
		from, to := max(t.at, at), min(t.end(), end)
		if from < to {
			do(staged[from-at:to-at], t.host[from-t.at:to-t.at])
		}
		if t.end() > end {
			return list[i:]
		}
	}
	return nil
}

// reserve has the host's memory that results are copied to at the end, before anything
// of the caller's is written.
func (r *runner) reserve() error {
	n := 0
	if len(r.down) > 0 {
		n = r.down[len(r.down)-1].end() - r.down[0].at
	}
	for i := range r.early {
		n = max(n, r.early[i].n)
	}
	if n == 0 {
		return nil
	}
	r.lock()
	return r.q.reserve(n)
}

// finish brings results to where they belong. If waits is set, or if some belong to
// the host, all is done then.
func (r *runner) finish(waits bool) error {
	q := r.q
	for i := range r.place {
		t := &r.place[i]
		if t.kernel != nil {
			if err := r.shuffle(t, true); err != nil {
				return err
			}
			continue
		}
		r.lock()
		if err := q.stream.Copy(driver.Ptr(uintptr(t.view.Base())), r.block.at+driver.Ptr(t.at), t.n); err != nil {
			return err
		}
	}
	done, err := r.downloadLarge()
	if err != nil {
		return err
	}
	if len(r.down) == 0 {
		if done || !waits && len(r.early) == 0 {
			return nil
		}
		r.lock()
		return q.stream.Synchronize()
	}
	r.lock()
	return r.download()
}

// download copies results from the run's block to the host, some while the device
// copies others. The first come when all that was queued is done.
func (r *runner) download() error {
	q := r.q
	list, at, end := r.down, r.down[0].at, r.down[len(r.down)-1].end()
	var last *stage
	var held []byte // what last is about, from there on
	from := at
	for at < end || last != nil {
		var s *stage
		var some []byte
		if at < end {
			var err error
			if s, err = q.stage(end - at); err != nil {
				return err
			}
			some = s.host.Bytes()[:min(len(s.host.Bytes()), end-at)]
			if err := r.toHost(list, at, some); err != nil {
				return err
			}
			if err := s.used(q.stream); err != nil {
				return err
			}
		}
		if last != nil {
			if err := last.done.Synchronize(); err != nil {
				return err
			}
			list = each(list, from, held, func(staged, host []byte) { copy(host, staged) })
			from += len(held)
		}
		last, held = s, some
		at += len(some)
	}
	return nil
}

// toHost queues the copies of what transfers have of a part of the run's block,
// which begins at an offset. What lies between them, nobody may have written.
func (r *runner) toHost(list []transfer, at int, staged []byte) error {
	end := at + len(staged)
	for i := 0; i < len(list) && list[i].at < end; {
		from, to := max(list[i].at, at), list[i].end()
		for i++; i < len(list) && list[i].at == to; i++ {
			to = list[i].end()
		}
		to = min(to, end)
		if from >= to {
			continue
		}
		if err := r.q.stream.ToHost(staged[from-at:to-at], r.block.at+driver.Ptr(from)); err != nil {
			return err
		}
	}
	return nil
}

// commit hands the results over. A caller who has released the memory of one meanwhile
// wants no result.
func (r *runner) commit(c *backends.Call) error {
	copied := 0
	for _, list := range [...][]transfer{r.down, r.early} {
		for i := range list {
			t := &list[i]
			copied += t.n
			soa.TouchWrite(t.view)
			if j := r.e.program.Values[t.value].Index; !t.view.IsDense() || t.view.Remote() != nil {
				err := soa.Copy(t.view, r.dense[len(r.e.program.Args)+j])
				if err != nil && !errors.Is(err, soa.ErrReleased) {
					return fmt.Errorf("execute: result %d: %w", j, err)
				}
			}
		}
	}
	r.e.copied.Add(int64(copied))
	for j := range c.Results {
		switch {
		case !r.fresh[j].IsZero():
			c.Results[j] = r.fresh[j]
		case c.Results[j].IsZero():
			c.Results[j] = c.Args[r.e.program.Signature.Results[j].Alias]
		}
	}
	return nil
}
