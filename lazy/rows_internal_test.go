package lazy

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy/internal/metrics"
)

// Without a backend, or with several, there is no default device, and the error
// says what to do; devices are opened, with no other preparation.
func TestDevicesOpenWithoutPreparation(t *testing.T) {
	t.Setenv("LTC_DEVICE", "")
	_, err := defaultName(nil)
	require.EqualError(t, err, `default device: no backend is registered; import one for its side effect, such as _ "ltc/backends/reference/llvm"`)
	_, err = defaultName([]string{"cuda", "eval"})
	require.ErrorContains(t, err, "several backends are registered (cuda, eval) and none is cpu; call SetDefault, or set LTC_DEVICE")
	name, err := defaultName([]string{"eval"})
	require.NoError(t, err)
	require.Equal(t, "eval", name)

	// Opened twice, a backend has two devices with nothing in common.
	a, b := device(t, "eval"), device(t, "eval")
	x := From(NewTrace(a), []float32{1})
	require.ErrorIs(t, x.Add(From(NewTrace(b), []float32{1})).Err(), ErrPlacement)
	require.NoError(t, a.Close())
	require.Equal(t, []float32{2}, values(t, From(NewTrace(b), []float32{1}).AddScalar(1)))

	// An op before there is any device.
	for _, none := range []*Tensor{nil, {}} {
		err = none.Tanh().Err()
		require.ErrorIs(t, err, ErrUsage)
		require.ErrorContains(t, err, "rows_internal_test.go:")
	}
	require.ErrorIs(t, From[float32](nil, []float32{1}).Err(), ErrUsage)
}

// The nodes that the lazy tensor core never reuses (index, index_put, split,
// unbind) are reused like all others: the second step makes none.
func TestAllClassesOfNodesAreReused(t *testing.T) {
	tr := NewTrace(device(t, "eval"))
	for step := range 3 {
		x := From(tr, []float32{float32(step), 1, 2, 3}, 4, 1)
		indices := From(tr, []int32{3, 0})
		picked := x.Gather(indices)
		put := x.ScatterAdd(indices, picked)
		halves := []*Tensor{put.Narrow(0, 0, 2), put.Narrow(0, 2, 2)} // split
		rows := []*Tensor{x.Select(0, 0), x.Select(0, 3)}             // unbind
		y := Concatenate(0, halves...).Convert(F64).BroadcastTo(4, 2)
		z := Concatenate(0, rows...)
		if step > 0 {
			require.Zero(t, tr.b.Len(), "step %d", step)
		}
		require.NoError(t, tr.MarkStep(y, z))
		got, err := ToSlice[float64](y)
		require.NoError(t, err)
		f := float64(step)
		require.Equal(t, []float64{2 * f, 2 * f, 1, 1, 2, 2, 6, 6}, got)
		require.Equal(t, []float32{float32(step), 3}, values(t, z))
	}
	require.Len(t, tr.Report().Compiles, 1)
}

// Scalar arguments lie side by side in one block of memory, and setting them
// brings nothing to the device.
func TestScalarsLieInOneBlock(t *testing.T) {
	dev := device(t, "eval")
	tr := NewTrace(dev)
	var scalars []*Tensor
	for range 20 {
		scalars = append(scalars, tr.Scalar("s", 0), NewScalar(dev, "n", I64, 0))
	}
	base := scalars[0].val.view.Base()
	for i, s := range scalars {
		require.Equal(t, uintptr(8*i), uintptr(s.val.view.Base())-uintptr(base))
	}
	sum := func() *Tensor {
		y := Zeros(tr, F32)
		for _, s := range scalars {
			y = y.Add(tr.Read(s).Convert(F32))
		}
		return y
	}
	require.NoError(t, tr.MarkStep(sum()))
	brought, _ := dev.Metrics().Counter("DeviceDataCacheMiss")
	for step := range 10 {
		for _, s := range scalars {
			require.NoError(t, s.Set(float64(step)))
		}
		y := sum()
		require.NoError(t, tr.MarkStep(y))
		require.Equal(t, float64(40*step), y.Float())
	}
	now, _ := dev.Metrics().Counter("DeviceDataCacheMiss")
	require.Equal(t, brought, now)
	require.Len(t, tr.Report().Compiles, 1)
}

// With LTC_CHECK=1 every program that is used again without a search is held
// against the step that asks for it.
func TestChecksCompareReusedPrograms(t *testing.T) {
	defer func(was bool) { checking = was }(checking)
	checking = true
	tr := NewTrace(device(t, "eval"))
	record := func() *Tensor { return From(tr, []float32{3}).AddScalar(1) }
	for range 3 {
		y := record()
		require.NoError(t, tr.MarkStep(y))
		require.Equal(t, 4.0, y.Float())
	}
	y := record()
	m, ok := tr.b.Path().Note.(*memo)
	require.True(t, ok, "it has followed the steps before")
	other := NewTrace(tr.dev)
	require.NoError(t, other.MarkStep(From(other, []float32{3}).MulScalar(2)))
	m.program = other.stepped
	require.PanicsWithValue(t, "lazy: a step that follows an earlier one is another program", func() { _ = tr.MarkStep(y) })
}

// The lazy tensor core's environment variables are read, or docs/environment.md
// says why they have no effect.
func TestEnvironmentOfTheLazyTensorCoreIsKnown(t *testing.T) {
	page, err := os.ReadFile("../docs/environment.md")
	require.NoError(t, err)
	for _, name := range []string{
		"LTC_SAVE_TENSORS_FILE", "LTC_SAVE_TENSORS_FMT", "LTC_EXPERIMENTAL", "LTC_FORCE_FALLBACK", "LTC_ENABLE_DYNAMIC_SHAPES",
		"LTC_IR_DEBUG", "LTC_IR_DEBUG_ROOT_PATH", "LTC_TS_CUDA", "LTC_MAX_ASYNC_QUEUE", "VERBOSE", "VERBOSE_PRINT_FUNCTION", "XLA_TENSOR_UPDATE_SYNC",
	} {
		require.Equal(t, 1, strings.Count(string(page), "`"+name+"`")-strings.Count(string(page), "`LTC_CHECK`, `"+name+"` and"), name)
	}
}

// What the lazy tensor core's flags are by default: on where that only saves
// time, with its limits.
func TestDefaultsAreTheLazyTensorCores(t *testing.T) {
	for _, v := range Environment() {
		t.Setenv(v.Name, "")
	}
	dev := device(t, "eval")
	tr := NewTrace(dev)
	require.Equal(t, 100_000, dev.graphLimit, "torch_lazy_trim_graph_size")
	require.Equal(t, 1024, metrics.Reservoir, "torch_lazy_metrics_samples")
	require.EqualValues(t, 256<<20, dev.programs.Limit, "in bytes, not torch_lazy_compilation_cache_size programs")
	require.Equal(t, 1024, dev.closures)
	require.False(t, dev.strict)
	require.False(t, dev.opByOp)
	for range 2 { // torch_lazy_reuse_ir is on
		y := From(tr, []float32{1}).Exp()
		require.NoError(t, tr.MarkStep(y))
	}
	require.True(t, tr.b.Following())
	// torch_lazy_ir_debug: lines are always there.
	require.Contains(t, tr.StableHLO(), `loc("rows_internal_test.go":`)
}
