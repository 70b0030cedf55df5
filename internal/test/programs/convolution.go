package programs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Convolution returns the text of a convolution of any form, with ops that may follow it.
// These vary:
//
//   - the number, sizes and order of its dimensions, and the dtype;
//   - strides, padding that adds or takes away, and dilation of both operands;
//   - groups, and windows that are read backwards.
//
// Large ones are of so many elements that targets compute them in blocks.
func Convolution(r *rand.Rand, large bool) string {
	c := convolution{r: r, n: r.IntN(4), t: []string{"f32", "f32", "f64", "bf16", "i32"}[r.IntN(5)], large: large}
	if large {
		c.n = 1 + r.IntN(2)
	}
	return c.program()
}

// ChannelsFirst is [Convolution] of images, kernels and results that have their features
// before the spatial dimensions.
func ChannelsFirst(r *rand.Rand, large bool) string {
	c := convolution{r: r, n: 1 + r.IntN(2), t: []string{"f32", "f32", "f64", "bf16", "f16", "i32"}[r.IntN(6)], large: large, first: true}
	return c.program()
}

// Bordered is ChannelsFirst of images with long rows, which may be empty, and with borders that may
// be wider than a window. Windows are so large that targets copy parts of an image. Rows of a few
// have one element, and columns of results run across them.
func Bordered(r *rand.Rand, _ bool) string {
	c := convolution{r: r, n: 1 + r.IntN(3), t: []string{"f32", "f32", "f64", "i32"}[r.IntN(4)], first: true}
	long := c.n - 1
	if c.n > 1 && r.IntN(4) == 0 {
		long--
	}
	for i := range c.n {
		if i > long {
			c.size, c.kernel, c.stride, c.between = append(c.size, 1), append(c.kernel, 1), append(c.stride, 1), append(c.between, 1)
			c.dilation, c.low, c.high = append(c.dilation, 1), append(c.low, 0), append(c.high, 0)
			c.reversed, c.out = append(c.reversed, false), append(c.out, 1)
			break
		}
		for {
			size, kernel, stride, dilation := r.IntN(9), 1+r.IntN(5), 1+r.IntN(2), c.seldom(2)
			if i == long {
				size, kernel, stride = r.IntN(90)-5, 3+r.IntN(5), 1+r.IntN(7)/3
				if long < c.n-1 {
					size, kernel = size+60, kernel+8
				}
			}
			size = max(size, 0)
			low, high := r.IntN(5)-1, r.IntN(5)-1
			if r.IntN(3) == 0 {
				low, high = r.IntN(24)-4, r.IntN(24)-4
			}
			out := (size+low+high-(kernel-1)*dilation-1)/stride + 1
			if size+low+high <= (kernel-1)*dilation || low < -size || high < -size || low+high < -size {
				continue
			}
			c.size, c.kernel, c.stride, c.between = append(c.size, size), append(c.kernel, kernel), append(c.stride, stride), append(c.between, 1)
			c.dilation, c.low, c.high = append(c.dilation, dilation), append(c.low, low), append(c.high, high)
			c.reversed, c.out = append(c.reversed, r.IntN(4) == 0), append(c.out, out)
			break
		}
	}
	c.features, c.batches, c.batch, c.cin, c.cout = 1, 1, 1+r.IntN(3), 1+r.IntN(6), 1+r.IntN(40)
	return c.text()
}

func (c *convolution) program() string {
	c.window()
	c.channels()
	return c.text()
}

// convolution is one that is being chosen, of n spatial dimensions.
type convolution struct {
	r     *rand.Rand
	n     int
	t     string
	large bool
	first bool // features are before the spatial dimensions

	size, kernel, stride, between, dilation, low, high, out []int // by spatial dimension
	reversed                                                []bool
	batch, cin, cout, features, batches                     int
}

// upTo returns a number from 1 to n, of a large convolution to many.
func (c *convolution) upTo(n, many int) int {
	if c.large {
		n = many
	}
	return 1 + c.r.IntN(n)
}

// seldom returns a number from 1 to n, mostly 1.
func (c *convolution) seldom(n int) int { return max(1, 1+c.r.IntN(3*n)-2*n) }

func (c *convolution) window() {
	for range c.n {
		for {
			size, kernel, stride, between, dilation := c.upTo(7, 24), c.upTo(3, 4), c.seldom(3), c.seldom(3), c.seldom(2)
			low, high := c.r.IntN(4)-1, c.r.IntN(4)-1
			padded, wide := (size-1)*between+1+low+high, (kernel-1)*dilation+1
			if padded < wide { // no place for the window
				continue
			}
			c.size, c.kernel, c.stride, c.between = append(c.size, size), append(c.kernel, kernel), append(c.stride, stride), append(c.between, between)
			c.dilation, c.low, c.high = append(c.dilation, dilation), append(c.low, low), append(c.high, high)
			c.reversed, c.out = append(c.reversed, c.r.IntN(4) == 0), append(c.out, (padded-wide)/stride+1)
			break
		}
	}
}

func (c *convolution) channels() {
	c.features, c.batches = 1, 1
	switch c.r.IntN(5) {
	case 0:
		c.features = 1 + c.r.IntN(4)
	case 1:
		c.batches = 1 + c.r.IntN(3)
	}
	c.batch, c.cin = c.batches*c.upTo(3, 4), c.upTo(4, 48)
	c.cout = c.features * c.batches * c.upTo(4, 40)
	if c.r.IntN(6) == 0 { // each feature by itself
		c.cin, c.cout = 1, c.features*c.batches
	}
}

// lies returns a tensor's dimensions, two and the spatial ones, in some order,
// with the letters of these.
func (c *convolution) lies(a, b string, first, second int, spatial []int) (letters string, shape []int) {
	names, sizes := []string{a, b}, []int{first, second}
	for i, n := range spatial {
		names, sizes = append(names, fmt.Sprint(i)), append(sizes, n)
	}
	var order []string
	places := c.r.Perm(len(names))
	if c.first {
		slices.Sort(places)
	}
	for _, i := range places {
		order, shape = append(order, names[i]), append(shape, sizes[i])
	}
	return "[" + strings.Join(order, ", ") + "]", shape
}

func (c *convolution) tensor(shape []int) string {
	n := network{t: c.t}
	return n.tensor(shape...)
}

func (c *convolution) text() string {
	lx, x := c.lies("b", "f", c.batch, c.features*c.cin, c.size)
	lw, w := c.lies("i", "o", c.cin, c.cout, c.kernel)
	if c.first {
		lw, w = c.lies("o", "i", c.cout, c.cin, c.kernel)
	}
	ly, y := c.lies("b", "f", c.batch/c.batches, c.cout, c.out)
	var pads []string
	for i := range c.low {
		pads = append(pads, fmt.Sprintf("[%d, %d]", c.low[i], c.high[i]))
	}
	list := func(v any) string {
		return "[" + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(v), "[]")), ", ") + "]"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func.func @main(%%x: %[1]s, %%w: %[2]s, %%b: tensor<%[4]dx%[5]s>) -> %[3]s {\n", c.tensor(x), c.tensor(w), c.tensor(y), c.cout, c.t)
	fmt.Fprintf(&b, "  %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = %sx%s->%s, window = {stride = %s, pad = [%s], lhs_dilate = %s, rhs_dilate = %s, reverse = %s}",
		lx, lw, ly, list(c.stride), strings.Join(pads, ", "), list(c.between), list(c.dilation), list(c.reversed))
	fmt.Fprintf(&b, " {batch_group_count = %d : i64, feature_group_count = %d : i64} : (%s, %s) -> %s\n", c.batches, c.features, c.tensor(x), c.tensor(w), c.tensor(y))
	last := "%0"
	if c.r.IntN(2) == 0 {
		feature := slices.Index(strings.Split(strings.Trim(ly, "[]"), ", "), "f")
		fmt.Fprintf(&b, "  %%1 = stablehlo.broadcast_in_dim %%b, dims = [%d] : (tensor<%dx%s>) -> %s\n", feature, c.cout, c.t, c.tensor(y))
		fmt.Fprintf(&b, "  %%2 = stablehlo.add %%0, %%1 : %[1]s\n  %%3 = stablehlo.maximum %%2, %%1 : %[1]s\n", c.tensor(y))
		last = "%3"
	}
	fmt.Fprintf(&b, "  return %s : %s\n}", last, c.tensor(y))
	return b.String()
}
