package libllvm_test

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/libllvm"
)

//go:embed testdata/add.ll
var add string

// installed are the libraries that tests use where there are any: those that are
// used without being tried by a child, and what make llvm installs.
var installed = []string{"libLLVM.so.19.1", "libLLVM-16.so.1", "libLLVM-15.so.1", "libLLVM.so.22.1", "../../../../out/llvm/libllvmlite.so"}

// each runs a test with every libLLVM there is.
func each(t *testing.T, test func(t *testing.T, l *libllvm.Library)) {
	t.Helper()
	if _, err := libllvm.Open(); err != nil {
		t.Skip(err) // the run without libLLVM asks for none, too
	}
	for _, name := range installed {
		l, err := libllvm.OpenFile(name)
		if errors.Is(err, libllvm.ErrNotFound) {
			t.Log(err)
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) { test(t, l) })
	}
}

func compile(l *libllvm.Library, text string, o libllvm.Options) ([]byte, error) {
	return l.Compile(context.Background(), text, o)
}

func TestCompile(t *testing.T) {
	each(t, func(t *testing.T, l *libllvm.Library) {
		t.Log(l.Path(), l.Version())
		require.GreaterOrEqual(t, l.Version().Major, 15)
		for _, triple := range []string{"", "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"} {
			o := libllvm.Options{Triple: triple, Verify: true}
			object, err := compile(l, add, o)
			require.NoError(t, err)
			require.Equal(t, "\x7fELF", string(object[:4]))
			again, err := compile(l, add, o)
			require.NoError(t, err)
			require.Equal(t, object, again, "the same text is the same object")
		}
	})
}

// The code is for the processor that the text asks for.
func TestTarget(t *testing.T) {
	const text = `define <16 x float> @f(<16 x float> %%x, <16 x float> %%y) nounwind %s {
  %%r = fmul <16 x float> %%x, %%y
  ret <16 x float> %%r
}`
	plain := fmt.Sprintf(text, "")
	wide := `"prefer-vector-width"="512" "min-legal-vector-width"="512"`
	v3 := fmt.Sprintf(text, `"target-cpu"="x86-64-v3"`)
	v4 := fmt.Sprintf(text, `"target-cpu"="x86-64-v4" `+wide)
	feature := fmt.Sprintf(text, `"target-features"="+avx512f" `+wide)
	each(t, func(t *testing.T, l *libllvm.Library) {
		for _, test := range []struct {
			text string
			o    libllvm.Options
			want string
			not  string
		}{
			{plain, libllvm.Options{Triple: "x86_64-unknown-linux-gnu"}, "%xmm", "%ymm"},
			{v3, libllvm.Options{Triple: "x86_64-unknown-linux-gnu"}, "%ymm", "%zmm"},
			{feature, libllvm.Options{Triple: "x86_64-unknown-linux-gnu"}, "%zmm", "%xmm"},
			{v4, libllvm.Options{Triple: "x86_64-unknown-linux-gnu"}, "%zmm", "%xmm"},
			{plain, libllvm.Options{Triple: "aarch64-unknown-linux-gnu"}, "fmul\tv", "mm"},
		} {
			test.o.Assembly = true
			assembly, err := compile(l, test.text, test.o)
			require.NoError(t, err)
			require.Contains(t, string(assembly), test.want)
			require.NotContains(t, string(assembly), test.not)
		}
		_, err := compile(l, add, libllvm.Options{Triple: "z80-unknown-none"})
		require.ErrorContains(t, err, "libllvm: ")
		require.ErrorContains(t, err, "this libLLVM makes no code for z80")
	})
}

// A function that asks to be inlined is.
func TestInlining(t *testing.T) {
	const text = `
define internal i32 @inner(i32 %x) alwaysinline nounwind {
  %y = mul i32 %x, 77
  ret i32 %y
}
define i32 @outer(ptr %args) nounwind {
  %x = load i32, ptr %args
  %y = call i32 @inner(i32 %x)
  ret i32 %y
}`
	each(t, func(t *testing.T, l *libllvm.Library) {
		assembly, err := compile(l, text, libllvm.Options{Assembly: true})
		require.NoError(t, err)
		require.NotContains(t, string(assembly), "inner")
	})
}

// Mistakes in texts come back with their lines.
func TestMistakes(t *testing.T) {
	each(t, func(t *testing.T, l *libllvm.Library) {
		_, err := compile(l, "define i32 @k(ptr %args) {\n  %x = add i32 %y, 1\n  ret i32 %x\n}\n", libllvm.Options{})
		require.EqualError(t, err, `libllvm: 2:16: use of undefined value '%y', in "%x = add i32 %y, 1"`)
		var syntax *libllvm.SyntaxError
		require.ErrorAs(t, err, &syntax)
		require.Equal(t, 2, syntax.Line)

		_, err = compile(l, "", libllvm.Options{})
		require.NoError(t, err, "nothing is a module")
		_, err = compile(l, "nonsense", libllvm.Options{})
		require.ErrorAs(t, err, &syntax)
		require.Equal(t, 1, syntax.Line)

		bad := "define i32 @k(ptr %args) {\nentry:\n  br label %b\na:\n  %x = add i32 1, 1\n  ret i32 0\nb:\n  ret i32 %x\n}\n"
		_, err = compile(l, bad, libllvm.Options{Verify: true})
		require.ErrorContains(t, err, "Instruction does not dominate all uses!")
		require.ErrorContains(t, err, "libllvm: verify: ")
	})
}

// What LLVM would print before it ends the process is an error.
func TestDiagnostics(t *testing.T) {
	each(t, func(t *testing.T, l *libllvm.Library) {
		if strings.Contains(l.Path(), "llvmlite") {
			t.Skip("llvmlite has no way to ask for diagnostics")
		}
		_, err := compile(l, "define i32 @k(ptr %args) {\n  call void asm sideeffect \"no such instruction\", \"\"()\n  ret i32 0\n}\n", libllvm.Options{})
		require.ErrorContains(t, err, "libllvm: ")
		require.ErrorContains(t, err, "instruction")
		_, err = compile(l, add, libllvm.Options{})
		require.NoError(t, err)
	})
}

func TestContext(t *testing.T) {
	each(t, func(t *testing.T, l *libllvm.Library) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := l.Compile(ctx, add, libllvm.Options{})
		require.ErrorIs(t, err, context.Canceled)

		var b strings.Builder
		for i := range 100 {
			b.WriteString(strings.ReplaceAll(add, "@add", fmt.Sprintf("@add%d", i)))
		}
		ctx, cancel = context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		_, err = l.Compile(ctx, b.String(), libllvm.Options{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// Goroutines compile at the same time, and get what one alone gets.
func TestConcurrent(t *testing.T) {
	each(t, func(t *testing.T, l *libllvm.Library) {
		var want [8][]byte
		text := func(i int) string { return strings.ReplaceAll(add, "0.5", fmt.Sprintf("%d.0", i+1)) }
		for i := range want {
			var err error
			want[i], err = compile(l, text(i), libllvm.Options{})
			require.NoError(t, err)
		}
		const rounds = 16
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				for i := range rounds {
					n := (g + i) % len(want)
					got, err := compile(l, text(n), libllvm.Options{})
					if err != nil || string(got) != string(want[n]) {
						t.Errorf("text %d: another object, %v", n, err)
					}
					if _, err := compile(l, "mistake", libllvm.Options{}); err == nil {
						t.Error("no error")
					}
				}
			})
		}
		all.Wait()
	})
}

func TestNotFound(t *testing.T) {
	t.Setenv("LTC_LIBLLVM", "none")
	_, err := libllvm.Open()
	require.ErrorIs(t, err, libllvm.ErrNotFound)
	require.EqualError(t, err, "no libLLVM: LTC_LIBLLVM is none")

	missing := filepath.Join(t.TempDir(), "libLLVM.so")
	t.Setenv("LTC_LIBLLVM", missing)
	_, err = libllvm.Open()
	require.ErrorIs(t, err, libllvm.ErrNotFound)
	require.EqualError(t, err, "no libLLVM: LTC_LIBLLVM is "+missing+": there is none")
	_, again := libllvm.Open()
	require.Equal(t, err, again)

	text := filepath.Join(t.TempDir(), "libLLVM-19.so")
	require.NoError(t, os.WriteFile(text, []byte("INPUT(libLLVM.so.19.1)"), 0o600))
	_, err = libllvm.OpenFile(text)
	require.ErrorContains(t, err, "no shared library")

	libc := "libc.so.6"
	if _, err = libllvm.OpenFile(libc); err != nil {
		require.ErrorContains(t, err, "it has no LLVM")
	}
	if _, err = libllvm.OpenFile("libLLVM-14.so.1"); !errors.Is(err, libllvm.ErrNotFound) {
		t.Fatal(err)
	}
}
