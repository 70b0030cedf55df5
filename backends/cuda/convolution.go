package cuda

import (
	"slices"

	"ltc/backends/cuda/cublaslt"
	"ltc/backends/cuda/cudnn"
	"ltc/backends/kit"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// convolution is a step that is a convolution as cuDNN has them.
type convolution struct {
	problem   cudnn.Problem
	x, w, y   place
	kernels   filter
	work      int64 // multiplications
	algorithm cudnn.Algorithm
}

// filter is how the kernels of a convolution lie in memory, along axes of which no two
// neighbours lie as one; the library has them dense, the last axis innermost.
type filter struct {
	sizes, strides []int64
	bytes          int // of an element
}

// dense reports whether they lie as the library has them.
func (f *filter) dense() bool { return len(f.sizes) == 1 && f.strides[0] == 1 }

// elements is how many there are.
func (f *filter) elements() int64 {
	n := int64(1)
	for _, s := range f.sizes {
		n *= s
	}
	return n
}

// unit is the axis, counted from 1, along which they lie beside each other; 0: none.
func (f *filter) unit() int { return slices.Index(f.strides, 1) + 1 }

// along adds an axis, inside those before it.
func (f *filter) along(size, stride int64) {
	last := len(f.sizes) - 1
	switch {
	case size == 1:
	case last >= 0 && f.strides[last] == stride*size:
		f.sizes[last] *= size
		f.strides[last] = stride
	default:
		f.sizes, f.strides = append(f.sizes, size), append(f.strides, stride)
	}
}

// elements are the library's types.
var elements = map[types.DType]cudnn.Type{types.F32: cudnn.F32, types.F16: cudnn.F16, types.BF16: cudnn.BF16}

// convolutionOf returns what a step is as a convolution, with nothing behind it, of
// images whose features lie beside each other; nil if it is something else. That is read
// off how far apart in memory neighbours along the kernel's axes are. A kernel has no
// sizes of images, and what can be one axis is: where several images, strides and windows
// mean the same elements, whichever is found first is as good as any.
func convolutionOf(s *kit.Launch, k *kernel.Kernel, tf32 bool) *convolution {
	if len(s.Moving) > 0 || slices.ContainsFunc(k.Params, func(p kernel.Param) bool { return slices.Contains(p.Strides, kernel.TableStride) }) {
		return nil
	}
	c, ok := kernel.AsContraction(k)
	if !ok || len(c.M) == 0 || c.Type != types.F32 {
		return nil
	}
	x := &contracted{k: k, c: c, sizes: s.Sizes, strides: k.StrideTable(nil, s.Strides)}
	if x.end, ok = endingOf(k, c); !ok || x.end.epilogue != cublaslt.Plain || len(x.end.added) > 0 {
		return nil
	}
	t := k.Params[x.end.to.Param].DType
	load, ok := x.image(&c.A, t)
	if _, known := elements[t]; !known || !ok || !x.plain(&c.B, t) {
		return nil
	}
	w := &windowed{contracted: x, image: load, kernels: k.Instrs[c.B.Load].Mem}
	v := w.find()
	if v == nil || !v.elsewhere(s) {
		return nil
	}
	v.problem.Type, v.problem.Math, v.kernels.bytes = elements[t], cudnn.Tensor, t.Size()
	if t == types.F32 && !tf32 {
		v.problem.Math = cudnn.FMA
	}
	return v
}

// image returns where a factor is loaded, of elements of a type of which nothing else is
// made; those around the operand may be 0.
func (x *contracted) image(f *kernel.Factor, t types.DType) (*kernel.Access, bool) {
	if x.plain(f, t) {
		return x.k.Instrs[f.Load].Mem, true
	}
	v := f.Value
	if i := &x.k.Instrs[v]; i.Op == kernel.Convert {
		v = i.Args[0]
	}
	i := &x.k.Instrs[v]
	if i.Op != kernel.Load || i.Type != t || !i.Mem.Guard || i.Mem.Local || slices.ContainsFunc(i.Mem.Index, func(x kernel.Index) bool { return x.Value != kernel.None }) {
		return nil, false
	}
	outside := &x.k.Instrs[i.Args[0]]
	return i.Mem, outside.Op == kernel.Constant && outside.Aux == 0
}

// elsewhere reports whether nothing that a convolution reads is what it writes.
func (v *convolution) elsewhere(s *kit.Launch) bool {
	y := s.Operands[v.y.operand].Value
	return s.Operands[v.x.operand].Value != y && s.Operands[v.w.operand].Value != y
}
