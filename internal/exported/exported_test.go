// Package exported runs programs that JAX exported, as they are, and compares
// with the results that JAX recorded: testdata/exported, which
// tools/export/export.py writes.
//
// imports only ltc/backends, ltc/backends/reference, ltc/internal/samples,
// ltc/mlir, ltc/soa/npy, ltc/soa and ltc/ir/types.
package exported

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/reference"
	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/soa"
	"ltc/soa/npy"
)

const (
	dir       = "../../testdata/exported"
	tolerance = 1e-5 // absolute, plus as much of the recorded value
)

// names returns the programs that are there.
func names(t *testing.T) []string {
	files, err := filepath.Glob(filepath.Join(dir, "*.mlir"))
	require.NoError(t, err)
	var all []string
	for _, f := range files {
		all = append(all, strings.TrimSuffix(filepath.Base(f), ".mlir"))
	}
	return all
}

func text(t *testing.T, name string) string {
	data, err := os.ReadFile(filepath.Join(dir, name+".mlir"))
	require.NoError(t, err)
	return string(data)
}

// arrays returns the arrays of an archive in the order of their numbers.
func arrays(t *testing.T, file, prefix string) []soa.View {
	entries, err := npy.ReadArchive(filepath.Join(dir, file))
	require.NoError(t, err)
	views := make([]soa.View, len(entries))
	for i := range views {
		name := fmt.Sprintf("%s%d", prefix, i)
		k := slices.IndexFunc(entries, func(e npy.Entry) bool { return e.Name == name })
		require.GreaterOrEqual(t, k, 0, "%s has no %s", file, name)
		views[i] = entries[k].View
	}
	return views
}

func TestFiles(t *testing.T) {
	all := names(t)
	require.Subset(t, all, []string{"encoder", "decoder", "convnet"})
	var want []string
	for _, name := range all {
		want = append(want, name+".in.npz", name+".mlir", name+".out.npz")
	}
	found, err := os.ReadDir(dir)
	require.NoError(t, err)
	var have []string
	for _, f := range found {
		have = append(have, f.Name())
	}
	require.ElementsMatch(t, want, have)
}

func TestPrograms(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			exe, err := b.Compile(ctx, backends.NewModule(text(t, name)), backends.Options{Name: name + ".mlir"})
			require.NoError(t, err)
			sig := exe.Signature()
			args := arrays(t, name+".in.npz", "arr_")
			require.Len(t, args, len(sig.Args))
			call := &backends.Call{Args: args, Results: make([]soa.View, len(sig.Results))}
			require.NoError(t, exe.Execute(ctx, call))
			want := arrays(t, name+".out.npz", "out")
			require.Len(t, want, len(call.Results))
			for i, got := range call.Results {
				require.NoError(t, compare(got, want[i]), "result %d", i)
			}
		})
	}
}

// compare reports the first element that is not what was recorded: floats
// within the tolerance, all else exactly.
func compare(got, want soa.View) error {
	if !got.Type.Equal(want.Type) {
		return fmt.Errorf("is %v, want %v", got.Type, want.Type)
	}
	got, err := samples.Dense(got)
	if err != nil {
		return err
	}
	if want, err = samples.Dense(want); err != nil {
		return err
	}
	for i := range want.Type.Elements() {
		if !want.Type.DType.IsFloat() {
			if a, b := samples.Bits(got, i), samples.Bits(want, i); a != b {
				return fmt.Errorf("element %d of %v is %#x, want %#x", i, want.Type, a, b)
			}
			continue
		}
		a, b := samples.Float(got, i), samples.Float(want, i)
		if !near(a, b) {
			return fmt.Errorf("element %d of %v is %.9g, want %.9g: off by %.2g", i, want.Type, a, b, math.Abs(a-b))
		}
	}
	return nil
}

func near(got, want float64) bool {
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return got == want || math.IsNaN(got) && math.IsNaN(want)
	}
	return math.Abs(got-want) <= tolerance+tolerance*math.Abs(want)
}

func TestCompare(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		got, want float64
		near      bool
	}{
		{1, 1 + 1.9e-5, true},
		{1, 1 + 2.1e-5, false},
		{0, 0.9e-5, true},
		{0, -1.1e-5, false},
		{1000, 1000.009, true},
		{1000, 1000.011, false},
		{nan, nan, true},
		{nan, 1, false},
		{1, nan, false},
		{inf, inf, true},
		{-inf, inf, false},
		{1, inf, false},
		{inf, 1, false},
	} {
		require.Equal(t, c.near, near(c.got, c.want), "%v for %v", c.got, c.want)
	}
	floats, err := soa.Borrow([]float32{1, 2}, types.Of(types.F32, 2))
	require.NoError(t, err)
	others, err := soa.Borrow([]float32{1, 2.001}, types.Of(types.F32, 2))
	require.NoError(t, err)
	require.NoError(t, compare(floats, floats))
	require.ErrorContains(t, compare(floats, others), "element 1 of f32[2] is 2, want 2.00099993")
	ints, err := soa.Borrow([]int32{7, 8}, types.Of(types.I32, 2))
	require.NoError(t, err)
	require.ErrorContains(t, compare(ints, floats), "is i32[2], want f32[2]")
	more, err := soa.Borrow([]int32{7, 9}, types.Of(types.I32, 2))
	require.NoError(t, err)
	require.ErrorContains(t, compare(more, ints), "element 1 of i32[2] is 0x9, want 0x8")
}
