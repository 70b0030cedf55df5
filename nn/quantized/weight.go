package quantized

import (
	"cmp"
	"fmt"
	"slices"

	"ltc/checkpoint/gguf"
	"ltc/internal/functions"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn/module"
	"ltc/soa"
)

// Weight is a matrix [Rows, Features] in blocks of Format along its rows, as [gguf.Blocks] has them.
type Weight struct {
	Rows, Features int
	Format         gguf.DType // gguf.Q4_0, gguf.Q4_1, gguf.Q8_0, gguf.Q4_K, gguf.Q5_K or gguf.Q6_K
	// ManyRows has MatMul dequantize the weight once a run, by tiles of about 256 KiB, which stay in a cache, and multiply
	// these. It is for about 8 rows of x and more, such as the tokens of a prompt.
	ManyRows bool
	// InPlace multiplies the blocks where the file has them, without a copy: see the package. Set it before the load, on other
	// devices than cpu, and for programs whose number of rows of x is open: there, products of a copy are slower. Products do
	// not see what Scale, Min or Codes are given after the load by other means than [LoadInto]: set InPlace for that.
	InPlace bool

	// The fields of the blocks; nil of formats that do not have one.
	Scale  *lazy.Tensor `module:",buffer"` // f16[Rows, blocks, 1]
	Min    *lazy.Tensor `module:",buffer"` // f16[Rows, blocks, 1]
	Scales *lazy.Tensor `module:",buffer"` // of sub-blocks
	High   *lazy.Tensor `module:",buffer"` // upper bits of codes
	Codes  *lazy.Tensor `module:",buffer"`

	// copy is what a load makes for products, as [dot] reads it; nil without. It is no variable of the network, whose checkpoints
	// have the blocks.
	copy *lazy.Tensor `module:"-"`
}

// fields are those of blocks as tensors of a trace, nil where the [Weight] has none.
type fields struct{ scale, min, scales, high, codes *lazy.Tensor }

// format is how the codes of a block become numbers. K formats are in supers.
type format struct {
	// offset is added to a code before the scale multiplies it, in formats without minima.
	offset float64
	// values records the codes as f32, by runs of a block's elements.
	values func(codes *lazy.Tensor) []*lazy.Tensor
	// words is how many words of 32 bits the codes of a block are in a copy. A copy has the bits of flip inverted, and
	// copyOffset is added to its codes instead of offset.
	words, copyOffset int
	flip              uint32
}

var formats = map[gguf.DType]format{
	gguf.Q4_0: {offset: -8, values: nibbles, words: 4, copyOffset: -8},
	gguf.Q4_1: {values: nibbles, words: 4},
	gguf.Q8_0: {words: 8, flip: 0x80808080, copyOffset: -128, values: func(c *lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{c.Convert(lazy.F32)} }},
}

// nibbles returns the lower halves of bytes, which are the first elements of a block, and the upper
// ones.
func nibbles(c *lazy.Tensor) []*lazy.Tensor {
	tr := c.Trace()
	c = c.Convert(lazy.I32)
	low, high := c.And(lazy.Const(tr, lazy.I32, 15)), c.ShiftRightLogical(lazy.Const(tr, lazy.I32, 4))
	return []*lazy.Tensor{low.Convert(lazy.F32), high.Convert(lazy.F32)}
}

// size gives the weight the options of its layer, and the layer those that it leaves to the weight.
func (w *Weight) size(rows, features *int, format *gguf.DType) {
	*rows, *features, *format = cmp.Or(*rows, w.Rows), cmp.Or(*features, w.Features), cmp.Or(*format, w.Format)
	w.Rows, w.Features, w.Format = *rows, *features, *format
}

// Build declares the variables, which are zero until the blocks of a file are loaded.
func (w *Weight) Build(b *module.Builder) {
	w.copy = nil // of another load
	block := w.Format.Block()
	switch {
	case w.Format.BlockTypes(1, 1).Codes.Rank() == 0:
		b.Errorf("quantized.Weight.Format is %v: it must be Q4_0, Q4_1, Q8_0, Q4_K, Q5_K or Q6_K. Load other weights into layers.Linear, dequantized", w.Format)
		return
	case w.Rows <= 0 || w.Features <= 0 || w.Features%block != 0:
		b.Errorf("quantized.Weight is [%d, %d]: sizes must be positive, and Features a multiple of the elements of a block of %v, %d", w.Rows, w.Features, w.Format, block)
		return
	}
	t := w.Format.BlockTypes(w.Rows, w.Features/block)
	for _, field := range []struct {
		v  **lazy.Tensor
		of types.Type
	}{{&w.Scale, t.Scale}, {&w.Min, t.Min}, {&w.Scales, t.Scales}, {&w.High, t.High}, {&w.Codes, t.Codes}} {
		if field.of.Rank() > 0 {
			b.VariableOf(field.v, field.of.DType, nil, field.of.Shape...)
		}
	}
}

// variables returns those of the fields, nil where the format has none.
func (w *Weight) variables() []*lazy.Tensor {
	return []*lazy.Tensor{w.Scale, w.Min, w.Scales, w.High, w.Codes}
}

// fits returns an error if the weight does not have the type of a tensor.
func (w *Weight) fits(t *gguf.Tensor) error {
	if t.DType != w.Format {
		return fmt.Errorf("the weight is of %v, the tensor of %v", w.Format, t.DType)
	}
	if len(t.Shape) != 2 || t.Shape[0] != w.Rows || t.Shape[1] != w.Features {
		return fmt.Errorf("the weight is [%d, %d], the tensor %v", w.Rows, w.Features, t.Shape)
	}
	return nil
}

// set has the variables use the blocks of a tensor that fits, in place.
func (w *Weight) set(t *gguf.Tensor) error {
	blocks, err := t.Blocks()
	if err != nil {
		return err
	}
	for _, field := range []struct {
		v    *lazy.Tensor
		view soa.View
	}{{w.Scale, blocks.Scale}, {w.Min, blocks.Min}, {w.Scales, blocks.Scales}, {w.High, blocks.High}, {w.Codes, blocks.Codes}} {
		if field.v == nil {
			continue
		}
		if err := lazy.SetView(field.v, field.view).Err(); err != nil {
			return err
		}
	}
	return nil
}

// read returns the fields of the blocks as tensors of a trace.
func (w *Weight) read(tr *lazy.Trace) fields {
	return fields{w.Scale, w.Min, w.Scales, w.High, w.Codes}.each(tr.Read)
}

// all returns the fields that the format has, in order.
func (p fields) all() []*lazy.Tensor {
	return slices.DeleteFunc([]*lazy.Tensor{p.scale, p.min, p.scales, p.high, p.codes}, func(x *lazy.Tensor) bool { return x == nil })
}

// withAll returns p with other tensors for those of all, in the same order.
func (p fields) withAll(all []*lazy.Tensor) fields {
	for _, x := range []**lazy.Tensor{&p.scale, &p.min, &p.scales, &p.high, &p.codes} {
		if *x != nil {
			*x, all = all[0], all[1:]
		}
	}
	return p
}

// each returns p with f(x) for each field x that the format has.
func (p fields) each(f func(*lazy.Tensor) *lazy.Tensor) fields {
	all := p.all()
	for i, x := range all {
		all[i] = f(x)
	}
	return p.withAll(all)
}

// rows returns the fields of n rows from the given one on.
func (p fields) rows(from, n int) fields {
	return p.each(func(x *lazy.Tensor) *lazy.Tensor { return x.Narrow(0, from, n) })
}

// gather returns the fields of the rows that indices choose.
func (p fields) gather(indices *lazy.Tensor) fields {
	return p.each(func(x *lazy.Tensor) *lazy.Tensor { return x.Gather(indices) })
}

// values records numbers of blocks, f32[rows, blocks, n], by runs of a block's elements.
func (w *Weight) values(scale, minimum, codes *lazy.Tensor) []*lazy.Tensor {
	f := formats[w.Format]
	all := f.values(codes)
	scale = scale.Convert(lazy.F32)
	for i, v := range all {
		if v = v.AddScalar(f.offset).Mul(scale); minimum != nil {
			v = v.Add(minimum.Convert(lazy.F32))
		}
		all[i] = v
	}
	return all
}

// MatMul records x·weightᵀ of x[…, Features], as f32[…, Rows]. The product
// dequantizes blocks in registers, for each row anew unless ManyRows is set. It reads the copy that a load made, if there
// is one and neither ManyRows nor InPlace is set: programs have it as the composite quantized.dot. x may need a gradient.
func (w *Weight) MatMul(x *lazy.Tensor) *lazy.Tensor {
	if w == nil || w.Codes == nil {
		return unbuilt("quantized.matmul", x)
	}
	if x != nil && x.Err() == nil && (x.Rank() == 0 || x.OpenDim(-1) != w.Features) {
		return module.Refuse(x, "x is %v, its last dimension must be Features, %d", x.Type(), w.Features)
	}
	if x != nil && x.Err() == nil && x.DType().IsComplex() {
		return module.Refuse(x, "dtypes differ: x is %v and the weight is %v; convert x with Convert", x.DType(), lazy.F32)
	}
	return functions.As("quantized.matmul", func() *lazy.Tensor { return w.matMul(x) }, append([]*lazy.Tensor{x}, w.variables()...)...)
}

func unbuilt(op string, x *lazy.Tensor) *lazy.Tensor {
	return module.Misuse(x, "the weight of %s is not built: call module.Build before", op)
}

func (w *Weight) matMul(x *lazy.Tensor) *lazy.Tensor {
	if w.copy != nil && !w.InPlace && !w.ManyRows {
		return w.matMulCopy(x)
	}
	p := w.read(x.Trace())
	if w.ManyRows {
		return w.tiled(x.Convert(lazy.F32), p)
	}
	if s, ok := kFormats[w.Format]; ok {
		return s.matMul(x, p)
	}
	scale, minimum, codes := p.scale, p.min, p.codes
	f := formats[w.Format]
	values := f.values(codes)
	nibbles := len(values) == 2
	outer, blocks, n := x.OpenShape(), codes.Dim(1), w.Format.Block()/len(values)
	outer = outer[:len(outer)-1]
	x = x.Convert(lazy.F32).Reshape(append(outer, 1, blocks, len(values), n)...)
	run := func(i int) *lazy.Tensor { return x.Narrow(-2, i, 1).Squeeze(-2) }
	scale = scale.Convert(lazy.F32)
	if !nibbles && minimum == nil && f.offset == 0 {
		return values[0].Mul(scale).Mul(run(0)).Sum(-2, -1)
	}
	// The sum of a block's codes times x is scaled once. What is added to all codes of a block
	// meets the sum of x.
	var sum *lazy.Tensor
	unit := 1.   // of sum
	if nibbles { // l and u of bytes b = l + 16·u: l·x₀ + u·x₁ = (l·(16·x₀ − x₁) + b·x₁)/16, which saves the shift for u
		sum = values[0].Mul(run(0).MulScalar(16).Sub(run(1))).Add(codes.Convert(lazy.F32).Mul(run(1)))
		unit = 1. / 16
	} else {
		sum = values[0].Mul(run(0))
	}
	base := scale.MulScalar(f.offset)
	if minimum != nil {
		base = minimum.Convert(lazy.F32)
	}
	// What is added to all codes is added n times. The result is in units: powers of two, which round nothing.
	mean := x.Sum(-2, -1).MulScalar(1 / (unit * float64(n))).Unsqueeze(-1)
	return sum.Mul(scale).Add(base.Mul(mean)).Sum(-2, -1).MulScalar(unit)
}

// tiled records x·weightᵀ by tiles of the weight. The last axis of x has Features elements.
func (w *Weight) tiled(x *lazy.Tensor, p fields) *lazy.Tensor {
	product := func(p fields) *lazy.Tensor { return x.MatMul(w.dequantize(p).Transpose(1, 0)) }
	tiles, rows := w.tiles()
	if tiles == 1 || x.Err() != nil {
		return product(p)
	}
	whole := p
	if tiles*rows < w.Rows {
		whole = p.rows(0, tiles*rows)
	}
	split := whole.each(func(x *lazy.Tensor) *lazy.Tensor { return x.Unflatten(0, tiles, -1) })
	y := lazy.Map(func(_ *lazy.Trace, tile []*lazy.Tensor) []*lazy.Tensor {
		return []*lazy.Tensor{product(p.withAll(tile))}
	}, split.all()...)[0] // [tiles, …, rows]
	last := y.Rank() - 1
	var order []int
	for axis := range max(last, 0) {
		order = append(order, (axis+1)%last) // that of the tiles goes before the last one
	}
	y = y.Transpose(append(order, last)...).Flatten(last-1, last)
	if tiles*rows < w.Rows {
		y = lazy.Concatenate(last-1, y, product(p.rows(tiles*rows, w.Rows-tiles*rows)))
	}
	return y
}

// tiles returns how many tiles of the same number of rows the weight has. Rows remain if no number of tiles near the one
// wanted divides Rows.
func (w *Weight) tiles() (n, rows int) {
	const elements = 1 << 16 // of a tile: 256 KiB as f32
	const more = 4           // tiles than wanted, at most: smaller ones are not worth an iteration
	wanted := min((w.Rows*w.Features+elements-1)/elements, w.Rows)
	for n := wanted; n <= min(more*wanted, w.Rows); n++ {
		if w.Rows%n == 0 {
			return n, w.Rows / n
		}
	}
	rows = w.Rows / wanted
	return w.Rows / rows, rows
}

// Gather records the rows that indices choose, as f32[indices…, Features].
func (w *Weight) Gather(indices *lazy.Tensor) *lazy.Tensor {
	if w == nil || w.Codes == nil {
		return unbuilt("quantized.gather", indices)
	}
	return functions.As("quantized.gather", func() *lazy.Tensor { return w.gather(indices) }, append([]*lazy.Tensor{indices}, w.variables()...)...)
}

func (w *Weight) gather(indices *lazy.Tensor) *lazy.Tensor {
	shape, flat := indices.OpenShape(), indices.Reshape(-1)
	p := w.read(indices.Trace()).gather(flat)
	return w.dequantize(p).Reshape(append(shape, w.Features)...)
}

// dequantize records the numbers of rows, as f32[rows, Features].
func (w *Weight) dequantize(p fields) *lazy.Tensor {
	var y *lazy.Tensor
	if s, ok := kFormats[w.Format]; ok {
		y = s.dequantize(p)
	} else {
		y = lazy.Concatenate(2, w.values(p.scale, p.min, p.codes)...)
	}
	return y.Flatten(1, -1)
}
