package vector_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/llir/llvm/ir/value"
	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
	"ltc/soa"
)

// runnable returns the levels that this machine can run.
func runnable(t testing.TB) []vector.Level {
	if runtime.GOARCH != "amd64" {
		t.Skipf("no code for %s is run in tests", runtime.GOARCH)
	}
	var levels []vector.Level
	for _, l := range []vector.Level{vector.SSE2, vector.AVX2, vector.AVX512} {
		if _, err := native.Host().As(l.String()); err == nil {
			levels = append(levels, l)
		}
	}
	return levels
}

func library(t testing.TB) *libllvm.Library {
	l, err := libllvm.Open()
	if err != nil {
		t.Skip(err)
	}
	return l
}

// load compiles a module and loads it.
func load(t testing.TB, m *vector.Module) *native.Image {
	t.Helper()
	text := m.String()
	object, err := library(t).Compile(context.Background(), text, libllvm.Options{Verify: true})
	if err != nil {
		file := t.TempDir() + "/module.ll"
		_ = os.WriteFile(file, []byte(text), 0o666)
		require.NoError(t, err, "the text is in %s", file)
	}
	image, err := native.Load(object)
	require.NoError(t, err)
	return image
}

func machine(l vector.Level) vector.Machine { return vector.Machine{Level: l} }

// kernel adds a kernel (operands…, result, n) that applies body to n elements of
// the operands' dtypes, lanes at a time.
func kernelOf(m *vector.Module, name string, lanes int, operands []types.DType, result types.DType, body func(b *vector.Builder, v []vector.Value) vector.Value) {
	b := m.Kernel(name)
	in := make([]vector.Pointer, len(operands))
	for i, d := range operands {
		in[i] = b.ArgPointer(i, d)
	}
	out := b.ArgPointer(len(operands), result)
	n := b.ArgIndex(len(operands) + 1)
	b.Sweep(n, lanes, func(i value.Value, l vector.Lanes) {
		v := make([]vector.Value, len(in))
		for k := range in {
			v[k] = b.LoadLanes(b.At(in[k], i), l)
		}
		b.StoreLanes(b.At(out, i), body(b, v), l)
	})
	b.Return(0)
}

// call runs a kernel made by kernel.
func call(t testing.TB, im *native.Image, name string, n int, buffers ...[]byte) {
	t.Helper()
	k, ok := im.Kernel(name)
	require.True(t, ok, "no kernel %s", name)
	var pin runtime.Pinner
	defer pin.Unpin()
	args := make([]uintptr, 0, len(buffers)+1)
	for _, b := range buffers {
		pin.Pin(&b[0])
		args = append(args, uintptr(unsafe.Pointer(&b[0])))
	}
	args = append(args, uintptr(n))
	require.Zero(t, k.Call(unsafe.Pointer(&args[0])), "status of %s", name)
}

// evaluate runs a module of one function in the evaluator.
func evaluate(t testing.TB, text string, n int, result types.DType, operands []types.DType, buffers ...[]byte) []byte {
	t.Helper()
	e, err := eval.New().Compile(context.Background(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err, "%s", text)
	out := make([]byte, n*result.Size())
	c := &backends.Call{Results: []soa.View{soa.At(unsafe.Pointer(&out[0]), types.Of(result, n))}}
	for i, b := range buffers {
		c.Args = append(c.Args, soa.At(unsafe.Pointer(&b[0]), types.Of(operands[i], n)))
	}
	require.NoError(t, e.Execute(context.Background(), c))
	return out
}

// program returns a module that applies an op; types are spelt as MLIR does.
func program(op string, n int, attributes string, result types.DType, operands ...types.DType) string {
	tensor := func(d types.DType) string { return fmt.Sprintf("tensor<%dx%s>", n, spelling(d)) }
	var params, names, kinds []string
	for i, d := range operands {
		names = append(names, fmt.Sprintf("%%a%d", i))
		params = append(params, names[i]+": "+tensor(d))
		kinds = append(kinds, tensor(d))
	}
	dialect := "stablehlo."
	if op == "erf" {
		dialect = "chlo."
	}
	return fmt.Sprintf("func.func @main(%s) -> %s {\n  %%r = %q(%s) {%s} : (%s) -> %s\n  return %%r : %s\n}\n",
		strings.Join(params, ", "), tensor(result), dialect+op, strings.Join(names, ", "), attributes, strings.Join(kinds, ", "), tensor(result), tensor(result))
}

func spelling(d types.DType) string {
	switch s := d.String(); {
	case d == types.Bool:
		return "i1"
	case s[0] == 'u':
		return "ui" + s[1:]
	default:
		return s
	}
}

// elements is how many a test computes: no multiple of any number of lanes.
const elements = 3001

// operand returns elements of a dtype: all pairs of the special values, for the
// operand with this number, then random bits and random numbers of moderate
// size.
func operand(d types.DType, number int, r *rand.Rand) []byte {
	size := d.Size()
	out := make([]byte, elements*size)
	special := specials(d)
	for i := range elements {
		bits := r.Uint64()
		switch pairs := len(special) * len(special); {
		case i < pairs && number == 0:
			bits = special[i/len(special)]
		case i < pairs:
			bits = special[i%len(special)]
		case i%2 == 0:
			bits = moderate(d, r)
		}
		if d == types.Bool {
			bits &= 1
		}
		for k := range size {
			out[i*size+k] = byte(bits >> (8 * k))
		}
	}
	return out
}

func specials(d types.DType) []uint64 {
	var all []uint64
	if !d.IsFloat() {
		top := uint64(1) << (8*d.Size() - 1)
		for _, v := range []uint64{0, 1, 2, 3, 5, 7, 8, 31, 32, 33, 63, 64, 65, 100} {
			all = append(all, v, -v)
		}
		return append(all, top, top-1, top+1, top-2, 1<<24+1, 1<<53+1, 1<<40+1<<15)
	}
	for _, x := range []float64{0, 1, 2, 3, 0.5, 1.5, 2.5, 0.1, 10, 100, 1000, 1e5, 0x1p31, 0x1p63, 0x1p32, 0x1p64, 1e30, 0x1p-20, 0x1p-40, math.Pi, 88.7, 710, 65504, 65519, 65520, 1 - 0x1p-9, 1 + 0x1p-9, 1e-30} {
		all = append(all, floatBits(d, x), floatBits(d, -x))
	}
	least := uint64(1)
	inf := floatBits(d, math.Inf(1))
	sign := uint64(1) << (8*d.Size() - 1)
	for _, v := range []uint64{least, 3, inf, inf - 1, inf | inf>>1&^inf | 1, inf + inf>>10&^inf} {
		all = append(all, v, v|sign)
	}
	return append(all, floatBits(d, math.NaN()))
}

func moderate(d types.DType, r *rand.Rand) uint64 {
	if d.IsFloat() {
		return floatBits(d, r.NormFloat64()*math.Exp2(float64(r.IntN(13)-6)))
	}
	return uint64(r.IntN(200) - 100)
}

func floatBits(d types.DType, x float64) uint64 {
	switch d {
	case types.F16:
		return uint64(types.ToFloat16(x))
	case types.BF16:
		return uint64(types.ToBFloat16(x))
	case types.F32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// at returns the bits of element i.
func at(d types.DType, b []byte, i int) uint64 {
	var bits uint64
	for k := range d.Size() {
		bits |= uint64(b[i*d.Size()+k]) << (8 * k)
	}
	return bits
}

// number returns element i as a float64, or an integer's bits.
func number(d types.DType, b []byte, i int) float64 {
	switch bits := at(d, b, i); d {
	case types.F16:
		return float64(types.Float16(bits).Float32())
	case types.BF16:
		return float64(types.BFloat16(bits).Float32())
	case types.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case types.F64:
		return math.Float64frombits(bits)
	default:
		if d.IsSigned() {
			n := 64 - 8*d.Size()
			return float64(int64(bits<<n) >> n)
		}
		return float64(bits)
	}
}

// apart returns how many floats of dtype d lie between two, by their bits; 0 for
// two NaNs.
func apart(d types.DType, x, y uint64) uint64 {
	nan := func(v uint64) bool {
		inf := floatBits(d, math.Inf(1))
		return v&^(1<<(8*d.Size()-1)) > inf
	}
	if nan(x) || nan(y) {
		if nan(x) && nan(y) {
			return 0
		}
		return math.MaxUint64
	}
	key := func(v uint64) int64 {
		sign := uint64(1) << (8*d.Size() - 1)
		if v&sign != 0 {
			return -int64(v&^sign) - 1
		}
		return int64(v)
	}
	a, b := key(x), key(y)
	return uint64(max(a, b) - min(a, b))
}
