package manyprograms

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/cuda/cudasim"
	_ "ltc/backends/reference/llvm"
	"ltc/internal/diag"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

func TestMain(m *testing.M) {
	os.Setenv("LTC_CACHE", "off")
	os.Exit(m.Run())
}

// step records and runs a program that differs from others by a constant.
func step(tr *lazy.Trace, i, ops int) error {
	x := lazy.From(tr, []float32{1, 2, 3, 4})
	y := x.MulScalar(1 + float64(i)/1024)
	for range ops {
		y = y.AddScalar(1).Abs()
	}
	return tr.MarkStep(y)
}

// mappings returns how many mappings the process has; 0 where the system does not
// tell.
func mappings() int {
	maps, _ := os.ReadFile("/proc/self/maps")
	return strings.Count(string(maps), "\n")
}

// resident returns the memory of the process, in bytes.
func resident() int {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, _ := strconv.Atoi(strings.Fields(rest)[0])
			return kib << 10
		}
	}
	return 0
}

func heap() int {
	var m runtime.MemStats
	least := math.MaxInt
	for same := 0; same < 3; same++ { // cleanups run beside, and what they let go is garbage then
		runtime.GC()
		time.Sleep(time.Millisecond)
		runtime.ReadMemStats(&m)
		if int(m.HeapAlloc) < least {
			least, same = int(m.HeapAlloc), 0
		}
	}
	return least
}

// A constant that changes in each step is a program a step. They take no mapping
// each, and no more memory than their limit, however many there are: 200,000 with
// make soak, and the standard limit.
func TestManyProgramsAreFlat(t *testing.T) {
	n, options := 240, []lazy.Option{lazy.ProgramCacheLimit(512 << 10)}
	if trials.Soaking() {
		n, options = trials.Soak(n, 200_000), nil
	}
	t.Setenv("LTC_TIERS", "0") // so that libLLVM is open, which has mappings of its own
	waits, err := lazy.Open("cpu")
	require.NoError(t, err)
	require.NoError(t, step(lazy.NewTrace(waits), n, 0))
	require.NoError(t, waits.Wait(t.Context()))
	t.Setenv("LTC_TIERS", "")
	dev, err := lazy.Open("cpu", options...)
	require.NoError(t, err)
	tr, start := lazy.NewTrace(dev), time.Now()
	var maps, memory int
	for i := range n {
		require.NoError(t, step(tr, i, 0))
		if i == n/2 {
			maps, memory = mappings(), resident()
		}
		if trials.Soaking() && i%(n/20) == 0 {
			fmt.Printf("soak: %d programs in %.0f s: %s resident, %d mappings, cache %v\n", i, time.Since(start).Seconds(), diag.Bytes(int64(resident())), mappings(), dev.ProgramCacheStats())
		}
	}
	s := dev.ProgramCacheStats()
	require.LessOrEqual(t, s.Bytes, s.Limit)
	require.Less(t, mappings(), maps+60)
	if trials.Soaking() {
		require.Less(t, resident(), memory+memory/4)
	}
}

// What backends say of their programs is about what these keep of the heap. On the GPU
// that is not there some 60 % of it is the interpreter's form of the kernels.
func TestProgramsTakeWhatTheySay(t *testing.T) {
	t.Setenv("LTC_TIERS", "0") // what compiles meanwhile has memory, too
	const n = 24
	for _, backend := range []string{"eval", "cpu", "cudasim"} {
		for _, ops := range []int{0, 30} {
			dev, err := lazy.Open(backend)
			require.NoError(t, err)
			var before, said int
			for i := range n + 3 {
				if i == 3 { // after what is made once
					before, said = heap(), int(dev.ProgramCacheStats().Bytes)
				}
				require.NoError(t, step(lazy.NewTrace(dev), i, ops))
			}
			require.NoError(t, dev.Wait(t.Context())) // runs that are queued hold memory, too
			took := heap() - before
			said = int(dev.ProgramCacheStats().Bytes) - said
			t.Logf("%s, %d ops: %d bytes a program, %d are said", backend, 2*ops, took/n, said/n)
			least := took * 3 / 4
			if backend == "cudasim" {
				least = took / 3
			}
			require.Greater(t, said, least, "%s, %d ops", backend, 2*ops)
			require.Less(t, said, took*2+n*16<<10, "%s, %d ops", backend, 2*ops) // code is not on the heap
			runtime.KeepAlive(dev)
		}
	}
}

// Code that a program is given for views that lie in other ways counts, and older programs
// give way to it.
func TestLayoutsOfViewsCount(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	whole := soa.Make(types.Of(types.F32, 4000))
	run := func(strides ...int) {
		v, err := whole.Restride(types.Of(types.F32, 20, 30), 0, strides)
		require.NoError(t, err)
		y := lazy.FromView(tr, v).Exp().Sum(1)
		require.NoError(t, tr.MarkStep(y))
		require.NoError(t, tr.Wait(t.Context()))
	}
	run(30, 1)
	dense := dev.ProgramCacheStats()
	require.Equal(t, 1, dense.Programs)
	for i, strides := range [][]int{{1, 20}, {60, 2}, {0, 1}, {1, 0}} {
		before := dev.ProgramCacheStats().Bytes
		run(strides...)
		require.Greater(t, dev.ProgramCacheStats().Bytes, before+dense.Bytes/8, i)
	}
	grown := dev.ProgramCacheStats()
	require.Equal(t, 1, grown.Programs)
	run(1, 20)
	require.Equal(t, grown, dev.ProgramCacheStats(), "there is code for it")
}
