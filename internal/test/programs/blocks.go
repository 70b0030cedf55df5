package programs

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Blocks returns a random program of two to four convolutions that follow each other, of images
// that have their features before the spatial dimensions, with biases, activations and residuals
// between them. Some values between them are results, too.
func Blocks(r *rand.Rand, _ bool) string {
	b := block{r: r, n: 1 + r.IntN(3), t: []string{"f32", "f32", "f64"}[r.IntN(3)]}
	x := image{"%x", []int{1 + r.IntN(2), 1 + r.IntN(9)}}
	for i := range b.n {
		x.shape = append(x.shape, []int{5 + r.IntN(8), 5 + r.IntN(36)}[min(i/max(b.n-1, 1), 1)])
	}
	b.args = append(b.args, "%x: "+b.typeOf(x.shape))
	all := []image{x}
	for i := range 2 + r.IntN(3) {
		if x = b.convolve(i, x, all); x.shape == nil {
			break
		}
		all = append(all, x)
	}
	results := []image{all[len(all)-1]}
	if r.IntN(5) == 0 {
		results = append(results, all[len(all)/2])
	}
	var names, types []string
	for _, v := range results {
		names, types = append(names, v.name), append(types, b.typeOf(v.shape))
	}
	return fmt.Sprintf("func.func @main(%s) -> (%s) {\n%s  return %s : %s\n}\n", strings.Join(b.args, ", "), strings.Join(types, ", "), b.ops.String(),
		strings.Join(names, ", "), strings.Join(types, ", "))
}

// image is a value of a block: [batch, feature, spatial…].
type image struct {
	name  string
	shape []int
}

// block is a program of n spatial dimensions that is being chosen.
type block struct {
	r    *rand.Rand
	n    int
	t    string
	args []string
	ops  strings.Builder
}

func (b *block) typeOf(shape []int) string {
	s := "tensor<"
	for _, n := range shape {
		s += fmt.Sprint(n, "x")
	}
	return s + b.t + ">"
}

// convolve appends convolution i, of x, and what follows it. It returns no shape if x is too small.
func (b *block) convolve(i int, x image, all []image) image {
	r := b.r
	to := image{fmt.Sprintf("%%y%d", i), []int{x.shape[0], 1 + r.IntN(20)}}
	if r.IntN(3) == 0 {
		to.shape[1] = all[r.IntN(len(all))].shape[1]
	}
	kernel := []int{to.shape[1], x.shape[1]}
	var stride, pad, left, right, letters []string
	same := r.IntN(2) == 0
	for d, n := range x.shape[2:] {
		k, s, between, dilation, low, high := 1+r.IntN(4), 1+r.IntN(6)/5, 1+r.IntN(9)/8, 1+r.IntN(8)/7, r.IntN(4), r.IntN(4)
		if same {
			k, s, between, dilation, low, high = 3, 1, 1, 1, 1, 1
		}
		out := ((n-1)*between+1+low+high-(k-1)*dilation-1)/s + 1
		if (n-1)*between+1+low+high <= (k-1)*dilation {
			return image{}
		}
		to.shape, kernel = append(to.shape, out), append(kernel, k)
		stride, left, right = append(stride, fmt.Sprint(s)), append(left, fmt.Sprint(between)), append(right, fmt.Sprint(dilation))
		pad, letters = append(pad, fmt.Sprintf("[%d, %d]", low, high)), append(letters, fmt.Sprint(d))
	}
	list := func(s []string) string { return strings.Join(s, ", ") }
	t := b.typeOf(to.shape)
	b.args = append(b.args, fmt.Sprintf("%%w%d: %s", i, b.typeOf(kernel)), fmt.Sprintf("%%b%d: %s", i, b.typeOf(kernel[:1])))
	write := func(format string, args ...any) { fmt.Fprintf(&b.ops, "  "+format+"\n", args...) }
	write("%%c%d = stablehlo.convolution(%s, %%w%d) dim_numbers = [b, f, %[4]s]x[o, i, %[4]s]->[b, f, %[4]s], window = {stride = [%[5]s], pad = [%[6]s], lhs_dilate = [%[7]s], rhs_dilate = [%[8]s]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%[9]s, %[10]s) -> %[11]s",
		i, x.name, i, list(letters), list(stride), list(pad), list(left), list(right), b.typeOf(x.shape), b.typeOf(kernel), t)
	write("%%s%d = stablehlo.constant dense<0.125> : %s", i, t)
	write("%%d%d = stablehlo.multiply %%c%d, %%s%d : %s", i, i, i, t)
	write("%%e%d = stablehlo.broadcast_in_dim %%b%d, dims = [1] : (%s) -> %s", i, i, b.typeOf(kernel[:1]), t)
	write("%%f%d = stablehlo.add %%d%d, %%e%d : %s", i, i, i, t)
	last := fmt.Sprintf("%%f%d", i)
	for _, other := range all {
		if b.typeOf(other.shape) == t && r.IntN(3) > 0 {
			write("%%g%d = stablehlo.add %s, %s : %s", i, last, other.name, t)
			last = fmt.Sprintf("%%g%d", i)
			break
		}
	}
	switch r.IntN(3) {
	case 0:
		write("%%h%d = stablehlo.logistic %s : %s", i, last, t)
		write("%s = stablehlo.multiply %s, %%h%d : %s", to.name, last, i, t)
	case 1:
		write("%s = stablehlo.tanh %s : %s", to.name, last, t)
	default:
		write("%%h%d = stablehlo.constant dense<0.0> : %s", i, t)
		write("%s = stablehlo.maximum %s, %%h%d : %s", to.name, last, i, t)
	}
	return to
}
