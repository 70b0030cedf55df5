package lazy_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/lazy"
)

// named returns the names that users gave the arguments of tr's program.
func named(tr *lazy.Trace) (names []string) {
	for _, p := range tr.Parameters() {
		if p.Named {
			names = append(names, p.Name)
		}
	}
	return names
}

// The lazy tensor core's test device_data_name.py: a program whose data have no
// name, and one whose input has one.
func TestNamedDataKeepTheirNameInTheProgram(t *testing.T) {
	run := func(name string) *lazy.Trace {
		tr := lazy.NewTrace(open(t, "eval"))
		x := lazy.From(tr, []float32{1, 2, 3, 4, 5}, 1, 5)
		if name != "" {
			require.Same(t, x, x.Named(name))
			require.Equal(t, name, x.Name())
		}
		y := x.Tanh()
		require.NoError(t, tr.MarkStep(y))
		return tr
	}
	t.Run("unnamed", func(t *testing.T) {
		tr := run("")
		require.Empty(t, named(tr))
		require.NotContains(t, tr.StableHLO(), "ltc.name")
		require.Equal(t, "arg0", tr.Parameters()[0].Name)
	})
	t.Run("named", func(t *testing.T) {
		tr := run("input_x")
		require.Equal(t, []string{"input_x"}, named(tr))
		require.Contains(t, tr.StableHLO(), `ltc.name = "input_x"`)
	})
}

// A name can be given when the data have been used in the step, and stays.
func TestDataAreNamedAfterUse(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x, y := lazy.From(tr, []float32{1}), lazy.From(tr.Device(), []float32{2}).Named("y")
	z := x.Add(y)
	x.Named("x")
	require.NoError(t, tr.MarkStep(z))
	require.Equal(t, []string{"x", "y"}, named(tr))
	tr.Reuse(false)
	require.NoError(t, tr.MarkStep(y.Mul(x).Exp()))
	require.Equal(t, []string{"y", "x"}, named(tr))
}

func TestOnlyDataAreNamed(t *testing.T) {
	d := open(t, "eval")
	tr := lazy.NewTrace(d)
	x := lazy.From(tr, []float32{1, 2})
	for _, bad := range []*lazy.Tensor{x.Exp(), d.Variable("w", lazy.F32, 2), x.Reshape(2, 1), nil} {
		require.ErrorIs(t, bad.Named("n").Err(), lazy.ErrUsage)
	}
	y := x.Exp()
	require.NoError(t, tr.MarkStep(y))
	require.NoError(t, y.Named("y").Err(), "it has a value")
}

// Names are those of the parameters in their order, not in that of a hash table,
// and each has its type.
func TestParameterNamesAreInOrder(t *testing.T) {
	d := open(t, "eval")
	w := d.Variable("w", lazy.F32, 2)
	tr := lazy.NewTrace(d)
	sum := tr.Read(w)
	var want []string
	for i := range 40 {
		name := fmt.Sprintf("x%d", (i*7)%40)
		sum = sum.Add(lazy.From(tr, []float32{1, 2}).Named(name))
		want = append(want, name)
	}
	w.Assign(sum)
	require.NoError(t, tr.MarkStep())
	params := tr.Parameters()
	require.Equal(t, "w", params[0].Name)
	require.Equal(t, 0, params[0].Alias)
	require.Equal(t, want, named(tr)[1:])
	at := 0
	for i, p := range params {
		require.Equal(t, "f32[2]", p.Type.String())
		next := strings.Index(tr.StableHLO()[at:], fmt.Sprintf("ltc.name = %q", p.Name))
		require.GreaterOrEqual(t, next, 0, "parameter %d stands in the text after those before", i)
		at += next
	}
}

// Arguments without a name have one by position, unlike any other, whoever makes
// them at the same time.
func TestNamesOfDataAreUnique(t *testing.T) {
	d := open(t, "eval")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			tr := lazy.NewTrace(d)
			x := lazy.From(tr, []float32{1}).Named("arg1")
			if err := tr.MarkStep(x.Add(lazy.From(tr, []float32{2})).Mul(lazy.From(tr, []float32{3}))); err != nil {
				t.Error(err)
			}
			var names []string
			for _, p := range tr.Parameters() {
				names = append(names, p.Name)
			}
			if got := strings.Join(names, " "); got != "arg1 arg1_ arg2" {
				t.Error(got)
			}
		})
	}
	wg.Wait()
}

// Each trace has its own latest program.
func TestEachTraceHasItsLatestProgram(t *testing.T) {
	d := open(t, "eval")
	a, b := lazy.NewTrace(d), lazy.NewTrace(d)
	require.NoError(t, a.MarkStep(lazy.From(a, []float32{1}).Exp()))
	require.NoError(t, b.MarkStep(lazy.From(b, []float32{1}).Tanh()))
	_, err := b.Dump(lazy.FormatStableHLO, lazy.From(b, []float32{1}).Neg())
	require.NoError(t, err)
	require.Contains(t, a.StableHLO(), "stablehlo.exponential")
	require.Contains(t, b.StableHLO(), "stablehlo.tanh")
}

// Nothing but the program prints to standard output: no backend, no compile, no
// implicit sync.
func TestNothingPrintsToStdout(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	printed := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(r)
		printed <- all
	}()
	stdout := os.Stdout
	os.Stdout = w
	for _, name := range []string{"eval", "cpu", "null"} {
		d := open(t, name, lazy.Seed(7))
		tr := lazy.NewTrace(d)
		x := lazy.From(tr, []float32{1}).Named("input_x")
		_, err = x.Exp().Value()
		if err == nil {
			err = tr.MarkStep(x.Tanh())
		}
		if err != nil {
			break
		}
	}
	os.Stdout = stdout
	require.NoError(t, w.Close())
	require.Empty(t, string(<-printed))
	require.NoError(t, err)
}

// The error of shapes that do not broadcast has both.
func TestBroadcastErrorHasBothShapes(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	err := lazy.Ones(tr, lazy.F32, 2, 3).Add(lazy.Ones(tr, lazy.F32, 4)).Err()
	require.ErrorContains(t, err, "f32[2,3]")
	require.ErrorContains(t, err, "f32[4]")
}

// A quotient of integers broadcasts, and a scalar that an integer tensor cannot
// hold is an error instead of another number.
func TestQuotientsBroadcastAndKeepDTypes(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []int32{7, 8}, 2, 1)
	y := x.TruncDivide(lazy.From(tr, []int32{2, 3, 4}))
	require.Equal(t, "i32[2,3]", y.Type().String())
	got, err := lazy.ToSlice[int32](y)
	require.NoError(t, err)
	require.Equal(t, []int32{3, 2, 1, 4, 2, 2}, got)
	require.ErrorIs(t, x.MulScalar(2.5).Err(), lazy.ErrType)
}

// Errors name the user's line, whenever they show: when the op is recorded, when
// its program is compiled, when it runs, behind MarkStep.
func TestErrorsNameTheUsersLine(t *testing.T) {
	d := openWrong(t)
	tr := lazy.NewTrace(d)
	x := lazy.From(tr, []float32{1, 2})
	require.Regexp(t, `^name_test\.go:\d+: add\(f32\[2\], f32\[3\]\): `, x.Add(lazy.Ones(tr, lazy.F32, 3)).Err())
	require.Regexp(t, `^name_test\.go:\d+: softmax\(f32\[2\]\): `, x.Softmax(5).Err(), "not a line of the library's")

	end := tr.Scope("encoder")
	y := x.Cos()
	end()
	err := tr.MarkStep(y)
	if err == nil {
		err = tr.Wait(t.Context())
	}
	require.Regexp(t, `^step 1: name_test\.go:\d+: .*: run: no cosines here$`, err)
	require.Contains(t, err.Error(), "encoder.0")

	eval, err := backends.Open("eval")
	require.NoError(t, err)
	tr = lazy.NewTrace(openOn(t, lacking{eval}))
	err = tr.MarkStep(lazy.From(tr, []float32{1}).Exp().Tanh())
	require.Regexp(t, `^name_test\.go:\d+: .*tanh`, err)
}

// With LTC_IR_DEBUG_ROOT_PATH names of files are relative to a directory of
// one's choice, in errors and in programs.
func TestFileNamesAreRelativeToTheSourceRoot(t *testing.T) {
	if os.Getenv("LTC_TEST_ROOT") != "" {
		tr := lazy.NewTrace(open(t, "eval"))
		x := lazy.From(tr, []float32{1})
		fmt.Println("error:", x.Reshape(3).Err())
		require.NoError(t, tr.MarkStep(x.Exp()))
		fmt.Println(tr.StableHLO())
		return
	}
	here, err := os.Getwd()
	require.NoError(t, err)
	for root, want := range map[string]string{
		filepath.Dir(here): filepath.Base(here) + "/name_test.go",
		"/nowhere" + string(os.PathListSeparator) + filepath.Dir(filepath.Dir(here)): filepath.Base(filepath.Dir(here)) + "/" + filepath.Base(here) + "/name_test.go",
		"": "name_test.go",
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFileNamesAreRelativeToTheSourceRoot$")
		cmd.Env = append(os.Environ(), "LTC_TEST_ROOT=1", "LTC_IR_DEBUG_ROOT_PATH="+root)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		require.NoError(t, cmd.Run(), "%s", out.String())
		require.Contains(t, out.String(), "error: "+want+":")
		require.Contains(t, out.String(), `loc("`+want+`":`)
	}
}
