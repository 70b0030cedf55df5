package gemm

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"ltc/ir/types"
)

// tensor is an operand in guarded memory, which it fills from the first to the
// last byte.
type tensor struct {
	dtype   types.DType
	sizes   [3]int
	strides [3]int
	bytes   []byte
	signed  bool     // bytes are
	places  [3][]int // where along a dimension its elements are, if not in their order
}

// newTensor returns an operand of these sizes. order lists its dimensions from the
// outermost to the innermost in memory; gap elements are between rows.
func newTensor(t testing.TB, d types.DType, sizes, order [3]int, gap int, atEnd bool) *tensor {
	x := &tensor{dtype: d, sizes: sizes}
	stride, last := 1, 1
	for i := 2; i >= 0; i-- {
		o := order[i]
		x.strides[o] = stride
		last += max(sizes[o]-1, 0) * stride
		stride *= max(sizes[o], 1)
		if i == 2 {
			stride += gap
		}
	}
	if sizes[0]*sizes[1]*sizes[2] == 0 {
		last = 0
	}
	x.bytes = guarded(t, max(last*d.Size(), 1), atEnd)
	return x
}

func (x *tensor) pointer() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x.bytes)) }

func (x *tensor) at(i, j, k int) int {
	at := [3]int{i, j, k}
	for d, p := range x.places {
		if p != nil {
			at[d] = p[at[d]]
		}
	}
	i, j, k = at[0], at[1], at[2]
	return (i*x.strides[0] + j*x.strides[1] + k*x.strides[2]) * x.dtype.Size()
}

// gather shuffles the runs of the dimensions of rows and of k, and locates them.
func (x *tensor) gather(r *rand.Rand, row, k int) *Gather {
	return &Gather{x.runs(r, row), x.runs(r, k)}
}

// runs cuts a dimension into runs that lie in another order.
func (x *tensor) runs(r *rand.Rand, d int) Runs {
	n := x.sizes[d]
	return x.runsOf(r, d, max([]int{1, 2, 3, 5, 9, 17, n}[r.IntN(7)], 1))
}

// runsOf cuts a dimension into runs of a length.
func (x *tensor) runsOf(r *rand.Rand, d, length int) Runs {
	n, step := x.sizes[d], x.strides[d]*x.dtype.Size()
	runs := r.Perm(n / length)
	if n%length != 0 || n == 0 {
		runs = append(runs, len(runs)) // the last is shorter
	}
	var starts []int64
	x.places[d] = []int{}
	for _, run := range runs {
		starts = append(starts, int64(run*length*step))
		for i := range length {
			x.places[d] = append(x.places[d], run*length+i)
		}
	}
	return Runs{&starts[0], length, step}
}

// fill sets all elements to random values, those of integers over their range.
func (x *tensor) fill(r *rand.Rand) *tensor {
	for i := range x.sizes[0] {
		for j := range x.sizes[1] {
			for k := range x.sizes[2] {
				x.set(x.at(i, j, k), r.Float64()*2-1)
			}
		}
	}
	return x
}

// copy copies elements to a tensor of the same sizes.
func (x *tensor) copy(to *tensor) {
	for i := range x.sizes[0] {
		for j := range x.sizes[1] {
			for k := range x.sizes[2] {
				n := to.at(i, j, k)
				copy(to.bytes[n:n+x.dtype.Size()], x.bytes[x.at(i, j, k):])
			}
		}
	}
}

// set stores v, from -1 to 1.
func (x *tensor) set(at int, v float64) {
	b := x.bytes[at:]
	switch x.dtype {
	case types.F64:
		binary.LittleEndian.PutUint64(b, math.Float64bits(v))
	case types.F32:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v)))
	case types.F16:
		binary.LittleEndian.PutUint16(b, uint16(types.ToFloat16(v)))
	case types.BF16:
		binary.LittleEndian.PutUint16(b, uint16(types.ToBFloat16(v)))
	case types.I16:
		binary.LittleEndian.PutUint16(b, uint16(int16(v*799.9)))
	case types.I32, types.U32:
		binary.LittleEndian.PutUint32(b, uint32(int32(v*127.9)))
	case types.I64:
		binary.LittleEndian.PutUint64(b, uint64(int64(v*127.9)))
	default:
		b[0] = byte(int8(math.Floor(v * 128)))
	}
}

func (x *tensor) get(i, j, k int) float64 {
	b := x.bytes[x.at(i, j, k):]
	switch x.dtype {
	case types.F64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case types.F32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case types.F16:
		return float64(types.Float16(binary.LittleEndian.Uint16(b)).Float32())
	case types.BF16:
		return float64(types.BFloat16(binary.LittleEndian.Uint16(b)).Float32())
	case types.I16:
		return float64(int16(binary.LittleEndian.Uint16(b)))
	case types.I32:
		return float64(int32(binary.LittleEndian.Uint32(b)))
	case types.U32:
		return float64(binary.LittleEndian.Uint32(b))
	case types.I64:
		return float64(int64(binary.LittleEndian.Uint64(b)))
	}
	if x.signed {
		return float64(int8(b[0]))
	}
	return float64(b[0])
}

// epsilon is half the distance from 1 to the next number.
func epsilon(d types.DType) float64 {
	switch d {
	case types.F64:
		return 0x1p-53
	case types.F32:
		return 0x1p-24
	case types.F16:
		return 0x1p-11
	case types.BF16:
		return 0x1p-8
	}
	return 0
}
