package llvm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/internal/loops"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/tileloops"
	"ltc/backends/reference/llvm/vector"
	"ltc/backends/reference/tiles"
	"ltc/internal/test/accuracy"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/mlir"
)

// builtIn returns the loops on vectors of each level that this machine can run.
func builtIn(t testing.TB) map[vector.Level]*tileVectors {
	t.Helper()
	all := map[vector.Level]*tileVectors{}
	for _, level := range []vector.Level{vector.AVX2, vector.AVX512} {
		if cpu, err := native.Host().As(level.String()); err == nil {
			s := &shared{}
			require.NoError(t, s.become(cpu))
			all[level] = s.plain.Vectors.(*tileVectors)
		}
	}
	if len(all) == 0 {
		t.Skip("no loops are built in for this processor")
	}
	return all
}

// operandDTypes are those of the operands of loops.
var operandDTypes = []types.DType{types.F32, types.F64, types.BF16, types.F16, types.I32, types.I64, types.Bool}

// most elements of a loop that a test runs; it starts at an odd element.
const mostElements = 200

// bitsIn returns element i of memory.
func bitsIn(mem []byte, size, i int) uint64 {
	var b [8]byte
	copy(b[:], mem[i*size:(i+1)*size])
	return binary.LittleEndian.Uint64(b[:])
}

// interesting returns the bits of elements at which ops are interesting, then of others.
func interesting(d types.DType, n int, r *rand.Rand) []byte {
	size := d.Size()
	top := uint64(1) << (8*size - 1)
	special := []uint64{0, 1, top, top | 1, top - 1, ^uint64(0)}
	if d.IsFloat() {
		for _, x := range []float64{1, -1, 0.5, 2.5, -3.5, 88, -104, 1e30, 1e-30, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p31, -0x1p31, 0x1p63, 300.7} {
			special = append(special, floatOf(d, x))
		}
	}
	mem := make([]byte, n*size)
	for i := range n {
		bits := r.Uint64()
		switch {
		case r.IntN(2) == 0:
			bits = special[r.IntN(len(special))]
		case d.IsFloat() && r.IntN(2) == 0:
			bits = floatOf(d, r.NormFloat64()*math.Exp2(float64(r.IntN(40)-20)))
		}
		if d == types.Bool {
			bits &= 1
		}
		for k := range size {
			mem[i*size+k] = byte(bits >> (8 * k))
		}
	}
	return mem
}

// dialectOp is the op of the dialect with a name.
func dialectOp(name string) mlir.Code { return mlir.CodeOf("stablehlo." + name) }

func floatOf(d types.DType, x float64) uint64 {
	bits, err := tiles.Scalars{}.Scalar(kernel.Convert, d, types.F64, math.Float64bits(x))
	if err != nil || d == types.F64 {
		return math.Float64bits(x)
	}
	return bits
}

// isNaN reports whether bits are a NaN of a float type.
func isNaN(d types.DType, bits uint64) bool {
	if !d.IsFloat() {
		return false
	}
	if d != types.F64 {
		bits, _ = tiles.Scalars{}.Scalar(kernel.Convert, types.F64, d, bits)
	}
	return math.IsNaN(math.Float64frombits(bits))
}

// rounds reports whether a loop has other bits than the one in Go may have.
func rounds(op kernel.Op, d types.DType) bool {
	return d.IsFloat() && (op == kernel.Remainder && d.Size() == 2 || slices.ContainsFunc(accuracy.Functions, func(f accuracy.Function) bool {
		return f.Name == op.String() && f.Name != "sqrt"
	}))
}

// runLoop runs a loop on n elements from a place in memory on, in place if to is an operand's.
func runLoop(v *tileVectors, l tileloops.Loop, to unsafe.Pointer, from []unsafe.Pointer, n int) bool {
	if l.Op.Arity() == 1 {
		f := v.Unary(l.Op, l.From, l.To)
		if f != nil {
			f(to, from[0], n)
		}
		return f != nil
	}
	f := v.Binary(l.Op, l.From, l.To)
	if f != nil {
		f(to, from[0], from[1], n)
	}
	return f != nil
}

// Loops on vectors have the bits of those in Go, NaNs aside. Functions of 16 bits are one unit off
// at most. Nothing is written behind the results, which may be where an operand is.
func TestLoopsOnVectors(t *testing.T) {
	trials.Sequential(t)
	for level, v := range builtIn(t) {
		r := rand.New(rand.NewPCG(1, uint64(level)))
		for _, d := range operandDTypes {
			for _, l := range tileloops.Loops(d) {
				if l.Kind != tileloops.Each || rounds(l.Op, d) && d.Size() > 2 {
					continue
				}
				for trial := range trials.Of(24) {
					n := r.IntN(mostElements)
					if trial < 4 {
						n = trial
					}
					a, b := interesting(d, n+1, r), interesting(d, n+1, r)
					out := make([]byte, (n+2)*l.To.Size())
					for i := range out {
						out[i] = 0xA5
					}
					from := []unsafe.Pointer{unsafe.Pointer(&a[d.Size()*min(1, n)]), unsafe.Pointer(&b[d.Size()*min(1, n)])}
					was := slices.Clone(a)
					require.True(t, runLoop(v, l, unsafe.Pointer(&out[l.To.Size()]), from, n), "%v: no %s", level, l.Name())
					for i := range n {
						x, y := bitsIn(was, d.Size(), i+1), bitsIn(b, d.Size(), i+1)
						want, err := tiles.Scalars{}.Scalar(l.Op, l.To, d, []uint64{x, y}[:l.Op.Arity()]...)
						require.NoError(t, err)
						got := bitsIn(out, l.To.Size(), i+1)
						if got == want || isNaN(l.To, got) && isNaN(l.To, want) {
							continue
						}
						if apart := int64(got - want); rounds(l.Op, d) && (apart == 1 || apart == -1) {
							continue
						}
						require.Failf(t, "other bits", "%v: %s(%#x, %#x) is %#x, want %#x", level, l.Name(), x, y, got, want)
					}
					for i := range l.To.Size() {
						require.Equal(t, byte(0xA5), out[i], l.Name())
						require.Equal(t, byte(0xA5), out[(n+1)*l.To.Size()+i], l.Name())
					}
					if l.From == l.To {
						runLoop(v, l, from[0], from, n)
						require.Equal(t, out[l.To.Size():(n+1)*l.To.Size()], a[d.Size():], "%v: %s in place", level, l.Name())
					}
				}
			}
		}
	}
}

// Functions are as near to the exact result as those of kernels that are compiled.
func TestFunctionsOnVectors(t *testing.T) {
	trials.Sequential(t)
	for level, v := range builtIn(t) {
		for _, f := range accuracy.Functions {
			op, known := kernel.ParseOp(f.Name)
			require.True(t, known, f.Name)
			run := func(d types.DType, x, y, z []byte) error {
				l := tileloops.Loop{Op: op, From: d, To: d}
				from := []unsafe.Pointer{unsafe.Pointer(&x[0]), nil}
				if f.Binary {
					from[1] = unsafe.Pointer(&y[0])
				}
				if !runLoop(v, l, unsafe.Pointer(&z[0]), from, len(z)/d.Size()) {
					return fmt.Errorf("no %s", l.Name())
				}
				return nil
			}
			tanh := 0.0 // a quotient of rounded parts
			if f.Name == "tanh" && level == vector.AVX2 {
				tanh = 1
			}
			singles, err := f.Measure32(40009, run)
			require.NoError(t, err)
			require.LessOrEqual(t, singles[0].Off, f.Most32+tanh, "%s of f32 on %v at %v", f.Name, level, singles[0].At)
			doubles, err := f.Measure64(trials.Of(200), run)
			require.NoError(t, err)
			require.LessOrEqual(t, doubles[0].Off, f.Most64+tanh, "%s of f64 on %v at %v", f.Name, level, doubles[0].At)
		}
	}
}

// Folds have the bits of those in Go.
func TestFoldsOnVectors(t *testing.T) {
	trials.Sequential(t)
	for level, v := range builtIn(t) {
		r := rand.New(rand.NewPCG(2, uint64(level)))
		for _, d := range []types.DType{types.F32, types.F64} {
			for _, op := range []kernel.Op{kernel.Add, kernel.Maximum, kernel.Minimum} {
				fold := v.Fold(op, d)
				require.NotNil(t, fold)
				for n := range 70 {
					x := interesting(d, n+1, r)
					if n%2 == 0 { // numbers whose sum depends on the order
						for i := range n + 1 {
							copy(x[i*d.Size():], binary.LittleEndian.AppendUint64(nil, floatOf(d, r.NormFloat64()))[:d.Size()])
						}
					}
					got, want := floatOf(d, 0.25), floatOf(d, 0.25)
					fold(unsafe.Pointer(&got), unsafe.Pointer(&x[d.Size()*min(1, n)]), n)
					code := map[kernel.Op]string{kernel.Add: "add", kernel.Maximum: "maximum", kernel.Minimum: "minimum"}[op]
					plain := loops.Fold(dialectOp(code), loops.Of(d))
					plain(&loops.Budget{}, unsafe.Pointer(&want), unsafe.Pointer(&x[d.Size()*min(1, n)]), n)
					require.True(t, got == want || isNaN(d, got) && isNaN(d, want), "%v: %v of %d %v: %#x, want %#x", level, op, n, d, got, want)
				}
			}
		}
	}
}

// Choices and fills move any bits.
func TestMovesOnVectors(t *testing.T) {
	trials.Sequential(t)
	for level, v := range builtIn(t) {
		r := rand.New(rand.NewPCG(3, uint64(level)))
		for _, d := range []types.DType{types.U8, types.U16, types.U32, types.U64} {
			choose, fill := v.Choose(d.Size()), v.Fill(d.Size())
			require.NotNil(t, choose)
			require.NotNil(t, fill)
			for n := 1; n < 90; n += 1 + n/8 {
				c, x, y := interesting(types.Bool, n+1, r), interesting(d, n+1, r), interesting(d, n+1, r)
				got, want := make([]byte, (n+1)*d.Size()), make([]byte, (n+1)*d.Size())
				choose(unsafe.Pointer(&got[0]), unsafe.Pointer(&c[1]), unsafe.Pointer(&x[d.Size()]), unsafe.Pointer(&y[d.Size()]), n)
				loops.Choose(loops.Of(d))(unsafe.Pointer(&want[0]), unsafe.Pointer(&c[1]), unsafe.Pointer(&x[d.Size()]), unsafe.Pointer(&y[d.Size()]), n)
				require.Equal(t, want, got, "%v: %d choices of %v", level, n, d)
				fill(unsafe.Pointer(&got[0]), unsafe.Pointer(&x[0]), n)
				loops.Fill(loops.Of(d))(unsafe.Pointer(&want[0]), unsafe.Pointer(&x[0]), n)
				require.Equal(t, want, got, "%v: %d of one %v", level, n, d)
			}
		}
	}
}

// Products of built-in code are those of a loop, in as much memory as they say.
func TestBuiltInProducts(t *testing.T) {
	trials.Sequential(t)
	for level, v := range builtIn(t) {
		r := rand.New(rand.NewPCG(4, uint64(level)))
		p := v.Products(types.F32)
		require.NotNil(t, p)
		require.Nil(t, v.Products(types.I32))
		for trial := range trials.Of(60) {
			rows, columns, depth := 1+r.IntN(40), 1+r.IntN(70), r.IntN(90)
			if trial%8 == 0 {
				rows, columns, depth = 1+r.IntN(256), 1+r.IntN(1024), r.IntN(600)
			}
			a, b := make([]float32, rows*depth+1), make([]float32, depth*columns+1)
			for _, x := range [][]float32{a, b} {
				for i := range x {
					x[i] = float32(r.IntN(17) - 8) // sums of integers are exact
				}
			}
			stridesA, stridesB := [2]int{depth, 1}, [2]int{columns, 1}
			if r.IntN(2) == 0 {
				stridesA = [2]int{1, rows}
			}
			if r.IntN(2) == 0 {
				stridesB = [2]int{1, depth}
			}
			got := make([]float32, rows*columns+1)
			got[rows*columns] = 42
			bytes := p.Scratch(rows, columns, depth)
			scratch := make([]byte, bytes+128)
			at := unsafe.Pointer(&scratch[0])
			at = unsafe.Add(at, -uintptr(at)&63)
			behind := unsafe.Slice((*byte)(unsafe.Add(at, bytes)), 8)
			about := fmt.Sprintf("%v: %d by %d of %d, %v %v", level, rows, columns, depth, stridesA, stridesB)
			require.True(t, p.Multiply(unsafe.Pointer(&got[0]), unsafe.Pointer(&a[min(1, depth)]), unsafe.Pointer(&b[min(1, depth)]), rows, columns, depth, stridesA, stridesB, at, bytes, nil), about)
			require.Equal(t, make([]byte, 8), behind, about)
			for i := range rows {
				for j := range columns {
					want := float32(0)
					for k := range depth {
						want += a[1+i*stridesA[0]+k*stridesA[1]] * b[1+k*stridesB[0]+j*stridesB[1]]
					}
					if got[i*columns+j] != want {
						require.Equal(t, want, got[i*columns+j], "%s: %d, %d", about, i, j)
					}
				}
			}
			require.EqualValues(t, 42, got[rows*columns], about)
		}
		require.False(t, p.Multiply(nil, nil, nil, 50, 50, 50, [2]int{100, 2}, [2]int{50, 1}, nil, 1<<20, nil), "rows of every other element have no built-in code")
		require.False(t, p.Multiply(nil, nil, nil, 50, 50, 50, [2]int{1, 50}, [2]int{1, 50}, nil, 0, nil), "there is no memory to pack in")
	}
}

// What is built in is the process's, and not counted with each kernel.
func TestTilesShareWhatIsBuiltIn(t *testing.T) {
	for _, v := range builtIn(t) {
		bytes := func(c tiles.Compiler) int {
			codes, err := c.Compile(t.Context(), []*kernel.Kernel{kerneltest.Kernel(t, "linear_gelu")})
			require.NoError(t, err)
			return codes[0].(interface{ ResidentBytes() int }).ResidentBytes()
		}
		require.InDelta(t, bytes(tiles.Compiler{}), bytes(tiles.Compiler{Vectors: v}), 256)
	}
}
