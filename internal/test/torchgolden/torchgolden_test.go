package torchgolden

import (
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference/llvm"
	"ltc/internal/calls"
	"ltc/internal/samples"
	_ "ltc/internal/test/cudasim"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

const dir = "../../../testdata/torch"

// Ops give what PyTorch gives, but for what differences names. The evaluator runs all of
// them; compiling is slower, so that the others run each of them in long runs. The CPU
// leaves none to the evaluator, but of those on complex numbers.
func TestGoldens(t *testing.T) {
	all := files(t, dir)
	runFiles(t, all, map[string]int{"eval": len(all), "cpu": 12, "cudasim": 24})
}

// So do gradients of gradients, also at edges: zeros, and elements that are equal.
func TestSecondDerivatives(t *testing.T) {
	all := files(t, filepath.Join(dir, "second"))
	runFiles(t, all, map[string]int{"eval": len(all), "cpu": 6, "cudasim": 6})
}

// runFiles runs some files on each backend, and all of them in long runs.
func runFiles(t *testing.T, all []string, some map[string]int) {
	for _, c := range []struct {
		backend string
		files   int
	}{{"eval", some["eval"]}, {"cpu", some["cpu"]}, {"cudasim", some["cudasim"]}} {
		t.Run(c.backend, func(t *testing.T) {
			open := func(o ...lazy.Option) *lazy.Device {
				dev, err := lazy.Open(c.backend, append(o, lazy.Logger(slog.New(slog.DiscardHandler)))...)
				require.NoError(t, err)
				t.Cleanup(func() { dev.Close() })
				return dev
			}
			lenient := open() // may leave ops to the evaluator
			strict := lenient
			if c.backend == "cpu" { // GPUs leave triangular systems to the evaluator
				strict = open(lazy.Compiled())
			}
			n := min(trials.Soak(c.files, len(all)), len(all))
			for i := range n {
				path := all[i*len(all)/n]
				t.Run(strings.TrimSuffix(filepath.Base(path), ".jsonl.gz"), func(t *testing.T) { runFile(t, strict, lenient, path) })
			}
		})
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

// runFile runs the cases of a file in a step on a device, and those of complex numbers in one of another.
func runFile(t *testing.T, strict, lenient *lazy.Device, path string) {
	cases, err := Read(path)
	require.NoError(t, err)
	of := map[*lazy.Device][]Case{}
	for _, c := range cases {
		dev := strict
		if c.isComplex() {
			dev = lenient
		}
		of[dev] = append(of[dev], c)
	}
	for dev, cases := range of {
		step(t, dev, cases)
	}
}

// isComplex reports whether the case has complex numbers.
func (c *Case) isComplex() bool {
	return slices.ContainsFunc(slices.Concat(c.Inputs, c.Results), func(a Array) bool { return strings.HasPrefix(a.DType, "c") })
}

func step(t *testing.T, dev *lazy.Device, cases []Case) {
	requests := make([]calls.Request, len(cases))
	for i := range cases {
		var err error
		requests[i], err = cases[i].Request()
		require.NoError(t, err, cases[i].Name)
	}
	responses, errs := calls.RunAll(dev, requests)
	for i := range cases {
		c := &cases[i]
		err := errs[i]
		if err == nil {
			err = c.Compare(responses[i])
		}
		reason, differs := known(c)
		switch {
		case err != nil && !differs:
			t.Errorf("%s, %s: %v", c.Op, c.Name, err)
		case err == nil && differs:
			t.Errorf("%s, %s: there is no difference any more: %s", c.Op, c.Name, reason)
		}
	}
}

// Goldens are of ops that there are, and small.
func TestFiles(t *testing.T) {
	bytes := 0
	for _, path := range slices.Concat(files(t, dir), files(t, filepath.Join(dir, "second"))) {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl.gz")
		_, err := calls.Find(name)
		require.NoError(t, err)
		info, err := os.Stat(path)
		require.NoError(t, err)
		bytes += int(info.Size())
	}
	require.Less(t, bytes, 8<<20)
}

// without are the ops that goldens cannot be of, and those that PyTorch has nothing to say about.
var without = map[string]string{
	"linalg.ScaledMM":   "its operands have 8 bits: a test of package linalg compares it with PyTorch",
	"CountLeadingZeros": "PyTorch has no function of the bits of a number",
	"Within":            "PyTorch has no function that requires numbers within bounds",
}

// Every op that can be called by name has a golden, but for those of which there can be none.
func TestEveryOpHasAGolden(t *testing.T) {
	for _, o := range calls.All() {
		_, err := os.Stat(filepath.Join(dir, o.GoName()+".jsonl.gz"))
		reason := without[o.GoName()]
		if o.Package == "Random" {
			reason = "PyTorch draws other numbers"
		}
		if reason != "" {
			require.ErrorIs(t, err, os.ErrNotExist, "%s has a golden, and a reason for which it has none: %s", o.GoName(), reason)
			continue
		}
		require.NoError(t, err, "%s has no golden: give it a line in tools/goldens", o.GoName())
	}
}

// withoutSecond are the ops with gradients of which PyTorch has no second derivatives that can be compared.
var withoutSecond = map[string]string{
	"nn.EmbeddingBag":         "PyTorch has no second derivative",
	"nn.EmbeddingBagOffsets":  "PyTorch has no second derivative",
	"nn.HardSigmoid":          "PyTorch has no second derivative",
	"nn.MultiLabelMarginLoss": "PyTorch has no second derivative",
}

// Every op whose goldens have gradients has one of second derivatives.
func TestEveryGradientHasASecond(t *testing.T) {
	for _, path := range files(t, dir) {
		cases, err := Read(path)
		require.NoError(t, err)
		_, err = os.Stat(filepath.Join(dir, "second", filepath.Base(path)))
		op := cases[0].Op
		if reason := withoutSecond[op]; reason != "" {
			require.ErrorIs(t, err, os.ErrNotExist, "%s has second derivatives, and a reason for which it has none: %s", op, reason)
		} else if slices.ContainsFunc(cases, func(c Case) bool { return c.Cotangents != nil }) {
			require.NoError(t, err, "%s has a gradient and no second derivatives: run tools/goldens/goldens.py %s", op, op)
		}
	}
}

// Every op that a backward op of PyTorch is the gradient of has a golden of second derivatives, which
// are of that gradient.
func TestEveryBackwardOpHasASecond(t *testing.T) {
	text, err := os.ReadFile("../../../tools/opcoverage/table.tsv")
	require.NoError(t, err)
	n := 0
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if fields[2] != "gradient" {
			continue
		}
		n++
		op := fields[3]
		if op == "lazy.Random.Dropout" || withoutSecond[op] != "" { // random, or see there
			continue
		}
		_, err := os.Stat(filepath.Join(dir, "second", op+".jsonl.gz"))
		require.NoError(t, err, "%s is the gradient of %s, which has no second derivatives", fields[0], op)
	}
	require.NotZero(t, n)
}

// What is off by more than its kind allows is a difference.
func TestTolerance(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		kind      string
		got, want float32
		same      bool
	}{
		{"exact", 1, 1, true},
		{"exact", 1, 1.0000001, false},
		{"exact", 0, float32(math.Copysign(0, -1)), false},
		{"equal", 0, float32(math.Copysign(0, -1)), true},
		{"equal", 1, 1.0000001, false},
		{"elementary", 1, 1.0000002, true},
		{"elementary", 1, 1.0000004, false},
		{"elementary", -1e-45, 1e-45, true},
		{"relative", 100, 100.0001, true},
		{"relative", 100, 100.0002, false},
		{"relative", float32(inf), float32(inf), true},
		{"relative", 1e38, float32(inf), false},
		{"relative", float32(nan), 1, false},
		{"relative", -1, 1, false},
		{"absolute", -1, 1, true},
		{"absolute", -1, 1.000003, true},
		{"absolute", -1, 1.00001, false},
		{"exact", float32(nan), float32(nan), true},
	} {
		got, err := soa.Borrow([]float32{c.got}, types.Of(types.F32, 1))
		require.NoError(t, err)
		want, err := soa.Borrow([]float32{c.want}, types.Of(types.F32, 1))
		require.NoError(t, err)
		require.Equal(t, c.same, tolerance(want, c.kind)(got, want, 0), "%v for %v, %s", c.got, c.want, c.kind)
	}
}

// Both parts of a complex number are compared.
func TestComplexNumbers(t *testing.T) {
	z := Array{DType: "c64", Shape: []int{2}, Data: []byte{0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64}} // 1+2i, 3+4i
	for _, c := range []struct {
		z    []complex64
		want string
	}{
		{[]complex64{1 + 2i, 3 + 4i}, ""},
		{[]complex64{1 + 2i, 3 + 5i}, "element 1 of c64[2] is 5, want 4"},
		{[]complex64{2 + 2i, 3 + 4i}, "element 0 of c64[2] is 2, want 1"},
	} {
		v, err := soa.Borrow(c.z, types.Of(types.C64, 2))
		require.NoError(t, err)
		if err := z.compare(v, "relative"); c.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.want)
		}
	}
}

// Memory with the axes in the opposite order shows the same elements.
func TestReversed(t *testing.T) {
	a := Array{DType: "u8", Shape: []int{2, 3}, Data: []byte{1, 2, 3, 4, 5, 6}, Reversed: true}
	v, err := a.view()
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, v.Strides)
	data, err := samples.Bytes(v)
	require.NoError(t, err)
	require.Equal(t, a.Data, data)
}
