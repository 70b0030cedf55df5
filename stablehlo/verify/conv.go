package verify

import (
	"slices"

	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

func verifyConvolution(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	v.convolution(op, ins[0], ins[1], outs[0], op.Attrs.Get("padding"))
}

// verifyDynamicConv checks a convolution whose padding is an operand.
func verifyDynamicConv(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	if n := int64(len(ins[0].Shape) - 2); !slices.Equal(ins[2].Shape, []int64{n, 2}) {
		v.stop(op, "C4", "the padding is %s, but its shape should be %s", ins[2], shapeText([]int64{n, 2}))
	}
	var pad mlir.Attribute = unknownPadding
	if c := op.Operands[2].Def; c != nil && c.Code == stablehlo.Constant {
		pad = c.Attrs.Get("value")
	}
	v.convolution(op, ins[0], ins[1], outs[0], pad)
}

// unknownPadding stands for one that is only known when the program runs.
const unknownPadding = mlir.StringAttr("unknown")

// convCheck is one convolution being checked.
type convCheck struct {
	*verifier
	op              *mlir.Op
	d               stablehlo.ConvDims
	lhs, rhs, out   *mlir.TensorType
	groups, batches int64
	w               windows
}

func (v *verifier) convolution(op *mlir.Op, lhs, rhs, out *mlir.TensorType, pad mlir.Attribute) {
	d, err := stablehlo.ParseConv(op.Attrs.Get("dimension_numbers"))
	if err != nil {
		v.stop(op, "", "%s", err)
	}
	c := convCheck{verifier: v, op: op, d: d, lhs: lhs, rhs: rhs, out: out}
	c.dims()
	c.counts()
	c.window(pad)
	v.precisions(op, "C24", "I19")
	c.elements()
	c.result()
}

// dims checks ranks and dimension numbers.
func (c *convCheck) dims() {
	n := len(c.lhs.Shape)
	if len(c.rhs.Shape) != n {
		c.stop(c.op, "C1", "operands are %s and %s: ranks differ", c.lhs, c.rhs)
	}
	if len(c.out.Shape) != n {
		c.stop(c.op, "C26", "operands have %s but the result is %s", diag.Count(n, "dimension"), c.out)
	}
	d := c.d
	for _, s := range []struct {
		size, dims, what string
		spatial          []int64
		a, b             int64
	}{
		{"C12", "C13", "input", d.InputSpatial, d.InputBatch, d.InputFeature},
		{"C17", "C18", "kernel", d.KernelSpatial, d.KernelInputFeature, d.KernelOutFeature},
		{"C19", "C20", "output", d.OutputSpatial, d.OutputBatch, d.OutputFeature},
	} {
		if len(s.spatial) != n-2 {
			c.stop(c.op, s.size, "has %s of the %s, but operands have %s", diag.Count(len(s.spatial), "spatial dimension"), s.what, diag.Count(n, "dimension"))
		}
		all := append(slices.Clone(s.spatial), s.a, s.b)
		c.unique(c.op, s.dims, "the list of the "+s.what+"'s dimensions", all...)
		c.within(c.op, s.dims, "the list of the "+s.what+"'s dimensions", all, n)
	}
}

// counts checks the groups.
func (c *convCheck) counts() {
	c.groups = c.int(c.op, "C21", "feature_group_count", 1)
	c.batches = c.int(c.op, "C22", "batch_group_count", 1)
	if c.groups > 1 && c.batches > 1 {
		c.stop(c.op, "C23", "has %s and %s: one should be 1", diag.Count(c.groups, "feature group"), diag.Count(c.batches, "batch group"))
	}
	batch, feature := c.lhs.Shape[c.d.InputBatch], c.lhs.Shape[c.d.InputFeature]
	kin, kout := c.rhs.Shape[c.d.KernelInputFeature], c.rhs.Shape[c.d.KernelOutFeature]
	c.grouped("C10", "the input's batch dimension", batch, c.batches)
	c.grouped("C11", "the input's feature dimension", feature, c.groups)
	if !c.sameDim(dims.Div(feature, c.groups), kin) {
		c.stop(c.op, "C14", "the input has %s in %s but the kernel takes %d", diag.Count(feature, "feature"), diag.Count(c.groups, "group"), kin)
	}
	c.grouped("C15", "the kernel's output feature dimension", kout, c.batches)
	c.grouped("C16", "the kernel's output feature dimension", kout, c.groups)
}

func (c *convCheck) grouped(label, what string, size, groups int64) {
	if !c.multiple(size, groups) {
		c.stop(c.op, label, "%s is %d, which is not a multiple of the %s", what, size, diag.Count(groups, "group"))
	}
}

// window reads and checks the attributes of the window.
func (c *convCheck) window(pad mlir.Attribute) {
	n := len(c.lhs.Shape) - 2
	c.w.sizes = make([]int64, n)
	for i, d := range c.d.KernelSpatial {
		if c.w.sizes[i] = c.rhs.Shape[d]; c.w.sizes[i] == 0 {
			c.stop(c.op, "", "dimension %d of the kernel %s is 0, so that it has no windows", d, c.rhs)
		}
	}
	c.w.list(c.verifier, c.op, &c.w.strides, "window_strides", n, "C2", "C3")
	c.w.list(c.verifier, c.op, &c.w.base, "lhs_dilation", n, "C5", "C6")
	c.w.list(c.verifier, c.op, &c.w.dilations, "rhs_dilation", n, "C7", "C8")
	c.w.padding(c.verifier, c.op, pad, n, "C4")
	if a := c.op.Attrs.Get("window_reversal"); a != nil {
		if r, ok := mlir.Ints(a); !ok || len(r) != n {
			c.stop(c.op, "C9", "window_reversal should have an entry for each of the %s", diag.Count(n, "spatial dimension"))
		}
	}
}

// elements checks element types, quantized or not.
func (c *convCheck) elements() {
	p, q, r := quantOf(c.lhs.Elem), quantOf(c.rhs.Elem), quantOf(c.out.Elem)
	op := c.op
	switch {
	case p == nil && q == nil && r == nil:
		if !mlir.SameType(c.lhs.Elem, c.rhs.Elem) {
			c.stop(op, "C27", "elements differ: %s and %s", c.lhs.Elem, c.rhs.Elem)
		}
		return // the result's may be wider, as the dialect has it
	case q == nil || (p == nil) != (r == nil):
		c.stop(op, "C28", "operands are %s and %s but the result is %s: the kernel should be quantized, and the result as the input", c.lhs, c.rhs, c.out)
	case q.Axis >= 0 && int64(q.Axis) != c.d.KernelOutFeature:
		c.stop(op, "C29", "the quantization dimension of the kernel is %d, but should be that of the output features, %d", q.Axis, c.d.KernelOutFeature)
	case r != nil && r.Axis >= 0 && int64(r.Axis) != c.d.OutputFeature:
		c.stop(op, "C30", "the quantization dimension of the result is %d, but should be that of the features, %d", r.Axis, c.d.OutputFeature)
	default:
		c.mixed(op, [4]string{"C31", "C32", "C33", "C34"}, c.lhs, c.rhs, c.out)
	}
}

// mixed checks the rules of quantized contractions, where the left operand and
// the result may be quantized or not: storage, expressed types, granularity,
// and elements where the left operand is not quantized.
func (v *verifier) mixed(op *mlir.Op, labels [4]string, lhs, rhs, out *mlir.TensorType) {
	p, q, r := quantOf(lhs.Elem), quantOf(rhs.Elem), quantOf(out.Elem)
	switch {
	case p == nil && (lhs.Elem != mlir.Type(q.Expressed) || out.Elem != mlir.Type(q.Expressed)):
		v.stop(op, labels[3], "elements are %s and %s but the right operand stands for %s", lhs.Elem, out.Elem, q.Expressed)
	case p == nil:
	case p.Stored() != q.Stored():
		v.stop(op, labels[0], "storage types differ: %s and %s", p.Storage, q.Storage)
	case p.Expressed != q.Expressed || q.Expressed != r.Expressed:
		v.stop(op, labels[1], "expressed types differ: %s, %s and %s", p.Expressed, q.Expressed, r.Expressed)
	case q.Axis < 0 && r.Axis >= 0:
		v.stop(op, labels[2], "the result is quantized per axis but the right operand is not")
	}
}

func (c *convCheck) result() {
	shape := unknown(len(c.lhs.Shape))
	shape[c.d.OutputBatch] = dims.Div(c.lhs.Shape[c.d.InputBatch], c.batches)
	shape[c.d.OutputFeature] = c.rhs.Shape[c.d.KernelOutFeature]
	for i, d := range c.d.OutputSpatial {
		shape[d] = c.w.count(i, c.lhs.Shape[c.d.InputSpatial[i]])
	}
	c.verifier.result(c.op, "C25", c.out, shape)
}
