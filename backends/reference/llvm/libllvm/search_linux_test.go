package libllvm

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
)

// child runs one test of this package in a process of its own.
func childTest(t *testing.T, name string, env ...string) (string, error) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, "-test.run=^"+name+"$", "-test.v", "-test.count=1")
	cmd.Env = append(append(os.Environ(), inChild+"=1"), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

const inChild = "LIBLLVM_TEST_CHILD"

// mapped reports whether a libLLVM is in this process.
func mapped(t *testing.T) bool {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	return strings.Contains(string(maps), "libLLVM") || strings.Contains(string(maps), "libllvmlite")
}

// A process that does not compile loads nothing.
func TestLazy(t *testing.T) {
	if os.Getenv(inChild) == "" {
		out, err := childTest(t, "TestLazy")
		require.NoError(t, err, "%s", out)
		return
	}
	require.False(t, mapped(t))
	if l, err := Open(); err == nil {
		require.True(t, mapped(t), "%v", l)
	}
}

// Nobody waits for a library to come out of a pipe.
func TestPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "libLLVM-19.so.1")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := OpenFile(pipe)
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorContains(t, err, "it is no regular file")
}

// With nothing installed, the error says where was looked and what to do.
func TestSearchFindsNothing(t *testing.T) {
	saved, savedFiles := names, liteFiles
	defer func() { names, liteFiles = saved, savedFiles }()
	broken := filepath.Join(t.TempDir(), "libLLVM-18.so.1")
	require.NoError(t, os.WriteFile(broken, []byte("text"), 0o600))
	names = []string{"libLLVM-missing.so.1", broken}
	liteFiles = []string{"~/no/such/*/libllvmlite.so"}
	_, err := search(false)
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorContains(t, err, "no libLLVM: looked for libLLVM-missing.so.1, "+broken+", and in ~/no/such/*/libllvmlite.so; "+broken+" cannot be used: no shared library: ")
	require.ErrorContains(t, err, "make llvm")
}

// No process is started to try what is not there.
func TestPresent(t *testing.T) {
	require.False(t, present("libLLVM-99.so.1"))
	require.True(t, present("/usr/lib/any.so"))
	saved := directories
	defer func() { directories = saved }()
	directories = []string{t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(directories[0], "libLLVM-99.so.1"), nil, 0o600))
	require.True(t, present("libLLVM-99.so.1"))
	if l, err := OpenFile("libLLVM.so.19.1"); err == nil && strings.HasPrefix(l.Path(), "/usr/lib") {
		require.True(t, present("libLLVM.so.19.1"))
	}
}

func TestNameVersion(t *testing.T) {
	for name, want := range map[string]int{
		"libLLVM.so.19.1": 19, "libLLVM-19.so.1": 19, "/usr/lib/llvm-15/lib/libLLVM-15.so": 15, "libLLVM-17git.so": 17,
		"libLLVM.so": 0, "libllvmlite.so": 0, "liblLLVM-12.so": 0, "": 0,
	} {
		require.Equal(t, want, nameVersion(name).Major, name)
	}
}

// Files are looked at before they are mapped.
func TestInspect(t *testing.T) {
	_, err := inspect(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, errMissing)
	exe, err := os.Executable()
	require.NoError(t, err)
	_, err = inspect(exe)
	require.ErrorContains(t, err, "no shared library for this machine: ET_EXEC")

	l, err := OpenFile("libLLVM.so.19.1")
	if err != nil {
		t.Skip(err)
	}
	v, err := inspect(l.Path())
	require.NoError(t, err)
	require.Equal(t, 19, v.Major)
	start := make([]byte, 1<<20)
	f, err := os.Open(l.Path())
	require.NoError(t, err)
	defer f.Close()
	_, err = f.Read(start)
	require.NoError(t, err)
	cut := filepath.Join(t.TempDir(), "libLLVM.so.19.1")
	require.NoError(t, os.WriteFile(cut, start, 0o600))
	_, err = OpenFile(cut)
	require.ErrorIs(t, err, ErrNotFound)
	t.Log(err)
}

// The same library under two names is loaded once.
func TestOneLibrary(t *testing.T) {
	l, err := OpenFile("libLLVM.so.19.1")
	if err != nil {
		t.Skip(err)
	}
	link := filepath.Join(t.TempDir(), "mine.so")
	require.NoError(t, os.Symlink(l.Path(), link))
	again, err := OpenFile(link)
	require.NoError(t, err)
	require.Same(t, l, again)
}

// Compiling does not leak.
func TestFlatMemory(t *testing.T) {
	trials.Sequential(t)
	l, err := Open()
	if err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile("testdata/add.ll")
	require.NoError(t, err)
	resident := func() int {
		runtime.GC()
		status, err := os.ReadFile("/proc/self/statm")
		require.NoError(t, err)
		pages := strings.Fields(string(status))[1]
		n := 0
		for _, c := range pages {
			n = n*10 + int(c-'0')
		}
		return n * os.Getpagesize()
	}
	run := func(n int) {
		for range n {
			_, err := l.Compile(t.Context(), string(text), Options{Verify: true})
			require.NoError(t, err)
			_, err = l.Compile(t.Context(), string(text)+"mistake", Options{})
			require.Error(t, err)
		}
	}
	run(100)
	const n = 150
	limit := 4 << 10 // bytes a round
	if _, lite := l.engine.(*lite); lite {
		limit = 16 << 10 // its pass builders keep some 8 KiB each
	}
	grown := 1 << 30 // of the window with the least: what leaks grows in each
	for range 4 {
		before := resident()
		run(n)
		grown = min(grown, resident()-before)
	}
	t.Logf("%d bytes more after %d rounds", grown, n)
	require.Less(t, grown, n*limit)
}
