package nn

import (
	"fmt"
	"math"
	"slices"

	"ltc/internal/functions"
	"ltc/lazy"
)

// Mode is a mode of [Interpolate] or [GridSample].
type Mode = int

// The modes. [GridSample] takes the first three.
const (
	ModeNearest      Mode = iota // the element at the place, rounded down by Interpolate and to the nearest by GridSample
	ModeLinear                   // between neighbours along each axis: PyTorch's linear, bilinear and trilinear
	ModeCubic                    // by a cubic through four elements along each axis
	ModeNearestExact             // the element whose centre is nearest
	ModeArea                     // the mean of the elements, as AdaptiveAvgPool has it
)

// InterpolateOptions say what sizes [Interpolate] gives, and how. One of Sizes, Scale and Scales is given.
type InterpolateOptions struct {
	Sizes        []int     // of each spatial axis
	Scale        float64   // what each spatial size is multiplied by, rounded down
	Scales       []float64 // the scale of each spatial axis
	Recompute    bool      // places are those of the sizes that a scale gives, rounded, not of the scale: PyTorch's recompute_scale_factor
	Mode         Mode      // ModeNearest
	AlignCorners bool      // of ModeLinear and ModeCubic: centres of corners stay where they are, not edges
	Antialias    bool      // of ModeLinear and ModeCubic: a result depends on all elements that it covers
}

// Interpolate returns x[batch, channels, places…] with other sizes of its places.
func Interpolate(x *lazy.Tensor, o InterpolateOptions) *lazy.Tensor {
	if x == nil || len(o.Scales) == 0 {
		return recordInterpolate(x, o.Sizes, o.Scale, o.Mode, o.AlignCorners, o.Antialias, o.Recompute, 0, 0)
	}
	eachAxis := func(xs ...*lazy.Tensor) *lazy.Tensor { // the modes are products over axes
		y := xs[0]
		for i, s := range o.Scales {
			y = recordInterpolate(y, o.Sizes, s, o.Mode, o.AlignCorners, o.Antialias, o.Recompute, len(o.Scales), i)
		}
		return y
	}
	return functions.As("nn.interpolate", func() *lazy.Tensor { return functions.Wide(eachAxis, x) }, x)
}

// checkInterpolate takes the scale for that of one axis of places if the number of scales is not 0.
func checkInterpolate(x *lazy.Tensor, sizes []int, scale float64, mode int, align, antialias, _ bool, scales, axis int) (demand, reason string) {
	if x.Rank() < 3 {
		return interpolateRank, fewAxes(x, 3)
	}
	if scales > 0 && scales != x.Rank()-2 {
		return interpolateSizes, fmt.Sprintf("the number of scales is %d, must be that of spatial axes, %d", scales, x.Rank()-2)
	}
	if (scale > 0) == (len(sizes) > 0) || scale < 0 || len(sizes) > 0 && (len(sizes) != x.Rank()-2 || slices.Min(sizes) < 1) {
		return interpolateSizes, fmt.Sprintf("sizes are %v and scale is %v, must be one of them: %d positive sizes, or a positive scale", sizes, scale, x.Rank()-2)
	}
	if slices.Min(scaledSizes(x, sizes, scale, scales, axis)) < 1 {
		return interpolateSizes, fmt.Sprintf("scale is %v, which leaves nothing of %v", scale, x.OpenShape())
	}
	if mode < ModeNearest || mode > ModeArea {
		return interpolateMode, fmt.Sprintf("there is no mode %d", mode)
	}
	if (align || antialias) && mode != ModeLinear && mode != ModeCubic {
		return interpolateOptions, "alignCorners and antialias go with ModeLinear and ModeCubic alone"
	}
	return "", ""
}

func scaledSizes(x *lazy.Tensor, sizes []int, scale float64, scales, axis int) []int {
	if len(sizes) > 0 {
		return sizes
	}
	sizes = spatial(x, x.Rank()-2)
	for i, d := range sizes {
		if scales == 0 || i == axis {
			sizes[i] = int(math.Floor(float64(d) * scale))
		}
	}
	return sizes
}

func computeInterpolate(x *lazy.Tensor, sizes []int, scale float64, mode int, align, antialias, recompute bool, scales, one int) *lazy.Tensor {
	out := scaledSizes(x, sizes, scale, scales, one)
	if mode == ModeArea {
		return computeAdaptiveAvgPool(x, out)
	}
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		x := xs[0]
		for i, n := range out {
			if scales > 0 && i != one {
				continue
			}
			axis := i + 2
			s := resampling{from: x.Dim(axis), to: n, step: float64(x.Dim(axis)) / float64(n), align: align}
			if scale > 0 && !recompute {
				s.step = 1 / scale
			}
			switch {
			case align && n > 1:
				s.step = float64(s.from-1) / float64(n-1)
			case align:
				s.step = 0
			}
			if antialias {
				x = s.covered(x, axis, mode)
			} else {
				x = s.taken(x, axis, mode)
			}
		}
		return x
	}, x)
}

// resampling says where an axis of from elements has those of to: step apart.
type resampling struct {
	from, to int
	step     float64
	align    bool
}

// place returns where element i is, counted in centres of elements.
func (s resampling) place(i int) float64 {
	if s.align {
		return float64(i) * s.step
	}
	return (float64(i)+0.5)*s.step - 0.5
}

// taken returns x with its axis resampled by one, two or four elements for each.
func (s resampling) taken(x *lazy.Tensor, axis int, mode Mode) *lazy.Tensor {
	taps := [...]int{ModeNearest: 1, ModeLinear: 2, ModeCubic: 4, ModeNearestExact: 1}[mode]
	from, weight := make([][]int32, taps), make([][]float64, taps)
	add := func(t, at int, w float64) {
		from[t], weight[t] = append(from[t], int32(min(max(at, 0), s.from-1))), append(weight[t], w)
	}
	for i := range s.to {
		switch mode { // the nearest are found in f32, as by PyTorch
		case ModeNearest:
			add(0, int(float32(i)*float32(s.step)), 1)
		case ModeNearestExact:
			add(0, int((float32(i)+0.5)*float32(s.step)), 1)
		case ModeLinear:
			p := max(s.place(i), 0)
			first := min(int(p), s.from-1)
			part := p - float64(first)
			add(0, first, 1-part)
			add(1, first+1, part)
		case ModeCubic:
			p := s.place(i)
			first := math.Floor(p)
			for t, w := range cubicWeights(p - first) {
				add(t, int(first)+t-1, w)
			}
		}
	}
	var y *lazy.Tensor
	for t := range from {
		part := x.IndexSelect(lazy.From(x.Trace(), from[t], s.to), axis)
		if taps > 1 {
			part = part.Mul(alongAxis(lazy.From(x.Trace(), weight[t], s.to).Convert(x.DType()), x, axis))
		}
		if y == nil {
			y = part
		} else {
			y = y.Add(part)
		}
	}
	return y
}

// cubicWeights are those of the elements at -1, 0, 1 and 2 for a place from 0 to 1: cubic convolution
// with -0.75.
func cubicWeights(t float64) [4]float64 {
	return [4]float64{cubic(t+1, -0.75), cubic(t, -0.75), cubic(1-t, -0.75), cubic(2-t, -0.75)}
}

// cubic is the kernel of cubic convolution at a distance.
func cubic(d, a float64) float64 {
	switch d = math.Abs(d); {
	case d < 1:
		return ((a+2)*d-(a+3))*d*d + 1
	case d < 2:
		return ((a*d-5*a)*d+8*a)*d - 4*a
	}
	return 0
}

// covered returns x with its axis resampled by all elements that a result covers.
func (s resampling) covered(x *lazy.Tensor, axis int, mode Mode) *lazy.Tensor {
	reach, wide := 1.0, max(s.step, 1)
	if mode == ModeCubic {
		reach = 2
	}
	m := make([]float64, s.from*s.to) // [from, to]
	for i := range s.to {
		centre := s.step * (float64(i) + 0.5)
		first := max(int(centre-reach*wide+0.5), 0)
		end := min(int(centre+reach*wide+0.5), s.from)
		sum := 0.0
		at := func(j int) *float64 { return &m[j*s.to+i] }
		for j := first; j < end; j++ {
			d := (float64(j) - centre + 0.5) / wide
			if mode == ModeCubic {
				*at(j) = cubic(d, -0.5)
			} else {
				*at(j) = max(0, 1-math.Abs(d))
			}
			sum += *at(j)
		}
		for j := first; j < end; j++ {
			*at(j) /= sum
		}
	}
	last := x.Rank() - 1
	return x.MoveAxis(axis, last).MatMul(lazy.From(x.Trace(), m, s.from, s.to).Convert(x.DType())).MoveAxis(last, axis)
}

// The paddings of [GridSample]: what lies beyond the edge.
const (
	GridZeros = iota
	GridBorder
	GridReflect
)

func checkGridSample(x, grid *lazy.Tensor, mode, padding int, _ bool) (demand, reason string) {
	n := x.Rank() - 2
	if n < 1 || grid.Rank() != n+2 || grid.OpenDim(-1) != n || grid.OpenDim(0) != x.OpenDim(0) {
		return gridSampleRank, "x must be [batch, channels, places…], and grid [batch, results…, coordinates], with a coordinate for each axis of places"
	}
	if mode < ModeNearest || mode > ModeCubic {
		return gridSampleMode, fmt.Sprintf("there is no mode %d here", mode)
	}
	if padding < GridZeros || padding > GridReflect {
		return gridSamplePadding, fmt.Sprintf("there is no padding %d", padding)
	}
	return "", ""
}

// tap is an element that a result is made of: its place along an axis, and its weight, nil for 1.
type tap struct{ place, weight *lazy.Tensor }

func computeGridSample(x, grid *lazy.Tensor, mode, padding int, align bool) *lazy.Tensor {
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		x, grid := xs[0], xs[1]
		sizes := spatial(x, x.Rank()-2)
		batch, channels := x.OpenDim(0), x.OpenDim(1)
		rows := grid.Reshape(batch, -1, len(sizes))
		elements := x.Reshape(batch, channels, product(sizes))
		all := [][]tap{nil}
		for a, d := range sizes {
			// The last coordinate is that of the first axis.
			c := rows.Select(2, len(sizes)-1-a)
			if align {
				c = c.AddScalar(1).MulScalar(float64(d-1) / 2)
			} else {
				c = c.AddScalar(1).MulScalar(float64(d)).SubScalar(1).DivScalar(2)
			}
			var longer [][]tap
			for _, t := range tapsAt(c, d, mode, padding, align) {
				for _, before := range all {
					longer = append(longer, append(slices.Clone(before), t))
				}
			}
			all = longer
		}
		var y *lazy.Tensor
		for _, taps := range all {
			part := tapped(elements, taps, sizes)
			if y == nil {
				y = part
			} else {
				y = y.Add(part)
			}
		}
		return y.Reshape(slices.Concat([]int{batch, channels}, grid.OpenShape()[1:grid.Rank()-1])...)
	}, x, grid)
}

// tapsAt returns the elements along an axis of d that a result at places c is made of.
func tapsAt(c *lazy.Tensor, d int, mode Mode, padding int, align bool) []tap {
	if mode != ModeCubic {
		c = padded(c, d, padding, align)
	}
	switch mode {
	case ModeNearest:
		return []tap{{c.Round(), nil}}
	case ModeLinear:
		first := c.Floor()
		part := c.Sub(first)
		return []tap{{first, part.Neg().AddScalar(1)}, {first.AddScalar(1), part}}
	}
	first := c.Floor()
	t := c.Sub(first)
	const a = -0.75
	near := func(d *lazy.Tensor) *lazy.Tensor {
		return d.MulScalar(a + 2).SubScalar(a + 3).Mul(d).Mul(d).AddScalar(1)
	}
	far := func(d *lazy.Tensor) *lazy.Tensor {
		return d.MulScalar(a).SubScalar(5 * a).Mul(d).AddScalar(8 * a).Mul(d).SubScalar(4 * a)
	}
	weights := []*lazy.Tensor{far(t.AddScalar(1)), near(t), near(t.Neg().AddScalar(1)), far(t.Neg().AddScalar(2))}
	var taps []tap
	for i, w := range weights {
		taps = append(taps, tap{padded(first.AddScalar(float64(i-1)), d, padding, align), w})
	}
	return taps
}

// padded returns places of an axis of d moved into it, as the padding says.
func padded(c *lazy.Tensor, d, padding int, align bool) *lazy.Tensor {
	if padding == GridZeros {
		return c
	}
	if padding == GridReflect {
		low, span := -0.5, float64(d)
		if align {
			low, span = 0, float64(d-1)
		}
		if span == 0 {
			return c.MulScalar(0)
		}
		beyond := c.SubScalar(low).Abs()
		turns := beyond.DivScalar(span).Floor()
		rest := beyond.Sub(turns.MulScalar(span))
		odd := turns.Sub(turns.DivScalar(2).Floor().MulScalar(2)).EqualScalar(1)
		c = odd.Where(rest.Neg().AddScalar(span), rest).AddScalar(low)
	}
	return clamp(c, 0, float64(d-1))
}

// tapped returns the elements [batch, channels, …] at places of each axis, times their weights; zeros
// beyond the edge.
func tapped(elements *lazy.Tensor, taps []tap, sizes []int) *lazy.Tensor {
	var index, there, weight *lazy.Tensor
	for a, t := range taps {
		in := t.place.GreaterEqualScalar(0).And(t.place.LessEqualScalar(float64(sizes[a] - 1)))
		at := in.WhereScalar(t.place, 0).Convert(lazy.I64)
		switch {
		case index == nil:
			index, there, weight = at, in, t.weight
		default:
			index, there = index.MulScalar(float64(sizes[a])).Add(at), there.And(in)
			if t.weight != nil {
				weight = weight.Mul(t.weight)
			}
		}
	}
	index = index.Unsqueeze(1).BroadcastTo(elements.OpenDim(0), elements.OpenDim(1), index.OpenDim(1))
	y := there.Unsqueeze(1).WhereScalar(elements.GatherAlong(index, 2), 0)
	if weight != nil {
		y = y.Mul(weight.Unsqueeze(1))
	}
	return y
}

func checkAffineGrid(theta *lazy.Tensor, sizes []int, _ bool) (demand, reason string) {
	n := len(sizes)
	if n < 1 || slices.Min(sizes) < 1 {
		return affineGridSizes, fmt.Sprintf("sizes are %v, must be positive", sizes)
	}
	if theta.Rank() != 3 || theta.OpenDim(1) != n || theta.OpenDim(2) != n+1 {
		return affineGridTheta, fmt.Sprintf("theta must be [batch, %d, %d]", n, n+1)
	}
	return "", ""
}

func computeAffineGrid(theta *lazy.Tensor, sizes []int, align bool) *lazy.Tensor {
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		theta := xs[0]
		n := len(sizes)
		one := lazy.Ones(theta.Trace(), theta.DType(), slices.Concat(sizes, []int{1})...)
		parts := make([]*lazy.Tensor, n+1)
		parts[n] = one
		for a, d := range sizes { // from -1 to 1, or of centres of elements from edge to edge
			i := lazy.Iota(theta.Trace(), theta.DType(), a, slices.Concat(sizes, []int{1})...)
			switch {
			case d == 1:
				i = i.MulScalar(0)
			case align:
				i = i.MulScalar(2 / float64(d-1)).SubScalar(1)
			default:
				i = i.MulScalar(2).AddScalar(1).DivScalar(float64(d)).SubScalar(1)
			}
			parts[n-1-a] = i // the last coordinate is that of the first axis
		}
		base := lazy.Concatenate(n, parts...).Reshape(product(sizes), n+1)
		return base.MatMul(theta.Transpose(0, 2, 1)).Reshape(slices.Concat([]int{theta.OpenDim(0)}, sizes, []int{n})...)
	}, theta)
}
