// Package peak is what a machine can do at most: loops that multiply and add in
// registers, loops that read, and a copy past the caches. Measured figures are shares
// of it. Its central function is [Measure].
//
// The package imports only ltc/internal/cpu, ltc/internal/hostmem and ltc/ir/types.
package peak

import (
	"math"
	"sync"
	"time"
	"unsafe"

	"ltc/internal/hostmem"
	"ltc/ir/types"
)

// Parallel runs n calls of f at once and waits for them.
func Parallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := 1; i < n; i++ {
		wg.Go(func() { f(i) })
	}
	f(0)
	wg.Wait()
}

// Peaks are flops and bytes a second; 0 is unknown.
type Peaks struct {
	F32, BF16 float64 // multiplications and additions
	Copied    float64 // bytes read and written by a copy
}

// quick is how long each of Measure's figures takes, and copied the bytes that
// it copies: more than caches hold.
const (
	quick  = 100 * time.Millisecond
	copied = 128 << 20
)

// Rounds is how many of [FMA]'s loop make a sample of some milliseconds: next to
// them it is nothing that a thread begins a tenth of one late.
const Rounds = 1 << 20

// Measure takes the best of what threads at once reach, in less than a second.
func Measure(threads int) Peaks {
	var p Peaks
	for d, to := range map[types.DType]*float64{types.F32: &p.F32, types.BF16: &p.BF16} {
		if loop, flops := FMA(d); loop != nil {
			least := fastest(func() { Parallel(threads, func(int) { loop(Rounds) }) })
			*to = flops * Rounds * float64(threads) / least
		}
	}
	from, to := Pages(copied), Pages(copied)
	part := copied / threads &^ 4095
	if part == 0 {
		return p
	}
	least := fastest(func() {
		Parallel(threads, func(i int) { Copy(to[i*part:(i+1)*part], from[i*part:]) })
	})
	p.Copied = 2 * float64(part*threads) / least
	return p
}

// fastest returns the seconds of the fastest call.
func fastest(f func()) float64 {
	least := math.Inf(1)
	for begin := time.Now(); time.Since(begin) < quick; {
		start := time.Now()
		f()
		least = min(least, time.Since(start).Seconds())
	}
	return least
}

// Pages returns n bytes, in large pages as tensors are where the system has them. Their
// pages are there: memory that nobody has written shares one page of zeros.
func Pages(n int) []byte {
	b := make([]byte, n)
	hostmem.AdviseHeap(b)
	for i := 0; i < n; i += 4096 {
		b[i] = 1
	}
	return b
}

// words is a loop of [Reads] in Go: 64 bytes in a round.
func words(from []byte) uint32 {
	w := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(from))), len(from)/4)
	var sum [16]uint32
	for ; len(w) >= 16; w = w[16:] {
		for i, x := range (*[16]uint32)(w) {
			sum[i] += x
		}
	}
	total := uint32(0)
	for _, s := range sum {
		total += s
	}
	return total
}
