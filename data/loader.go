package data

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"

	"ltc/internal/diag"
)

// Batch says which examples a batch has.
type Batch struct {
	Epoch, Index int   // of the epoch, and of the batch in it
	Rows         []int // of the data set

	seed uint64
}

// Random returns a stream of random numbers for example i of the batch. It follows from the seed, the epoch and the
// number of the row: augmented examples are the same for any size of batches and any number of workers.
func (b Batch) Random(i int) *rand.Rand {
	return rand.New(rand.NewPCG(splitMix64(b.seed+splitMix64(uint64(b.Epoch))), uint64(b.Rows[i])))
}

// splitMix64 is the finalizer of SplitMix64, whose results differ for arguments that differ by little.
func splitMix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Position is a place in the batches of a [Loader]. It is comparable, and is kept in checkpoints.
type Position struct {
	Epoch int `json:"epoch"`
	Batch int `json:"batch"` // of the epoch
}

// Loader makes the batches of a data set, epoch after epoch. The order of the rows, and what [Batch.Random] draws, follow
// from the seed alone: a loader that goes on from a [Position] makes the batches that it would have made.
//
// The fields may be changed until the first iteration. A Loader is used by one goroutine.
type Loader[T any] struct {
	Batches
	// Load makes a batch. Several goroutines call it if Workers is above 1.
	Load func(b Batch) (T, error)
	// Workers is how many goroutines make batches ahead of the loop; 0: the loop makes each batch itself.
	Workers int
	// Ahead is how many batches may be ready or being made ahead of the loop; 0: twice the Workers.
	Ahead int

	rows []int // the rows of the data set; nil: 0 to Rows-1
	at   Position
	err  error // why there are no batches
}

// Map returns a loader of the batches that f makes of those of l. It begins where l is, and has the workers of l.
func Map[T, U any](l *Loader[T], f func(b Batch, x T) (U, error)) *Loader[U] {
	if err := l.check(); err != nil {
		return &Loader[U]{err: err}
	}
	if f == nil {
		return &Loader[U]{err: errors.New("data: map batches: the function is nil")}
	}
	load := l.Load
	return &Loader[U]{Batches: l.Batches, Workers: l.Workers, Ahead: l.Ahead, rows: l.rows, at: l.at, Load: func(b Batch) (u U, err error) {
		x, err := load(b)
		if err != nil {
			return u, err
		}
		return f(b, x)
	}}
}

// Holdout returns a loader of the rows to train on, and one of those to test with, in order: every k-th row, as for the
// function [Holdout]. The latter has a short last batch, whatever DropLast says. Both begin at the first epoch, and have
// the workers of l. Load gets the rows' numbers in the data set.
func (l *Loader[T]) Holdout(k int) (kept, held *Loader[T]) {
	if err := l.check(); err != nil {
		return &Loader[T]{err: err}, &Loader[T]{err: err}
	}
	part := func(rows []int) *Loader[T] {
		p := &Loader[T]{Batches: l.Batches, Load: l.Load, Workers: l.Workers, Ahead: l.Ahead, rows: make([]int, len(rows))}
		p.Rows = len(rows)
		for i, r := range rows {
			p.rows[i] = l.row(r)
		}
		return p
	}
	some, others := Holdout(l.Rows, k)
	kept, held = part(some), part(others)
	held.InOrder, held.DropLast = true, false
	return kept, held
}

// Err returns why there are no batches, such as arrays that do not fit; nil if there can be batches. It does not report
// errors of Load, which Rest yields.
func (l *Loader[T]) Err() error { return l.check() }

// check returns an error if there can be no batches.
func (l *Loader[T]) check() error {
	switch {
	case l == nil:
		return errors.New("data: the loader is nil")
	case l.err != nil:
		return l.err
	case l.Load == nil:
		return errors.New("data: Load is nil: give the function that makes a batch")
	case l.rows != nil && l.Rows > len(l.rows):
		return fmt.Errorf("data: Rows is %d, and Holdout gave this loader %d", l.Rows, len(l.rows))
	}
	return nil
}

// Position returns the place of the next batch.
func (l *Loader[T]) Position() Position {
	if l == nil {
		return Position{}
	}
	return l.at
}

// Seek has the next batch be that at a position.
func (l *Loader[T]) Seek(p Position) error {
	if l == nil || l.err != nil {
		return l.check()
	}
	if p.Epoch < 0 || p.Batch < 0 || p.Batch > 0 && p.Batch >= l.Len() {
		return fmt.Errorf("data: seek epoch %d, batch %d: an epoch has %s", p.Epoch, p.Batch, diag.Count(l.Len(), "batch"))
	}
	l.at = p
	return nil
}

// Rest iterates over the batches of the epoch from [Loader.Position] on. Within the loop the position is that of the batch
// after the current one; a loop that ends early goes on there. After the last batch it is the first of the next epoch.
//
// An error of Load ends the iteration: its batch is the zero T, and the position is still that of the batch. A panic of
// Load in a worker is such an error, with its place, and so is runtime.Goexit. Rest waits for its workers before it returns.
func (l *Loader[T]) Rest() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if err := l.check(); err != nil {
			var none T
			yield(none, err)
			return
		}
		all := l.batches()
		if len(all) == 0 {
			l.at = Position{Epoch: l.at.Epoch + 1}
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		next, wait := l.start(ctx, all)
		defer wait()
		defer cancel()
		for i, b := range all {
			x, err := next()
			if err != nil {
				var none T
				yield(none, fmt.Errorf("data: epoch %d, batch %d: %w", b.Epoch, b.Index, err))
				return
			}
			l.at.Batch++
			if i == len(all)-1 {
				l.at = Position{Epoch: l.at.Epoch + 1}
			}
			if !yield(x, nil) {
				return
			}
		}
	}
}

// row returns the row of the data set that has a number below Rows.
func (l *Loader[T]) row(i int) int {
	if l.rows == nil {
		return i
	}
	return l.rows[i]
}

// batches lists the batches from the position on.
func (l *Loader[T]) batches() []Batch {
	var all []Batch
	for i, rows := range l.Epoch(l.at.Epoch) {
		if i >= l.at.Batch {
			for j, r := range rows {
				rows[j] = l.row(r)
			}
			all = append(all, Batch{l.at.Epoch, i, rows, l.Seed})
		}
	}
	return all
}

// result is a batch, or why there is none.
type result[T any] struct {
	x   T
	err error
}

// start has workers make batches in order. It returns a function that returns the next, and one that waits for the workers'
// end after ctx is done.
func (l *Loader[T]) start(ctx context.Context, all []Batch) (next func() (T, error), wait func()) {
	if l.Workers < 1 {
		i := 0
		return func() (T, error) { i++; return l.Load(all[i-1]) }, func() {}
	}
	workers := min(l.Workers, len(all))
	ahead := min(l.Ahead, len(all))
	if ahead < 1 {
		ahead = 2 * workers
	}
	type job struct {
		b    Batch
		into chan result[T]
	}
	jobs, order := make(chan job), make(chan chan result[T], ahead)
	var group sync.WaitGroup
	group.Go(func() {
		defer close(jobs)
		for _, b := range all {
			j := job{b, make(chan result[T], 1)}
			select {
			case order <- j.into: // waits while enough batches are ahead
			case <-ctx.Done():
				return
			}
			select {
			case jobs <- j:
			case <-ctx.Done():
				return
			}
		}
	})
	for range workers {
		group.Go(func() {
			for j := range jobs {
				l.load(j.b, j.into)
			}
		})
	}
	return func() (T, error) { m := <-<-order; return m.x, m.err }, group.Wait
}

// load sends one result, also if Load panics, or ends its goroutine.
func (l *Loader[T]) load(b Batch, into chan<- result[T]) {
	r := result[T]{err: errors.New("Load ended its goroutine (runtime.Goexit): return an error")}
	defer func() {
		if p := recover(); p != nil {
			var none T
			r = result[T]{none, fmt.Errorf("Load panicked at %s: %v", panicked(), p)}
		}
		into <- r
	}()
	x, err := l.Load(b)
	r = result[T]{x, err}
}

// panicked returns the place of a panic, for a function that is deferred.
func panicked() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for begun := false; ; {
		f, more := frames.Next()
		if begun && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		begun = begun || f.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}
