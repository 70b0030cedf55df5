package data

import (
	"iter"
	"math/bits"
	"math/rand/v2"
)

// All returns the rows 0 to n-1.
func All(n int) []int {
	rows := make([]int, max(n, 0))
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// Holdout splits the rows 0 to n-1 into those to train on and those to test
// with: every k-th row, counting from one, is held back. A k below 1 holds
// none back.
func Holdout(n, k int) (train, test []int) {
	for i := range n {
		if k >= 1 && (i+1)%k == 0 {
			test = append(test, i)
		} else {
			train = append(train, i)
		}
	}
	return train, test
}

// Shuffle permutes rows. The order follows from seed and stream alone: a PCG
// (math/rand/v2.NewPCG(seed, stream)) deals 64 bits u for each i from
// len(rows)-1 down to 1, and rows i and ⌊u·(i+1)/2⁶⁴⌋ change places (Fisher
// and Yates).
func Shuffle(rows []int, seed, stream uint64) {
	pcg := rand.NewPCG(seed, stream)
	for i := len(rows) - 1; i > 0; i-- {
		j, _ := bits.Mul64(pcg.Uint64(), uint64(i+1))
		rows[i], rows[j] = rows[j], rows[i]
	}
}

// Batches deals out the rows of a table in batches, in an order of its own
// for each epoch.
type Batches struct {
	Rows     int    // rows 0 to Rows-1
	Size     int    // rows a batch; below 1: all rows in one batch
	Seed     uint64 // of the order; see [Shuffle], which gets the epoch as stream
	DropLast bool   // leave out the last batch of an epoch if it is not full
	InOrder  bool   // do not shuffle
}

// Len returns the number of batches in an epoch.
func (b Batches) Len() int {
	size, rows := b.size(), max(b.Rows, 0)
	if b.DropLast || rows == 0 {
		return rows / size
	}
	return (rows-1)/size + 1
}

// ShortLast reports whether the last batch of an epoch has fewer rows than the others.
func (b Batches) ShortLast() bool { return b.Len() > 1 && !b.DropLast && b.Rows%b.size() != 0 }

func (b Batches) size() int {
	if b.Size < 1 {
		return max(b.Rows, 1)
	}
	return b.Size
}

// Epoch iterates over the batches of an epoch: their numbers from 0 and their
// rows. A slice of rows is good until the epoch's end and may be changed.
func (b Batches) Epoch(epoch int) iter.Seq2[int, []int] {
	return func(yield func(int, []int) bool) {
		rows := All(b.Rows)
		if !b.InOrder {
			Shuffle(rows, b.Seed, uint64(epoch))
		}
		size := b.size()
		for i := range b.Len() {
			end := min((i+1)*size, len(rows))
			if !yield(i, rows[i*size:end:end]) {
				return
			}
		}
	}
}
