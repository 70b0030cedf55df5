package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// kind is the dtypes of a product.
type kind struct{ a, b, acc, c types.DType }

func (k kind) String() string { return fmt.Sprintf("%v_%v_%v_%v", k.a, k.b, k.acc, k.c) }

var kinds = []kind{
	{types.F32, types.F32, types.F32, types.F32},
	{types.F64, types.F64, types.F64, types.F64},
	{types.BF16, types.BF16, types.F32, types.F32},
	{types.BF16, types.BF16, types.F32, types.BF16},
	{types.F16, types.F16, types.F32, types.F16},
	{types.F32, types.BF16, types.F32, types.F32},
	{types.F32, types.F16, types.F32, types.F32},
	{types.U8, types.U8, types.I32, types.I32},
	{types.U8, types.U8, types.U32, types.F32},
	{types.I16, types.I16, types.I32, types.I32},
	{types.I32, types.I32, types.I32, types.I32},
	{types.I64, types.I64, types.I64, types.I64},
}

// trial is a product and how its operands lie.
type trial struct {
	kind
	batch, m, n, k   int
	ta, tb, tc, fuse int
	gap, parts       int
	atEnd, packed    bool
	before           int // 1: A has a prologue, 2: B, 3: both
	gather           int // 1: A is gathered, 2: B, 3: both
	apart            int // so many elements from a column of a gathered B to the next, each k a run, and from an element of k of a gathered A to the next; 0: any
	// Bytes of i32 sums are without signs.
	unsignedA, unsignedB bool
}

var orders = [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 2, 0}, {0, 1, 2}}

func (x trial) String() string {
	return fmt.Sprintf("%v [%d] %dx%dx%d orders %d%d%d fuse %d gap %d parts %d end %v packed %v before %d gather %d apart %d unsigned %v %v", x.kind, x.batch, x.m, x.n, x.k, x.ta, x.tb, x.tc, x.fuse, x.gap, x.parts, x.atEnd, x.packed, x.before, x.gather, x.apart, x.unsignedA, x.unsignedB)
}

// operands are the memory of a trial.
type operands struct {
	a, b, c, bias, residual *tensor
	added                   [2][2]*tensor // to A and B by prologues: by row or column, and by k
}

// run multiplies random operands.
func (x trial) run(t *testing.T, on Machine) operands {
	r := rand.New(rand.NewPCG(uint64(x.m*1000+x.n), uint64(x.k)))
	var o operands
	o.a = newTensor(t, x.a, [3]int{x.batch, x.m, x.k}, orders[x.ta], x.gap, x.atEnd)
	o.b = newTensor(t, x.b, [3]int{x.batch, x.k, x.n}, orders[x.tb], x.gap, x.atEnd)
	o.c = newTensor(t, x.c, [3]int{x.batch, x.m, x.n}, orders[x.tc], x.gap, x.atEnd)
	if x.tb == 3 { // one matrix for all
		o.b.strides[0] = 0
	}
	var gathers [2]*Gather
	if x.gather&1 != 0 {
		if x.apart > 0 {
			o.a = newTensor(t, x.a, [3]int{x.batch, x.m, max(x.apart*(x.k-1)+1, 0)}, orders[0], x.gap, x.atEnd)
			o.a.sizes[2], o.a.strides[2] = x.k, x.apart
		}
		gathers[0] = o.a.gather(r, 1, 2)
	}
	switch {
	case x.gather&2 == 0:
	case x.apart > 0:
		o.b = newTensor(t, x.b, [3]int{x.batch, x.k, max(x.apart*(x.n-1)+1, 0)}, orders[0], x.gap, x.atEnd)
		o.b.sizes[2], o.b.strides[2] = x.n, x.apart
		length := []int{2, 3, 7, 13, 20, 40}[r.IntN(6)]
		gathers[1] = &Gather{o.b.runsOf(r, 2, length), o.b.runsOf(r, 1, 1)}
	default:
		gathers[1] = o.b.gather(r, 2, 1)
	}
	signed := [2]bool{}
	if x.acc == types.I32 && x.before == 0 { // prologues take bytes without a sign
		signed = [2]bool{!x.unsignedA, !x.unsignedB}
	}
	o.a.signed, o.b.signed = signed[0], signed[1]
	o.a.fill(r)
	o.b.fill(r)
	for i := range o.c.bytes {
		o.c.bytes[i] = nothing
	}
	p := Problem{Signed: signed, A: x.a, B: x.b, Acc: x.acc, C: x.c, Batch: x.batch, M: x.m, N: x.n, K: x.k,
		StrideA: o.a.strides, StrideB: o.b.strides, StrideC: o.c.strides, GatherA: gathers[0], GatherB: gathers[1]}
	ops := Operands{A: o.a.pointer(), B: o.b.pointer(), C: o.c.pointer()}
	if x.fuse > 0 {
		o.bias = newTensor(t, x.acc, [3]int{1, 1, x.n}, orders[0], 0, x.atEnd).fill(r)
		o.residual = newTensor(t, x.c, [3]int{x.batch, x.m, x.n}, orders[x.tc], x.gap, x.atEnd).fill(r)
		if x.fuse == 2 {
			o.residual.copy(o.c)
			p.Overlap = true
			ops.Epilogue = pointers(o.bias.pointer(), o.c.pointer(), o.c.strides)
		} else {
			ops.Epilogue = pointers(o.bias.pointer(), o.residual.pointer(), o.residual.strides)
		}
		p.Epilogue = biasResidualReLU(x.kind)
	}
	for i, f := range []struct {
		own int
		to  *Fused[Prologue]
		ops *unsafe.Pointer
	}{{x.m, &p.PrologueA, &ops.PrologueA}, {x.n, &p.PrologueB, &ops.PrologueB}} {
		if x.before>>i&1 == 1 {
			o.added[i] = [2]*tensor{newTensor(t, x.acc, [3]int{1, 1, f.own}, orders[0], 0, x.atEnd).fill(r),
				newTensor(t, x.acc, [3]int{1, 1, x.k}, orders[0], 0, x.atEnd).fill(r)}
			*f.to = addsBoth(x.acc)
			*f.ops = pointers(o.added[i][0].pointer(), o.added[i][1].pointer(), [3]int{})
		}
	}
	p.PackedB = x.packed
	product := bind(t, p, on)
	if x.packed {
		ops.PackedB = unsafe.Pointer(unsafe.SliceData(guarded(t, max(product.plan.PackedBytes(), 1), x.atEnd)))
		for i := range x.parts {
			product.Pack(i, x.parts, ops)
		}
		ops.B = nil
	}
	multiply(product, x.parts, ops)
	return o
}

// nothing is what memory holds before a product.
const nothing = 0xa5

// worst returns the largest error in multiples of what it may be, and requires
// that nothing else was written.
func (x trial) worst(t *testing.T, o operands) float64 {
	written := make([]bool, len(o.c.bytes))
	worst := 0.
	// The rows of a and the columns of b, with what is added to them.
	left, right := make([]float64, x.m*x.k), make([]float64, x.n*x.k)
	for i := range x.batch {
		for k := range x.k {
			for m := range x.m {
				a := &left[m*x.k+k]
				*a = o.a.get(i, m, k)
				if v := o.added[0]; v[0] != nil {
					*a += v[0].get(0, 0, m) + v[1].get(0, 0, k)
				}
			}
			for n := range x.n {
				b := &right[n*x.k+k]
				*b = o.b.get(i, k, n)
				if v := o.added[1]; v[0] != nil {
					*b += v[0].get(0, 0, n) + v[1].get(0, 0, k)
				}
			}
		}
		for m := range x.m {
			for n := range x.n {
				sum, size := 0., 0.
				for k := range x.k {
					a, b := left[m*x.k+k], right[n*x.k+k]
					sum += a * b
					size += math.Abs(a * b)
					if x.before > 0 {
						size += 9. / float64(x.k) // what prologues round
					}
				}
				at := o.c.at(i, m, n)
				for j := range x.c.Size() {
					written[at+j] = true
				}
				extra := 0.
				if x.fuse > 0 {
					extra = 2
					sum = max(sum+o.bias.get(0, 0, n)+o.residual.get(i, m, n), 0)
					size += 2
				}
				allowed := (float64(x.k)+extra)*epsilon(x.acc)*size + 1.01*epsilon(x.c)*math.Abs(sum)
				if x.c == types.F16 {
					allowed += 0x1p-25 // subnormal
				}
				if err := math.Abs(o.c.get(i, m, n) - sum); err > 0 || math.IsNaN(err) {
					worst = max(worst, err/allowed)
				}
			}
		}
	}
	for i, w := range written {
		if !w && x.batch*x.m*x.n > 0 {
			require.EqualValues(t, nothing, o.c.bytes[i], "%v: byte %d written", x, i)
		}
	}
	return worst
}

// biasResidualReLU is an epilogue that adds a row of sums' dtype and a matrix
// like C, of which its operands have the addresses and strides.
func biasResidualReLU(k kind) Fused[Epilogue] {
	return Fused[Epilogue]{Name: "bias_residual_relu", Emit: func(b *vector.Builder, sum vector.Value, operands value.Value, at Tile) vector.Value {
		word := func(i int64) value.Value {
			p := b.At(b.PointerTo(operands, types.I64), b.Index(i))
			return b.Load(p, 1).V
		}
		pointer := func(i int64, d types.DType) vector.Pointer {
			return vector.Pointer{V: b.Block.NewIntToPtr(word(i), ll.NewPointer(vector.Memory(d))), DType: d}
		}
		index := b.Block.NewAdd(b.Block.NewMul(at.Batch, word(2)), b.Block.NewAdd(b.Block.NewMul(at.M, word(3)), b.Block.NewMul(at.N, word(4))))
		residual := b.At(pointer(1, k.c), index)
		var bias, other vector.Value
		if at.AlongM {
			bias = b.Splat(b.Load(b.At(pointer(0, k.acc), at.N), 1), at.Lanes.N)
			other = b.LoadStrided(residual, word(3), at.Lanes)
		} else {
			bias = b.LoadLanes(b.At(pointer(0, k.acc), at.N), at.Lanes)
			other = b.LoadStrided(residual, word(4), at.Lanes)
		}
		x, err := b.Binary(kernel.Add, sum, bias)
		if err == nil {
			x, err = b.Binary(kernel.Add, x, b.Convert(other, k.acc))
		}
		if err == nil {
			x, err = b.Binary(kernel.Maximum, x, b.Const(k.acc, at.Lanes.N, 0))
		}
		if err != nil {
			panic(err)
		}
		return b.Convert(x, k.c)
	}}
}

// addsBoth is a prologue that adds a vector along the operand's own dimension and
// one along k, of which its operands have the addresses.
func addsBoth(acc types.DType) Fused[Prologue] {
	return Fused[Prologue]{Name: "adds_both", Type: acc, Emit: func(b *vector.Builder, operands value.Value) Apply {
		pointer := func(i int64) vector.Pointer {
			word := b.Load(b.At(b.PointerTo(operands, types.I64), b.Index(i)), 1).V
			return vector.Pointer{V: b.Block.NewIntToPtr(word, ll.NewPointer(vector.Memory(acc))), DType: acc}
		}
		own, k := pointer(0), pointer(1)
		return func(x vector.Value, at Place) vector.Value {
			x = b.Convert(x, acc)
			load := func(p vector.Pointer, lanes bool) vector.Value {
				if lanes {
					return b.LoadLanes(p, at.Lanes)
				}
				return b.Splat(b.Load(p, 1), at.Lanes.N)
			}
			for _, y := range []vector.Value{load(b.At(own, at.Row), !at.AlongK), load(b.At(k, at.K), at.AlongK)} { // in one order
				var err error
				if x, err = b.Binary(kernel.Add, x, y); err != nil {
					panic(err)
				}
			}
			return x
		}
	}}
}

// pointers returns the words of the epilogue's operands.
func pointers(bias, residual unsafe.Pointer, strides [3]int) unsafe.Pointer {
	return unsafe.Pointer(&[]uintptr{uintptr(bias), uintptr(residual), uintptr(strides[0]), uintptr(strides[1]), uintptr(strides[2])}[0])
}

// Products of all kinds, of many sizes, however their operands lie, are right,
// touch nothing else, and have the same bits in any number of parts. With LTC_SOAK=1 there
// are 900 of each kind for AVX-512, and 300 for other processors.
func TestProducts(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 5, 7, 8, 13, 14, 15, 16, 17, 29, 31, 32, 33, 47, 61, 64, 67, 70}
	for _, on := range machines() {
		for _, kind := range kinds {
			t.Run(on.String()+"/"+kind.String(), func(t *testing.T) {
				r := rand.New(rand.NewPCG(7, 8))
				pick := func() int { return sizes[r.IntN(len(sizes))] }
				n := 30
				if on.Level < vector.AVX512 {
					n = 10
				}
				for range trials.Soak(n, 30*n) {
					x := trial{kind: kind, batch: 1 + r.IntN(3)*r.IntN(2), m: pick(), n: pick(), k: pick(),
						ta: r.IntN(3), tb: r.IntN(4), tc: r.IntN(3), fuse: max(r.IntN(4)-1, 0), gap: r.IntN(2) * r.IntN(4), parts: 1, atEnd: r.IntN(2) == 0, packed: r.IntN(6) == 0, before: max(r.IntN(6)-2, 0)}
					if r.IntN(2) == 0 {
						x.unsignedA, x.unsignedB = r.IntN(2) == 0, r.IntN(2) == 0
					}
					if kind.acc == types.U32 { // the epilogue of the tests is for signed sums
						x.fuse, x.before = 0, 0
					}
					if (kind.a == types.U8 || kind.a == types.I16) && x.before > 0 { // bytes meet bytes alone, as do words
						x.before = 3
					}
					if x.before == 0 {
						x.gather, x.apart = max(r.IntN(6)-2, 0), max(r.IntN(6)-2, 0)
					}
					switch r.IntN(8) {
					case 0:
						x.m = 1
					case 1:
						x.n = 1
					}
					if r.IntN(8) == 0 {
						x.k = 1000 + r.IntN(2000)
					}
					o := x.run(t, on)
					require.LessOrEqual(t, x.worst(t, o), 1., "%v", x)
					for parts := 2; parts <= 4; parts++ {
						x.parts = parts
						require.Equal(t, o.c.bytes, x.run(t, on).c.bytes, "%v", x)
					}
				}
			})
		}
	}
}

// Columns have the same bits in the last panel, of as many vectors as they take, as in a full one.
func TestEdges(t *testing.T) {
	for _, on := range machines() {
		for _, of := range []types.DType{types.F32, types.F64, types.BF16, types.I16, types.I32} {
			t.Run(on.String()+"/"+of.String(), func(t *testing.T) {
				acc := map[types.DType]types.DType{types.BF16: types.F32, types.I16: types.I32}[of]
				if acc == types.Invalid {
					acc = of
				}
				p := Dense(of, of, acc, acc, 1, 33, 0, 600)
				q, err := New(p, on)
				require.NoError(t, err)
				p.N = 2 * q.core.columns()
				full := Dense(of, of, acc, acc, 1, p.M, p.N, p.K)
				r := rand.New(rand.NewPCG(1, 2))
				x := newTensor(t, of, [3]int{1, p.M, p.K}, orders[0], 0, true).fill(r)
				y := newTensor(t, of, [3]int{1, p.K, p.N}, orders[0], 0, true).fill(r)
				run := func(p Problem) *tensor {
					z := newTensor(t, acc, [3]int{1, p.M, p.N}, orders[0], 0, true)
					multiply(bind(t, p, on), 1, Operands{A: x.pointer(), B: y.pointer(), C: z.pointer()})
					return z
				}
				want := run(full)
				for n := 1; n < p.N; n++ {
					edge := Dense(of, of, acc, acc, 1, p.M, n, p.K)
					edge.StrideB = full.StrideB
					edge.Block = true // rows and columns stay what they are
					got := run(edge)
					size := acc.Size()
					for m := range p.M {
						require.Equal(t, want.bytes[m*p.N*size:][:n*size], got.bytes[m*n*size:][:n*size], "row %d of %d columns", m, n)
					}
				}
			})
		}
	}
}
