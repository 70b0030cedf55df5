package libllvm

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A library that works passes, one that is missing is missing.
func TestProbe(t *testing.T) {
	if l, err := OpenFile("libLLVM.so.19.1"); err == nil {
		require.NoError(t, probe("libLLVM.so.19.1"))
		require.NoError(t, probe(l.Path()))
	}
	require.ErrorIs(t, probe("libLLVM-nowhere.so.1"), errMissing)
}

// A library that ends the process that uses it ends a child, and is an error.
func TestProbeOfBadLibraries(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler to make libraries with")
	}
	names := []string{}
	for name := range (&capi{}).symbols() {
		names = append(names, name)
	}
	slices.Sort(names)
	stubs := func(body string) string {
		var b strings.Builder
		b.WriteString("#include <stdlib.h>\n#include <unistd.h>\n#include <stdio.h>\n")
		for _, name := range names {
			b.WriteString("long " + name + "() { " + body + " }\n")
		}
		return b.String()
	}
	for name, test := range map[string]struct{ source, want string }{
		"constructor": {stubs("return 0;") + "__attribute__((constructor)) void start() { abort(); }", "a process that tried it ended: exit status 2: SIGABRT: abort; "},
		"fault":       {stubs("*(volatile int *)16 = 1; return 0;"), "a process that tried it ended: exit status 2: SIGSEGV: segmentation violation; "},
		"exit":        {stubs("fprintf(stderr, \"LLVM ERROR: no\\n\"); exit(0);"), "a process that tried it ended early: LLVM ERROR: no"},
		"nonsense":    {stubs("return 0;"), "a process that tried it ended: exit status 1: libllvm: this libLLVM makes no code for X86"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			source, library := filepath.Join(dir, "bad.c"), filepath.Join(dir, "libLLVM-18.so.1")
			require.NoError(t, os.WriteFile(source, []byte(test.source), 0o600))
			out, err := exec.Command(cc, "-w", "-shared", "-fPIC", "-o", library, source).CombinedOutput()
			require.NoError(t, err, "%s", out)
			_, err = OpenFile(library)
			require.ErrorIs(t, err, ErrNotFound)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// A fatal error of libLLVM's is an error of the compilation that met it, and of
// all that come after; the process goes on.
func TestFatal(t *testing.T) {
	if os.Getenv(inChild) == "" {
		for _, name := range []string{"libLLVM.so.19.1", "libLLVM-15.so.1"} {
			if _, err := OpenFile(name); err != nil {
				t.Log(err)
				continue
			}
			out, err := childTest(t, "TestFatal", "LTC_LIBLLVM="+name)
			require.NoError(t, err, "%s", out)
			require.Contains(t, out, "PASS: TestFatal")
		}
		return
	}
	l, err := Open()
	require.NoError(t, err)
	good, err := os.ReadFile("testdata/add.ll")
	require.NoError(t, err)
	_, err = l.Compile(t.Context(), string(good), Options{})
	require.NoError(t, err)
	// An instruction that the processor does not have.
	const text = `declare i32 @llvm.x86.sse42.crc32.32.32(i32, i32)
define i32 @k(ptr %args) nounwind {
  %x = load i32, ptr %args
  %y = call i32 @llvm.x86.sse42.crc32.32.32(i32 %x, i32 1)
  ret i32 %y
}`
	for range 2 {
		start := time.Now()
		_, err = l.Compile(t.Context(), text, Options{Triple: "x86_64-unknown-linux-gnu"})
		require.ErrorIs(t, err, ErrBroken)
		require.ErrorContains(t, err, "libLLVM gave up: ")
		var fatal *FatalError
		require.True(t, errors.As(err, &fatal))
		require.Less(t, time.Since(start), 10*time.Second)
	}
	_, err = l.Compile(t.Context(), string(good), Options{})
	require.ErrorIs(t, err, ErrBroken)
}
