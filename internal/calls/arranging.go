package calls

import (
	"ltc/ir/ops"
	"ltc/lazy"
)

// arranging has the methods that index and arrange elements, and have no row of their own.
var arranging = []Op{
	{Op: &ops.Op{Name: "Index", Doc: "returns the elements of x that the indices choose along its first axes.", Operands: []ops.Operand{{Name: "x"}, {Name: "indices", Variadic: true}}},
		call: func(c *Call) []*lazy.Tensor { return one(c.X[0].Index(c.X[1:]...)) }},
	{Op: &ops.Op{Name: "IndexPut", Doc: "returns x with the elements that Index takes replaced by values; with accumulate values are added.",
		Operands: []ops.Operand{{Name: "x"}, {Name: "values"}, {Name: "indices", Variadic: true}}, Attrs: accumulate},
		call: func(c *Call) []*lazy.Tensor { return one(c.X[0].IndexPut(c.X[1], c.Flag("accumulate"), c.X[2:]...)) }},
	{Op: &ops.Op{Name: "GatherAlong", Doc: "returns, for each element of indices, the element of x that has this index along the axis.", Operands: operands("x", "indices"), Attrs: []ops.Attr{{Name: "axis", Kind: ops.Axis}}},
		call: func(c *Call) []*lazy.Tensor { return one(c.X[0].GatherAlong(c.X[1], c.Int("axis"))) }},
	{Op: &ops.Op{Name: "MaskedScatter", Doc: "returns x with the elements at which the mask is true replaced by those of source, in row-major order.", Operands: operands("x", "mask", "source")},
		call: func(c *Call) []*lazy.Tensor { return one(c.X[0].MaskedScatter(c.X[1], c.X[2])) }},
	{Op: &ops.Op{Name: "Take", Doc: "returns the elements of x, in row-major order, that the indices choose.", Operands: operands("x", "indices")},
		call: func(c *Call) []*lazy.Tensor { return one(c.X[0].Take(c.X[1])) }},
	{Op: &ops.Op{Name: "Put", Doc: "returns x with the elements that Take takes replaced by values; with accumulate values are added.", Operands: operands("x", "indices", "values"), Attrs: accumulate},
		call: func(c *Call) []*lazy.Tensor { return one(c.X[0].Put(c.X[1], c.X[2], c.Flag("accumulate"))) }},
	{Op: &ops.Op{Name: "IndexFill", Doc: "returns x with the number v at the indices of the axis.", Operands: operands("x", "indices"), Attrs: []ops.Attr{{Name: "axis", Kind: ops.Axis}, {Name: "v", Kind: ops.Real}}},
		call: func(c *Call) []*lazy.Tensor { return one(c.X[0].IndexFill(c.X[1], c.Int("axis"), c.Real("v"))) }},
	{Op: &ops.Op{Name: "SelectScatter", Doc: "returns x with src at the index of the axis.", Operands: operands("x", "src"), Attrs: []ops.Attr{{Name: "axis", Kind: ops.Axis}, {Name: "index", Kind: ops.Int}}},
		call: func(c *Call) []*lazy.Tensor { return one(c.X[0].SelectScatter(c.X[1], c.Int("axis"), c.Int("index"))) }},
	{Op: &ops.Op{Name: "DiagonalScatter", Doc: "returns x with src on the diagonal of two axes.", Operands: operands("x", "src"),
		Attrs: []ops.Attr{{Name: "offset", Kind: ops.Int}, {Name: "axis1", Kind: ops.Axis}, {Name: "axis2", Kind: ops.Axis}}},
		call: func(c *Call) []*lazy.Tensor {
			return one(c.X[0].DiagonalScatter(c.X[1], c.Int("offset"), c.Int("axis1"), c.Int("axis2")))
		}},

	{Op: &ops.Op{Name: "Split", Doc: "returns parts of x along the axis, of a size each.", Operands: operands("x"), Attrs: []ops.Attr{{Name: "axis", Kind: ops.Axis}, {Name: "size", Kind: ops.Int}}},
		call: func(c *Call) []*lazy.Tensor { return c.X[0].Split(c.Int("axis"), c.Int("size")) }},
	{Op: &ops.Op{Name: "SplitSizes", Doc: "returns parts of x along the axis, of the given sizes.", Operands: operands("x"), Attrs: []ops.Attr{{Name: "axis", Kind: ops.Axis}, {Name: "sizes", Kind: ops.Ints}}},
		call: func(c *Call) []*lazy.Tensor { return c.X[0].SplitSizes(c.Int("axis"), c.Ints("sizes")...) }},
	inParts("Chunk", (*lazy.Tensor).Chunk, "returns at most n parts of x along the axis, of one size but for the last."),
	inParts("TensorSplit", (*lazy.Tensor).TensorSplit, "returns n parts of x along the axis, whose sizes differ by at most 1."),
	{Op: &ops.Op{Name: "Unbind", Doc: "returns x at each index of the axis.", Operands: operands("x"), Attrs: []ops.Attr{{Name: "axis", Kind: ops.Axis}}},
		call: func(c *Call) []*lazy.Tensor { return c.X[0].Unbind(c.Int("axis")) }},

	plain("AtLeast1D", "at_least_1d", (*lazy.Tensor).AtLeast1D, "returns x, a scalar as one of an axis."),
	plain("AtLeast2D", "at_least_2d", (*lazy.Tensor).AtLeast2D, "returns x with new first axes if it has fewer than two."),
	plain("AtLeast3D", "at_least_3d", (*lazy.Tensor).AtLeast3D, "returns x with new axes if it has fewer than three."),
}

var accumulate = []ops.Attr{{Name: "accumulate", Kind: ops.Flag}}

func plain(name, text string, f func(x *lazy.Tensor) *lazy.Tensor, doc string) Op {
	return Op{Op: &ops.Op{Name: name, Text: text, Doc: doc, Operands: operands("x")}, call: func(c *Call) []*lazy.Tensor { return one(f(c.X[0])) }}
}

func inParts(name string, f func(x *lazy.Tensor, axis, n int) []*lazy.Tensor, doc string) Op {
	return Op{Op: &ops.Op{Name: name, Doc: doc, Operands: operands("x"), Attrs: []ops.Attr{{Name: "axis", Kind: ops.Axis}, {Name: "n", Kind: ops.Int}}},
		call: func(c *Call) []*lazy.Tensor { return f(c.X[0], c.Int("axis"), c.Int("n")) }}
}
