package gemm

import (
	"fmt"
	"math"

	"github.com/llir/llvm/ir/constant"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// core is the arithmetic of a product on a machine, and the block of results
// that it keeps in registers: rows × vecs vectors.
//
// A step takes one unit of each row of A and of each column of B. A unit is as
// large as a lane of the sums and holds group elements of consecutive k.
type core struct {
	name  string
	elem  types.DType // of operands, after a prologue
	mem   ll.Type     // of packed operands
	acc   types.DType // of sums
	group int
	unit  ll.Type
	lane  ll.Type // of sums
	lanes int     // in a vector
	rows  int     // the most rows at a time
	vecs  int     // vectors of B at a time
	// halfLast says that the last of the vectors has half the lanes.
	halfLast bool
	// heights are the numbers of rows that there is a kernel for, descending
	// from rows to 1.
	heights []int
	// narrow is the dtype of B's elements in panels that were packed once, if it is
	// smaller than what is multiplied: kernels convert them as they load them. Else it
	// is Invalid.
	narrow types.DType
	// prologue turns the elements of such panels into those that are multiplied, if it is
	// not nil: they are packed as they are loaded then, and need no prologue to be packed.
	prologue Prologue
	// signed says which of A's and B's bytes are two's complement.
	signed [2]bool
	// offset says that units of A have the upper bit of each element inverted,
	// and that a panel of B begins with a row of what makes up for this. The
	// machine multiplies unsigned bytes with signed ones: a product of signed
	// bytes takes A plus 128, one of unsigned bytes A minus 128. Bytes of either
	// kind are taken as they are.
	offset bool
	// image says that the kernel reads B from the copy of an [image].
	image bool
	// vnni says that mac takes what AVX512_VNNI adds.
	vnni bool
	// mac returns acc + a·b for each lane; a is one unit in all lanes.
	mac func(f *fn, acc, a, b value.Value) value.Value
}

// laneSize is the bytes of a lane, a unit and a sum.
func (c *core) laneSize() int { return size(c.lane) }

// lanesOf is the lanes of vector j.
func (c *core) lanesOf(j int) int {
	if c.halfLast && j == c.vecs-1 {
		return c.lanes / 2
	}
	return c.lanes
}

// halves reports whether the machine has vectors of half the lanes, and multiplies them faster than
// whole ones, or as fast.
func (c *core) halves(on Machine) bool { return on.Level >= vector.AVX512 && c.elem.IsFloat() }

// columns is how many columns of B a panel has.
func (c *core) columns() int { return c.lanes * c.vecs }

// rowBytes is the bytes of a row of a block of sums.
func (c *core) rowBytes() int { return c.columns() * c.laneSize() }

// unitSize is the bytes of a unit of a panel.
func (c *core) unitSize() int {
	if c.narrow != types.Invalid {
		return c.narrow.Size() * c.group
	}
	return c.laneSize()
}

// panelRow is the bytes of a row of a panel.
func (c *core) panelRow() int { return c.columns() * c.unitSize() }

// paired reports whether a row of a panel has units of the first vector and of the
// second one by turns. The bits of a bf16 are the upper half of an f32's, so one load of
// such a row gives the first vector by a shift, and the second one by a mask.
func (c *core) paired() bool { return c.narrow == types.BF16 && c.prologue == nil }

// fewRows is up to how many rows of A strips convert narrow panels as they load them.
// For more rows each block is converted once: to write it and to read it again takes less
// than to convert it for each strip. Pairs take two instructions, f16s some more, and many
// if the machine has none for them. Prologues take more, too.
func (c *core) fewRows(on Machine) int {
	switch {
	case c.narrow == types.F16 && !on.Halves():
		return c.rows
	case c.prologue != nil:
		return 2 * c.rows
	case c.elem == types.U8: // one instruction a vector
		return math.MaxInt
	case c.paired():
		return 448
	}
	return 112
}

// panels names the form of B that the kernel takes.
func (c *core) panels() string {
	switch {
	case c.prologue != nil:
		return c.name + "ofraw" + c.narrow.String()
	case c.narrow != types.Invalid:
		return c.name + "of" + c.narrow.String()
	case c.image:
		return c.name + "image"
	}
	return c.name
}

// steps is how many steps k elements take.
func (c *core) steps(k int) int { return (k + c.group - 1) / c.group }

// panelRows is how many rows a panel of k elements has.
func (c *core) panelRows(k int) int {
	if c.offset {
		return c.steps(k) + 1
	}
	return c.steps(k)
}

func (c *core) vector() *ll.VectorType { return vec(c.lanes, c.lane) }

// coreUse is what a core computes.
type coreUse uint8

const (
	ofBlocks coreUse = iota // blocks of A and of B
	ofRow                   // one row of A: units have one element, of the dtype of the sums
	ofPacked                // blocks of A, and of a B that was packed once
	ofImage                 // blocks of A, and of the copy of an image
	numCores
)

// coreOf returns the arithmetic of a problem, nil if there is none.
func coreOf(p *Problem, on Machine, use coreUse) *core {
	c := &core{image: use == ofImage, group: 1, elem: p.Acc, acc: p.Acc, unit: vector.Memory(p.Acc), lane: vector.Memory(p.Acc), name: p.Acc.String()}
	c.mem = c.unit
	a, b := p.elements()
	switch {
	case p.Acc == types.F64 && a == types.F64 && b == types.F64:
		c.mac = multiplyAdd(on)
	case p.Acc == types.F32 && a == types.BF16 && b == types.BF16 && on.Level == vector.AVX512BF16 && use != ofRow:
		c.name, c.elem, c.mem, c.group, c.unit, c.mac = "bf16", types.BF16, ll.I16, 2, ll.I32, bfloatPairs
	case p.Acc == types.F32 && single(a) && single(b):
		c.mac = multiplyAdd(on)
		if use == ofPacked {
			c.pack(p, b)
		}
	case p.Acc == a && p.Acc == b && p.Acc.Size() >= 4:
		c.mac = wrapping
	case p.Acc.Size() == 4 && !p.Acc.IsFloat() && a == types.U8 && b == types.U8 && p.A == a && p.B == b:
		c.bytes(p.Signed, on, use == ofRow)
		if use == ofPacked && c.mem.Equal(ll.I16) {
			c.narrow = types.U8
		}
	case p.Acc.Size() == 4 && !p.Acc.IsFloat() && short(a) && short(b):
		c.words(on, use == ofRow)
	default:
		return nil
	}
	c.block(on)
	return c
}

// short reports whether i16 holds the integers of d.
func short(d types.DType) bool { return d == types.I16 || d == types.I8 || d == types.U8 }

// words sets the arithmetic of integers of 16 bits, in pairs where the machine multiplies
// these. A sum wraps, as each of its products does.
func (c *core) words(on Machine, plain bool) {
	if plain || on.Level == vector.NEON {
		c.mac = wrapping
		return
	}
	c.name, c.elem, c.mem, c.group, c.unit, c.mac = "i16", types.I16, ll.I16, 2, ll.I32, wordPairs
	if on.VNNI {
		c.name, c.vnni = "i16vnni", true
		c.mac = func(f *fn, acc, a, b value.Value) value.Value {
			return f.Call("llvm.x86.avx512.vpdpwssd.512", acc.Type(), acc, a, b)
		}
	}
}

// pack chooses the elements of panels that are packed once, of values of dtype b.
func (c *core) pack(p *Problem, b types.DType) {
	if b == types.BF16 || b == types.F16 {
		c.narrow = b
	}
	if p.PrologueB.set() && p.B.Size() < c.unitSize() {
		c.narrow, c.prologue = p.B, p.PrologueB.Emit
	}
}

// single reports whether f32 holds the values of d.
func single(d types.DType) bool { return d.IsFloat() && d != types.F64 }

// bytes sets the arithmetic of bytes.
func (c *core) bytes(signed [2]bool, on Machine, plain bool) {
	c.elem, c.signed = types.U8, signed
	c.name = map[[2]bool]string{{}: "u8", {true, true}: "i8", {false, true}: "u8i8", {true, false}: "i8u8"}[signed]
	switch {
	case plain || on.Level == vector.NEON:
		c.name += "plain"
		c.mac = wrapping
	case on.VNNI:
		c.name += "vnni"
		c.mem, c.group, c.offset, c.vnni = ll.I8, 4, signed[0] == signed[1], true
		c.mac = func(f *fn, acc, a, b value.Value) value.Value {
			if !signed[1] {
				a, b = b, a // the first has no signs
			}
			return f.Call("llvm.x86.avx512.vpdpbusd.512", acc.Type(), acc, a, b)
		}
	default:
		c.mem, c.group, c.mac = ll.I16, 2, wordPairs
	}
}

// block sets the register block that suits the machine: the accumulators, a row
// of B's vectors and what else a step needs fit the registers.
func (c *core) block(on Machine) {
	c.lanes = on.Bits() / 8 / c.laneSize()
	c.vecs = 2
	switch on.Level {
	case vector.AVX512, vector.AVX512BF16: // 32 registers: 28 + 2 + 2
		c.rows, c.heights = 14, []int{14, 8, 7, 4, 3, 2, 1}
	case vector.AVX2: // 16 registers: 12 + 2 + 2
		c.rows, c.heights = 6, []int{6, 4, 3, 2, 1}
	case vector.NEON: // 32 registers: 16 + 2 + 8
		c.rows, c.heights = 8, []int{8, 4, 2, 1}
	default: // 16 registers, and one for each product
		c.rows, c.heights = 4, []int{4, 2, 1}
	}
}

// multiplyAdd rounds once where the machine can.
func multiplyAdd(on Machine) func(f *fn, acc, a, b value.Value) value.Value {
	if !on.FMA() {
		return func(f *fn, acc, a, b value.Value) value.Value {
			return f.Block.NewFAdd(acc, f.Block.NewFMul(a, b))
		}
	}
	return func(f *fn, acc, a, b value.Value) value.Value {
		t := acc.Type()
		return f.Call("llvm.fma."+suffix(t), t, a, b, acc)
	}
}

// wrapping multiplies and adds integers.
func wrapping(f *fn, acc, a, b value.Value) value.Value {
	return f.Block.NewAdd(acc, f.Block.NewMul(a, b))
}

// wordPairs adds the products of two 16-bit integers to each lane.
func wordPairs(f *fn, acc, a, b value.Value) value.Value {
	n := int(acc.Type().(*ll.VectorType).Len)
	two := vec(2*n, ll.I16)
	name := map[int]string{4: "sse2.pmadd.wd", 8: "avx2.pmadd.wd", 16: "avx512.pmaddw.d.512"}[n]
	p := f.Call("llvm.x86."+name, acc.Type(), f.Block.NewBitCast(a, two), f.Block.NewBitCast(b, two))
	return f.Block.NewAdd(acc, p)
}

// bfloatPairs adds the products of two bf16s to each lane. LLVM 15 takes them as
// integers of 32 bits; to newer ones that is the old form, which they know.
func bfloatPairs(f *fn, acc, a, b value.Value) value.Value {
	n := int(acc.Type().(*ll.VectorType).Len)
	two := vec(n, ll.I32)
	name := fmt.Sprintf("llvm.x86.avx512bf16.dpbf16ps.%d", 32*n)
	return f.Call(name, acc.Type(), acc, f.Block.NewBitCast(a, two), f.Block.NewBitCast(b, two))
}

// plus is the sum of two vectors of sums.
func (c *core) plus(f *fn, x, y value.Value) value.Value {
	if c.acc.IsFloat() {
		return f.Block.NewFAdd(x, y)
	}
	return f.Block.NewAdd(x, y)
}

// mask is the mask of the first n of the lanes of a vector; n may be less than
// 0 or more than there are.
func (f *fn) mask(lanes int, n value.Value) value.Value {
	n = f.min(n, i64(lanes))
	n = f.Call("llvm.smax.i64", ll.I64, n, i64(0))
	return f.Mask(lanes, n)
}

// offsets is a vector of bytes of 128, or -128.
func offsets(c *core) value.Value {
	return splatConst(c.lanes, constant.NewInt(ll.I32, -0x7f7f7f80))
}
