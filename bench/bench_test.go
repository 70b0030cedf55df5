package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

// The losses of the first four steps, on which PyTorch, JAX, MLX, tinygrad,
// IREE and NumPy agree.
func TestTrainMLPLosses(t *testing.T) {
	r, err := trainMLP(&env{backend: "cpu", threads: 1, quick: true})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{2.302726, 2.299401, 2.299050, 2.297281}, r.Losses, 1e-6)
}

func TestWorkloads(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range workloads {
		t.Run(w.name, func(t *testing.T) {
			require.False(t, seen[w.name])
			seen[w.name] = true
			require.NotEqual(t, w.program == nil, w.run == nil)
			if w.program != nil {
				require.True(t, w.program.flops > 0 || w.program.bytes > 0)
				return // TestPrograms has them smaller
			}
			if slices.ContainsFunc(forDevices, func(d workload) bool { return d.name == w.name }) {
				return // so has TestForDevices
			}
			r, err := w.measure(&env{backend: "cpu", threads: 1, quick: true})
			if strings.HasPrefix(w.name, "peak_fma") && err != nil {
				t.Skip(err)
			}
			require.NoError(t, err)
			require.Positive(t, r.Min)
			require.GreaterOrEqual(t, r.Median, r.Min)
			require.Positive(t, r.Reps)
			if strings.HasPrefix(w.name, "record_") {
				require.Positive(t, r.Allocs)
				require.LessOrEqual(t, r.Allocs, 2.0, "heap objects for an op recorded, its line included")
			}
		})
	}
	_, err := step1Add(&env{backend: "abacus"})
	require.ErrorContains(t, err, "abacus")
}

// Every program gives what its formula says, in sizes that leave remainders,
// and a wrong result is found.
func TestPrograms(t *testing.T) {
	for name, p := range map[string]*program{
		"affine_relu": affineReLU(1003), "tanh": tanhChain(1003), "gelu": geluOf(1003), "expgelu": expGELU(1003), "fma3": fma3(1003), "chain20": chain20(1003),
		"ew100": ew100(6, 20), "softmax": softmaxRows(33, 65), "layernorm": layerNormRows(33, 65),
		"sum0": sumColumns(33, 65), "sum1": sumRows(33, 65), "sumall": sumAll(33, 65), "transpose": transposed(33, 65),
		"copy": copied(33, 65), "cumsum": cumulated(33, 65),
		"matmul": matMul(37, lazy.F32), "bf16matmul": matMul(37, lazy.BF16), "matvec": matVec(37),
		"conv3": convolution{2, 9, 5, 7, 3, 1}.program(), "conv7s2": convolution{1, 13, 3, 8, 7, 2}.program(),
		"conv3_last": convolution{2, 9, 5, 7, 3, 1}.inLayout(channelsLast).relu(),
		"bmm":        bmm(5, 12, 7, 9), "linear_gelu": linearGELU(13, 21, 34),
	} {
		t.Run(name, func(t *testing.T) {
			r, err := p.measure(&env{backend: "cpu", threads: 1, quick: true})
			require.NoError(t, err)
			require.Positive(t, r.Median)
			require.Positive(t, r.Fresh)

			wrong := *p
			wrong.want = func(in [][]float32, i int) (float64, float64) {
				v, size := p.want(in, i)
				return v + 0.01*float64(min(i, 1)) + 0.02, size
			}
			_, err = wrong.measure(&env{backend: "cpu", threads: 1, quick: true})
			require.ErrorContains(t, err, "wrong result: element 0 of ")
		})
	}
}

// The losses of the first four steps are JAX's.
func TestLossesOfTheCNNAreJAXs(t *testing.T) {
	r, err := trainCNN(&env{backend: "cpu", threads: 1, quick: true})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{2.304093, 2.303502, 2.302863, 2.302216}, r.Losses, 2e-6)
}

// What is measured on GPUs works, and is right, on a driver that stands in for one.
func TestForDevices(t *testing.T) {
	if trials.Few() {
		t.Skip("it takes 20 s and does not depend on libLLVM: make test runs it")
	}
	e := func() *env { return &env{backend: "cudasim", threads: 1, quick: true, small: true} }
	for _, w := range matching(workloads, "", "cudasim") {
		named := slices.Contains([]string{"train_mlp", "train_cnn"}, w.name) || slices.ContainsFunc(forDevices, func(d workload) bool { return d.name == w.name })
		if !named && smaller[w.name] == nil {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			r, err := w.measure(e())
			require.NoError(t, err)
			require.Positive(t, r.Median)
			if w.name == "step100_mix_host" {
				require.Less(t, r.Median, 0.1, "the step is waited for, which takes half a second")
			}
			require.Equal(t, w.program != nil || strings.HasPrefix(w.name, "train_"), r.Queued > 0)
			of := w.small
			if of == nil {
				of = smaller[w.name]
			}
			if of == nil || !slices.Contains([]string{"attention_16x8192x128_causal", "encoder_b1_s128"}, w.name) {
				return // the others' wrong results TestPrograms has
			}
			wrong := *of
			wrong.want = func(in [][]float32, i int) (float64, float64) {
				v, size := of.want(in, i)
				return v + 0.1, size
			}
			_, err = wrong.measure(e())
			require.ErrorContains(t, err, "wrong result: element 0 of ")
		})
	}
	w, err := named(workloads, "ew_fma3_16M")
	require.NoError(t, err)
	_, err = w.measure(e())
	require.ErrorContains(t, err, "there is no small one")
	for name := range smaller {
		_, err := named(workloads, name)
		require.NoError(t, err)
	}
}

// From what was measured follows when a graph pays.
func TestConcluded(t *testing.T) {
	said := concluded([]graphCost{
		{n: 4, one: 8e-6, graph: 9e-6, moved: 13e-6},
		{n: 100, one: 200e-6, graph: 20e-6, moved: 320e-6, rebuilt: 900e-6},
	})
	require.Equal(t, []cost{
		{"A launch, and setting a kernel of a graph", "2 µs, 3 µs"},
		{"A graph is cheaper", "while at most 60 % of the kernels have moved; with nothing moved, from 100 kernels on"},
		{"Making it pays", "after 5.0 runs"},
	}, said[2:])
	require.Contains(t, said[1].Value, "one by one 200 µs; as a graph 20 µs")
}

func TestRow(t *testing.T) {
	w := workload{name: "x", doc: "s per call"}
	var out bytes.Buffer
	printRow(&out, w, result{W: "x", Median: 1.5e-3, Min: 2e-7, Reps: 7, Allocs: 2, GFlops: 3, GBps: 4, Share: 0.25})
	require.Regexp(t, `^x +1\.5 ms  min +200 ns +7 reps +2\.00 allocs +3\.0 GF/s +25 % +s per call\n$`, out.String())
	out.Reset()
	printRow(&out, w, result{W: "x", Error: "wrong result"})
	require.Regexp(t, `^x +FAILED: wrong result\n$`, out.String())
}

func TestRate(t *testing.T) {
	m := machine{f32: 100, bf16: 200, copied: 40, read: 30}
	for _, c := range []struct {
		r    result
		want float64
	}{
		{result{W: "matmul_128", GFlops: 50}, 0.5},
		{result{W: "bf16matmul_512", GFlops: 50}, 0.25},
		{result{W: "matvec_4096", GFlops: 1, GBps: 30}, 0.75},
		{result{W: "program_sort", GBps: 30, Bytes: 2e9, Written: 1e9}, 0.75},
		{result{W: "program_decode", GBps: 15, Bytes: 2e9}, 0.5},
		{result{W: "peak_copy", GBps: 40}, 0},
		{result{W: "ew_tanh_64K", GBps: 90}, 0},
		{result{W: "step1_add_cached"}, 0},
	} {
		m.rate(&c.r)
		require.InDelta(t, c.want, c.r.Share, 1e-9, c.r.W)
	}
	m = machine{}
	m.learn(result{W: "peak_copy", GBps: 40})
	m.learn(result{W: "peak_read", GBps: 30})
	m.learn(result{W: "peak_fma_f32", GFlops: 100})
	m.learn(result{W: "peak_fma_bf16", GFlops: 200})
	m.learn(result{W: "matmul_128", GFlops: 50})
	require.Equal(t, machine{f32: 100, bf16: 200, copied: 40, read: 30}, m)
	r := result{GFlops: 3}
	machine{}.rate(&r)
	require.Zero(t, r.Share, "no peak, no share")
}

// With -profile a result has the kernels of its programs, in the order of what
// they took, which are printed but for those that took next to nothing.
func TestProfile(t *testing.T) {
	e := &env{backend: "cpu", threads: 1, quick: true, profile: true}
	_, err := softmaxRows(33, 65).measure(e)
	require.NoError(t, err)
	programs := e.last.Profile()
	require.NotEmpty(t, programs)
	require.GreaterOrEqual(t, programs[0].Total, programs[len(programs)-1].Total)
	programs[len(programs)-1].Total = 0
	var out bytes.Buffer
	require.NoError(t, machine{f32: 100, copied: 20}.printProfile(&out, result{Profile: programs}))
	require.Equal(t, len(programs)-1, strings.Count(out.String(), "STEP "))
	require.Contains(t, out.String(), "subtract, exp", "what else a row shows depends on the width of its times")
	require.Regexp(t, `rows\.go:\d+ reduce`, out.String())
}

func TestMedianOf(t *testing.T) {
	r := medianOf([]result{{Median: 3, Min: 3, PeakRSSMiB: 3}, {Median: 1, Min: 1}, {Median: 2, Min: 2, PeakRSSMiB: 2}})
	require.Equal(t, result{Median: 2, Min: 1, Reps: 3, PeakRSSMiB: 2}, r)
}

func TestMatching(t *testing.T) {
	require.Len(t, matching(workloads, "", "cpu"), len(workloads)-len(forDevices))
	require.Len(t, matching(workloads, "", "cuda:0"), len(workloads)-len(peaks))
	require.Len(t, withPeaks(matching(workloads, "^matmul_128$", "cuda"), "cuda", false), 2)
	require.Len(t, matching(workloads, "^record_", "cpu"), 2)
	require.Empty(t, matching(workloads, "nothing", "cpu"))
	require.Len(t, withPeaks(matching(workloads, "^matmul_128$", "cpu"), "cpu", false), 5)
	require.Len(t, withPeaks(matching(workloads, "^train_mlp$", "cpu"), "cpu", true), 5)
	require.Len(t, withPeaks(matching(workloads, "^record_", "cpu"), "cpu", false), 2, "nothing to hold against peaks")
	require.Len(t, withPeaks(matching(workloads, "", "cpu"), "cpu", false), len(workloads)-len(forDevices))
}
