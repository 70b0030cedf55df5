package vector_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"unsafe"

	"github.com/llir/llvm/ir/value"
	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// run calls a kernel with pointers and integers as arguments.
func run(t *testing.T, im *native.Image, name string, args ...any) int32 {
	t.Helper()
	var pin runtime.Pinner
	defer pin.Unpin()
	words := make([]uintptr, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case int:
			words[i] = uintptr(a)
		case []byte:
			pin.Pin(&a[0])
			words[i] = uintptr(unsafe.Pointer(&a[0]))
		case []float32:
			pin.Pin(&a[0])
			words[i] = uintptr(unsafe.Pointer(&a[0]))
		case []int32:
			pin.Pin(&a[0])
			words[i] = uintptr(unsafe.Pointer(&a[0]))
		}
	}
	k, ok := im.Kernel(name)
	require.True(t, ok, name)
	return k.Call(unsafe.Pointer(&words[0]))
}

func each(t *testing.T, build func(m *vector.Module), test func(t *testing.T, im *native.Image, m vector.Machine)) {
	for _, l := range runnable(t) {
		t.Run(l.String(), func(t *testing.T) {
			m := vector.NewModule(machine(l))
			build(m)
			im := load(t, m)
			defer im.Close()
			test(t, im, m.Machine)
		})
	}
}

// Every number of elements is written, and nothing behind it is touched.
func TestSweep(t *testing.T) {
	dtypes := []types.DType{types.Bool, types.U8, types.BF16, types.F32, types.F64}
	each(t, func(m *vector.Module) {
		for _, d := range dtypes {
			for _, lanes := range []int{1, 4, 16, 64} {
				kernelOf(m, fmt.Sprint(d, lanes), lanes, []types.DType{d}, d, func(_ *vector.Builder, v []vector.Value) vector.Value { return v[0] })
			}
		}
	}, func(t *testing.T, im *native.Image, m vector.Machine) {
		for _, d := range dtypes {
			for _, lanes := range []int{1, 4, 16, 64} {
				for _, n := range []int{0, 1, 3, 4, 15, 16, 17, 63, 64, 65, 127, 200} {
					in, out := make([]byte, 201*8), make([]byte, 201*8)
					for i := range in {
						in[i] = byte(i%2) & 1
						out[i] = 0xaa
					}
					require.Zero(t, run(t, im, fmt.Sprint(d, lanes), in, out, n))
					size := n * d.Size()
					require.Equal(t, in[:size], out[:size], "%v, %d lanes, %d elements", d, lanes, n)
					for _, b := range out[size:] {
						require.EqualValues(t, 0xaa, b, "%v, %d lanes, %d elements: written behind the end", d, lanes, n)
					}
				}
			}
		}
	})
}

func TestStrided(t *testing.T) {
	const lanes, stride = 8, 3
	each(t, func(m *vector.Module) {
		for _, masked := range []bool{false, true} {
			b := m.Kernel(fmt.Sprint("strided", masked))
			x, y, n, s := b.ArgPointer(0, types.F32), b.ArgPointer(1, types.F32), b.ArgIndex(2), b.ArgIndex(3)
			l := vector.Lanes{N: lanes}
			if masked {
				l.Mask = b.Mask(lanes, n)
			}
			b.StoreStrided(y, s, b.LoadStrided(x, s, l), l)
			b.Return(0)

			b = m.Kernel(fmt.Sprint("gather", masked))
			x, y, n = b.ArgPointer(0, types.F32), b.ArgPointer(1, types.F32), b.ArgIndex(2)
			index := b.Load(b.ArgPointer(3, types.I32), lanes)
			if l.Mask != nil {
				l.Mask = b.Mask(lanes, n)
			}
			b.Store(y, b.Gather(x, index, l))
			b.Scatter(b.ArgPointer(4, types.F32), index, b.Gather(x, b.Convert(index, types.I64), l), l)
			b.Return(0)
		}
	}, func(t *testing.T, im *native.Image, _ vector.Machine) {
		x := make([]float32, 40)
		for i := range x {
			x[i] = float32(i + 1)
		}
		for _, masked := range []bool{false, true} {
			n := lanes
			if masked {
				n = 5
			}
			y := make([]float32, 40)
			require.Zero(t, run(t, im, fmt.Sprint("strided", masked), x, y, n, stride))
			for i, v := range y {
				want := float32(0)
				if i%stride == 0 && i/stride < n {
					want = x[i]
				}
				require.Equal(t, want, v, "%d", i)
			}
			index := []int32{3, 0, 39, 7, 7, 2, 1, 30}
			y, z := make([]float32, lanes), make([]float32, 40)
			require.Zero(t, run(t, im, fmt.Sprint("gather", masked), x, y, n, index, z))
			for i, v := range y {
				want := float32(0)
				if i < n {
					want = x[index[i]]
					require.Equal(t, want, z[index[i]])
				}
				require.Equal(t, want, v)
			}
		}
	})
}

func TestStreaming(t *testing.T) {
	each(t, func(m *vector.Module) {
		b := m.Kernel("k")
		lanes := m.Machine.Lanes(types.F32)
		b.StoreStreaming(b.ArgPointer(1, types.F32), b.Load(b.ArgPointer(0, types.F32), lanes))
		b.Return(0)
		require.Contains(t, m.String(), "!nontemporal")
	}, func(t *testing.T, im *native.Image, m vector.Machine) {
		n := m.Lanes(types.F32)
		x, y := make([]float32, n), make([]float32, 2*n)
		for i := range x {
			x[i] = float32(i)
		}
		for uintptr(unsafe.Pointer(&y[0]))%uintptr(4*n) != 0 {
			y = y[1:]
		}
		require.Zero(t, run(t, im, "k", x, y))
		require.Equal(t, x, y[:n])
	})
}

// A guard ends the kernel before anything behind it runs.
func TestGuard(t *testing.T) {
	each(t, func(m *vector.Module) {
		b := m.Kernel("k")
		n := b.ArgIndex(0)
		bad, err := b.Op(kernel.CompareLT, types.Bool, vector.Value{V: n, DType: types.I64}, b.ConstInt(types.I64, 1, 10))
		require.NoError(t, err)
		b.Guard(b.Any(bad), 7)
		b.Store(b.ArgPointer(1, types.F32), b.Const(types.F32, 1, 3))
		b.Guard(b.Any(bad), 7)
		b.Return(0)
	}, func(t *testing.T, im *native.Image, _ vector.Machine) {
		y := []float32{1}
		require.EqualValues(t, 7, run(t, im, "k", 10, y))
		require.Equal(t, float32(1), y[0])
		require.EqualValues(t, 0, run(t, im, "k", 9, y))
		require.Equal(t, float32(3), y[0])
	})
}

// A loop carries a vector of sums, which are then folded in a fixed order.
func TestFor(t *testing.T) {
	const lanes = 8
	each(t, func(m *vector.Module) {
		b := m.Kernel("k")
		x, n := b.ArgPointer(0, types.F32), b.ArgIndex(2)
		zero := b.Const(types.F32, lanes, 0)
		done, sums := b.For(vector.Loop{From: b.Index(0), To: n, Step: b.Index(lanes)}, []value.Value{zero.V},
			func(i value.Value, c []value.Value) []value.Value {
				r, err := b.Binary(kernel.Add, vector.Value{V: c[0], DType: types.F32}, b.Load(b.At(x, i), lanes))
				require.NoError(t, err)
				return []value.Value{r.V}
			})
		all, err := b.Fold(kernel.Add, vector.Value{V: sums[0], DType: types.F32})
		require.NoError(t, err)
		b.Store(b.ArgPointer(1, types.F32), all)
		b.Store(b.At(b.ArgPointer(1, types.F32), b.Index(1)), b.Convert(vector.Value{V: done, DType: types.I64}, types.F32))
		b.Return(0)
	}, func(t *testing.T, im *native.Image, _ vector.Machine) {
		x := make([]float32, 100)
		for i := range x {
			x[i] = float32(i)
		}
		for _, n := range []int{0, 7, 8, 99} {
			whole := n / lanes * lanes
			want := float32(whole * (whole - 1) / 2)
			y := []float32{-1, -1}
			require.Zero(t, run(t, im, "k", x, y, n))
			require.Equal(t, []float32{want, float32(whole)}, y)
		}
	})
}

// Lanes combine with all before them, or behind them, as they do one after the other.
func TestPrefix(t *testing.T) {
	type prefix struct {
		name    string
		op      kernel.Op
		d       types.DType
		reverse bool
	}
	var all []prefix
	for _, d := range types.RealDTypes() {
		for _, op := range kernel.Ops() {
			for _, reverse := range []bool{false, true} {
				if op.Combines() && vector.Supports(op, d) {
					all = append(all, prefix{fmt.Sprint(op, ".", d, ".", reverse), op, d, reverse})
				}
			}
		}
	}
	require.Greater(t, len(all), 100)
	each(t, func(m *vector.Module) {
		for _, p := range all {
			b := m.Kernel(p.name)
			lanes := m.Machine.Lanes(p.d)
			x := b.Convert(b.Load(b.ArgPointer(0, types.I32), lanes), p.d)
			r, err := b.Prefix(p.op, x, b.ConstBits(p.d, lanes, kernel.Neutral(p.op, p.d)), p.reverse)
			require.NoError(t, err)
			b.Store(b.ArgPointer(1, p.d), r)
			b.Return(0)
		}
	}, func(t *testing.T, im *native.Image, m vector.Machine) {
		for _, p := range all {
			lanes := m.Lanes(p.d)
			x, got := make([]int32, lanes), make([]byte, lanes*p.d.Size())
			for i := range x {
				switch {
				case p.op == kernel.Multiply && p.d != types.Bool: // products of eight bits
					if x[i] = 1; i%13 == 1 {
						x[i] = 2
					}
				case p.d == types.Bool:
					x[i] = int32(i * 7 % 5 / 4)
				default:
					x[i] = int32(i * 7 % 5 / 2)
				}
			}
			require.Zero(t, run(t, im, p.name, x, got))
			so := make([]int32, 0, lanes)
			for i := range x {
				at := i
				if p.reverse {
					at = lanes - 1 - i
				}
				if so = append(so, x[at]); i > 0 {
					so[i] = combined(p.op, p.d, so[i-1], x[at])
				}
				require.Equal(t, float64(so[i]), number(p.d, got, at), "%s: lane %d", p.name, at)
			}
		}
	})
}

// combined is what an op makes of two small numbers of a dtype.
func combined(op kernel.Op, d types.DType, x, y int32) int32 {
	switch op {
	case kernel.Add:
		if x += y; d == types.Bool {
			x = min(x, 1)
		}
		return x
	case kernel.Multiply:
		return x * y
	case kernel.Maximum:
		return max(x, y)
	case kernel.Minimum:
		return min(x, y)
	case kernel.And:
		return x & y
	case kernel.Xor:
		return x ^ y
	}
	return x | y
}

// Constants have the very bits that they are given.
func TestConstants(t *testing.T) {
	bits := map[types.DType][]uint64{
		types.Bool: {0, 1}, types.U8: {0, 255, 128}, types.U32: {math.MaxUint32}, types.I32: {1 << 31, 5},
		types.U64: {math.MaxUint64, 1 << 63}, types.I64: {1 << 63, 3},
		types.F16: {1, 0x3c00, 0x8000, 0x7bff, 0x7c00}, types.BF16: {1, 0x3f80, 0x8000, 0x7f7f, 0xff80},
		types.F32: {1, 0x80000000, 0x3dcccccd, 0x7f800000, 0x7fc00000, 0x7fa00001}, types.F64: {1, 1 << 63, 0x3fb999999999999a, 0x7ff0000000000000, 0xfff4000000000001},
	}
	each(t, func(m *vector.Module) {
		for d, all := range bits {
			b := m.Kernel(d.String())
			for i, v := range all {
				b.Store(b.At(b.ArgPointer(0, d), b.Index(int64(4*i))), b.ConstBits(d, 4, v))
			}
			b.Return(0)
		}
	}, func(t *testing.T, im *native.Image, _ vector.Machine) {
		for d, all := range bits {
			out := make([]byte, 4*len(all)*d.Size())
			require.Zero(t, run(t, im, d.String(), out))
			for i := range 4 * len(all) {
				require.Equal(t, all[i/4], at(d, out, i), "%v", d)
			}
		}
	})
	// As do those of the form that LLVM 19 reads.
	m := vector.NewModule(vector.Machine{Level: vector.AVX2, Splats: true})
	b := m.Kernel("k")
	b.Store(b.ArgPointer(0, types.F32), b.ConstBits(types.F32, 8, 0x3dcccccd))
	b.Return(0)
	require.Contains(t, m.String(), "store <8 x float> splat (float 0x3FB99999A0000000)")
}

func TestLevels(t *testing.T) {
	for _, l := range vector.Levels() {
		got, ok := vector.ParseLevel(l.String())
		require.True(t, ok)
		require.Equal(t, l, got)
	}
}

// Lanes are taken apart and joined; a multiply and add is rounded once where the
// machine can.
func TestLanes(t *testing.T) {
	each(t, func(m *vector.Module) {
		b := m.Kernel("k")
		x := b.Load(b.ArgPointer(0, types.F32), 8)
		out := b.ArgPointer(1, types.F32)
		store := func(at int64, v vector.Value) { b.Store(b.At(out, b.Index(at)), v) }
		store(0, b.Concat(b.Slice(x, 4, 4), b.Slice(x, 0, 4)))
		store(8, b.Splat(b.Lane(x, 3), 4))
		store(12, b.Iota(types.F32, 4))
		store(16, b.FMA(x, x, b.Const(types.F32, 8, -1)))
		store(24, b.Load(b.PointerTo(out.V, types.F32), 1))
		b.Return(0)
	}, func(t *testing.T, im *native.Image, m vector.Machine) {
		x := []float32{1 + 0x1p-23, 1, 2, 3, 4, 5, 6, 7}
		y := make([]float32, 25)
		require.Zero(t, run(t, im, "k", x, y))
		square := float32(0x1p-22) // rounded twice
		if m.FMA() {
			square += 0x1p-46
		}
		require.Equal(t, []float32{4, 5, 6, 7, x[0], 1, 2, 3, 3, 3, 3, 3, 0, 1, 2, 3, square, 0, 3, 8, 15, 24, 35, 48, 4}, y)
	})
}

func TestUnsupported(t *testing.T) {
	m := vector.NewModule(machine(vector.AVX2))
	b := m.Kernel("k")
	_, err := b.Unary(kernel.Tanh, b.ConstInt(types.I32, 8, 1))
	require.EqualError(t, err, "no vector code for tanh of i32")
	_, err = b.Binary(kernel.Add, b.ConstInt(types.I32, 8, 1), b.ConstInt(types.U32, 8, 1))
	require.EqualError(t, err, "add of i32 and u32")
	_, err = b.Op(kernel.CompareLT, types.Bool, b.Const(types.F32, 8, 1))
	require.EqualError(t, err, "compare_lt of 1 value")
	_, err = b.Bitcast(b.Const(types.F32, 8, 1), types.F64)
	require.EqualError(t, err, "no vector code for bitcast_convert to f64 of f32")
	require.False(t, vector.Supports(kernel.Add, types.Invalid))
}
