package autodiff

import (
	"ltc/ir"
	"ltc/ir/types"
)

// notDifferentiable is the gradient of ops whose result is not floating point
// or does not vary: nothing flows to the operands.
var notDifferentiable gradient = func(*tape, *ir.Node, *ir.Node) {}

// zeroGradient is that of step functions: their derivative is 0 wherever it is
// defined, and 0 is used where it is not.
var zeroGradient = notDifferentiable

var (
	gradStop              = zeroGradient
	gradFloor             = zeroGradient
	gradCeil              = zeroGradient
	gradRound             = zeroGradient
	gradNot               = notDifferentiable
	gradAnd               = notDifferentiable
	gradOr                = notDifferentiable
	gradXor               = notDifferentiable
	gradShiftLeft         = notDifferentiable
	gradCountLeadingZeros = notDifferentiable
	gradShiftRight        = notDifferentiable
	gradShiftRightLogical = notDifferentiable
	gradBitCast           = notDifferentiable
	gradCompare           = notDifferentiable
)

// The comments give the derivative; y is the node's own value.

func gradNeg(t *tape, _, ct *ir.Node) { t.add(0, t.op(ir.OpNeg, ct)) }

// y
func gradExp(t *tape, n, ct *ir.Node) { t.add(0, t.mul(ct, n)) }

// y + 1
func gradExpm1(t *tape, n, ct *ir.Node) {
	t.add(0, t.mul(ct, t.op(ir.OpAdd, n, t.scalar(n, 1))))
}

// 1/x
func gradLog(t *tape, n, ct *ir.Node) { t.add(0, t.op(ir.OpDiv, ct, n.In[0])) }

// 1/(1+x)
func gradLog1p(t *tape, n, ct *ir.Node) {
	t.add(0, t.op(ir.OpDiv, ct, t.op(ir.OpAdd, n.In[0], t.scalar(n, 1))))
}

// 1/(2y)
func gradSqrt(t *tape, n, ct *ir.Node) { t.add(0, t.op(ir.OpDiv, t.scale(ct, 0.5), n)) }

// -y/(2x)
func gradRsqrt(t *tape, n, ct *ir.Node) {
	t.add(0, t.op(ir.OpDiv, t.scale(t.mul(ct, n), -0.5), n.In[0]))
}

func gradSin(t *tape, n, ct *ir.Node) { t.add(0, t.mul(ct, t.op(ir.OpCos, n.In[0]))) }

func gradCos(t *tape, n, ct *ir.Node) {
	t.add(0, t.op(ir.OpNeg, t.mul(ct, t.op(ir.OpSin, n.In[0]))))
}

// 1 - y²
func gradTanh(t *tape, n, ct *ir.Node) {
	t.add(0, t.mul(ct, t.op(ir.OpSub, t.scalar(n, 1), t.mul(n, n))))
}

// y(1-y)
func gradSigmoid(t *tape, n, ct *ir.Node) {
	t.add(0, t.mul(ct, t.mul(n, t.op(ir.OpSub, t.scalar(n, 1), n))))
}

// 1 where x > 0
func gradReLU(t *tape, n, ct *ir.Node) {
	t.add(0, t.where(t.compare("GT", n.In[0], t.scalar(n, 0)), ct))
}

func gradAdd(t *tape, _, ct *ir.Node) {
	t.add(0, ct)
	t.add(1, ct)
}

func gradSub(t *tape, _, ct *ir.Node) {
	t.add(0, ct)
	if t.wants(1) {
		t.add(1, t.op(ir.OpNeg, ct))
	}
}

func gradMul(t *tape, n, ct *ir.Node) {
	if t.wants(0) {
		t.add(0, t.mul(ct, n.In[1]))
	}
	if t.wants(1) {
		t.add(1, t.mul(ct, n.In[0]))
	}
}

// 1/b and -y/b
func gradDiv(t *tape, n, ct *ir.Node) {
	q := t.op(ir.OpDiv, ct, n.In[1])
	t.add(0, q)
	if t.wants(1) {
		t.add(1, t.op(ir.OpNeg, t.mul(q, n)))
	}
}

// 1 and -trunc(a/b), with a - rem(a, b) = b trunc(a/b)
func gradRem(t *tape, n, ct *ir.Node) {
	t.add(0, ct)
	if t.wants(1) {
		whole := t.op(ir.OpDiv, t.op(ir.OpSub, n.In[0], n), n.In[1])
		t.add(1, t.op(ir.OpNeg, t.mul(ct, t.op(ir.OpRound, whole))))
	}
}

// b a^(b-1), 0 where b is 0, and y log(a), 0 where a is 0 and b not negative
func gradPow(t *tape, n, ct *ir.Node) {
	a, b := n.In[0], n.In[1]
	if t.wants(0) {
		some := t.compare("NE", b, t.scalar(b, 0))
		low := t.op(ir.OpPow, a, t.where(some, t.op(ir.OpSub, b, t.scalar(b, 1)))) // finite where b is 0, and so its own slope
		slope := t.where(some, t.mul(b, low))
		t.add(0, t.mul(ct, slope))
	}
	if t.wants(1) {
		zero := t.compare("EQ", a, t.scalar(a, 0))
		if !b.Type.DType.IsComplex() {
			zero = t.op(ir.OpAnd, zero, t.compare("GE", b, t.scalar(b, 0)))
		}
		log := t.op(ir.OpLog, t.op(ir.OpWhere, zero, t.scalar(a, 1), a))
		t.add(1, t.mul(ct, t.mul(n, log)))
	}
}

func gradMaximum(t *tape, n, ct *ir.Node) { t.addLarger(n.In[0], n.In[1], ct) }

func gradMinimum(t *tape, n, ct *ir.Node) { t.addLarger(n.In[1], n.In[0], ct) }

// addLarger gives operand 0 the gradient where a is larger than b, operand 1
// where b is, and half to each where they are equal.
func (t *tape) addLarger(a, b, ct *ir.Node) {
	half := t.where(t.compare("EQ", a, b), t.scale(ct, 0.5))
	t.add(0, t.op(ir.OpWhere, t.compare("GT", a, b), ct, half))
	t.add(1, t.op(ir.OpWhere, t.compare("LT", a, b), ct, half))
}

func gradWhere(t *tape, n, ct *ir.Node) {
	if t.wants(1) {
		t.add(1, t.where(n.In[0], ct))
	}
	if t.wants(2) {
		t.add(2, t.op(ir.OpWhere, n.In[0], t.scalar(ct, 0), ct))
	}
}

// The gradient of a float of 8 bits is rounded to it, as PyTorch does, and kept in f32, which has sums.
func gradConvert(t *tape, n, ct *ir.Node) {
	to := func(d types.DType) {
		ct = t.node(ir.OpConvert, []*ir.Node{ct}, []ir.Attr{ir.ConvertDType: {Int: int64(d)}})
	}
	d := n.In[0].Type.DType
	if to(d); d.IsFloat8() {
		to(types.F32)
	}
	t.add(0, ct)
}
