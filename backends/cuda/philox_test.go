package cuda

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/internal/test/cudafake"
	"ltc/internal/test/optest"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// The composite ltc.philox4x32 has the bits of the evaluator and of its paper, also where
// the counter's uniform run over, and no host computes it.
func TestPhilox(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{})
	a, err := txtar.ParseFile("../../testdata/ops/philox4x32.txtar")
	require.NoError(t, err)
	ran := map[int]bool{} // by words
	for _, f := range a.Files {
		text := string(f.Data)
		if !strings.HasSuffix(f.Name, ".mlir") || !strings.Contains(text, `stablehlo.composite "ltc.philox4x32"`) {
			continue
		}
		listing, err := Listing(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		require.NotContains(t, listing, "run by the host")
		e := compile(t, b, text, backends.Options{})
		for _, state := range [][2]uint64{{0, 0}, {42, 7}, {0x0123456789abcdef, math.MaxUint32}, {math.MaxUint64, math.MaxUint64 - 1}, {1 << 63, 1<<40 - 1}} {
			v := soa.Make(types.Of(types.U64, 2))
			copy(soa.Slice[uint64](v), state[:])
			c := &backends.Call{Args: []soa.View{v}}
			require.NoError(t, e.Execute(t.Context(), c))
			got := soa.Slice[uint32](c.Results[0])
			require.Equal(t, soa.Slice[uint32](results(t, text, v)[0]), got, "%s of %x", f.Name, state)
			require.Equal(t, paper(state[0], state[1], len(got)), got, "%s of %x", f.Name, state)
			ran[len(got)] = true
		}
	}
	require.Contains(t, ran, 4, "one block")
	require.Contains(t, ran, 10, "blocks of which the last is not taken whole")
}

// paper returns the first words of a key and counter, as the paper computes each block.
func paper(key, counter uint64, words int) []uint32 {
	var all []uint32
	for ; len(all) < words; counter++ {
		b := optest.Philox([4]uint32{uint32(counter), uint32(counter >> 32)}, [2]uint32{uint32(key), uint32(key >> 32)})
		all = append(all, b[:]...)
	}
	return all[:words]
}

// Streams of package lazy draw the same bits on a GPU as on the evaluator, step by step.
func TestPhiloxStreams(t *testing.T) {
	gpu, _, _ := openLazy(t, cudafake.Options{})
	eval, err := lazy.Open("eval")
	require.NoError(t, err)
	draw := func(d *lazy.Device) []string {
		r, tr := lazy.NewRandom(d, 0x5eed), lazy.NewTrace(d)
		var all []string
		for _, n := range []int{1, 10, 1001} {
			bits, uniform := r.Bits(tr, n), r.Uniform(tr, lazy.F32, n)
			require.NoError(t, tr.MarkStep(bits, uniform))
			words, err := lazy.ToSlice[uint32](bits)
			require.NoError(t, err)
			numbers, err := lazy.ToSlice[float32](uniform)
			require.NoError(t, err)
			all = append(all, fmt.Sprint(words, numbers))
		}
		return all
	}
	require.Equal(t, draw(eval), draw(gpu))
}
