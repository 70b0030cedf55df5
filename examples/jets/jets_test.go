package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/internal/test/gputext"
	"ltc/ir/types"
	"ltc/soa"
	"ltc/soa/npy"
)

// A run on jets that it makes: gluons are told from quarks, and what the graph
// computes of the particles is what the jets were drawn with.
func TestRun(t *testing.T) {
	for _, backend := range []string{"gputext", "cpu"} {
		t.Run(backend, func(t *testing.T) {
			dir := t.TempDir()
			var log strings.Builder
			o := options{backend: backend, file: filepath.Join(dir, "made", "jets.npz"), tags: filepath.Join(dir, "tags.npz"), jets: 400, steps: 30, seed: 1, out: &log}
			f, err := o.run()
			require.NoError(t, err)
			require.Equal(t, 400, f.jets)
			require.Greater(t, f.particles, 400*20)
			require.Greater(t, f.area, 0.75)
			require.Less(t, f.off, 1e-5)
			require.Contains(t, log.String(), "drawing 400 jets")
			before, err := os.ReadFile(o.file)
			require.NoError(t, err)

			log.Reset()
			again, err := o.run()
			require.NoError(t, err)
			require.Equal(t, f, again, "a run follows from the seed and the file")
			require.NotContains(t, log.String(), "drawing")
			after, err := os.ReadFile(o.file)
			require.NoError(t, err)
			require.Equal(t, before, after)

			tags, err := npy.ReadArchive(o.tags)
			require.NoError(t, err)
			require.Len(t, tags, 3)
			require.Equal(t, "Score", tags[0].Name)
			for _, s := range soa.Slice[float32](tags[0].View) {
				require.True(t, s >= 0 && s <= 1)
			}
		})
	}
}

// The columns are the arrays' memory, and what is no table of jets is refused.
func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "jets.npz")
	require.NoError(t, options{file: file, jets: 10, seed: 2, out: io.Discard}.generate())
	jets, err := load(file)
	require.NoError(t, err)
	require.Equal(t, 10, jets.Len())
	all, err := soa.Elements[int32](jets.Col("Particles.Jet"))
	require.NoError(t, err)
	require.IsNonDecreasing(t, all)
	require.Equal(t, int32(9), all[len(all)-1])

	entries, err := npy.ReadArchive(file)
	require.NoError(t, err)
	without := func(name string) []npy.Entry {
		var rest []npy.Entry
		for _, e := range entries {
			if e.Name != name {
				rest = append(rest, e)
			}
		}
		return rest
	}
	refused := func(want string, entries ...npy.Entry) {
		require.NoError(t, npy.WriteArchive(file, entries))
		_, err := load(file)
		require.ErrorContains(t, err, want)
	}
	refused("there is no array ptd", without("ptd")...)
	refused("there is no array c_offset", without("c_offset")...)
	short, err := entry("mass", types.F32, []float32{1, 2})
	require.NoError(t, err)
	refused("Mass: it has 2 elements, and columns before it 10", append(without("mass"), short)...)
	offsets := make([]int64, 11)
	offsets[4] = 1 << 40
	wild, err := entry("c_offset", types.I64, offsets)
	require.NoError(t, err)
	refused("jet 3 has particles 0 to 1099511627776", append(without("c_offset"), wild)...)
	_, err = load(filepath.Join(t.TempDir(), "none.npz"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
