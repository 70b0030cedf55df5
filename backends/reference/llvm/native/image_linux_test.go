//go:build amd64 || arm64

package native

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
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
	for _, part := range []struct {
		mem []byte
		how string
	}{{im.mem.code, "r-xp"}, {im.mem.rest, "r--p"}} {
		found := mappings(t, uintptr(blockOf(part.mem).addr), len(part.mem))
		require.NotEmpty(t, found)
		for _, how := range found {
			require.Equal(t, part.how, how)
		}
	}
	im.Close()
	im.Close()
	require.PanicsWithValue(t, "native: kernel called after its image was closed", func() {
		kernel(t, im, "status").Call(nil)
	})
}

// An image lives as long as a kernel of it, and no longer: then its pages are
// zero, or another's.
func TestCleanup(t *testing.T) {
	file := testObject(t, "kernels", runtime.GOARCH)
	im, err := Load(file)
	require.NoError(t, err)
	chunk, page := im.mem.chunk, int(blockOf(im.mem.code).addr-blockOf(im.mem.chunk.mem).addr)/pageSize
	held := func() bool {
		images.mu.Lock()
		defer images.mu.Unlock()
		return chunk.code.used[page/64]>>(page%64)&1 != 0
	}
	k := kernel(t, im, "status")
	im = nil
	for range 3 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	word := int64(5)
	require.EqualValues(t, 5, k.Call(unsafe.Pointer(&word)))
	require.True(t, held())
	k = Kernel{}
	require.Eventually(t, func() bool { runtime.GC(); return !held() }, 10*time.Second, time.Millisecond)
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
	protect = func(mem []byte, how int) error {
		if how&syscall.PROT_EXEC != 0 {
			return syscall.EPERM
		}
		return syscall.Mprotect(mem, how)
	}
	_, err = Load(file)
	require.ErrorIs(t, err, ErrNoExec)
}

// The mappings that a process may have are a few for each chunk, and not for each
// image: 3,000 images had 6,000.
func TestImagesShareMappings(t *testing.T) {
	file := testObject(t, "kernels", runtime.GOARCH)
	count := func() int {
		maps, err := os.ReadFile("/proc/self/maps")
		require.NoError(t, err)
		require.NotContains(t, string(maps), "wx")
		return strings.Count(string(maps), "\n")
	}
	before := count()
	all := make([]*Image, 3000)
	random := rand.New(rand.NewPCG(1, 2))
	for turn := range 4 { // all, then a third of them at random anew
		for i := range all {
			if turn > 0 {
				if random.IntN(3) > 0 {
					continue
				}
				all[i].Close()
			}
			var err error
			all[i], err = Load(file)
			require.NoError(t, err)
		}
		require.Less(t, count()-before, 100)
		for i, im := range all {
			word := int64(i)
			require.EqualValues(t, i, kernel(t, im, "status").Call(unsafe.Pointer(&word)))
		}
	}
	for _, im := range all {
		im.Close()
	}
	require.Less(t, count()-before, 20)
	images.mu.Lock()
	defer images.mu.Unlock()
	require.LessOrEqual(t, len(images.chunks), 2)
}

// An image that is too large for a chunk has one of its own, which goes with it.
func TestLargeImagesHaveAChunkOfTheirOwn(t *testing.T) {
	var a arena
	for _, sizes := range [][2]int{{mostShared + pageSize, pageSize}, {pageSize, 3 * halfBytes}, {halfBytes, 0}} {
		small, err := a.take(pageSize, 0)
		require.NoError(t, err)
		s, err := a.take(sizes[0], sizes[1])
		require.NoError(t, err)
		require.Len(t, a.chunks, 2)
		require.Len(t, s.code, sizes[0])
		require.Len(t, s.rest, sizes[1])
		clear(s.code)
		clear(s.rest)
		a.give(s)
		require.Len(t, a.chunks, 1)
		a.give(small)
		require.Zero(t, a.live)
	}
	require.NoError(t, release(a.chunks[0].mem))
}

// Memory is handed out once, zeroed, whatever was given back before.
func TestArenaIsExact(t *testing.T) {
	var a arena
	random := rand.New(rand.NewPCG(3, 4))
	var all []*span
	for range 3000 {
		if len(all) > 40 || len(all) > 0 && random.IntN(3) == 0 {
			i := random.IntN(len(all))
			a.give(all[i])
			all = slices.Delete(all, i, i+1)
			continue
		}
		s, err := a.take((1+random.IntN(40))*pageSize, random.IntN(40)*pageSize)
		require.NoError(t, err)
		for _, mem := range [][]byte{s.code, s.rest} {
			for i := 0; i < len(mem); i += pageSize {
				require.Zero(t, mem[i])
				mem[i] = 1
			}
		}
		all = append(all, s)
	}
	for _, s := range all {
		a.give(s)
	}
	require.Zero(t, a.live)
	require.Len(t, a.chunks, 1)
	require.NoError(t, release(a.chunks[0].mem))
}

// A system that has no memory or no mapping left is told from one that forbids
// code, and costs nothing that was there before.
func TestExhaustedMemoryIsToldFromForbiddenCode(t *testing.T) {
	file := testObject(t, "kernels", runtime.GOARCH)
	loadTest(t, "kernels")
	defer func() { mmap, protect = syscall.Mmap, syscall.Mprotect }()
	live := images.live
	for refused := range 4 {
		n := 0
		protect = func(mem []byte, how int) error {
			if n++; n > refused {
				return syscall.ENOMEM
			}
			return syscall.Mprotect(mem, how)
		}
		_, err := Load(file)
		require.ErrorIs(t, err, ErrExhausted)
		require.NotErrorIs(t, err, ErrNoExec)
		require.Equal(t, live, images.live)
	}
	protect = syscall.Mprotect
	mmap = func(int, int64, int, int, int) ([]byte, error) { return nil, syscall.ENOMEM }
	_, err := new(arena).take(pageSize, 0)
	require.ErrorIs(t, err, ErrExhausted)
	im, err := Load(file)
	require.NoError(t, err, "there is room in what the arena has")
	im.Close()
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
