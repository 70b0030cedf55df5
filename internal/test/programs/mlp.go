package programs

import (
	"fmt"
	"strings"
)

// numbered writes functions in text, one op a line, with results numbered.
type numbered struct {
	strings.Builder
	n int
}

// op appends an op; $ in format stands for the new value's name, which it returns.
func (p *numbered) op(format string, args ...any) string {
	p.n++
	name := fmt.Sprintf("%%v%d", p.n)
	p.WriteString("  " + name + " = stablehlo." + fmt.Sprintf(format, args...) + "\n")
	return name
}

func f32Tensor(dims ...int) string {
	s := "tensor<"
	for _, d := range dims {
		s += fmt.Sprint(d) + "x"
	}
	return s + "f32>"
}

// MLPStep is a training step of a classifier with two hidden ReLU layers:
// mean cross-entropy of a softmax against one-hot labels, plain SGD. Weights
// and biases are donated.
func MLPStep(batch int, sizes ...int) string {
	p := &numbered{}
	layers := len(sizes) - 1
	var params, returns, outs []string
	for i := range layers {
		w, bias := f32Tensor(sizes[i], sizes[i+1]), f32Tensor(sizes[i+1])
		params = append(params, fmt.Sprintf("%%w%d: %s {tf.aliasing_output = %d : i32}", i, w, 2*i),
			fmt.Sprintf("%%b%d: %s {tf.aliasing_output = %d : i32}", i, bias, 2*i+1))
		outs = append(outs, w, bias)
	}
	classes := sizes[layers]
	logitsT, rowT := f32Tensor(batch, classes), f32Tensor(batch)
	fmt.Fprintf(p, "func.func public @main(%s, %%x: %s, %%y: %s, %%lr: tensor<f32>) -> (%s, tensor<f32>) {\n",
		strings.Join(params, ", "), f32Tensor(batch, sizes[0]), logitsT, strings.Join(outs, ", "))
	constant := func(text string) string { return p.op("constant dense<%s> : tensor<f32>", text) }
	zero, low := constant("0.0"), constant("0xFF800000")
	spread := func(v string, dims, from, to string) string {
		return p.op("broadcast_in_dim %s, dims = [%s] : (%s) -> %s", v, dims, from, to)
	}
	reduce := func(v, init, op, dims, from, to string) string {
		return p.op("reduce(%s init: %s) applies stablehlo.%s across dimensions = [%s] : (%s, tensor<f32>) -> %s", v, init, op, dims, from, to)
	}
	// Forward.
	acts := []string{"%x"}
	for i := range layers {
		in, out := f32Tensor(batch, sizes[i]), f32Tensor(batch, sizes[i+1])
		h := p.op("dot_general %s, %%w%d, contracting_dims = [1] x [0] : (%s, %s) -> %s", acts[i], i, in, f32Tensor(sizes[i], sizes[i+1]), out)
		h = p.op("add %s, %s : %s", h, spread(fmt.Sprintf("%%b%d", i), "1", f32Tensor(sizes[i+1]), out), out)
		if i+1 < layers {
			h = p.op("maximum %s, %s : %s", h, spread(zero, "", "tensor<f32>", out), out)
		}
		acts = append(acts, h)
	}
	logits := acts[layers]
	top := reduce(logits, low, "maximum", "1", logitsT, rowT)
	shifted := p.op("subtract %s, %s : %s", logits, spread(top, "0", rowT, logitsT), logitsT)
	exp := p.op("exponential %s : %s", shifted, logitsT)
	sum := reduce(exp, zero, "add", "1", logitsT, rowT)
	logSum := p.op("log %s : %s", sum, rowT)
	logp := p.op("subtract %s, %s : %s", shifted, spread(logSum, "0", rowT, logitsT), logitsT)
	loss := reduce(p.op("multiply %s, %%y : %s", logp, logitsT), zero, "add", "0, 1", logitsT, "tensor<f32>")
	scale := constant(fmt.Sprintf("%g", 1/float64(batch)))
	loss = p.op("negate %s : tensor<f32>", p.op("multiply %s, %s : tensor<f32>", loss, scale))
	// Backward.
	soft := p.op("divide %s, %s : %s", exp, spread(sum, "0", rowT, logitsT), logitsT)
	grad := p.op("multiply %s, %s : %s", p.op("subtract %s, %%y : %s", soft, logitsT), spread(scale, "", "tensor<f32>", logitsT), logitsT)
	for i := layers - 1; i >= 0; i-- {
		in, out, w := f32Tensor(batch, sizes[i]), f32Tensor(batch, sizes[i+1]), f32Tensor(sizes[i], sizes[i+1])
		bias := f32Tensor(sizes[i+1])
		dw := p.op("dot_general %s, %s, contracting_dims = [0] x [0] : (%s, %s) -> %s", acts[i], grad, in, out, w)
		db := reduce(grad, zero, "add", "0", out, bias)
		if i > 0 {
			dx := p.op("dot_general %s, %%w%d, contracting_dims = [1] x [1] : (%s, %s) -> %s", grad, i, out, w, in)
			live := p.op("compare GT, %s, %s : (%s, %s) -> %s", acts[i], spread(zero, "", "tensor<f32>", in), in, in, strings.Replace(in, "f32", "i1", 1))
			grad = p.op("select %s, %s, %s : %s, %s", live, dx, spread(zero, "", "tensor<f32>", in), strings.Replace(in, "f32", "i1", 1), in)
		}
		step := p.op("multiply %s, %s : %s", dw, spread("%lr", "", "tensor<f32>", w), w)
		returns = append([]string{
			p.op("subtract %%w%d, %s : %s", i, step, w),
			p.op("subtract %%b%d, %s : %s", i, p.op("multiply %s, %s : %s", db, spread("%lr", "", "tensor<f32>", bias), bias), bias),
		}, returns...)
	}
	fmt.Fprintf(p, "  return %s, %s : %s, tensor<f32>\n}\n", strings.Join(returns, ", "), loss, strings.Join(outs, ", "))
	return p.String()
}

// Chain is a program of n elementwise ops on 8x8.
func Chain(n int) string {
	var b strings.Builder
	b.WriteString("func.func public @main(%x0: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {\n")
	for i := range n {
		op := []string{"add", "multiply", "subtract", "maximum"}[i%4]
		fmt.Fprintf(&b, "  %%x%d = stablehlo.%s %%x%d, %%y : tensor<8x8xf32>\n", i+1, op, i)
	}
	fmt.Fprintf(&b, "  return %%x%d : tensor<8x8xf32>\n}\n", n)
	return b.String()
}

// MatMul is a program that multiplies matrices of elements.
func MatMul(m, n, k int, elem string) string {
	return fmt.Sprintf(`func.func public @main(%%a: tensor<%[1]dx%[3]dx%[4]s>, %%b: tensor<%[3]dx%[2]dx%[4]s>) -> tensor<%[1]dx%[2]dx%[4]s> {
  %%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0] : (tensor<%[1]dx%[3]dx%[4]s>, tensor<%[3]dx%[2]dx%[4]s>) -> tensor<%[1]dx%[2]dx%[4]s>
  return %%0 : tensor<%[1]dx%[2]dx%[4]s>
}`, m, n, k, elem)
}
