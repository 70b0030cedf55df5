//go:build amd64 || arm64

package native

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// mappings returns how the system describes the memory of an image.
func mappings(t *testing.T, start uintptr, n int) []string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	var found []string
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		var how string
		fmt.Sscanf(line, "%x-%x %s", &from, &to, &how)
		if from < start+uintptr(n) && start < to {
			found = append(found, how)
		}
	}
	return found
}

// Code can be run but not written, constants neither.
func TestProtection(t *testing.T) {
	im := loadTest(t, "kernels")
	start := uintptr(unsafe.Pointer(unsafe.SliceData(im.mem)))
	found := mappings(t, start, im.Bytes())
	require.NotEmpty(t, found)
	require.Equal(t, "r-xp", found[0])
	for _, how := range found[1:] {
		require.Equal(t, "r--p", how)
	}
	im.Close()
	im.Close()
	require.PanicsWithValue(t, "native: kernel called after its image was closed", func() {
		kernel(t, im, "status").Call(nil)
	})
}

// An image lives as long as a kernel of it, and no longer.
func TestCleanup(t *testing.T) {
	file := testObject(t, "kernels", runtime.GOARCH)
	im, err := Load(file)
	require.NoError(t, err)
	start, n := uintptr(unsafe.Pointer(unsafe.SliceData(im.mem))), im.Bytes()
	k := kernel(t, im, "status")
	im = nil
	for range 3 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	word := int64(5)
	require.EqualValues(t, 5, k.Call(unsafe.Pointer(&word)))
	executable := func() bool {
		for _, how := range mappings(t, start, n) {
			if strings.Contains(how, "x") {
				return true
			}
		}
		return false
	}
	require.True(t, executable())
	k = Kernel{}
	require.Eventually(t, func() bool { runtime.GC(); return !executable() }, 10*time.Second, time.Millisecond)
}

// The system's refusal is told from other errors. It is one of this process
// when it has asked for it (PR_SET_MDWE, from Linux 6.3 on).
func TestNoExecutableMemory(t *testing.T) {
	const env = "NATIVE_TEST_NO_EXEC"
	file := testObject(t, "kernels", runtime.GOARCH)
	if os.Getenv(env) != "" {
		const setMDWE, refuseExecGain = 65, 1
		if _, _, errno := syscall.Syscall6(syscall.SYS_PRCTL, setMDWE, refuseExecGain, 0, 0, 0, 0); errno != 0 {
			t.Skipf("the system cannot refuse it: %v", errno)
		}
		_, err := Load(file)
		require.ErrorIs(t, err, ErrNoExec)
		require.ErrorIs(t, err, syscall.EACCES)
		require.EqualError(t, err, "native: load object: no executable memory: the system refuses it to this process (permission denied)")
		return
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, "-test.run=^TestNoExecutableMemory$", "-test.v")
	cmd.Env = append(os.Environ(), env+"=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)

	defer func() { protect = syscall.Mprotect }()
	protect = func(_ []byte, how int) error {
		if how&syscall.PROT_EXEC != 0 {
			return syscall.EPERM
		}
		return nil
	}
	_, err = Load(file)
	require.ErrorIs(t, err, ErrNoExec)
	protect = func([]byte, int) error { return syscall.ENOMEM }
	_, err = Load(file)
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrNoExec)
}

// Goroutines load, call and close at the same time.
func TestConcurrentLoads(t *testing.T) {
	file := testObject(t, "kernels", runtime.GOARCH)
	shared := kernel(t, loadTest(t, "kernels"), "caller")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 200 {
				im, err := Load(file)
				if err != nil {
					t.Error(err)
					return
				}
				k, _ := im.Kernel("caller")
				word := int64(i)
				if k.Call(unsafe.Pointer(&word)) != int32(i+1)*2 || shared.Call(unsafe.Pointer(&word)) != int32(i+1)*2 {
					t.Error("a wrong status")
				}
				im.Close()
			}
		})
	}
	all.Wait()
}
