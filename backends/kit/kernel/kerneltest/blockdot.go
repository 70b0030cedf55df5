package kerneltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// BlockDots returns products with quantized matrices of all forms, and of several sizes.
func BlockDots() []kernel.BlockDot {
	var all []kernel.BlockDot
	for i, size := range [][3]int{{1, 1, 1}, {1, 5, 3}, {3, 2, 7}, {16, 3, 2}, {2, 0, 3}, {0, 2, 3}, {2, 3, 0}, {1, 40, 18}, {33, 4, 3}} {
		all = append(all,
			kernel.BlockDot{Rows: size[0], Groups: size[1], Blocks: size[2], Bits: 4, Minima: true},
			kernel.BlockDot{Rows: size[0], Groups: size[1], Blocks: size[2], Bits: 4, Offset: -8},
			kernel.BlockDot{Rows: size[0], Groups: size[1], Blocks: size[2], Bits: 8, Offset: -128},
			kernel.BlockDot{Rows: size[0], Groups: size[1], Blocks: size[2], Bits: 8, Offset: 127 - i, Minima: true})
	}
	return all
}

// BlockDotText returns the program of a step, a composite whose body multiplies in f32.
func BlockDotText(d kernel.BlockDot) string {
	const lanes, codes = kernel.BlockDotLanes, kernel.BlockDotCodes
	var b strings.Builder
	f32 := func(dims ...int) string { return tensorText(types.F32, dims...) }
	x, matrix, y := f32(d.Rows, d.Blocks, codes), tensorText(types.U32, d.Groups, d.Blocks, d.Size()), f32(d.Rows, d.Groups, lanes)
	words := tensorText(types.U32, d.Groups, d.Blocks, d.Words(), lanes)
	fmt.Fprintf(&b, `func.func public @main(%%x: %[1]s, %%matrix: %[2]s) -> %[3]s {
  %%0 = stablehlo.composite %[4]q %%x, %%matrix {composite_attributes = {offset = %[5]d : i64}, decomposition = @body} : (%[1]s, %[2]s) -> %[3]s
  return %%0 : %[3]s
}
func.func private @body(%%x: %[1]s, %%matrix: %[2]s) -> %[3]s {
`, x, matrix, y, kernel.BlockDotName, d.Offset)
	slice := func(name string, from, to int, as string) {
		fmt.Fprintf(&b, "  %%%[1]s_ = stablehlo.slice %%matrix [0:%[2]d, 0:%[3]d, %[4]d:%[5]d] : (%[6]s) -> %[7]s\n", name, d.Groups, d.Blocks, from, to, matrix, tensorText(types.U32, d.Groups, d.Blocks, to-from))
		if as != "" {
			fmt.Fprintf(&b, "  %%%[1]s = stablehlo.reshape %%%[1]s_ : (%[2]s) -> %[3]s\n", name, tensorText(types.U32, d.Groups, d.Blocks, to-from), as)
			return
		}
		pairs, half := tensorText(types.F16, d.Groups, d.Blocks, lanes/2, 2), tensorText(types.F16, d.Groups, d.Blocks, lanes)
		fmt.Fprintf(&b, "  %%%[1]s2 = stablehlo.bitcast_convert %%%[1]s_ : (%[2]s) -> %[3]s\n  %%%[1]s = stablehlo.reshape %%%[1]s2 : (%[3]s) -> %[4]s\n", name, tensorText(types.U32, d.Groups, d.Blocks, lanes/2), pairs, half)
	}
	slice("scale", 0, lanes/2, "")
	if d.Minima {
		slice("minima", lanes/2, lanes, "")
	}
	slice("codes", d.Halves()/2, d.Size(), words)
	half := tensorText(types.F16, d.Groups, d.Blocks, lanes)
	var all []string // codes as f32[groups, blocks, 1, words, 1, lanes], in the order of elements but for words and bytes
	part := f32(d.Groups, d.Blocks, 1, d.Words(), 1, lanes)
	for half := range 8 / d.Bits {
		var bytes []string
		for e := range 4 {
			n := fmt.Sprintf("%d%d", half, e)
			fmt.Fprintf(&b, "  %%by%[1]s = stablehlo.constant dense<%[2]d> : %[3]s\n  %%m%[1]s = stablehlo.constant dense<%[4]d> : %[3]s\n  %%s%[1]s = stablehlo.shift_right_logical %%codes, %%by%[1]s : %[3]s\n  %%c%[1]s = stablehlo.and %%s%[1]s, %%m%[1]s : %[3]s\n  %%f%[1]s = stablehlo.convert %%c%[1]s : (%[3]s) -> %[5]s\n  %%r%[1]s = stablehlo.reshape %%f%[1]s : (%[5]s) -> %[6]s\n",
				n, 8*e+4*half, words, 1<<d.Bits-1, f32(d.Groups, d.Blocks, d.Words(), lanes), part)
			bytes = append(bytes, "%r"+n)
		}
		one := f32(d.Groups, d.Blocks, 1, d.Words(), 4, lanes)
		fmt.Fprintf(&b, "  %%h%d = stablehlo.concatenate %s, dim = 4 : (%s) -> %s\n", half, strings.Join(bytes, ", "), strings.Join([]string{part, part, part, part}, ", "), one)
		all = append(all, fmt.Sprintf("%%h%d", half))
		part := one
		if half == 8/d.Bits-1 {
			whole := f32(d.Groups, d.Blocks, 8/d.Bits, d.Words(), 4, lanes)
			fmt.Fprintf(&b, "  %%all = stablehlo.concatenate %s, dim = 2 : (%s) -> %s\n", strings.Join(all, ", "), strings.TrimSuffix(strings.Repeat(part+", ", len(all)), ", "), whole)
			fmt.Fprintf(&b, "  %%flat = stablehlo.reshape %%all : (%s) -> %s\n", whole, f32(d.Groups, d.Blocks, codes, lanes))
		}
	}
	w := f32(d.Groups, d.Blocks, codes, lanes)
	spread := func(name string) string {
		fmt.Fprintf(&b, "  %%%[1]s32 = stablehlo.convert %%%[1]s : (%[2]s) -> %[3]s\n  %%%[1]sw = stablehlo.broadcast_in_dim %%%[1]s32, dims = [0, 1, 3] : (%[3]s) -> %[4]s\n", name, half, f32(d.Groups, d.Blocks, lanes), w)
		return "%" + name + "w"
	}
	fmt.Fprintf(&b, "  %%o = stablehlo.constant dense<%d.0> : %s\n  %%shifted = stablehlo.add %%flat, %%o : %s\n  %%w0 = stablehlo.multiply %%shifted, %s : %s\n", d.Offset, w, w, spread("scale"), w)
	last := "%w0"
	if d.Minima {
		fmt.Fprintf(&b, "  %%w1 = stablehlo.add %%w0, %s : %s\n", spread("minima"), w)
		last = "%w1"
	}
	fmt.Fprintf(&b, "  %%y = stablehlo.dot_general %%x, %s, contracting_dims = [1, 2] x [1, 2] : (%s, %s) -> %s\n  return %%y : %s\n}\n", last, x, w, y, y)
	return b.String()
}

func tensorText(d types.DType, dims ...int) string {
	s := "tensor<"
	for _, n := range dims {
		s += fmt.Sprintf("%dx", n)
	}
	return s + map[types.DType]string{types.F32: "f32", types.F16: "f16", types.U32: "ui32"}[d] + ">"
}

// BlockDotOperands returns operands of a step: x of several sizes, and blocks of any codes.
func BlockDotOperands(d kernel.BlockDot) (x []float32, blocks []uint32) {
	r := rand.New(rand.NewPCG(uint64(d.Blocks), uint64(d.Groups)))
	for i := range d.Rows * d.Blocks * kernel.BlockDotCodes {
		x = append(x, float32((r.Float64()-0.5)*math.Exp2(float64(r.IntN(8)-20*(i/kernel.BlockDotCodes%3)))))
	}
	half := func() uint32 { return uint32(types.ToFloat16(r.Float64() - 0.5)) }
	for range d.Groups * d.Blocks {
		for range d.Halves() / 2 {
			blocks = append(blocks, half()|half()<<16)
		}
		for range d.Words() * kernel.BlockDotLanes {
			blocks = append(blocks, r.Uint32())
		}
	}
	return x, blocks
}
