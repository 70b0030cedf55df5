package libllvm

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// without lets search find no program, for one test.
func without(t *testing.T) {
	saved, savedFiles := tools, zigFiles
	t.Cleanup(func() { tools, zigFiles = saved, savedFiles })
	tools, zigFiles = nil, nil
}

// fake writes a program that says it is of a version and otherwise runs a script,
// in which $out is the file that is asked for.
func fake(t *testing.T, dir, name, version, script string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	text := `#!/bin/sh
case "$*" in *--version) echo "` + version + `"; exit;; esac
while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
` + script
	require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
	return path
}

// works leaves what begins like an object.
const works = `printf '\177ELF' >"$out"`

const clang19 = "Debian clang version 19.1.7 (3~deb12u1)"

// empty requires that compilations have left nothing in a directory.
func empty(t *testing.T, dir string) {
	t.Helper()
	require.Eventually(t, func() bool {
		left, err := filepath.Glob(filepath.Join(dir, "ltc-llvm-*"))
		return err == nil && len(left) == 0
	}, 10*time.Second, time.Millisecond)
}

// Programs of LLVM's compile as libraries do, in directories that do not stay.
func TestTools(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for _, c := range []struct{ name, version, want string }{
		{"clang", clang19, "LLVM 19.1.7 by clang"},
		{"clang-20", "clang version 20.1", "LLVM 20.1.0 by clang"},
		{"zig", "clang version 22.1.8", "LLVM 22.1.8 by zig cc"},
		{"llc-15", "Ubuntu LLVM version 15.0.6\n  Optimized build.", "LLVM 15.0.6 by opt and llc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := fake(t, dir, c.name, c.version, works)
			if rest, ok := strings.CutPrefix(c.name, "llc"); ok {
				fake(t, dir, "opt"+rest, c.version, works)
			}
			t.Setenv("LTC_LIBLLVM", path)
			l, err := Open()
			require.NoError(t, err)
			require.Equal(t, c.want, l.String())
			require.Equal(t, path, l.Path())
			require.True(t, l.External())
			object, err := l.Compile(t.Context(), "", Options{})
			require.NoError(t, err)
			require.Equal(t, "\x7fELF", string(object))
			empty(t, temporary)
		})
	}
}

// A program that cannot be used is an error that says why, before any program
// depends on it.
func TestBadTools(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for name, c := range map[string]struct{ version, script, want string }{
		"old":        {"clang version 14.0.6", works, "LLVM 14.0.6 is too old: 15 is the oldest that works"},
		"no version": {"hello", works, `asked for its version, it says "hello"`},
		"fails":      {clang19, "echo 'no room' >&2; exit 3", "/clang: exit status 3: no room"},
		"aborts":     {clang19, "kill -ABRT $$", "/clang: signal: aborted"},
		"no object":  {clang19, "exit 0", "/clang has left no object: "},
		"endless":    {clang19, `truncate -s 1T "$out"`, "it wrote 1099511627776 bytes, and at most 268435456 are read"},
		"a link":     {clang19, `ln -s /dev/zero "$out"`, "what it wrote is no regular file"},
		"nonsense":   {clang19, `echo text >"$out"`, "it was tried: what it makes is no ELF object"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := OpenFile(fake(t, t.TempDir(), "clang", c.version, c.script))
			require.ErrorIs(t, err, ErrNotFound)
			require.ErrorContains(t, err, c.want)
			empty(t, temporary)
		})
	}
	dir := t.TempDir()
	llc := fake(t, dir, "llc", "LLVM version 19.1.7", works)
	_, err := OpenFile(llc)
	require.ErrorContains(t, err, "it needs "+dir+"/opt: ")
	another := fake(t, t.TempDir(), "llc", "LLVM version 19.1.7", works)
	fake(t, filepath.Dir(another), "opt", "LLVM version 15.0.6", works)
	_, err = OpenFile(another)
	require.ErrorContains(t, err, "it is of LLVM 19.1.7, "+filepath.Dir(another)+"/opt of 15.0.6")
	_, err = OpenFile("/nowhere/zig")
	require.EqualError(t, err, "no libLLVM: /nowhere/zig: there is none")
	noProgram := filepath.Join(dir, "zig")
	require.NoError(t, os.WriteFile(noProgram, []byte("text"), 0o600))
	_, err = OpenFile(noProgram)
	require.ErrorContains(t, err, "permission denied")
}

// A mistake in a text has its line, as a library tells it.
func TestToolMistakes(t *testing.T) {
	for name, says := range map[string]string{
		"clang": "text.ll:2:3: error: expected instruction opcode", "llc": "/usr/bin/opt: text.ll:2:3: error: expected instruction opcode"} {
		dir := t.TempDir()
		mark := filepath.Join(dir, "mark") // is there once the program has been tried
		path := fake(t, dir, name, "LLVM version 19.1.7", works)
		script := "[ -f " + mark + " ] && { echo '" + says + "' >&2; exit 1; }\n" + works
		if name == "llc" {
			fake(t, dir, "opt", "LLVM version 19.1.7", script)
		} else {
			fake(t, dir, name, clang19, script)
		}
		l, err := OpenFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(mark, nil, 0o600))
		_, err = l.Compile(t.Context(), "one\n  two\n", Options{})
		require.EqualError(t, err, `libllvm: 2:3: expected instruction opcode, in "two"`)
	}
}

// A program that does not end is ended, with what it has started: when its time
// is over, or nobody waits any more.
func TestToolsThatHang(t *testing.T) {
	saved := compileTime
	defer func() { compileTime = saved }()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	dir := t.TempDir()
	mark, started := filepath.Join(dir, "mark"), filepath.Join(dir, "started")
	l, err := OpenFile(fake(t, dir, "clang", clang19, "[ -f "+mark+" ] && { sleep 1000 & echo $! >"+started+".new; mv "+started+".new "+started+"; wait; }\n"+works))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(mark, nil, 0o600))
	child := func() (pid int) {
		require.Eventually(t, func() bool {
			text, err := os.ReadFile(started)
			pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
			return err == nil
		}, 10*time.Second, time.Millisecond)
		require.NoError(t, os.Remove(started))
		return pid
	}
	gone := func(pid int) {
		require.Eventually(t, func() bool {
			state, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
			return err != nil || strings.Contains(string(state), ") Z ")
		}, 10*time.Second, time.Millisecond)
		require.NotErrorIs(t, syscall.Kill(pid, 0), syscall.EPERM)
	}

	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := l.Compile(ctx, "", Options{})
		result <- err
	}()
	pid := child()
	cancel()
	require.ErrorIs(t, <-result, context.Canceled)
	gone(pid)
	empty(t, temporary)

	compileTime = time.Second
	_, err = l.Compile(t.Context(), "", Options{})
	require.ErrorContains(t, err, "/clang has taken too long and was ended")
	require.NotErrorIs(t, err, context.DeadlineExceeded, "it is not the caller's")
	gone(child())
	empty(t, temporary)
}

// Programs are looked for where no library can be used, in PATH and where Python
// keeps zig; each that cannot be used is named.
func TestSearchFindsTools(t *testing.T) {
	without(t)
	saved, savedFiles := names, liteFiles
	defer func() { names, liteFiles = saved, savedFiles }()
	names, liteFiles = []string{"libLLVM-missing.so.1"}, nil
	dir := t.TempDir()
	old := fake(t, dir, "llc", "LLVM version 14.0.6", works)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	tools = []string{"llc-15.0", "llc", "clang-19.1"}
	_, err := search()
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorContains(t, err, "; llc cannot be used: LLVM 14.0.6 is too old")
	require.NotContains(t, err.Error(), "clang-19.1 cannot be used")

	zig := filepath.Join(dir, "python3.99", "ziglang")
	require.NoError(t, os.MkdirAll(zig, 0o700))
	zigFiles = []string{dir + "/python3*/ziglang/zig"}
	path := fake(t, zig, "zig", "clang version 22.1.8", works)
	l, err := search()
	require.NoError(t, err)
	require.Equal(t, path, l.Path())

	fake(t, dir, "clang-19.1", clang19, works)
	l, err = search()
	require.NoError(t, err)
	require.Equal(t, "LLVM 19.1.7 by clang", l.String())
	require.Equal(t, dir, filepath.Dir(l.Path()))
	require.NotEqual(t, old, l.Path())
}

func TestKindOf(t *testing.T) {
	for name, want := range map[string]string{
		"llc": "llc", "llc-19": "llc", "/usr/lib/llvm-19/bin/llc": "llc", "clang": "clang", "clang-19": "clang", "zig": "zig", "zig-0.14.1": "zig",
		"clang++": "", "clang-format-19": "", "clang-cl": "", "libLLVM-19.so": "", "libclang-19.so.1": "", "libllvmlite.so": "", "opt": "", "": "",
	} {
		k := kindOf(name)
		require.Equal(t, want != "", k != nil, name)
		if k != nil {
			require.Equal(t, want, k.name)
		}
	}
}
