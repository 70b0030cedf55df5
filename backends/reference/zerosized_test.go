package reference

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/soa"
)

// What is right for all other sizes is not for no elements.
func TestNoElements(t *testing.T) {
	a, err := txtar.ParseFile("testdata/zerosized.txtar")
	require.NoError(t, err)
	for _, f := range a.Files {
		t.Run(f.Name, func(t *testing.T) {
			var all [2]backends.Executable
			for i, b := range []string{"cpu", "eval"} {
				b, err := backends.Open(b)
				require.NoError(t, err)
				all[i], err = b.Compile(t.Context(), backends.NewModule(string(f.Data)), backends.Options{Threads: 1})
				require.NoError(t, err)
			}
			require.IsType(t, &openExecutable{}, all[0])
			for _, n := range []int{3, 0, 1, 2, 0} {
				x, err := samples.Make(types.Of(types.F32, n, 2), "rand:1")
				require.NoError(t, err)
				var calls [2]*backends.Call
				for i, e := range all {
					calls[i] = &backends.Call{Args: []soa.View{x}}
					require.NoError(t, e.Execute(t.Context(), calls[i]))
				}
				for j, want := range calls[1].Results {
					require.Equal(t, want.Type, calls[0].Results[j].Type, n)
					for i := range want.Type.Elements() {
						require.Equal(t, samples.Bits(want, i), samples.Bits(calls[0].Results[j], i), n)
					}
				}
			}
		})
	}
}
