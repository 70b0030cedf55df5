package networks

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// What the networks compute, by loops in float64.

func values(t *testing.T, x *lazy.Tensor) []float32 {
	v, err := lazy.ToSlice[float32](x)
	require.NoError(t, err)
	return v
}

// layers computes dense layers with ReLU between them.
func layers(t *testing.T, all []dense, x []float64) []float64 {
	for i, d := range all {
		if i > 0 {
			for k := range x {
				x[k] = max(x[k], 0)
			}
		}
		w, b := values(t, d.w), values(t, d.b)
		y := make([]float64, len(b))
		for o := range y {
			y[o] = float64(b[o])
			for k := range x {
				y[o] += x[k] * float64(w[k*len(b)+o])
			}
		}
		x = y
	}
	return x
}

// planes are the channels of an image.
type planes [][][]float64

func newPlanes(channels, size int) planes {
	p := make(planes, channels)
	for c := range p {
		p[c] = make([][]float64, size)
		for r := range p[c] {
			p[c][r] = make([]float64, size)
		}
	}
	return p
}

// each applies f to every pixel.
func (p planes) each(f func(c, row, col int, v float64) float64) planes {
	q := newPlanes(len(p), len(p[0]))
	for c := range p {
		for i := range p[c] {
			for j := range p[c][i] {
				q[c][i][j] = f(c, i, j, p[c][i][j])
			}
		}
	}
	return q
}

func relu(_, _, _ int, v float64) float64 { return max(v, 0) }

func (c conv) naive(t *testing.T, x planes) planes {
	w, out := values(t, c.w), c.w.Dim(0)
	b := make([]float32, out)
	if c.b != nil {
		b = values(t, c.b)
	}
	size := len(x[0])
	return newPlanes(out, (size-1)/c.stride+1).each(func(o, row, col int, _ float64) float64 {
		sum := float64(b[o])
		for in := range x {
			for i := range 3 {
				for j := range 3 {
					r, k := row*c.stride+i-1, col*c.stride+j-1
					if r >= 0 && r < size && k >= 0 && k < size {
						sum += x[in][r][k] * float64(w[((o*len(x)+in)*3+i)*3+j])
					}
				}
			}
		}
		return sum
	})
}

func (n norm) naive(t *testing.T, x planes) planes {
	gamma, beta, mean, variance := values(t, n.gamma), values(t, n.beta), values(t, n.mean), values(t, n.variance)
	return x.each(func(c, _, _ int, v float64) float64 {
		return (v-float64(mean[c]))/math.Sqrt(float64(variance[c])+epsilon)*float64(gamma[c]) + float64(beta[c])
	})
}

func (r residual) naive(t *testing.T, x planes) planes {
	y := r.norm1.naive(t, r.conv1.naive(t, x)).each(relu)
	y = r.norm2.naive(t, r.conv2.naive(t, y))
	return y.each(func(c, i, j int, v float64) float64 { return max(v+x[c][i][j], 0) })
}

func resnet(t *testing.T, n *TinyResNet, m Image) []float64 {
	x := newPlanes(3, 9)
	for c, plane := range [][9][9]float32{m.R, m.G, m.B} {
		for i := range 9 {
			for j := range 9 {
				x[c][i][j] = float64(plane[i][j])
			}
		}
	}
	x = n.norm.naive(t, n.in.naive(t, x)).each(relu)
	x = n.wide[1].naive(t, n.wide[0].naive(t, x))
	x = n.narrow[1].naive(t, n.narrow[0].naive(t, n.down.naive(t, x)))
	means := make([]float64, len(x))
	for c := range x {
		for _, row := range x[c] {
			for _, v := range row {
				means[c] += v / float64(len(x[c])*len(row))
			}
		}
	}
	y, total := layers(t, []dense{n.classes}, means), 0.0
	for k := range y {
		y[k] = math.Exp(y[k])
		total += y[k]
	}
	for k := range y {
		y[k] /= total
	}
	return y
}
