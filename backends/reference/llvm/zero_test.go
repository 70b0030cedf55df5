package llvm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/samples"
	"ltc/internal/trials"
	"ltc/soa"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// dims are the sizes of a tensor.
type dims []int

// of returns the type of a tensor of these sizes.
func (s dims) of(dtype string) string {
	var b strings.Builder
	for _, n := range s {
		fmt.Fprintf(&b, "%dx", n)
	}
	return "tensor<" + b.String() + dtype + ">"
}

// list returns numbers as attributes have them.
func list(s []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(s), " ", ", "), "[]") }

// array is an attribute of numbers.
func array(s ...int) string {
	if len(s) == 0 {
		return "array<i64>"
	}
	return "array<i64: " + list(s) + ">"
}

// small draws sizes of few elements or none.
type small struct{ *rand.Rand }

func (r small) size() int { return []int{0, 0, 1, 2, 3}[r.IntN(5)] }

func (r small) dims(rank int) dims {
	s := make(dims, rank)
	for i := range s {
		s[i] = r.size()
	}
	return s
}

func (r small) upTo(n int) int { return r.IntN(n + 1) }

// body is a region of a binary op.
func body(op, dtype string) string {
	return fmt.Sprintf("({\n^bb0(%%p: tensor<%[2]s>, %%q: tensor<%[2]s>):\n  %%pq = stablehlo.%[1]s %%p, %%q : tensor<%[2]s>\n  stablehlo.return %%pq : tensor<%[2]s>\n})", op, dtype)
}

const (
	lessThan = "({\n^bb0(%p: tensor<f32>, %q: tensor<f32>):\n  %pq = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n  stablehlo.return %pq : tensor<i1>\n})"
	zero     = "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
)

// program is an op, or a few, with the arguments %a, %b, … of these types and a result %r.
type program struct {
	args   []string
	ops    string
	result string
}

func (p program) text() string {
	var args []string
	for i, t := range p.args {
		args = append(args, fmt.Sprintf("%%%c: %s", 'a'+i, t))
	}
	return fmt.Sprintf("func.func @main(%s) -> %s {\n%s  return %%r : %s\n}\n", strings.Join(args, ", "), p.result, p.ops, p.result)
}

// zeroSized are ops of any sizes, those of no elements included.
var zeroSized = map[string]func(r small) program{
	"fft": func(r small) program {
		rank := 1 + r.IntN(3)
		in := r.dims(rank)
		out, kind, last := slices.Clone(in), []string{"FFT", "IFFT", "RFFT", "IRFFT"}[r.IntN(4)], rank-1
		from, to := "complex<f32>", "complex<f32>"
		n := 1 + r.IntN(rank)
		lengths := slices.Clone(in[rank-n:])
		switch kind {
		case "RFFT":
			from = "f32"
			if in[last] > 0 {
				out[last] = in[last]/2 + 1
			}
		case "IRFFT":
			to = "f32"
			lengths[n-1] = max(0, 2*in[last]-1-r.IntN(2))
			if in[last] > 0 && lengths[n-1]/2+1 != in[last] {
				lengths[n-1] = 2*in[last] - 1
			}
			out[last] = lengths[n-1]
		}
		p := program{[]string{in.of("f32")}, "", out.of("f32")}
		operand, result := "a", "r"
		if from != "f32" {
			operand = "x"
			p.ops = fmt.Sprintf("  %%x = stablehlo.complex %%a, %%a : %s\n", in.of(from))
		}
		if to != "f32" {
			result = "y"
		}
		p.ops += fmt.Sprintf("  %%%s = stablehlo.fft %%%s, type = %s, length = [%s] : (%s) -> %s\n", result, operand, kind, list(lengths), in.of(from), out.of(to))
		if to != "f32" {
			p.ops += fmt.Sprintf("  %%r = stablehlo.imag %%y : (%s) -> %s\n", out.of(to), out.of("f32"))
		}
		if r.IntN(2) == 0 { // the result's sizes are to be found out
			open := "tensor<" + strings.Repeat("?x", rank)
			p.ops = strings.ReplaceAll(strings.ReplaceAll(p.ops, "-> "+out.of(to), "-> "+open+to+">"), "("+out.of(to)+") -> "+out.of("f32"), "("+open+to+">) -> "+open+"f32>")
			p.result = open + "f32>"
		}
		return p
	},
	"triangular_solve": func(r small) program {
		batch, n, m, left := r.dims(r.IntN(2)), r.size(), r.size(), r.IntN(2) == 0
		a, b := append(slices.Clone(batch), n, n), append(slices.Clone(batch), n, m)
		if !left {
			b = append(slices.Clone(batch), m, n)
		}
		return program{[]string{a.of("f32"), b.of("f32")}, fmt.Sprintf("  %%r = \"stablehlo.triangular_solve\"(%%a, %%b) {left_side = %v, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (%s, %s) -> %s\n", left, a.of("f32"), b.of("f32"), b.of("f32")), b.of("f32")}
	},
	"cholesky": func(r small) program {
		n := r.size()
		batch := r.dims(r.IntN(2))
		s := append(slices.Clone(batch), n, n)
		t, e := s.of("f32"), s.of("i1")
		return program{[]string{t}, fmt.Sprintf("  %%i = stablehlo.iota dim = %[2]d : %[1]s\n  %%j = stablehlo.iota dim = %[3]d : %[1]s\n  %%e = stablehlo.compare EQ, %%i, %%j : (%[1]s, %[1]s) -> %[4]s\n  %%f = stablehlo.convert %%e : (%[4]s) -> %[1]s\n  %%r = stablehlo.cholesky %%f, lower = true : %[1]s\n", t, len(batch), len(batch)+1, e), t}
	},
	"sort": func(r small) program {
		s := r.dims(1 + r.IntN(2))
		return program{[]string{s.of("f32")}, fmt.Sprintf("  %%r = \"stablehlo.sort\"(%%a) %s {dimension = %d : i64, is_stable = %v} : (%s) -> %s\n", lessThan, r.IntN(len(s)), r.IntN(2) == 0, s.of("f32"), s.of("f32")), s.of("f32")}
	},
	"top_k": func(r small) program {
		s := r.dims(1 + r.IntN(2))
		out := slices.Clone(s)
		out[len(s)-1] = r.upTo(s[len(s)-1])
		return program{[]string{s.of("f32")}, fmt.Sprintf("  %%r, %%i = chlo.top_k(%%a, k = %d) : %s -> (%s, %s)\n", out[len(s)-1], s.of("f32"), out.of("f32"), out.of("i32")), out.of("f32")}
	},
	"reduce": func(r small) program {
		s := r.dims(1 + r.IntN(3))
		var over []int
		var out dims
		for d, n := range s {
			if r.IntN(2) == 0 {
				over = append(over, d)
			} else {
				out = append(out, n)
			}
		}
		return program{[]string{s.of("f32")}, zero + fmt.Sprintf("  %%n = stablehlo.abs %%a : %[1]s\n  %%s = \"stablehlo.reduce\"(%%n, %%zero) %[2]s {dimensions = %[3]s} : (%[1]s, tensor<f32>) -> %[4]s\n  %%r = stablehlo.tanh %%s : %[4]s\n", s.of("f32"), body([]string{"add", "maximum"}[r.IntN(2)], "f32"), array(over...), out.of("f32")), out.of("f32")}
	},
	"arg max": func(r small) program {
		n, m := r.size(), r.size()
		s, out := dims{n, m}, dims{n}
		return program{[]string{s.of("f32")}, zero + fmt.Sprintf(`  %%k = stablehlo.constant dense<0> : tensor<i32>
  %%i = stablehlo.iota dim = 1 : %[1]s
  %%v, %%r = "stablehlo.reduce"(%%a, %%i, %%zero, %%k) ({
  ^bb0(%%p: tensor<f32>, %%u: tensor<i32>, %%q: tensor<f32>, %%w: tensor<i32>):
    %%c = stablehlo.compare GE, %%p, %%q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %%x = stablehlo.select %%c, %%p, %%q : tensor<i1>, tensor<f32>
    %%y = stablehlo.select %%c, %%u, %%w : tensor<i1>, tensor<i32>
    stablehlo.return %%x, %%y : tensor<f32>, tensor<i32>
  }) {dimensions = array<i64: 1>} : (%[2]s, %[1]s, tensor<f32>, tensor<i32>) -> (%[3]s, %[4]s)
`, s.of("i32"), s.of("f32"), out.of("f32"), out.of("i32")), out.of("i32")}
	},
	"reduce_window": func(r small) program {
		s := r.dims(1 + r.IntN(2))
		var window, stride, dilation, base, pads []int
		var out dims
		for _, n := range s {
			w, st, di, ba, lo, hi := 1+r.IntN(3), 1+r.IntN(2), 1+r.IntN(2), 1+r.IntN(2), r.IntN(3), r.IntN(3)
			window, stride, dilation, base, pads = append(window, w), append(stride, st), append(dilation, di), append(base, ba), append(pads, lo, hi)
			out = append(out, positions(n, w, st, di, ba, lo, hi))
		}
		return program{[]string{s.of("f32")}, zero + fmt.Sprintf("  %%r = \"stablehlo.reduce_window\"(%%a, %%zero) %s {window_dimensions = %s, window_strides = %s, window_dilations = %s, base_dilations = %s, padding = %s} : (%s, tensor<f32>) -> %s\n",
			body([]string{"add", "maximum"}[r.IntN(2)], "f32"), array(window...), array(stride...), array(dilation...), array(base...), padding(pads), s.of("f32"), out.of("f32")), out.of("f32")}
	},
	"select_and_scatter": func(r small) program {
		s := r.dims(1 + r.IntN(2))
		var window, stride, pads []int
		var out dims
		for _, n := range s {
			w, st, lo, hi := 1+r.IntN(2), 1+r.IntN(2), r.IntN(2), r.IntN(2)
			window, stride, pads = append(window, w), append(stride, st), append(pads, lo, hi)
			out = append(out, positions(n, w, st, 1, 1, lo, hi))
		}
		greater := strings.Replace(lessThan, "LT", "GE", 1)
		return program{[]string{s.of("f32"), out.of("f32")}, zero + fmt.Sprintf("  %%r = \"stablehlo.select_and_scatter\"(%%a, %%b, %%zero) (%s, %s) {window_dimensions = %s, window_strides = %s, padding = %s} : (%s, %s, tensor<f32>) -> %s\n",
			greater[1:len(greater)-1], body("add", "f32")[1:len(body("add", "f32"))-1], array(window...), array(stride...), padding(pads), s.of("f32"), out.of("f32"), s.of("f32")), s.of("f32")}
	},
	"convolution": func(r small) program {
		n, ci, co, h, k, st, lo, hi, di, ba := r.size(), r.size(), r.size(), r.size(), 1+r.IntN(2), 1+r.IntN(2), r.IntN(2), r.IntN(2), 1+r.IntN(2), 1+r.IntN(2)
		if r.IntN(4) == 0 {
			k = 0
		}
		in, w, out := dims{n, h, ci}, dims{k, ci, co}, dims{n, positions(h, k, st, di, ba, lo, hi), co}
		return program{[]string{in.of("f32"), w.of("f32")}, fmt.Sprintf("  %%n = stablehlo.abs %%a : %s\n  %%c = stablehlo.convolution(%%n, %%b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [%d], pad = [[%d, %d]], lhs_dilate = [%d], rhs_dilate = [%d]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%s, %s) -> %[9]s\n  %%r = stablehlo.tanh %%c : %[9]s\n",
			in.of("f32"), st, lo, hi, ba, di, in.of("f32"), w.of("f32"), out.of("f32")), out.of("f32")}
	},
	"dot_general": func(r small) program {
		b, m, k, n := r.size(), r.size(), r.size(), r.size()
		x, y, out := dims{b, m, k}, dims{b, k, n}, dims{b, m, n}
		return program{[]string{x.of("f32"), y.of("f32")}, fmt.Sprintf("  %%n = stablehlo.abs %%a : %[1]s\n  %%d = stablehlo.dot_general %%n, %%b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (%[1]s, %[2]s) -> %[3]s\n  %%r = stablehlo.tanh %%d : %[3]s\n", x.of("f32"), y.of("f32"), out.of("f32")), out.of("f32")}
	},
	"gather": func(r small) program {
		s, n := r.dims(2), r.size()
		take := []int{r.upTo(s[0]), r.upTo(s[1])}
		out := dims{n, take[0], take[1]}
		return program{[]string{s.of("f32"), dims{n, 2}.of("i32")}, fmt.Sprintf("  %%r = \"stablehlo.gather\"(%%a, %%b) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = %s, indices_are_sorted = false} : (%s, %s) -> %s\n", array(take...), s.of("f32"), dims{n, 2}.of("i32"), out.of("f32")), out.of("f32")}
	},
	"gather rows": func(r small) program {
		s, n := r.dims(2), r.dims(1+r.IntN(2))
		if s[0] == 0 { // of no rows none is taken
			n[0] = 0
		}
		out := append(slices.Clone(n), s[1])
		index := append(slices.Clone(n), 1)
		return program{[]string{s.of("f32"), index.of("i32")}, fmt.Sprintf("  %%r = \"stablehlo.gather\"(%%a, %%b) {dimension_numbers = #stablehlo.gather<offset_dims = [%d], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = %d>, slice_sizes = array<i64: %d, %d>, indices_are_sorted = false} : (%s, %s) -> %s\n", len(n), len(n), min(1, s[0]), s[1], s.of("f32"), index.of("i32"), out.of("f32")), out.of("f32")}
	},
	"scatter": func(r small) program {
		s, n := r.dims(2), r.size()
		take := []int{r.upTo(s[0]), r.upTo(s[1])}
		up, index := dims{n, take[0], take[1]}, dims{n, 2}
		return program{[]string{s.of("f32"), index.of("i32"), up.of("f32")}, fmt.Sprintf("  %%r = \"stablehlo.scatter\"(%%a, %%b, %%c) %s {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (%s, %s, %s) -> %s\n", body("add", "f32"), s.of("f32"), index.of("i32"), up.of("f32"), s.of("f32")), s.of("f32")}
	},
	"dynamic_slice": func(r small) program {
		s := r.dims(2)
		out := dims{r.upTo(s[0]), r.upTo(s[1])}
		return program{[]string{s.of("f32"), "tensor<i32>"}, fmt.Sprintf("  %%r = stablehlo.dynamic_slice %%a, %%b, %%b, sizes = [%s] : (%s, tensor<i32>, tensor<i32>) -> %s\n", list(out), s.of("f32"), out.of("f32")), out.of("f32")}
	},
	"dynamic_update_slice": func(r small) program {
		s := r.dims(2)
		up := dims{r.upTo(s[0]), r.upTo(s[1])}
		return program{[]string{s.of("f32"), "tensor<i32>", up.of("f32")}, fmt.Sprintf("  %%r = stablehlo.dynamic_update_slice %%a, %%c, %%b, %%b : (%s, %s, tensor<i32>, tensor<i32>) -> %s\n", s.of("f32"), up.of("f32"), s.of("f32")), s.of("f32")}
	},
	"pad": func(r small) program {
		s := r.dims(2)
		var low, high, inner []int
		var out dims
		for _, n := range s {
			i := r.IntN(2)
			whole := n + max(n-1, 0)*i
			lo := r.IntN(whole+3) - whole
			hi := max(r.IntN(whole+3)-whole, -whole-lo)
			low, high, inner, out = append(low, lo), append(high, hi), append(inner, i), append(out, whole+lo+hi)
		}
		return program{[]string{s.of("f32")}, zero + fmt.Sprintf("  %%n = stablehlo.abs %%a : %[1]s\n  %%r = stablehlo.pad %%n, %%zero, low = [%[2]s], high = [%[3]s], interior = [%[4]s] : (%[1]s, tensor<f32>) -> %[5]s\n", s.of("f32"), list(low), list(high), list(inner), out.of("f32")), out.of("f32")}
	},
	"concatenate": func(r small) program {
		s, d := r.dims(2), r.IntN(2)
		x, y, out := slices.Clone(s), slices.Clone(s), slices.Clone(s)
		x[d] = r.size()
		y[d] = r.size()
		out[d] = x[d] + y[d]
		return program{[]string{x.of("f32"), y.of("f32")}, fmt.Sprintf("  %%n = stablehlo.abs %%a : %[1]s\n  %%r = stablehlo.concatenate %%n, %%b, dim = %[2]d : (%[1]s, %[3]s) -> %[4]s\n", x.of("f32"), d, y.of("f32"), out.of("f32")), out.of("f32")}
	},
	"slice": func(r small) program {
		s := r.dims(2)
		var at []string
		var out dims
		for _, n := range s {
			from := r.upTo(n)
			to, by := from+r.upTo(n-from), 1+r.IntN(2)
			at, out = append(at, fmt.Sprintf("%d:%d:%d", from, to, by)), append(out, (to-from+by-1)/by)
		}
		return program{[]string{s.of("f32")}, fmt.Sprintf("  %%n = stablehlo.abs %%a : %[1]s\n  %%r = stablehlo.slice %%n [%[2]s] : (%[1]s) -> %[3]s\n", s.of("f32"), strings.Join(at, ", "), out.of("f32")), out.of("f32")}
	},
	"reshape": func(r small) program {
		s := r.dims(3)
		out := dims{s[2], s[0] * s[1]}
		if s[0]*s[1]*s[2] == 0 {
			out = dims{r.size(), 0, r.size()}
		}
		return program{[]string{s.of("f32")}, fmt.Sprintf("  %%n = stablehlo.abs %%a : %[1]s\n  %%s = stablehlo.reshape %%n : (%[1]s) -> %[2]s\n  %%r = stablehlo.reverse %%s, dims = [0] : %[2]s\n", s.of("f32"), out.of("f32")), out.of("f32")}
	},
	"transpose": func(r small) program {
		s, p := r.dims(3), r.Perm(3)
		out := dims{s[p[0]], s[p[1]], s[p[2]]}
		return program{[]string{s.of("f32")}, fmt.Sprintf("  %%t = stablehlo.transpose %%a, dims = [%s] : (%s) -> %[3]s\n  %%r = stablehlo.tanh %%t : %[3]s\n", list(p), s.of("f32"), out.of("f32")), out.of("f32")}
	},
	"broadcast_in_dim": func(r small) program {
		n, out := r.size(), r.dims(3)
		if n != 1 {
			out[1] = n
		}
		return program{[]string{dims{n}.of("f32")}, fmt.Sprintf("  %%r = stablehlo.broadcast_in_dim %%a, dims = [1] : (%s) -> %s\n", dims{n}.of("f32"), out.of("f32")), out.of("f32")}
	},
	"batch_norm_training": func(r small) program {
		s := r.dims(3)
		f := dims{s[1]}
		return program{[]string{s.of("f32"), f.of("f32")}, fmt.Sprintf("  %%r, %%m, %%v = \"stablehlo.batch_norm_training\"(%%a, %%b, %%b) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (%[1]s, %[2]s, %[2]s) -> (%[1]s, %[2]s, %[2]s)\n", s.of("f32"), f.of("f32")), s.of("f32")}
	},
	"batch_norm_grad": func(r small) program {
		s := r.dims(3)
		f := dims{s[1]}
		return program{[]string{s.of("f32"), f.of("f32")}, fmt.Sprintf("  %%x, %%y, %%r = \"stablehlo.batch_norm_grad\"(%%a, %%b, %%b, %%b, %%a) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (%[1]s, %[2]s, %[2]s, %[2]s, %[1]s) -> (%[1]s, %[2]s, %[2]s)\n", s.of("f32"), f.of("f32")), f.of("f32")}
	},
	"torch_index_select": func(r small) program {
		s, n := r.dims(2), r.size()
		if s[1] == 0 {
			n = 0
		}
		out := dims{s[0], n}
		return program{[]string{s.of("f32"), dims{n}.of("i32")}, fmt.Sprintf("  %%r = \"stablehlo.torch_index_select\"(%%a, %%b) {dim = 1 : i64, batch_dims = 0 : i64} : (%s, %s) -> %s\n", s.of("f32"), dims{n}.of("i32"), out.of("f32")), out.of("f32")}
	},
	"rng_bit_generator": func(r small) program {
		s := r.dims(2)
		return program{[]string{"tensor<2xui64>"}, fmt.Sprintf("  %%s, %%r = stablehlo.rng_bit_generator %%a, algorithm = %s : (tensor<2xui64>) -> (tensor<2xui64>, %s)\n", []string{"THREE_FRY", "PHILOX"}[r.IntN(2)], s.of("ui32")), s.of("ui32")}
	},
	"bitcast_convert": func(r small) program {
		s := r.dims(2)
		out := append(slices.Clone(s), 2)
		return program{[]string{s.of("f32")}, fmt.Sprintf("  %%r = stablehlo.bitcast_convert %%a : (%s) -> %s\n", s.of("f32"), out.of("i16")), out.of("i16")}
	},
	"map": func(r small) program {
		t := r.dims(2).of("f32")
		return program{[]string{t}, fmt.Sprintf("  %%r = \"stablehlo.map\"(%%a, %%a) %s {dimensions = array<i64: 0, 1>} : (%[2]s, %[2]s) -> %[2]s\n", body("add", "f32"), t), t}
	},
	"einsum": func(r small) program {
		m, k, n := r.size(), r.size(), r.size()
		x, y, out := dims{m, k}.of("f32"), dims{k, n}.of("f32"), dims{m, n}.of("f32")
		return program{[]string{x, y}, fmt.Sprintf("  %%r = \"stablehlo.einsum\"(%%a, %%b) {einsum_config = \"ij,jk->ik\"} : (%s, %s) -> %s\n", x, y, out), out}
	},
	"while": func(r small) program {
		t := r.dims(2).of("f32")
		return program{[]string{t}, fmt.Sprintf(`  %%k = stablehlo.constant dense<0> : tensor<i32>
  %%one = stablehlo.constant dense<1> : tensor<i32>
  %%three = stablehlo.constant dense<3> : tensor<i32>
  %%i, %%r = stablehlo.while(%%u = %%k, %%x = %%a) : tensor<i32>, %[1]s cond {
    %%c = stablehlo.compare LT, %%u, %%three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%c : tensor<i1>
  } do {
    %%v = stablehlo.add %%u, %%one : tensor<i32>
    %%y = stablehlo.tanh %%x : %[1]s
    stablehlo.return %%v, %%y : tensor<i32>, %[1]s
  }
`, t), t}
	},
	"dynamic_reshape": func(r small) program {
		n, m := r.size(), r.size()
		return program{[]string{dims{n, m}.of("f32"), "tensor<2xi32>"}, fmt.Sprintf("  %%s = stablehlo.constant dense<[%d, %d]> : tensor<2xi32>\n  %%t = stablehlo.dynamic_reshape %%a, %%s : (%s, tensor<2xi32>) -> tensor<?x?xf32>\n  %%r = stablehlo.tanh %%t : tensor<?x?xf32>\n", m, n, dims{n, m}.of("f32")), "tensor<?x?xf32>"}
	},
	"dynamic_broadcast_in_dim": func(r small) program {
		n := r.size()
		return program{[]string{"tensor<1xf32>"}, fmt.Sprintf("  %%s = stablehlo.constant dense<[%d, %d]> : tensor<2xi32>\n  %%t = \"stablehlo.dynamic_broadcast_in_dim\"(%%a, %%s) {broadcast_dimensions = array<i64: 1>} : (tensor<1xf32>, tensor<2xi32>) -> tensor<?x?xf32>\n  %%r = stablehlo.tanh %%t : tensor<?x?xf32>\n", n, r.size()), "tensor<?x?xf32>"}
	},
	"dynamic_iota": func(r small) program {
		return program{nil, fmt.Sprintf("  %%s = stablehlo.constant dense<[%d, %d]> : tensor<2xi32>\n  %%r = stablehlo.dynamic_iota %%s, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>\n", r.size(), r.size()), "tensor<?x?xi32>"}
	},
	"dynamic_pad": func(r small) program {
		s := r.dims(1)
		return program{[]string{s.of("f32")}, zero + fmt.Sprintf("  %%l = stablehlo.constant dense<%d> : tensor<1xi32>\n  %%h = stablehlo.constant dense<%d> : tensor<1xi32>\n  %%t = stablehlo.dynamic_pad %%a, %%zero, %%l, %%h, %%h : (%s, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>\n  %%r = stablehlo.tanh %%t : tensor<?xf32>\n", r.IntN(2), r.IntN(2), s.of("f32")), "tensor<?xf32>"}
	},
	"real_dynamic_slice": func(r small) program {
		n := r.size()
		from := r.upTo(n)
		return program{[]string{dims{n}.of("f32")}, fmt.Sprintf("  %%l = stablehlo.constant dense<%d> : tensor<1xi32>\n  %%h = stablehlo.constant dense<%d> : tensor<1xi32>\n  %%s = stablehlo.constant dense<%d> : tensor<1xi32>\n  %%t = stablehlo.real_dynamic_slice %%a, %%l, %%h, %%s : (%s, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>\n  %%r = stablehlo.tanh %%t : tensor<?xf32>\n", from, from+r.upTo(n-from), 1+r.IntN(2), dims{n}.of("f32")), "tensor<?xf32>"}
	},
	"dynamic_gather": func(r small) program {
		s, n := r.dims(2), r.size()
		if s[0] == 0 {
			n = 0
		}
		return program{[]string{s.of("f32"), dims{n, 1}.of("i32")}, fmt.Sprintf("  %%s = stablehlo.constant dense<[%d, %d]> : tensor<2xi32>\n  %%t = \"stablehlo.dynamic_gather\"(%%a, %%b, %%s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false} : (%s, %s, tensor<2xi32>) -> tensor<?x?xf32>\n  %%r = stablehlo.tanh %%t : tensor<?x?xf32>\n", min(1, s[0]), r.upTo(s[1]), s.of("f32"), dims{n, 1}.of("i32")), "tensor<?x?xf32>"}
	},
	"dynamic_conv": func(r small) program {
		n, ci, co, h, k, lo, hi := r.size(), r.size(), r.size(), r.size(), 1+r.IntN(2), r.IntN(2), r.IntN(2)
		in, w := dims{n, h, ci}.of("f32"), dims{k, ci, co}.of("f32")
		return program{[]string{in, w}, fmt.Sprintf("  %%p = stablehlo.constant dense<[[%d, %d]]> : tensor<1x2xi32>\n  %%t = \"stablehlo.dynamic_conv\"(%%a, %%b, %%p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%s, %s, tensor<1x2xi32>) -> tensor<?x?x?xf32>\n  %%r = stablehlo.tanh %%t : tensor<?x?x?xf32>\n", lo, hi, in, w), "tensor<?x?x?xf32>"}
	},
	"select": func(r small) program {
		s := r.dims(2)
		return program{[]string{s.of("f32"), s.of("i1")}, fmt.Sprintf("  %%n = stablehlo.negate %%a : %[1]s\n  %%s = stablehlo.select %%b, %%a, %%n : %[2]s, %[1]s\n  %%r = stablehlo.clamp %%n, %%s, %%a : %[1]s\n", s.of("f32"), s.of("i1")), s.of("f32")}
	},
}

// positions returns in how many places a window lies.
func positions(n, window, stride, dilation, base, low, high int) int {
	whole := 0
	if n > 0 {
		whole = (n-1)*base + 1
	}
	whole += low + high
	reach := 0
	if window > 0 {
		reach = (window-1)*dilation + 1
	}
	if whole == 0 || reach > whole {
		return 0
	}
	return (whole-reach)/stride + 1
}

func padding(pads []int) string {
	var rows []string
	for i := 0; i < len(pads); i += 2 {
		rows = append(rows, fmt.Sprintf("[%d, %d]", pads[i], pads[i+1]))
	}
	return fmt.Sprintf("dense<[%s]> : tensor<%dx2xi64>", strings.Join(rows, ", "), len(rows))
}

// Ops take and give tensors without elements wherever the dialect's constraints allow
// them, the same ones compiled as evaluated.
func TestOpsTakeTensorsWithoutElements(t *testing.T) {
	compilers(t)
	for name, draw := range zeroSized {
		t.Run(name, func(t *testing.T) {
			valid, n := 0, trials.Of(60)
			for seed := range uint64(n) {
				text := draw(small{rand.New(rand.NewPCG(seed, 0))}).text()
				m, err := stablehlo.Parse("m.mlir", text)
				require.NoError(t, err, text)
				if err := verify.Module(m); err != nil {
					t.Logf("%v", err)
					continue
				}
				valid++
				var want []soa.View
				for _, backend := range []string{"eval", "cpu"} {
					b, err := backends.Open(backend)
					require.NoError(t, err)
					e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: 1})
					require.NoError(t, err, "%s: %s", backend, text)
					c := &backends.Call{}
					for i, a := range e.Signature().Args {
						v, err := samples.Make(a.Type, fmt.Sprint("rand:", i+1))
						require.NoError(t, err)
						c.Args = append(c.Args, v)
					}
					require.NoError(t, e.Execute(t.Context(), c), "%s: %s", backend, text)
					if want == nil {
						want = c.Results
						continue
					}
					require.Equal(t, want[0].Type, c.Results[0].Type, text)
					d, err := samples.Differ(c.Results[0], want[0])
					require.NoError(t, err, text)
					require.Less(t, d.Size, 1e-5, text)
				}
			}
			t.Logf("%d of %d are programs", valid, n)
			require.Greater(t, valid, n/3)
		})
	}
}
