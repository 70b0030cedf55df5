package nn_test

import (
	"maps"

	"ltc/lazy"
	"ltc/nn"
)

// function is a case's call.
type function = func(x []*lazy.Tensor) []*lazy.Tensor

// functions are the calls of the cases in testdata/torch.txt.
var functions = func() map[string]function {
	all := map[string]function{}
	for _, group := range []map[string]function{activations()} {
		maps.Copy(all, group)
	}
	return all
}()

func one(f func(x *lazy.Tensor) *lazy.Tensor) function {
	return func(x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{f(x[0])} }
}

func two(f func(x, y *lazy.Tensor) *lazy.Tensor) function {
	return func(x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{f(x[0], x[1])} }
}

func three(f func(x, y, z *lazy.Tensor) *lazy.Tensor) function {
	return func(x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{f(x[0], x[1], x[2])} }
}

func activations() map[string]function {
	all := map[string]function{}
	for name, f := range map[string]func(x *lazy.Tensor) *lazy.Tensor{
		"SiLU": nn.SiLU, "SELU": nn.SELU, "GELUTanh": nn.GELUTanh, "Mish": nn.Mish, "LogSigmoid": nn.LogSigmoid, "Softsign": nn.Softsign,
		"TanhShrink": nn.TanhShrink, "ReLU6": nn.ReLU6, "HardSigmoid": nn.HardSigmoid, "HardSwish": nn.HardSwish,
		"ELU":        func(x *lazy.Tensor) *lazy.Tensor { return nn.ELU(x, 1.5) },
		"CELU":       func(x *lazy.Tensor) *lazy.Tensor { return nn.CELU(x, 1.5) },
		"Softplus":   func(x *lazy.Tensor) *lazy.Tensor { return nn.Softplus(x, 2, 3) },
		"SoftShrink": func(x *lazy.Tensor) *lazy.Tensor { return nn.SoftShrink(x, 0.5) },
		"HardShrink": func(x *lazy.Tensor) *lazy.Tensor { return nn.HardShrink(x, 0.5) },
		"HardTanh":   func(x *lazy.Tensor) *lazy.Tensor { return nn.HardTanh(x, -1, 0.5) },
		"LeakyReLU":  func(x *lazy.Tensor) *lazy.Tensor { return nn.LeakyReLU(x, 0.1) },
		"Threshold":  func(x *lazy.Tensor) *lazy.Tensor { return nn.Threshold(x, 0.5, 20) },
	} {
		all[name], all[name+"/ends"] = one(f), one(f)
	}
	maps.Copy(all, map[string]function{
		"GLU":         one(func(x *lazy.Tensor) *lazy.Tensor { return nn.GLU(x, 1) }),
		"PReLU":       two(nn.PReLU),
		"PReLU/one":   two(nn.PReLU),
		"Softmin":     one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Softmin(x, 0) }),
		"SafeSoftmax": one(func(x *lazy.Tensor) *lazy.Tensor { return nn.SafeSoftmax(x, -1) }),
	})
	return all
}
