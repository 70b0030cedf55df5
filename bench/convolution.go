package main

import "ltc/lazy"

// convolution is one of square images with square windows whose padding keeps the
// size where the stride is 1. Its layout is NCHW,OIHW->NCHW.
type convolution struct{ batch, side, in, out, window, stride int }

// The layouts that convolutions are measured in.
const (
	channelsFirst = "NCHW,OIHW->NCHW"
	channelsLast  = "NHWC,HWIO->NHWC"
)

func (c convolution) program() *program { return c.inLayout(channelsFirst) }

// inLayout returns the program in one of the layouts above.
func (c convolution) inLayout(layout string) *program {
	x, w := random(1, c.batch, c.in, c.side, c.side), random(2, c.out, c.in, c.window, c.window)
	if layout == channelsLast {
		x, w = random(1, c.batch, c.side, c.side, c.in), random(2, c.window, c.window, c.in, c.out)
	}
	pad := c.window / 2
	side := (c.side-1)/c.stride + 1
	return &program{
		operands: []operand{x, w},
		fn: func(x ...*lazy.Tensor) *lazy.Tensor {
			return x[0].Conv(x[1], lazy.ConvOptions{Layout: layout, Strides: []int{c.stride, c.stride}, Padding: [][2]int{{pad, pad}, {pad, pad}}})
		},
		flops: 2 * float64(c.batch*side*side*c.out) * float64(c.window*c.window*c.in),
		want: func(in [][]float32, i int) (sum, size float64) {
			image, o, row, column := i/(c.out*side*side), i/(side*side)%c.out, i/side%side, i%side
			if layout == channelsLast {
				image, o, row, column = i/(side*side*c.out), i%c.out, i/(side*c.out)%side, i/c.out%side
			}
			for n := range c.window * c.window {
				y, x := row*c.stride+n/c.window-pad, column*c.stride+n%c.window-pad
				if min(x, y) < 0 || max(x, y) >= c.side {
					continue
				}
				at, step, of, ofStep := (image*c.in*c.side+y)*c.side+x, c.side*c.side, o*c.in*c.window*c.window+n, c.window*c.window
				if layout == channelsLast {
					at, step, of, ofStep = ((image*c.side+y)*c.side+x)*c.in, 1, n*c.in*c.out+o, c.out
				}
				s, z := dotStrided(in[0][at:], step, in[1][of:], ofStep, c.in)
				sum, size = sum+s, size+z
			}
			return sum, size
		},
	}
}

// relu returns the program with ReLU of its result.
func (p *program) relu() *program {
	q := *p
	q.fn = func(x ...*lazy.Tensor) *lazy.Tensor { return p.fn(x...).ReLU() }
	q.want = func(in [][]float32, i int) (float64, float64) {
		v, size := p.want(in, i)
		return max(v, 0), size
	}
	return &q
}
