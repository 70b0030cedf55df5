package lazy

import (
	"fmt"
	"math"

	"ltc/ir"
	"ltc/ir/types"
)

// axisOf returns axis counted from the front; the error poisons the result.
func (x *Tensor) axisOf(op string, axis int) (int, *Tensor) {
	if b := firstBad(op, x); b != nil {
		return 0, b
	}
	a := axis
	if a < 0 {
		a += x.Rank()
	}
	if a < 0 || a >= x.Rank() {
		return 0, x.misuse(op, fmt.Sprintf("axis %d is not one of %v", axis, x.Shape()))
	}
	return a, nil
}

// needFloat returns a poisoned tensor when x is not floating point.
func (x *Tensor) needFloat(op string) *Tensor {
	if firstBad(op, x) == nil && !x.DType().IsFloat() {
		return x.misuse(op, fmt.Sprintf("x must be floating point, is %v; convert it with Convert", x.DType()))
	}
	return nil
}

// keepSum and keepMax reduce one axis and leave it with dimension 1.
func keepSum(x *Tensor, axis int) *Tensor { return x.Sum(axis).Unsqueeze(axis) }
func keepMax(x *Tensor, axis int) *Tensor { return x.Max(axis).Unsqueeze(axis) }

// wide runs f on x in f32 when its dtype has 16 bits, and rounds the result
// once.
func wide(x *Tensor, f func(x *Tensor) *Tensor) *Tensor {
	d := x.DType()
	if d != types.F16 && d != types.BF16 {
		return f(x)
	}
	return f(x.Convert(types.F32)).Convert(d)
}

var softmax = define(composite{
	name: "ltc.softmax",
	body: func(x []*Tensor, p []ir.Param) *Tensor {
		return wide(x[0], func(x *Tensor) *Tensor {
			e := x.Sub(keepMax(x, p[0].Int)).Exp()
			return e.Div(keepSum(e, p[0].Int))
		})
	},
	// y (ct - Σ ct y)
	vjp: func(_ []*Tensor, y, ct *Tensor, p []ir.Param) []*Tensor {
		return []*Tensor{y.Mul(ct.Sub(keepSum(ct.Mul(y), p[0].Int)))}
	},
})

// Softmax returns exp(x) divided by its sum along the axis, computed without
// overflow. x must be floating point.
func (x *Tensor) Softmax(axis int) *Tensor { return x.alongAxis(softmax, "softmax", axis) }

var logSoftmax = define(composite{
	name: "ltc.log_softmax",
	body: func(x []*Tensor, p []ir.Param) *Tensor {
		return wide(x[0], func(x *Tensor) *Tensor {
			shifted := x.Sub(keepMax(x, p[0].Int))
			return shifted.Sub(keepSum(shifted.Exp(), p[0].Int).Log())
		})
	},
	// ct - exp(y) Σ ct
	vjp: func(_ []*Tensor, y, ct *Tensor, p []ir.Param) []*Tensor {
		return []*Tensor{ct.Sub(y.Exp().Mul(keepSum(ct, p[0].Int)))}
	},
})

// LogSoftmax returns the logarithm of [Tensor.Softmax], exact where that is
// small.
func (x *Tensor) LogSoftmax(axis int) *Tensor { return x.alongAxis(logSoftmax, "log_softmax", axis) }

func (x *Tensor) alongAxis(c *composite, op string, axis int) *Tensor {
	a, bad := x.axisOf(op, axis)
	if bad == nil {
		bad = x.needFloat(op)
	}
	if bad != nil {
		return bad
	}
	return c.call([]ir.Param{intParam("axis", a)}, x)
}

// CrossEntropy returns the mean over all rows of -log softmax(x)[label], x
// being logits of shape [rows…, classes] and labels integers of shape [rows…].
// A label that is no class counts as a row without loss.
func (x *Tensor) CrossEntropy(labels *Tensor) *Tensor {
	const op = "cross_entropy"
	if t := firstBad(op, x, labels); t != nil {
		return t
	}
	if _, bad := x.axisOf(op, -1); bad != nil {
		return bad
	}
	if bad := x.needFloat(op); bad != nil {
		return bad
	}
	tr := traceOf(x, labels)
	if tr == nil {
		return noTrace(op, x, labels)
	}
	if rows := x.Shape()[:x.Rank()-1]; !labels.DType().IsInteger() || !labels.Shape().Equal(rows) {
		return tr.poisoned(opError(tr.site(), op, ErrType, []*Tensor{x, labels},
			"labels must be integers of shape %v, one for each row of logits", rows))
	}
	// Selected, not multiplied: a class that is not the label may be at -Inf.
	logp := tr.Read(x).LogSoftmax(-1)
	picked := tr.Read(labels).oneHot(x.Dim(-1), types.Bool, 1).Where(logp, logp.like(0))
	rows := x.Type().Elements() / max(x.Dim(-1), 1)
	return wide(picked, func(picked *Tensor) *Tensor {
		sum := picked.Sum()
		return sum.Div(sum.like(float64(-rows)))
	})
}

// OneHot returns a tensor of the given dtype with a new last axis of classes
// elements: 1 at the place that the integer x says, 0 elsewhere, and only 0
// where x is not below classes or negative.
func (x *Tensor) OneHot(classes int, dtype types.DType) *Tensor {
	switch b := firstBad("one_hot", x); {
	case b != nil:
		return b
	case x.tr == nil:
		return noTrace("one_hot", x)
	case !x.DType().IsInteger():
		return x.misuse("one_hot", fmt.Sprintf("x must be an integer, is %v; convert it with Convert", x.DType()))
	case classes < 0:
		return x.misuse("one_hot", fmt.Sprintf("there cannot be %d classes", classes))
	}
	return x.oneHot(classes, dtype, 0)
}

// oneHot is where classes are looked for that do not exist: see [CheckIndices]. Programs
// of devices that do not check have the ops of its body.
var oneHot = define(composite{
	name: "ltc.one_hot",
	body: func(x []*Tensor, p []ir.Param) *Tensor { return x[0].isClass(p[0].Int, types.DType(p[1].Int)) },
})

// oneHot is OneHot of a tensor that fits; labels is 1 of those of CrossEntropy.
func (x *Tensor) oneHot(classes int, dtype types.DType, labels int) *Tensor {
	if x.err == nil && x.tr != nil && x.dev.checkIndices {
		return oneHot.call([]ir.Param{intParam("classes", classes), intParam("dtype", int(dtype)), intParam("labels", labels)}, x)
	}
	return x.isClass(classes, dtype)
}

func (x *Tensor) isClass(classes int, dtype types.DType) *Tensor {
	// Compared in 64 bits, so that every class number fits.
	index := x.Convert(types.I64)
	if x.DType() == types.U64 {
		index = x
	}
	return index.Unsqueeze(-1).Equal(Iota(x.tr, index.DType(), 0, classes)).Convert(dtype)
}

var gelu = define(composite{
	name: "ltc.gelu",
	body: func(x []*Tensor, _ []ir.Param) *Tensor {
		return wide(x[0], func(x *Tensor) *Tensor {
			const invSqrt2 = 0.70710678118654752440
			return x.MulScalar(0.5).Mul(x.MulScalar(invSqrt2).Erf().AddScalar(1))
		})
	},
})

// GELU returns the Gaussian error linear unit x/2 (1 + erf(x/√2)).
func (x *Tensor) GELU() *Tensor { return x.floatComposite(gelu, "gelu") }

var erf = define(composite{
	name: "ltc.erf",
	body: func(x []*Tensor, _ []ir.Param) *Tensor { return wide(x[0], erfBody) },
	// 2/√π exp(-x²)
	vjp: func(x []*Tensor, _, ct *Tensor, _ []ir.Param) []*Tensor {
		const twoOverSqrtPi = 1.12837916709551257390
		return []*Tensor{ct.Mul(x[0].Mul(x[0]).Neg().Exp().MulScalar(twoOverSqrtPi))}
	},
})

// Erf returns the error function of x elementwise.
func (x *Tensor) Erf() *Tensor { return x.floatComposite(erf, "erf") }

func (x *Tensor) floatComposite(c *composite, op string) *Tensor {
	if bad := x.needFloat(op); bad != nil {
		return bad
	}
	return c.call(nil, x)
}

var layerNorm = define(composite{
	name: "ltc.layer_norm",
	body: func(in []*Tensor, p []ir.Param) *Tensor {
		d := in[0].DType()
		return wide(in[0], func(x *Tensor) *Tensor {
			centred := x.Sub(x.Mean(-1).Unsqueeze(-1))
			variance := centred.Mul(centred).Mean(-1).Unsqueeze(-1)
			gamma, beta := in[1], in[2]
			if x.DType() != d {
				gamma, beta = gamma.Convert(x.DType()), beta.Convert(x.DType())
			}
			return centred.Mul(variance.AddScalar(p[0].Float).Rsqrt()).Mul(gamma).Add(beta)
		})
	},
})

// LayerNorm returns x with each row of the last axis shifted to mean 0 and
// scaled to variance 1 (eps is added to the variance), times gamma plus beta,
// vectors of the last axis' length.
func (x *Tensor) LayerNorm(gamma, beta *Tensor, eps float64) *Tensor {
	const op = "layer_norm"
	if t := firstBad(op, x, gamma, beta); t != nil {
		return t
	}
	if _, bad := x.axisOf(op, -1); bad != nil {
		return bad
	}
	if bad := x.needFloat(op); bad != nil {
		return bad
	}
	if math.IsNaN(eps) || math.IsInf(eps, 0) {
		return x.misuse(op, fmt.Sprintf("eps is %v, must be a finite number", eps))
	}
	want := types.Of(x.DType(), x.Dim(-1))
	if tr := traceOf(x, gamma, beta); tr != nil && (!gamma.Type().Equal(want) || !beta.Type().Equal(want)) {
		return tr.poisoned(opError(tr.site(), op, ErrType, []*Tensor{x, gamma, beta}, "gamma and beta must be %v, like a row of x", want))
	}
	return layerNorm.call([]ir.Param{{Name: "epsilon", Float: eps, IsFloat: true}}, x, gamma, beta)
}
