package torchgolden

import "strings"

const (
	equal  = "of equal elements x has the whole gradient; PyTorch gives each half"
	bound  = "where x equals a bound it has the gradient; PyTorch gives half, or 0 if the bound is a number"
	left   = "the second derivative at 0 is that from the left, as the first; PyTorch gives 0"
	linear = "the gradient at 0 is the weight times that of the result, and has its derivatives; PyTorch gives those from the right"
)

// differences are the cases in which an op differs from PyTorch on purpose, by op and what
// their names begin with.
var differences = []struct{ op, cases, reason string }{
	{"FMax", "plain, zeros for 0, 1", equal},
	{"FMax", "plain, whole numbers", equal},
	{"FMin", "plain, zeros for 0, 1", equal},
	{"FMin", "plain, whole numbers", equal},
	{"Clamp", "plain, whole numbers", bound},
	{"ClampMin", "plain, zeros for 0, 1", bound},
	{"ClampMin", "plain, whole numbers", bound},
	{"ClampMax", "plain, zeros for 0, 1", bound},
	{"ClampMax", "plain, whole numbers", bound},
	{"ClampScalar", "plain {'low': -1, 'high': 2}, whole numbers", bound},
	{"NextAfter", "plain, zeros for 0, 1", "where both are equal the gradient for x is 1; PyTorch gives 0"},
	{"NextAfter", "plain, whole numbers", "where both are equal the gradient for x is 1; PyTorch gives 0"},
	{"Polar", "plain, zeros for 0", "an absolute value of 0 has the derivatives of others; PyTorch gives 0"},
	{"nn.ELU", "plain {'alpha': 1.0}, zeros for 0", left},
	{"nn.CELU", "plain {'alpha': 1.5}, zeros for 0", left},
	{"nn.CELU", "plain {'alpha': 1.5}, whole numbers", left},
	{"nn.SELU", "plain, zeros for 0", left},
	{"nn.PReLU", "f32, zeros for 0", linear},
	{"nn.PReLU", "f32, whole numbers", linear},
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
