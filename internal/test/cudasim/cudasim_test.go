package cudasim

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/conformance"
	"ltc/internal/test/cudafake"
	_ "ltc/internal/test/interpreter" // what the suite's programs exchange
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// The dialect's own tests, where they have been put beside the repository: kernels of
// theirs are run as PTX.
func TestConformance(t *testing.T) {
	suite := trials.Suite()
	if _, err := os.Stat(suite); err != nil {
		t.Skip("the dialect's tests are not there: ", suite)
	}
	b, err := backends.Open("cudasim")
	require.NoError(t, err)
	conforms(t, b, suite)
	if !trials.Soaking() {
		return
	}
	for i := range uint64(trials.Soak(0, 2)) { // drivers that do what is queued at other times
		b, err := Open(cudafake.Options{Seed: 1 + i, Memory: 8 << 30})
		require.NoError(t, err)
		conforms(t, b, suite)
	}
}

func conforms(t *testing.T, b backends.Backend, suite string) {
	files, err := conformance.Files([]string{suite + "/interpret", suite + "/testdata"})
	require.NoError(t, err)
	if trials.Few() {
		files = files[:len(files)/8]
	}
	known, err := conformance.ReadKnown("../../../docs/conformance.md")
	require.NoError(t, err)
	passed := 0
	o := conformance.Options{Workers: runtime.GOMAXPROCS(0), Timeout: time.Minute}
	require.NoError(t, conformance.RunFiles(t.Context(), b, files, o, func(r conformance.Result) {
		allowed := known.Note(r)
		if r.Outcome == conformance.Failed && !allowed {
			t.Errorf("%s: %v", r.Unit.Name(), r.Reasons)
		}
		if r.Outcome == conformance.Passed {
			passed++
		}
	}))
	kernels := b.(*Backend).Fake.Ran()
	if !trials.Few() {
		require.Greater(t, passed, 1700)
		require.Greater(t, kernels, int64(1000), "most of what ran is kernels and copies")
	}
	t.Logf("%d passed, %d kernels and copies ran", passed, kernels)
}

// What a program does wrong is its run's error.
func TestViolations(t *testing.T) {
	b, err := Open(cudafake.Options{})
	require.NoError(t, err)
	e, err := b.Compile(t.Context(), backends.NewModule(`func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}`), backends.Options{})
	require.NoError(t, err)
	x, err := b.Make(types.Of(types.F32, 4))
	require.NoError(t, err)
	err = e.Execute(t.Context(), &backends.Call{Args: []soa.View{x}})
	require.ErrorContains(t, err, "which nothing has written")
	require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: []soa.View{soa.Make(x.Type)}}))
}

// What executables of package cuda tell of themselves, these do, too, bound or not.
func TestTelling(t *testing.T) {
	b, err := backends.Open("cudasim")
	require.NoError(t, err)
	for _, n := range []string{"4", "?"} {
		e, err := b.Compile(t.Context(), backends.NewModule("func.func public @main(%a: tensor<"+n+"xf32>) -> tensor<"+n+`xf32> {
  %0 = stablehlo.add %a, %a : tensor<`+n+"xf32>\n  return %0 : tensor<"+n+"xf32>\n}"), backends.Options{})
		require.NoError(t, err)
		bound, err := e.Bind(t.Context(), nil)
		require.NoError(t, err)
		for _, x := range []backends.Executable{e, bound} {
			c := &backends.Call{Args: []soa.View{soa.Make(types.Of(types.F32, 4))}}
			require.NoError(t, x.Execute(t.Context(), c))
			require.EqualValues(t, 32, x.(backends.Copying).CopiedBytes(), n)
			if n == "?" {
				c.Results = []soa.View{soa.Make(types.Of(types.F32, 5))}
				require.ErrorContains(t, x.(backends.Sizing).CheckSizes(c), "want f32[4], got f32[5]")
			} else {
				require.NotNil(t, x.(backends.Sized))
			}
		}
	}
}
