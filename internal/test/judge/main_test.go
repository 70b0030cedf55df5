package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/soa"
	"ltc/soa/npy"
	"ltc/soa/safetensors"
)

// The test binary stands in for Python when asked to.
func TestMain(m *testing.M) {
	if os.Getenv("JUDGE_TEST_PYTHON") != "" {
		fakePython()
		return
	}
	os.Exit(m.Run())
}

// fakePython answers as judge.py does: every program doubles its f32 argument,
// but for those whose text has a word for another behaviour.
func fakePython() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var args []string
		a := answer{}
		if err := json.Unmarshal(in.Bytes(), &a); err == nil {
			panic("want a list")
		}
		if err := json.Unmarshal(in.Bytes(), &args); err != nil {
			panic(err)
		}
		text, err := os.ReadFile(args[0])
		if err != nil {
			panic(err)
		}
		fmt.Println("a line of some library")
		switch {
		case strings.Contains(string(text), "die"):
			fmt.Fprintln(os.Stderr, "some crash")
			os.Exit(3)
		case strings.Contains(string(text), "refused"):
			a = answer{Status: rejected, Output: "not this"}
		case args[1] == "--npz":
			v, err := npy.ReadFile(args[4])
			if err != nil {
				panic(err)
			}
			for i, x := range soa.Slice[float32](v) {
				soa.Slice[float32](v)[i] = 2 * x
			}
			if err := npy.WriteArchive(args[2], []npy.Entry{{Name: "arr_0", View: v}}); err != nil {
				panic(err)
			}
		}
		line, err := json.Marshal(a)
		if err != nil {
			panic(err)
		}
		fmt.Printf("@@%s\n", line)
	}
}

const double = `func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
`

// constant doubles its constant w.
var constant = strings.Replace(double, "%x: tensor<3xf32>", `%x: tensor<3xf32> {ltc.constant, ltc.name = "w"}`, 1)

// both adds its input and its constant w.
var both = strings.NewReplacer("%x: tensor<3xf32>", `%x: tensor<3xf32>, %w: tensor<3xf32> {ltc.constant, ltc.name = "w"}`, "%x, %x", "%x, %w").Replace(double)

func TestRun(t *testing.T) {
	t.Setenv("JUDGE_TEST_PYTHON", "1")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.mlir":       double,
		"b.mlir":       strings.Replace(double, "add", "multiply", 1),
		"c.mlir":       "// die\n" + double,
		"d.mlir":       "// refused\n" + double,
		"e.mlir":       "// refused\n" + strings.Replace(double, "%0 :", "%1 :", 1),
		"f.mlir":       strings.Replace(double, "%0 :", "%1 :", 1),
		"g.mlir":       strings.Replace(double, "@main", "@other", 1),
		"h.mlir":       double,
		"i.mlir":       double,
		"j.mlir":       constant,
		"k.mlir":       strings.Replace(constant, `"w"`, `"v"`, 1),
		"l.mlir":       both,
		"m.mlir":       both,
		"ops.txtar":    "Comment.\n-- x.mlir --\n" + double + "-- x.txt --\nnothing\n-- mlir --\n" + double,
		"op.txtar":     "Doubles.\n-- x.run --\ndouble(x) for f32\nx: [3] 1 2 -inf\n=: [3] 2 4 -inf\n-- x.mlir --\n" + double,
		"oq.txtar":     "Doubles.\n-- x.run --\ndouble(x) for f64\nx: [3] 1 2 3\n=: [3] 2 4 6\n-- x.mlir --\n" + double,
		"ignored.text": double,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	x, err := soa.Borrow([]float32{1, 2, 3}, types.Of(types.F32, 3))
	require.NoError(t, err)
	require.NoError(t, npy.WriteArchive(filepath.Join(dir, "h.in.npz"), []npy.Entry{{Name: "arr_0", View: x}}))
	y, err := soa.Borrow([]float64{1, 2, 3}, types.Of(types.F64, 3))
	require.NoError(t, err)
	require.NoError(t, npy.WriteArchive(filepath.Join(dir, "i.in.npz"), []npy.Entry{{Name: "arr_0", View: y}}))
	require.NoError(t, npy.WriteArchive(filepath.Join(dir, "l.in.npz"), []npy.Entry{{Name: "arr_0", View: x}}))
	require.NoError(t, npy.WriteArchive(filepath.Join(dir, "m.in.npz"), []npy.Entry{{Name: "arr_2", View: x}}))
	for _, name := range []string{"j", "k", "l", "m"} {
		weights := &safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", View: x}}}
		require.NoError(t, safetensors.WriteFile(filepath.Join(dir, name+".safetensors"), weights))
	}

	var out strings.Builder
	ok, err := run(&out, os.Args[0], "run_with_xla.py", "eval", "", []string{dir})
	require.NoError(t, err)
	require.False(t, ok)
	lines := strings.Split(strings.ReplaceAll(out.String(), dir+"/", ""), "\n")
	for i, want := range []string{
		`^ok   a\.mlir$`,
		`^FAIL b\.mlir: result 0: 3 of 3 elements of f32\[3\] differ; element 0 is \S+ \(0x\w+\), XLA's is \S+ \(0x\w+\)$`,
		`^FAIL c\.mlir: XLA: the process ended: `,
		`^some crash$`,
		`^$`,
		`^FAIL d\.mlir: XLA: not this$`,
		`^skip e\.mlir: not valid, as both say$`,
		`^FAIL f\.mlir: XLA accepts what we reject: `,
	} {
		require.Regexp(t, regexp.MustCompile(want), lines[i])
	}
	require.Equal(t, []string{
		`skip g.mlir: no function main`,
		`ok   h.mlir`,
		`FAIL i.mlir: i.in.npz: arr_0: argument 0 wants f32[3], found f64[3]`,
		`ok   j.mlir`,
		`FAIL k.mlir: k.safetensors has no tensor v, which main takes`,
		`ok   l.mlir`,
		`FAIL m.mlir: m.in.npz has no array arr_0, which main takes`,
		`ok   op.txtar:x.mlir`,
		`ok   op.txtar:x.run`,
		`ok   ops.txtar:x.mlir`,
		`ok   ops.txtar:mlir`,
		`ok   oq.txtar:x.mlir`,
		`FAIL oq.txtar:x.run: operand 0 of the archive, f64[3], is not argument 0 of main`,
		`9 passed, 8 failed, 2 skipped`,
		``,
	}, lines[len(lines)-15:])

	out.Reset()
	ok, err = run(&out, os.Args[0], "run_with_xla.py", "eval", `/a\.mlir$`, []string{dir})
	require.NoError(t, err)
	require.True(t, ok)
	_, err = run(&out, os.Args[0], "run_with_xla.py", "eval", `zzz`, []string{dir})
	require.ErrorContains(t, err, "no programs")
	_, err = run(&out, os.Args[0], "run_with_xla.py", "none", "", []string{dir})
	require.ErrorIs(t, err, backends.ErrUnknown)
}

func TestCompare(t *testing.T) {
	vector := func(d types.DType, xs ...float64) soa.View {
		v := soa.Make(types.Of(d, len(xs)))
		for i, x := range xs {
			samples.Set(v, i, x)
		}
		return v
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		a, b soa.View
		same bool
	}{
		{vector(types.F32, 1, nan, inf), vector(types.F32, 1.000009, nan, inf), true},
		{vector(types.F32, 1), vector(types.F32, 1.00002), false},
		{vector(types.F64, 1e6), vector(types.F64, 1e6+9), true},
		{vector(types.F64, 1e6), vector(types.F64, 1e6+11), false},
		{vector(types.F32, inf), vector(types.F32, 3e38), false},
		{vector(types.F32, inf), vector(types.F32, -inf), false},
		{vector(types.F32, nan), vector(types.F32, 1), false},
		{vector(types.F32, 0), vector(types.F32, math.Copysign(0, -1)), true},
		{vector(types.F16, 1), vector(types.F16, 1+2.0/1024), true},
		{vector(types.F16, 1), vector(types.F16, 1+3.0/1024), false},
		{vector(types.BF16, 1), vector(types.BF16, 1+2.0/128), true},
		{vector(types.BF16, 1), vector(types.BF16, 1+3.0/128), false},
		{vector(types.F16, 0x1p-24), vector(types.F16, -0x1p-24), true},
		{vector(types.F16, 0x1p-24), vector(types.F16, -0x1p-23), false},
		{vector(types.I32, 5), vector(types.I32, 5), true},
		{vector(types.I32, 5), vector(types.I32, 6), false},
		{vector(types.I32, 5), vector(types.I64, 5), false},
		{vector(types.Bool, 1), vector(types.Bool, 0), false},
	} {
		err := compare(c.a, c.b)
		require.Equal(t, c.same, err == nil, "%v", err)
	}
	require.EqualError(t, compare(vector(types.I32, 1, -5), vector(types.I32, 1, 6)),
		"1 of 2 elements of i32[2] differ; element 1 is -5, XLA's is 6")
}

// With the judge installed, its answers are as assumed: bf16 goes in and out.
func TestXLA(t *testing.T) {
	python, err := filepath.Abs("../../../.venv-judge/bin/python")
	require.NoError(t, err)
	script := "../../../../shared/conformance/judge/run_with_xla.py"
	if _, err := os.Stat(python); err != nil {
		t.Skip("the judge is not installed: make judge does so")
	}
	if _, err := exec.Command(python, script, "--version").Output(); err != nil {
		t.Skip("the judge does not start here: ", err)
	}
	dir := t.TempDir()
	for _, d := range []string{"bf16", "f16", "f64", "i1", "ui8", "i64"} {
		op := "add"
		if d == "i1" {
			op = "xor"
		}
		text := strings.Replace(strings.ReplaceAll(double, "f32", d), "add", op, 1)
		require.NoError(t, os.WriteFile(filepath.Join(dir, d+".mlir"), []byte(text), 0o644))
	}
	var out strings.Builder
	ok, err := run(&out, python, script, "eval", "", []string{dir})
	require.NoError(t, err)
	require.True(t, ok, "%s", out.String())
	require.Contains(t, out.String(), "6 passed, 0 failed, 0 skipped\n")
}
