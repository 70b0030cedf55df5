package lazy_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/internal/diag"
	"ltc/internal/trials"
	"ltc/lazy"
)

// A soak runs something again and again, a program's lifetime long, and looks
// at the memory: it must stay what it was after warming up.
type soak struct {
	name  string
	each  func(tr *lazy.Trace) func(i int) error
	short int // times in ordinary tests
}

var soaks = []soak{
	{"steps", func(tr *lazy.Trace) func(int) error {
		w := tr.Device().Variable("w", lazy.F32, 16, 16)
		return func(i int) error {
			x := lazy.Full(tr, lazy.F32, 1, 16, 16)
			loss := x.MatMul(w).Sum()
			w.Sub_(lazy.Grad(loss, w)[0].MulScalar(1e-3))
			return tr.MarkStep(loss)
		}
	}, 20_000},
	{"reads without a mark-step", func(tr *lazy.Trace) func(int) error {
		x := lazy.From(tr, []float32{1, 2, 3, 4})
		one := tr.Scalar("one", 1)
		return func(i int) error {
			x = x.Add(one).MulScalar(0.5)
			_, err := x.Value()
			return err
		}
	}, 20_000},
	{"reads of a variable's results without a mark-step", func(tr *lazy.Trace) func(int) error {
		w := tr.Device().Variable("w", lazy.F32, 16)
		return func(i int) error {
			_, err := tr.Read(w).AddScalar(1).Sum().Item()
			return err
		}
	}, 20_000},
	{"steps with host data", func(tr *lazy.Trace) func(int) error {
		data := make([]float32, 256)
		return func(i int) error {
			data[0] = float32(i)
			y := lazy.From(tr, data).Sum()
			if err := tr.MarkStep(y); err != nil {
				return err
			}
			_, err := y.Item()
			return err
		}
	}, 5_000},
}

// 1e6 steps, and 1e6 reads without a mark-step, with flat memory: short here,
// whole and by resident size with make soak.
func TestStepsAndReadsKeepMemoryFlat(t *testing.T) {
	for _, s := range soaks {
		t.Run(s.name, func(t *testing.T) {
			n, size, slack := s.short, liveHeap, uint64(512<<10)
			if trials.Soaking() {
				n, size, slack = max(trials.Soak(s.short, 1_000_000), s.short), resident, 0
			}
			if !trials.Soaking() && os.Getenv("LTC_CHECK") == "1" {
				t.Skip("checks do not change what is kept")
			}
			start := time.Now()
			run := s.each(lazy.NewTrace(open(t, "null")))
			var warm, most uint64
			for i := range n {
				if err := run(i); err != nil {
					t.Fatal(err)
				}
				if i%(n/20) != n/20-1 || i < n/2-1 { // half, since a step keeps the history of 10,000 reads
					continue
				}
				now := size()
				if warm == 0 {
					warm = now
				}
				if most = max(most, now); now > warm+warm/20+slack {
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					status, _ := os.ReadFile("/proc/self/status") // empty where there is none
					t.Logf("after %d: heap %d reachable, %d held, stacks %d, collector %d, other %d\n%s",
						i+1, m.HeapAlloc, m.HeapSys-m.HeapReleased, m.StackSys, m.GCSys, m.OtherSys, status)
				}
			}
			took := time.Since(start)
			require.Less(t, most, warm+warm/20+slack, "memory grew: %d bytes after half, then up to %d", warm, most)
			fmt.Printf("soak: %d %s on null in %.1f s: memory %s after half, at most %s (%+.1f %%)\n",
				n, s.name, took.Seconds(), diag.Bytes(int64(warm)), diag.Bytes(int64(most)), 100*(float64(most)/float64(warm)-1))
		})
	}
}

// resident returns the bytes of the process that are in memory (VmRSS), as far
// as the system tells; the heap's otherwise. It is the lowest of some readings:
// what the runtime has not given back yet comes and goes by a megabyte, while a
// leak raises all of them.
func resident() uint64 {
	low := residentNow()
	for range 9 {
		low = min(low, residentNow())
	}
	return low
}

func residentNow() uint64 {
	debug.FreeOSMemory() // what waits to be collected is not a leak
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return liveHeap()
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err == nil {
				return kib << 10
			}
		}
	}
	return liveHeap()
}
