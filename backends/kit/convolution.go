package kit

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/stablehlo"
)

// convolution has the result's places as parallel axes, and a stage over a window
// and the features in it: a product of matrices, one of whose factors is read
// through a window. Features are in groups, each of which is a batch of the
// product. Package simplify has brought it into its normal form, where images lie
// with their features behind each other, and with what is around them. Features may be
// before the spatial dimensions instead, if there is one group ([Options.ChannelsFirst]).
func convolution(b *nodeBuilder) error {
	t := b.out[0].DType
	if !kernel.Multiply.Takes(t) || t == types.Bool {
		return leave("elements of type %v", t)
	}
	n := len(b.out[0].Shape) - 2
	op := stablehlo.AsConvolution(b.op)
	features, batches := max(int(op.FeatureGroupCount()), 1), max(int(op.BatchGroupCount()), 1)
	first := features*batches == 1 && op.DimensionNumbers().Equal(stablehlo.ChannelsFirst(n))
	if !first && !op.DimensionNumbers().Equal(stablehlo.ChannelsLast(n)) || others(op.Padding(), 0) || others(op.LHSDilation(), 1) || others(op.WindowReversal(), 0) {
		return leave("a window in another form")
	}
	c := conv{nodeBuilder: b, spatial: n, features: features, batches: batches}
	places := c.places
	if first {
		places = c.placesFirst
	}
	image, kernels, outer, axes := places()
	if t.IsFloat() && dims.Less(kernel.Points(axes), fewProducts) {
		c.addOneByOne(image, kernels, axes, outer)
	} else {
		b.product(wide(t), image, kernels, axes, outer)
	}
	return nil
}

// fewProducts is how many products a sum has at least to be a contraction. With fewer a
// product of matrices gains little. Contractions do not round each product as the evaluator
// does, which shows where few of them cancel: StableHLO's tests compare by units in the last
// place.
const fewProducts = 8

// addOneByOne adds up products, of the points of some axes in their order, to 0:
// each is rounded, and each sum, as by the evaluator. The axes are written out.
func (c *conv) addOneByOne(image, kernels []kernel.Index, axes []kernel.Axis, outer []kernel.Index) {
	acc := wide(c.out[0].DType)
	c.Stage()
	at := append(slices.Clone(outer), make([]kernel.Index, len(axes))...)
	factor := func(operand int, index []kernel.Index) kernel.ID {
		there := make([]kernel.Index, len(index))
		for d := range index {
			there[d] = index[d].Over(at)
		}
		return c.As(acc, c.load(operand, there...))
	}
	sum := c.Bits(acc, 0)
	for n := range int(kernel.Points(axes)) {
		for a, left := len(axes)-1, n; a >= 0; a-- {
			size := int(axes[a].Size)
			at[len(outer)+a], left = kernel.At(int64(left%size)), left/size
		}
		v := c.Op(kernel.Multiply, acc, factor(0, image), factor(1, kernels))
		sum = c.Op(kernel.Add, acc, sum, c.Op(kernel.BitcastConvert, acc, v)) // which keeps it from being rounded with the sum
	}
	c.store(0, c.finish(kernel.Add, sum, c.out[0].DType, kernel.None), outer...)
}

// others reports whether a list has other numbers than n.
func others(list []int64, n int64) bool {
	return slices.ContainsFunc(list, func(x int64) bool { return x != n })
}

// conv is a convolution that is being built.
type conv struct {
	*nodeBuilder
	spatial           int // dimensions
	features, batches int // groups, one of which is 1
}

// places gives the operands and the result a dimension of their own for groups,
// if there are some, and adds the result's dimensions as axes. It returns where
// images, kernels and results are, and the axes of the stage.
func (c *conv) places() (image, kernels, outer []kernel.Index, axes []kernel.Axis) {
	b, n := c.nodeBuilder, c.spatial
	in, size := slices.Clone(b.in[0].Shape), slices.Clone(b.in[1].Shape)
	groups := c.features * c.batches
	if groups > 1 {
		out := b.out[0].Shape
		b.out[0].Shape = slices.Concat(out[:n+1], types.Shape{groups, dims.Div(out[n+1], groups)})
		b.reshaped(1, slices.Concat(size[:n+1], types.Shape{groups, dims.Div(size[n+1], groups)}))
	}
	if c.features > 1 {
		b.reshaped(0, slices.Concat(in[:n+1], types.Shape{groups, dims.Div(in[n+1], groups)}))
	}
	if c.batches > 1 {
		b.reshaped(0, slices.Concat(types.Shape{groups, dims.Div(in[0], groups)}, in[1:]))
	}
	outer = b.Axes(b.out[0].Shape)
	along := summed(len(outer), &axes)
	image = append(image, outer[0])
	window, points := c.window(1, size[:n], along)
	image, kernels = append(image, window...), append(kernels, points...)
	feature := along("c", size[n])
	image, kernels = append(image, feature), append(kernels, feature)
	if groups > 1 {
		group := outer[n+1]
		kernels = append(kernels, group)
		at := 0 // of batches; features are in groups before they are counted
		if c.features > 1 {
			at = n + 1
		}
		image = slices.Insert(image, at, group)
	}
	return image, append(kernels, outer[len(outer)-1]), outer, axes
}

// summed returns a function that adds an axis to the axes of a stage, which come after outer
// others, and returns the index along it.
func summed(outer int, axes *[]kernel.Axis) func(name string, size int) kernel.Index {
	return func(name string, size int) kernel.Index {
		*axes = append(*axes, kernel.Axis{Name: name, Size: kernel.Size(size)})
		return kernel.Along(outer + len(*axes) - 1)
	}
}

// window returns where images are read through a window of a size, and the points of the
// window. The spatial dimensions of the result are the axes from first on; along adds an
// axis to the stage.
func (c *conv) window(first int, size []int, along func(name string, size int) kernel.Index) (image, points []kernel.Index) {
	op := stablehlo.AsConvolution(c.op)
	stride, dilation := op.WindowStrides(), op.RHSDilation()
	for i := range c.spatial {
		at := affine(first+i, stride[i], 0)
		k := kernel.At(0)
		if size[i] != 1 {
			k = along(fmt.Sprintf("j%d", i), size[i])
			at.Terms = append(at.Terms, kernel.Term{Axis: k.Terms[0].Axis, Factor: dilation[i]})
		}
		image, points = append(image, at), append(points, k)
	}
	return image, points
}

// placesFirst is places of a convolution whose features are before its spatial dimensions.
// It has one group.
func (c *conv) placesFirst() (image, kernels, outer []kernel.Index, axes []kernel.Axis) {
	outer = c.Axes(c.out[0].Shape)
	along := summed(len(outer), &axes)
	size := c.in[1].Shape
	feature := along("c", size[1])
	window, points := c.window(2, size[2:], along)
	return append([]kernel.Index{outer[0], feature}, window...), append([]kernel.Index{outer[1], feature}, points...), outer, axes
}
