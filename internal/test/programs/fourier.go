package programs

import (
	"fmt"
	"slices"
	"strings"
)

// Fourier is a module with a transform of a kind, FFT, IFFT, RFFT or IRFFT, along the last
// dimensions of a shape, that of the real or complex signal. Arguments and results are the parts
// of complex elements, or real elements.
func Fourier(kind, elem string, shape []int, dims int) string {
	half := slices.Clone(shape)
	half[len(half)-1] = half[len(half)-1]/2 + 1
	tensor := func(shape []int, elem string) string {
		var b strings.Builder
		for _, n := range shape {
			fmt.Fprintf(&b, "%dx", n)
		}
		return "tensor<" + b.String() + elem + ">"
	}
	in, out := shape, shape
	if kind == "RFFT" {
		out = half
	} else if kind == "IRFFT" {
		in = half
	}
	var b strings.Builder
	from, to, result := tensor(in, "complex<"+elem+">"), tensor(out, "complex<"+elem+">"), tensor(out, elem)
	if kind == "IRFFT" {
		to = result
	}
	lengths := strings.ReplaceAll(fmt.Sprint(shape[len(shape)-dims:]), " ", ", ")
	if part := tensor(in, elem); kind == "RFFT" {
		from = part
		fmt.Fprintf(&b, "func.func @main(%%x: %s) -> (%s, %s) {\n", part, result, result)
	} else {
		results := result
		if kind != "IRFFT" {
			results = "(" + result + ", " + result + ")"
		}
		fmt.Fprintf(&b, "func.func @main(%%re: %s, %%im: %s) -> %s {\n  %%x = stablehlo.complex %%re, %%im : %s\n", part, part, results, from)
	}
	fmt.Fprintf(&b, "  %%y = stablehlo.fft %%x, type = %s, length = %s : (%s) -> %s\n", kind, lengths, from, to)
	if kind == "IRFFT" {
		fmt.Fprintf(&b, "  return %%y : %s\n}\n", to)
		return b.String()
	}
	fmt.Fprintf(&b, "  %%u = stablehlo.real %%y : (%s) -> %s\n  %%v = stablehlo.imag %%y : (%s) -> %s\n  return %%u, %%v : %s, %s\n}\n", to, result, to, result, result, result)
	return b.String()
}
