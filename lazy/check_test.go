package lazy_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

// The package's short tests pass with every check on. An example that counts programs is left
// out: where indices are checked, sizes stay numbers. So is a test of how many programs are kept, which
// are thousands that the checks would look at.
func TestWithChecks(t *testing.T) {
	if os.Getenv("LTC_CHECK") == "1" {
		t.Skip("this is the run with checks")
	}
	if trials.Race {
		t.Skip("checks add no goroutine: the package's tests run once under the race detector")
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, "-test.count=1", "-test.short", "-test.skip=^(ExampleFunction_Inputs_generation|TestProgramCacheKeepsALimitedNumber)$")
	cmd.Env = append(os.Environ(), "LTC_CHECK=1", "LTC_SOAK=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestBorrowedDataIsShared(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	data := []float32{1, 2, 3}
	shared, copied := lazy.Borrow(tr, data), lazy.From(tr, data)
	y, z := shared.MulScalar(2), copied.MulScalar(2)
	data[0] = 10
	err := tr.MarkStep(y, z)
	if os.Getenv("LTC_CHECK") == "1" {
		require.ErrorIs(t, err, lazy.ErrUsage)
		require.Contains(t, err.Error(), "was written")
		return
	}
	require.NoError(t, err)
	require.Equal(t, []float32{20, 4, 6}, floats(t, y))
	require.Equal(t, []float32{2, 4, 6}, floats(t, z))
	require.Equal(t, []float32{10, 2, 3}, data, "steps only read what is borrowed")
}
