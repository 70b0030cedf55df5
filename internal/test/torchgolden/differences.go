package torchgolden

import "strings"

// differences are the cases in which an op differs from PyTorch on purpose, by op and what
// their names begin with.
var differences = []struct{ op, cases, reason string }{
	{"Sign", "special", "the sign of NaN is NaN, as StableHLO and NumPy have it; PyTorch gives 0"},
	{"nn.HardSwish", "special f32", "the product overflows at the largest number, as in PyTorch's own f32; the golden was computed in f64"},
	{"nn.HardSwish", "special bf16", "the product overflows at the largest number, as in PyTorch's own f32; the golden was computed in f64"},
	{"Cbrt", "special f64", "PyTorch has no cube root, and the power of 1/3 of the golden is off for the largest number"},
	{"IsClose", "bf16", "the distance and the tolerance are not rounded to bf16 before they are compared"},
	{"Remainder", "special f32", "the remainder of the largest number is exact; PyTorch's vector code gives NaN where the quotient is beyond its dtype"},
	{"special.I0", "special", "the function of an infinity is infinite; PyTorch gives NaN"},
	{"special.I1", "special", "the function of an infinity is infinite; PyTorch gives NaN"},
	{"special.Sinc", "special f64", "the function of the largest number is 0; in PyTorch its product with pi overflows, which gives NaN"},
	{"Rem", "special f32", "the remainder of the largest number is exact; PyTorch's vector code gives NaN where the quotient is beyond its dtype"},
}

// known returns the reason for which a case differs from PyTorch.
func known(c *Case) (reason string, ok bool) {
	for _, d := range differences {
		if d.op == c.Op && strings.HasPrefix(c.Name, d.cases) {
			return d.reason, true
		}
	}
	return "", false
}
