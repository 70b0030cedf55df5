package ltctest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/ir/ops"
	"ltc/lazy"
	"ltc/ltctest"
)

const committed = "testdata/programs.lock"

// layer runs a step of a layer, whose activation may be another, on a device.
func layer(t *testing.T, device, w string, act func(*lazy.Tensor) *lazy.Tensor) *lazy.Trace {
	dev, err := lazy.Open(device, lazy.Threads(1))
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	v := dev.Variable(w, lazy.F32, 4, 2)
	for range 2 {
		x := lazy.From(tr, make([]float32, 12), 3, 4)
		y := act(x.MatMul(tr.Read(v)).MulScalar(2)).Softmax(1)
		v.Assign(tr.Read(v).Sub(x.Transpose(1, 0).MatMul(y)))
		require.NoError(t, tr.MarkStep(y.Sum()))
	}
	require.NoError(t, tr.Wait(t.Context()))
	return tr
}

var swish = lazy.Define(lazy.Composite{
	Name:     "activation.swish",
	Doc:      "returns x sigmoid(beta x) elementwise.",
	Operands: []ops.Operand{{Name: "x", Is: ops.Float}},
	Attrs:    []ops.Attr{{Name: "beta", Kind: ops.Real}},
}, func(x []*lazy.Tensor, a lazy.Attrs) *lazy.Tensor {
	return x[0].Mul(x[0].MulScalar(a.Float("beta")).Sigmoid())
}, nil)

// The committed file is that of every machine and backend. Names and lines do not count.
func TestLockIsTheSameEverywhere(t *testing.T) {
	for _, device := range []string{"cpu", "eval"} {
		ltctest.Lock(t, committed, "layer", layer(t, device, "w", (*lazy.Tensor).Tanh))
	}
	ltctest.Lock(t, committed, "layer", layer(t, "eval", "another name", func(x *lazy.Tensor) *lazy.Tensor {
		return x.
			Tanh()
	}))
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	swish := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return swish.Call(lazy.Attrs{"beta": 2}, x) })
	_, err = swish.Call(t.Context(), lazy.From(dev, []float32{1, 2}))
	require.NoError(t, err)
	ltctest.Lock(t, committed, "swish", swish)
}

// locked returns what Lock reports of a program, compared with a file of that text.
func locked(t *testing.T, path, text, name string, x ltctest.Programmed) string {
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	var r recorder
	ltctest.Lock(&r, path, name, x)
	return strings.ReplaceAll(strings.Join(r.errors, "\n"), path, "FILE")
}

func text(t *testing.T, path string) string {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// What has changed is told by the first op that differs, and its line now.
func TestLockTellsTheOpThatDiffers(t *testing.T) {
	t.Setenv("LTC_UPDATE", "0")
	file := text(t, committed)
	path := filepath.Join(t.TempDir(), "programs.lock")
	for _, c := range []struct {
		name, want string
		act        func(*lazy.Tensor) *lazy.Tensor
	}{
		{"another", "(12 ops now)\n  the first op that differs, lock_test.go:85\n  - tanh.1 = tanh mul.1 : f32[3,2]\n  - softmax.1 = softmax tanh.1",
			func(x *lazy.Tensor) *lazy.Tensor { return x.Exp() }},
		{"one more", "(13 ops now)\n  the first op that differs, lock_test.go:87\n  - softmax.1 = softmax tanh.1",
			func(x *lazy.Tensor) *lazy.Tensor { return x.Tanh().Exp() }},
		{"none", "(11 ops now)\n  the first op that differs, lock_test.go:27\n  - tanh.1 = tanh mul.1 : f32[3,2]",
			func(x *lazy.Tensor) *lazy.Tensor { return x }},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := locked(t, filepath.Join(t.TempDir(), "programs.lock"), file, "layer", layer(t, "eval", "w", c.act))
			require.Contains(t, got, "ltctest: program \"layer\" is not the one of FILE "+c.want)
			require.Contains(t, got, "run the test with LTC_UPDATE=1, and commit the file")
		})
	}
	require.Contains(t, locked(t, path, file, "new", layer(t, "eval", "w", (*lazy.Tensor).Tanh)), `FILE has no program "new": run the test with LTC_UPDATE=1`)
}

func TestLockOfFilesThatCannotBeRead(t *testing.T) {
	t.Setenv("LTC_UPDATE", "0")
	tr := layer(t, "eval", "w", (*lazy.Tensor).Tanh)
	file := text(t, committed)
	for name, c := range map[string]struct{ text, want string }{
		"version":     {strings.Replace(file, "version 1", "version 2", 1), `FILE:1: "ltc programs, version 2": this version of ltc reads "ltc programs, version 1"`},
		"empty":       {"", "FILE:1: it does not begin with"},
		"line":        {strings.Replace(file, "\n  ", "\nnonsense\n  ", 1), `FILE:3: no line of a lock file: "nonsense"; restore the file from version control`},
		"in line 1":   {"<<<<<<< HEAD\n" + file, `FILE:1: a conflict of two versions`},
		"conflict":    {strings.Replace(file, "\n  ", "\n<<<<<<< HEAD\n  ", 1), `FILE:3: a conflict of two versions`},
		"fingerprint": {strings.Replace(file, "tanh", "tan", 1), `FILE:2: the lines of program "layer" do not have the fingerprint`},
		"lost line":   {strings.Replace(file, "\n  arg.1 : f32[3,4]", "", 1), `FILE:2: the lines of program "layer" do not have the fingerprint`},
		"twice":       {file + strings.TrimPrefix(file, "ltc programs, version 1\n"), `a second program "layer"`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "programs.lock")
			got := locked(t, path, c.text, "layer", tr)
			require.Contains(t, got, c.want)
			require.Contains(t, got, "LTC_UPDATE=1")
			t.Setenv("LTC_UPDATE", "1")
			require.Empty(t, locked(t, path, c.text, "layer", tr))
			t.Setenv("LTC_UPDATE", "")
			ltctest.Lock(t, path, "layer", tr)
		})
	}
	require.Empty(t, locked(t, filepath.Join(t.TempDir(), "crlf"), strings.ReplaceAll(file, "\n", "\r\n"), "layer", tr))
}

// An update writes what has changed, keeps the other programs, and sorts them by name.
func TestLockIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "programs.lock")
	t.Setenv("LTC_UPDATE", "1")
	tr := layer(t, "eval", "w", (*lazy.Tensor).Tanh)
	ltctest.Lock(t, path, "z", tr)
	ltctest.Lock(t, path, "a b", layer(t, "eval", "w", (*lazy.Tensor).Exp))
	ltctest.Lock(t, path, "z", tr)
	got := text(t, path)
	require.Equal(t, 2, strings.Count(got, "\nprogram "))
	require.Less(t, strings.Index(got, `program "a b" `), strings.Index(got, `program "z" `))
	before, err := os.Stat(path)
	require.NoError(t, err)
	ltctest.Lock(t, path, "z", tr)
	after, err := os.Stat(path)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after), "it was right, and is not written again")
}

func TestLockOfTwoProgramsOfOneName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "programs.lock")
	t.Setenv("LTC_UPDATE", "1")
	ltctest.Lock(t, path, "layer", layer(t, "eval", "w", (*lazy.Tensor).Tanh))
	var r recorder
	ltctest.Lock(&r, path, "layer", layer(t, "eval", "w", (*lazy.Tensor).Exp))
	require.Len(t, r.errors, 1)
	require.Contains(t, r.errors[0], `two programs of one name "layer"`)
	require.Contains(t, r.errors[0], "- tanh.1 = tanh mul.1")
}

func TestLockOfNothing(t *testing.T) {
	var r recorder
	ltctest.Lock(&r, committed, "nothing", newTrace(t))
	ltctest.Lock(&r, committed, "nothing", lazy.Func(newTrace(t).Device(), func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x }))
	require.Len(t, r.errors, 2)
	require.Contains(t, r.errors[0], "lock it after MarkStep or Call")
}
