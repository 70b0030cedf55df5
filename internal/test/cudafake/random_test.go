package cudafake_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
)

// touched is what a thing queued in a random program does, by the number of the
// value's place: first of 3 buffers, each of 8 places.
type touched struct {
	stream int
	reads  [24]bool
	writes [24]bool
	after  []int // things that are certain to be over
}

// overlaps reports whether one writes what the other reads or writes.
func (a *touched) overlaps(b *touched) bool {
	for i := range a.reads {
		if a.writes[i] && (b.reads[i] || b.writes[i]) || b.writes[i] && a.reads[i] {
			return true
		}
	}
	return false
}

// races reports whether any two things that overlap have no order, by following
// what each is after.
func races(all []touched) bool {
	past := make([]map[int]bool, len(all))
	for i := range all {
		past[i] = map[int]bool{}
		for _, j := range all[i].after {
			past[i][j] = true
			for k := range past[j] {
				past[i][k] = true
			}
		}
		for j := range i {
			if !past[i][j] && all[i].overlaps(&all[j]) {
				return true
			}
		}
	}
	return false
}

// Races are reported if and only if there are some, in programs of three streams
// that fill, copy, run kernels and wait as it comes.
func TestRandom(t *testing.T) {
	const place = 4 * values / 2 // a kernel works on two
	found := map[bool]int{}
	for seed := range uint64(trials.Soak(300, 20_000)) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := newProgram(t, cudafake.Options{Seed: seed})
		third, err := p.ctx.NewStream(0)
		p.no(err)
		streams := []*driver.Stream{p.s, p.u, third}
		var buffers [3]driver.Ptr
		for i := range buffers {
			buffers[i], err = p.ctx.Alloc(8 * place)
			p.no(err)
			p.no(p.s.Fill8(buffers[i], 0, 8*place))
		}
		p.no(p.s.Synchronize())
		var events [3]*driver.Event
		recorded := [3]int{-1, -1, -1}
		for i := range events {
			events[i], err = p.ctx.NewEvent(false)
			p.no(err)
		}
		var all []touched
		last := [3]int{-1, -1, -1} // of each stream
		var over []int
		add := func(s int, do func(o *touched) error) {
			o := touched{stream: s, after: append([]int(nil), over...)}
			if last[s] >= 0 {
				o.after = append(o.after, last[s])
			}
			p.no(do(&o))
			last[s] = len(all)
			all = append(all, o)
		}
		mark := func(set *[24]bool, b, at, n int) driver.Ptr {
			for i := range n {
				set[8*b+at+i] = true
			}
			return buffers[b] + driver.Ptr(at*place)
		}
		for range 4 + r.IntN(10) {
			s := r.IntN(3)
			switch r.IntN(8) {
			case 0:
				add(s, func(o *touched) error {
					n := 1 + r.IntN(3)
					return streams[s].Fill8(mark(&o.writes, r.IntN(3), r.IntN(6), n), 1, n*place)
				})
			case 1, 2:
				add(s, func(o *touched) error {
					from, to := r.IntN(3), r.IntN(2)
					if to >= from {
						to++
					}
					return streams[s].Copy(mark(&o.writes, to, r.IntN(7), 2), mark(&o.reads, from, r.IntN(7), 2), 2*place)
				})
			case 3:
				add(s, func(o *touched) error {
					from, to := r.IntN(3), r.IntN(2)
					if to >= from {
						to++
					}
					return streams[s].Launch(p.launch(mark(&o.reads, from, r.IntN(7), 2), mark(&o.writes, to, r.IntN(7), 2), 1))
				})
			case 4, 5:
				e := r.IntN(3)
				add(s, func(*touched) error { return events[e].Record(streams[s]) })
				recorded[e] = len(all) - 1
			case 6:
				e := r.IntN(3)
				add(s, func(o *touched) error {
					if recorded[e] >= 0 {
						o.after = append(o.after, recorded[e])
					}
					return streams[s].Wait(events[e])
				})
			case 7:
				if r.IntN(3) == 0 && last[s] >= 0 {
					p.no(streams[s].Synchronize())
					over = append(over, last[s])
				}
			}
		}
		p.no(p.ctx.Synchronize())
		said := p.fake.Forgive()
		want := races(all)
		require.Equal(t, want, len(said) > 0, "seed %d: %v", seed, said)
		for _, v := range said {
			require.Equal(t, cudafake.Race, v.Kind)
		}
		found[want]++
		for _, b := range buffers {
			p.no(p.ctx.Free(b))
		}
		for _, e := range events {
			p.no(e.Destroy())
		}
		p.no(third.Destroy())
		p.no(p.end())
	}
	require.Greater(t, min(found[true], found[false]), 0, "%v", found)
}
