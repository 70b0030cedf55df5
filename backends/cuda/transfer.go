package cuda

import (
	"errors"
	"slices"
	"unsafe"

	"ltc/backends/cuda/driver"
	"ltc/backends/kit/plan"
	"ltc/soa"
)

// least is how many bytes of memory every run of the program takes.
func (x *code) least() int { return aligned(x.program.Arena) + x.besides }

// Begin gets the memory of a run whose arguments and results have been placed, and queues
// the copies of arguments that are not large.
func (r *runner) Begin() error {
	for i := range r.pack {
		r.pack[i] = r.inBlock(r.pack[i])
	}
	r.placeApart(r.late)
	for i := range r.place {
		r.place[i] = r.inBlock(r.place[i])
	}
	r.placeApart(r.early)
	if r.q != r.e.on.dev.home { // arguments may have been made there
		if err := r.q.After(r.e.on.dev.home); err != nil {
			return err
		}
	}
	if err := r.acquire(); err != nil {
		return err
	}
	r.locate()
	if err := r.reserve(); err != nil {
		return err
	}
	if err := r.upload(); err != nil {
		return err
	}
	return r.note(atOnce)
}

// locate finds out where the values in the run's block are, and whether any is elsewhere
// than in the run before.
func (r *runner) locate() {
	p := r.e.program
	r.besides = r.block.at + driver.Ptr(aligned(p.Arena))
	for v := range p.Values {
		if val := &p.Values[v]; val.Kind == plan.Temporary {
			r.Mem[v] = pointer(r.block.at + driver.Ptr(val.Offset))
		}
	}
	for _, list := range [...][]transfer{r.up, r.late, r.pack, r.down, r.early, r.place} {
		for i := range list {
			r.Mem[list[i].value] = pointer(r.block.at + driver.Ptr(list[i].at))
		}
	}
	if r.Moved || !slices.Equal(r.Mem, r.was) {
		copy(r.was, r.Mem)
		r.places++
		r.Moved = false
	}
}

// Upload has an argument copied to the device, by a kernel if it is there already.
func (r *runner) Upload(i int, v *soa.View) (err error) {
	t := transfer{value: r.e.program.Args[i], view: *v}
	if v.Remote() != nil {
		if t.kernel, t.table, err = r.shuffler(v, i, false); err != nil {
			return err
		}
		if t.kernel != nil {
			r.pack = append(r.pack, t)
			return nil
		}
	}
	dense := *v
	if !onHostDense(v) {
		if dense, err = r.DenseArg(i, v); err != nil {
			return err
		}
	}
	t.host = bytesOf(dense)
	if !r.apart(&r.late, t, r.e.reads[i]) {
		r.up = append(r.up, r.inBlock(t))
	}
	return nil
}

// onHostDense reports whether a view is dense in the host's memory.
func onHostDense(v *soa.View) bool { return v.IsDense() && v.Remote() == nil }

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

// bytesOf returns the memory of a dense view of the host's.
func bytesOf(v soa.View) []byte { return unsafe.Slice((*byte)(v.Base()), v.Type.Bytes()) }

// Download has a result written in the run's block, and copied to where it belongs at the
// end.
func (r *runner) Download(j int, v *soa.View, own bool) (err error) {
	t := transfer{value: r.e.program.Results[j], view: *v}
	if v.Remote() != nil && !v.IsDense() {
		if t.kernel, t.table, err = r.shuffler(v, len(r.e.program.Args)+j, true); err != nil {
			return err
		}
	}
	if v.Remote() != nil && (v.IsDense() || t.kernel != nil) {
		r.place = append(r.place, t)
		return nil
	}
	dense := *v
	if !onHostDense(v) {
		if dense, err = r.DenseResult(j, v); err != nil {
			return err
		}
	}
	t.host, t.own = bytesOf(dense), own || !v.IsDense()
	if !r.apart(&r.early, t, r.e.writes[j]) {
		r.down = append(r.down, r.inBlock(t)) // one after the other, so that they are copied as one
	}
	return nil
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
	r.Copied.Add(int64(copied))
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

// End brings results to where they belong. If wait is set, or if some belong to the host,
// all is done then. What is not dense the queue copies, too.
func (r *runner) End(wait bool) error {
	if err := r.mark(len(r.e.steps) - 1); err != nil {
		return err
	}
	if err := r.ahead(); err != nil {
		return err
	}
	if err := r.finish(wait); err != nil {
		return err
	}
	copied := 0
	for _, list := range [...][]transfer{r.down, r.early} {
		for i := range list {
			copied += list[i].n
		}
	}
	r.Copied.Add(int64(copied))
	return nil
}

// finish is End where all is queued.
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
