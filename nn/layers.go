package nn

import (
	"fmt"
	"slices"

	"ltc/internal/diag"
	"ltc/internal/functions"
	"ltc/lazy"
)

func checkLinear(x, weight, bias *lazy.Tensor) (demand, reason string) {
	switch {
	case x.Rank() == 0:
		return linearFeatures, "x is a scalar, must have a last axis of features"
	case weight.Rank() != 2 && weight.Rank() != 1:
		return linearFeatures, fmt.Sprintf("weight has rank %d, must be [out, in] or [in]", weight.Rank())
	case weight.OpenDim(-1) != x.OpenDim(-1):
		return linearFeatures, fmt.Sprintf("the last dimension of x is %v, must be %v, the last one of weight (In of layers.Linear)", x.OpenDim(-1), weight.OpenDim(-1))
	}
	if weight.Rank() == 1 {
		if bias != nil && bias.Rank() != 0 {
			return linearBias, "bias must be a scalar, as weight has one axis"
		}
		return "", ""
	}
	if why := perOutput(bias, weight.OpenDim(0)); why != "" {
		return linearBias, why
	}
	return "", ""
}

// perOutput returns why a bias, which may be nil, does not have n elements along one axis.
func perOutput(bias *lazy.Tensor, n int) string {
	if bias != nil && (bias.Rank() != 1 || bias.OpenDim(0) != n) {
		return fmt.Sprintf("bias must have one axis of dimension %v", n)
	}
	return ""
}

func computeLinear(x, weight, bias *lazy.Tensor) *lazy.Tensor {
	if weight.Rank() == 1 {
		return affine(x.MatMul(weight), nil, bias)
	}
	if x.Rank() == 1 {
		return computeLinear(x.Unsqueeze(0), weight, bias).Squeeze(0)
	}
	return affine(x.MatMul(weight.Transpose(1, 0)), nil, bias)
}

func checkBilinear(x, y, weight, bias *lazy.Tensor) (demand, reason string) {
	n := x.Rank()
	if n == 0 || y.Rank() != n || weight.Rank() != 3 || weight.OpenDim(1) != x.OpenDim(-1) || weight.OpenDim(2) != y.OpenDim(-1) || !x.OpenShape()[:n-1].Equal(y.OpenShape()[:n-1]) {
		return bilinearFeatures, "weight must be [out, in1, in2], the last dimensions of x and y, which agree in the others"
	}
	if why := perOutput(bias, weight.OpenDim(0)); why != "" {
		return bilinearBias, why
	}
	return "", ""
}

func computeBilinear(x, y, weight, bias *lazy.Tensor) *lazy.Tensor {
	out, in, more := weight.OpenDim(0), weight.OpenDim(1), weight.OpenDim(2)
	rows := append(slices.Clone(x.OpenShape()[:x.Rank()-1]), out, more)
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		x, y, weight, bias := xs[0], xs[1], xs[2], xs[3]
		byX := computeLinear(x, weight.Transpose(0, 2, 1).Reshape(lazy.SizeMul(out, more), in), nil)
		return affine(byX.Reshape(rows...).Mul(y.Unsqueeze(-2)).Sum(-1), nil, bias)
	}, x, y, weight, bias)
}

// ConvOptions say how a kernel moves over a tensor. Lists have an entry for each spatial axis, or one
// for all; nil stands for what is said of each. The zero value is what PyTorch does by default.
type ConvOptions struct {
	Stride   []int // places from one window to the next: 1
	Padding  []int // zeros on both sides: none
	Dilation []int // places from one element of the kernel to the next: 1
	Groups   int   // the channels are in groups that see nothing of each other: 1 (0 counts as 1)
	Same     bool  // of [Conv]: zeros are added so that the result has the sizes of x; the stride must be 1
	More     []int // of [ConvTranspose]: places more at the end of each axis: none
}

func (o *ConvOptions) groups() int {
	if o.Groups == 0 {
		return 1
	}
	return o.Groups
}

// Conv returns the convolution of x[batch, channels, places…] with weight[out, channels/groups, window…],
// plus bias[out] unless it is nil. The batch can be left out. The number of spatial axes is that of weight.
func Conv(x, weight, bias *lazy.Tensor, o ConvOptions) *lazy.Tensor {
	return conv(0, x, weight, bias, o)
}

// Conv1d is [Conv] with one spatial axis.
func Conv1d(x, weight, bias *lazy.Tensor, o ConvOptions) *lazy.Tensor {
	return conv(1, x, weight, bias, o)
}

// Conv2d is [Conv] with two spatial axes.
func Conv2d(x, weight, bias *lazy.Tensor, o ConvOptions) *lazy.Tensor {
	return conv(2, x, weight, bias, o)
}

// Conv3d is [Conv] with three spatial axes.
func Conv3d(x, weight, bias *lazy.Tensor, o ConvOptions) *lazy.Tensor {
	return conv(3, x, weight, bias, o)
}

func conv(n int, x, weight, bias *lazy.Tensor, o ConvOptions) *lazy.Tensor {
	return functions.As([]string{"nn.conv", "nn.conv1d", "nn.conv2d", "nn.conv3d"}[n], func() *lazy.Tensor {
		return recordConv(x, weight, bias, n, o.Stride, o.Padding, o.Dilation, o.Same, o.groups())
	}, x, weight, bias)
}

// ConvTranspose returns the transposed convolution of x[batch, channels, places…] with weight[channels,
// out/groups, window…], plus bias[out] unless it is nil. The batch can be left out.
func ConvTranspose(x, weight, bias *lazy.Tensor, o ConvOptions) *lazy.Tensor {
	return convTranspose(0, x, weight, bias, o)
}

// ConvTranspose1d is [ConvTranspose] with one spatial axis.
func ConvTranspose1d(x, weight, bias *lazy.Tensor, o ConvOptions) *lazy.Tensor {
	return convTranspose(1, x, weight, bias, o)
}

// ConvTranspose2d is [ConvTranspose] with two spatial axes.
func ConvTranspose2d(x, weight, bias *lazy.Tensor, o ConvOptions) *lazy.Tensor {
	return convTranspose(2, x, weight, bias, o)
}

// ConvTranspose3d is [ConvTranspose] with three spatial axes.
func ConvTranspose3d(x, weight, bias *lazy.Tensor, o ConvOptions) *lazy.Tensor {
	return convTranspose(3, x, weight, bias, o)
}

func convTranspose(n int, x, weight, bias *lazy.Tensor, o ConvOptions) *lazy.Tensor {
	return functions.As([]string{"nn.conv_transpose", "nn.conv_transpose1d", "nn.conv_transpose2d", "nn.conv_transpose3d"}[n], func() *lazy.Tensor {
		return recordConvTranspose(x, weight, bias, n, o.Stride, o.Padding, o.Dilation, o.More, o.groups())
	}, x, weight, bias)
}

// ranksOf returns why x and weight do not have n spatial axes, or any number if n is 0.
func ranksOf(x, weight *lazy.Tensor, n int) string {
	if n == 0 {
		n = max(weight.Rank()-2, 1)
	}
	if weight.Rank() != n+2 || x.Rank() != n+2 && x.Rank() != n+1 {
		return fmt.Sprintf("weight must have rank %d, and x %d or %d", n+2, n+1, n+2)
	}
	return ""
}

// listsOf returns lists with n entries, and why they are not allowed.
func listsOf(n int, stride, padding, dilation, more []int) (s, p, d, m []int, reason string) {
	ones, zeros := slices.Repeat([]int{1}, n), make([]int, n)
	s, p, d, m = each(stride, n, ones), each(padding, n, zeros), each(dilation, n, ones), each(more, n, zeros)
	for _, l := range []entries{{"stride", s, 1}, {"dilation", d, 1}, {"padding", p, 0}, {"more", m, 0}} {
		if why := l.wrong(n); why != "" {
			return nil, nil, nil, nil, why
		}
	}
	return s, p, d, m, ""
}

// channelsAre returns why x, with n spatial axes and maybe without a batch, does not have as many channels as weight is for.
func channelsAre(channels int, x *lazy.Tensor, n, groups int) string {
	c := x.Dim(-n - 1)
	if c == channels {
		return ""
	}
	why := fmt.Sprintf("x has %s on axis %d, and weight is for %d", diag.Count(c, "channel"), x.Rank()-n-1, channels)
	if groups > 1 {
		why += " in " + diag.Count(groups, "group")
	}
	if x.Rank() == n+1 {
		one := []string{"signal", "image", "volume"}[min(n, 3)-1]
		why += fmt.Sprintf("; x of rank %d is one %s without a batch, [channels, places…]: a batch without channels gets their axis by Unsqueeze(1)", n+1, one)
	}
	return why
}

func checkConv(x, weight, bias *lazy.Tensor, n int, stride, padding, dilation []int, same bool, groups int) (demand, reason string) {
	if why := ranksOf(x, weight, n); why != "" {
		return convRank, why
	}
	n = weight.Rank() - 2
	s, p, _, _, why := listsOf(n, stride, padding, dilation, nil)
	switch {
	case why != "":
		return convLists, why
	case same && (slices.Max(s) > 1 || slices.Max(p) > 0):
		return convSame, fmt.Sprintf("stride is %v and padding %v, must be 1 and 0", s, p)
	case groups < 1 || weight.Dim(0)%groups != 0:
		return convGroups, fmt.Sprintf("groups is %d, must be positive and divide the %s of weight", groups, diag.Count(weight.Dim(0), "output channel"))
	}
	if why := channelsAre(groups*weight.Dim(1), x, n, groups); why != "" {
		return convGroups, why
	}
	if why := perOutput(bias, weight.OpenDim(0)); why != "" {
		return convBias, why
	}
	return "", ""
}

func computeConv(x, weight, bias *lazy.Tensor, _ int, stride, padding, dilation []int, same bool, groups int) *lazy.Tensor {
	n := weight.Rank() - 2
	s, p, d, _, _ := listsOf(n, stride, padding, dilation, nil)
	sides := make([][2]int, n)
	for i := range sides {
		sides[i] = [2]int{p[i], p[i]}
		if same {
			all := d[i] * (weight.Dim(i+2) - 1)
			sides[i] = [2]int{all / 2, all - all/2}
		}
	}
	return pooled(x, n, func(x *lazy.Tensor) *lazy.Tensor {
		y := x.Conv(weight, lazy.ConvOptions{Strides: s, Padding: sides, Dilation: d, Groups: groups})
		return affine(y, nil, channelsOf(bias, y))
	})
}

func checkConvTranspose(x, weight, bias *lazy.Tensor, n int, stride, padding, dilation, more []int, groups int) (demand, reason string) {
	if why := ranksOf(x, weight, n); why != "" {
		return convTransposeRank, why
	}
	n = weight.Rank() - 2
	s, _, d, m, why := listsOf(n, stride, padding, dilation, more)
	if why != "" {
		return convTransposeLists, why
	}
	for i := range m {
		if m[i] > 0 && m[i] >= max(s[i], d[i]) {
			return convTransposeMore, fmt.Sprintf("more is %v, must be below the stride %v or the dilation %v", m, s, d)
		}
	}
	if groups < 1 || weight.Dim(0)%groups != 0 {
		return convTransposeGroups, fmt.Sprintf("groups is %d, must be positive and divide the %s of weight", groups, diag.Count(weight.Dim(0), "input channel"))
	}
	if why := channelsAre(weight.Dim(0), x, n, groups); why != "" {
		return convTransposeGroups, why
	}
	if why := perOutput(bias, lazy.SizeMul(weight.OpenDim(1), groups)); why != "" {
		return convTransposeBias, why
	}
	return "", ""
}

func computeConvTranspose(x, weight, bias *lazy.Tensor, _ int, stride, padding, dilation, more []int, groups int) *lazy.Tensor {
	n := weight.Rank() - 2
	s, p, d, m, _ := listsOf(n, stride, padding, dilation, more)
	sides := make([][2]int, n)
	for i := range sides {
		low := d[i]*(weight.Dim(i+2)-1) - p[i]
		sides[i] = [2]int{low, low + m[i]}
	}
	// [groups·in, out, window…] becomes [groups·out, in, window…], turned around.
	in, out, window := weight.Dim(0)/groups, weight.Dim(1), weight.OpenShape()[2:]
	kernel := weight.Reshape(slices.Concat([]int{groups, in, out}, window)...)
	kernel = kernel.MoveAxis(1, 2).Reshape(slices.Concat([]int{groups * out, in}, window)...).Reverse(axesFrom(weight, 2)...)
	return pooled(x, n, func(x *lazy.Tensor) *lazy.Tensor {
		y := x.Conv(kernel, lazy.ConvOptions{Base: s, Padding: sides, Dilation: d, Groups: groups})
		return affine(y, nil, channelsOf(bias, y))
	})
}

// paddingRow returns the row of a padding index, -1 if there is none, and why there cannot be one.
func paddingRow(weight *lazy.Tensor, padding []int) (row int, reason string) {
	if len(padding) == 0 {
		return -1, ""
	}
	n := weight.Dim(0)
	if row = padding[0]; row < 0 {
		row += n
	}
	if len(padding) > 1 || row < 0 || row >= n {
		return -1, fmt.Sprintf("the padding index is %v, there are rows 0 to %d", padding, n-1)
	}
	return row, ""
}

func checkEmbedding(weight, _ *lazy.Tensor, padding []int) (demand, reason string) {
	if weight.Rank() != 2 {
		return embeddingRank, fmt.Sprintf("weight has rank %d, must be [rows, features]", weight.Rank())
	}
	if _, why := paddingRow(weight, padding); why != "" {
		return embeddingPadding, why
	}
	return "", ""
}

func computeEmbedding(weight, indices *lazy.Tensor, padding []int) *lazy.Tensor {
	y := weight.Gather(indices)
	if row, _ := paddingRow(weight, padding); row >= 0 {
		y = indices.EqualScalar(float64(row)).Unsqueeze(-1).Where(y.Stop(), y)
	}
	return y
}

// The modes of [EmbeddingBag].
const (
	BagSum = iota
	BagMean
	BagMax
)

func checkEmbeddingBag(weight, indices, perIndex *lazy.Tensor, mode int, padding []int) (demand, reason string) {
	if weight.Rank() != 2 || indices.Rank() != 2 {
		return embeddingBagRank, "weight must be [rows, features], and indices [bags, n]"
	}
	if _, why := paddingRow(weight, padding); why != "" {
		return embeddingBagPadding, why
	}
	if mode < BagSum || mode > BagMax {
		return embeddingBagMode, fmt.Sprintf("mode is %d", mode)
	}
	if perIndex != nil && (mode != BagSum || !perIndex.OpenShape().Equal(indices.OpenShape())) {
		return embeddingBagWeights, fmt.Sprintf("perIndex must have shape %v, and the mode must be BagSum", indices.OpenShape())
	}
	return "", ""
}

func computeEmbeddingBag(weight, indices, perIndex *lazy.Tensor, mode int, padding []int) *lazy.Tensor {
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		rows, counts := xs[0], counted(weight, indices, padding).Unsqueeze(-1)
		if perIndex := xs[1]; perIndex != nil {
			rows = rows.Mul(perIndex.Unsqueeze(-1))
		}
		n := counts.Convert(rows.DType()).Sum(1)
		if mode == BagMax {
			return n.GreaterScalar(0).WhereScalar(counts.WhereScalar(rows, lowest).Max(1), 0)
		}
		sum := counts.WhereScalar(rows, 0).Sum(1)
		if mode == BagMean {
			return sum.Div(n.MaximumScalar(1))
		}
		return sum
	}, weight.Gather(indices), perIndex)
}

// counted is true for the indices that count: all but the padding index.
func counted(weight, indices *lazy.Tensor, padding []int) *lazy.Tensor {
	if row, _ := paddingRow(weight, padding); row >= 0 {
		return indices.NotEqualScalar(float64(row))
	}
	return indices.Equal(indices)
}

func checkEmbeddingBagOffsets(weight, indices, offsets, perIndex *lazy.Tensor, mode int, padding []int) (demand, reason string) {
	if weight.Rank() != 2 || indices.Rank() != 1 || offsets.Rank() != 1 {
		return embeddingBagOffsetsRank, "weight must be [rows, features], indices [n], and offsets [bags]"
	}
	if _, why := paddingRow(weight, padding); why != "" {
		return embeddingBagOffsetsPadding, why
	}
	if mode < BagSum || mode > BagMax {
		return embeddingBagOffsetsMode, fmt.Sprintf("mode is %d", mode)
	}
	if perIndex != nil && (mode != BagSum || !perIndex.OpenShape().Equal(indices.OpenShape())) {
		return embeddingBagOffsetsWeights, fmt.Sprintf("perIndex must have shape %v, and the mode must be BagSum", indices.OpenShape())
	}
	return "", ""
}

// ascending returns offsets up to n, of which the first is to be 0 and none below the one before.
func ascending(offsets *lazy.Tensor, n int) *lazy.Tensor {
	bags := offsets.OpenDim(0)
	some := lazy.SizeMin(bags, 1)
	rest := lazy.SizeSub(bags, some)
	first := offsets.Narrow(0, 0, some).Within(0, 0, "first offset")
	steps := offsets.Narrow(0, some, rest).Sub(offsets.Narrow(0, 0, rest)).Within(0, n, "step from an offset to the next")
	return lazy.Concatenate(0, first, steps).GreaterEqualScalar(0).WhereScalar(offsets, 0)
}

func computeEmbeddingBagOffsets(weight, indices, offsets, perIndex *lazy.Tensor, mode int, padding []int) *lazy.Tensor {
	n, bags := indices.OpenDim(0), offsets.OpenDim(0)
	if bags == 0 {
		return lazy.Zeros(weight.Trace(), weight.DType(), 0, weight.OpenDim(1))
	}
	i := count(weight.Trace(), 0, n)
	offsets = ascending(offsets.Convert(lazy.I64).Within(0, n, "offset"), n)
	// The bag of an index is the last that begins at it or before.
	bag := offsets.Unsqueeze(0).LessEqual(i.Unsqueeze(1)).Convert(lazy.I64).Sum(1).SubScalar(1)
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		rows, counts := xs[0], counted(weight, indices, padding)
		if perIndex := xs[1]; perIndex != nil {
			rows = rows.Mul(perIndex.Unsqueeze(1))
		}
		if mode == BagMax {
			in := bag.Unsqueeze(0).Equal(count(rows.Trace(), 0, bags).Unsqueeze(1)).And(counts.Unsqueeze(0)) // [bags, n]
			most := in.Unsqueeze(2).WhereScalar(rows.Unsqueeze(0), lowest).Max(1)
			return in.Convert(lazy.I32).MaxKeep(1).GreaterScalar(0).WhereScalar(most, 0)
		}
		sum := lazy.Zeros(rows.Trace(), rows.DType(), bags, rows.OpenDim(1)).ScatterAdd(bag, counts.Unsqueeze(1).WhereScalar(rows, 0))
		if mode == BagMean {
			size := lazy.Zeros(rows.Trace(), rows.DType(), bags).ScatterAdd(bag, counts.Convert(rows.DType()))
			return sum.Div(size.MaximumScalar(1).Unsqueeze(1))
		}
		return sum
	}, weight.Gather(indices), perIndex)
}
