package reference

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/kittest"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/soa"
)

// Work that the backend claims is compiled where sizes are open, and gives the bits of programs
// of numbers, for any sizes.
func TestClaimsOfOpenSizes(t *testing.T) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	for name := range programs.Claimed {
		t.Run(name, func(t *testing.T) {
			e := kittest.SameAsNumbers(t, cpu, name)
			require.IsType(t, &openExecutable{}, e)
			_, evaluated := e.(*openExecutable).Compiled()
			require.Zero(t, evaluated)
		})
	}
}

// Runs of other sizes allocate nothing, but where they take more memory.
func TestClaimsOfOpenSizesAllocateNothing(t *testing.T) {
	trials.Sequential(t) // pools forget at random under the race detector
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	for name, text := range programs.Claimed {
		e, err := cpu.Compile(t.Context(), backends.NewModule(programs.OfSizes(text, "?", "?")), backends.Options{Threads: 1})
		require.NoError(t, err)
		var calls []*backends.Call
		for _, n := range [][2]int{{20, 40}, {3, 8}, {4, 20}, {5, 33}, {6, 6}} {
			p, err := cpu.Compile(t.Context(), backends.NewModule(programs.OfSizes(text, n[0], n[1])), backends.Options{Threads: 1})
			require.NoError(t, err)
			c := &backends.Call{}
			for _, a := range p.Signature().Args {
				c.Args = append(c.Args, soa.Make(a.Type))
			}
			require.NoError(t, e.Execute(t.Context(), c))
			calls = append(calls, c)
		}
		require.Zero(t, trials.Allocs(20, func() {
			for _, c := range calls {
				if err := e.Execute(t.Context(), c); err != nil {
					t.Fatal(err)
				}
			}
		}), name)
	}
}
