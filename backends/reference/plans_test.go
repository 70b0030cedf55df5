package reference

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/tiles"
	"ltc/internal/test/viewtest"
	"ltc/ir/types"
	"ltc/soa"
)

// keepingCompiler keeps plans in memory.
type keepingCompiler struct {
	tiles.Compiler
	plans map[string][]byte
}

func (k keepingCompiler) KeptPlan(program string) ([]byte, bool) {
	plan, ok := k.plans[program]
	return plan, ok
}

func (k keepingCompiler) KeepPlan(program, _ string, plan []byte) { k.plans[program] = plan }

// A program whose plan is kept computes the same bits as one that is made from its text, also
// for views.
func TestKeptPlans(t *testing.T) {
	for _, name := range []string{"encoder", "lstm", "decoder"} {
		data, err := os.ReadFile("../../testdata/exported/" + name + ".mlir")
		require.NoError(t, err)
		text := string(data) + strings.Repeat("// A long text.\n", leastPlanned/16)
		m, o := backends.NewModule(text), backends.Options{Name: name, Threads: 1}
		use := []kernel.Compiler{keepingCompiler{plans: map[string][]byte{}}}
		plans := plansFor(m, o, use, false)
		require.Nil(t, plans.get(t.Context()))
		p, err := backends.Load(t.Context(), m, o)
		require.NoError(t, err)
		made, err := compileKernels(t.Context(), p, o, use)
		require.NoError(t, err)
		plans.keep(made.(*compiled).Plan.Program)
		kept := plans.get(t.Context())
		require.NotNil(t, kept)
		read, err := compileProgram(t.Context(), o.File(), kept, o, use)
		require.NoError(t, err)
		require.Equal(t, made.Signature(), read.Signature())
		dense := arguments(made)
		views := make([]soa.View, len(dense))
		for i, v := range dense {
			views[i] = v
			if a := v.Type.Shape; len(a) == 2 && v.Type.DType == types.F32 {
				views[i] = viewtest.Strided(t, [][]int{{1, a[0]}}, a...)[0]
				require.NoError(t, soa.Copy(views[i], v))
			}
		}
		for _, args := range [][]soa.View{dense, views} {
			want, got := backends.Call{Args: args}, backends.Call{Args: args}
			require.NoError(t, made.Execute(t.Context(), &want))
			require.NoError(t, read.Execute(t.Context(), &got))
			for i := range want.Results {
				require.Equal(t, soa.Slice[float32](want.Results[i]), soa.Slice[float32](got.Results[i]))
			}
		}
		_, failed := read.Variants()
		require.Zero(t, failed)
	}
}

// Plans are kept of programs that take longer to plan than to read, where nothing asks for what
// happens on the way.
func TestPlansThatAreNotKept(t *testing.T) {
	long := strings.Repeat("// A long text.\n", leastPlanned/16)
	use := []kernel.Compiler{keepingCompiler{plans: map[string][]byte{}}}
	kept := func(text string, o backends.Options, use []kernel.Compiler, tiers bool) bool {
		return plansFor(backends.NewModule(text), o, use, tiers).keeper != nil
	}
	require.True(t, kept(long, backends.Options{}, use, false))
	require.False(t, kept(long[1:], backends.Options{}, use, false))
	require.False(t, kept(long, backends.Options{}, use, true))
	require.False(t, kept(long, backends.Options{Threads: -1}, use, false))
	require.False(t, kept(long, backends.Options{}, []kernel.Compiler{tiles.Compiler{}}, false))
	t.Setenv("LTC_CHECK", "1")
	require.False(t, kept(long, backends.Options{}, use, false))
}
