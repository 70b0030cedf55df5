package llvm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A plan is found by other processes of the executable, as long as compilers say the same.
func TestPlansOnDisk(t *testing.T) {
	needsBuildID(t)
	t.Setenv("LTC_CACHE", "")
	t.Setenv("LTC_LIBLLVM", "")
	t.Setenv("LTC_CACHE_DIR", t.TempDir())
	new(shared).KeepPlan("program", "the plan of a program", []byte("plan"))
	plan, ok := new(shared).KeptPlan("program")
	require.True(t, ok)
	require.Equal(t, "plan", string(plan))
	_, ok = new(shared).KeptPlan("another")
	require.False(t, ok)
	t.Setenv("LTC_LIBLLVM", "none")
	_, ok = new(shared).KeptPlan("program")
	require.False(t, ok)
	t.Setenv("LTC_LIBLLVM", "")
	t.Setenv("LTC_CACHE", "off")
	new(shared).KeepPlan("program", "", nil)
	_, ok = new(shared).KeptPlan("program")
	require.False(t, ok)
}
