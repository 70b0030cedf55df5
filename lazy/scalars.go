package lazy

import (
	"fmt"
	"math"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
	"ltc/soa"
)

// Scalar makes a scalar argument of programs: its value may change from step
// to step ([Tensor.Set]) without compiling anything. Its dtype is F32. It can be
// used in any trace of the device.
func (tr *Trace) Scalar(name string, x float64) *Tensor { return NewScalar(tr, name, F32, x) }

// NewScalar is [Trace.Scalar] for any dtype, and for who has a device and no
// trace.
func NewScalar(p Place, name string, dtype types.DType, x float64) *Tensor {
	if bad := misfit(p, "scalar", dtype, x); bad != nil {
		return bad
	}
	t := newValue(p, p.device().memory.Scalar(dtype), name)
	t.val.scalar = true
	memory.SetBits(t.val.view, 0, ir.LiteralBits(dtype, x))
	return t
}

// Set changes the value of a scalar argument, for the steps marked from now
// on. It must not be called while another goroutine calls a [Function] that
// uses the argument. Other tensors give an error.
func (t *Tensor) Set(x float64) error {
	switch b := firstBad("set", t); {
	case b != nil:
		return b.err
	case t.val == nil || !t.val.scalar:
		return t.misused("set", "it is not a scalar argument; make one with Scalar")
	}
	d := t.val.view.Type.DType
	if err := fits(d, x); err != nil {
		return t.misused("set", err.Error())
	}
	if t.val.queued.Load() > 0 { // steps marked before read what it was
		scalar := t.dev.memory.Scalar(d)
		t.val.view.Locate(&scalar)
	}
	memory.SetBits(t.val.view, 0, ir.LiteralBits(d, x))
	return nil
}

// misfit returns the poisoned result of op when x is no element of the dtype at p.
func misfit(p Place, op string, dtype types.DType, x float64) *Tensor {
	if !dtype.Valid() || nowhere(p) {
		return refusedFor(p, op, "dtype", fmt.Sprintf("the dtype is %v, must be one of the dtypes", dtype))
	}
	if err := fits(dtype, x); err != nil {
		return refusedFor(p, op, "number", err.Error())
	}
	return nil
}

// fits returns an error when x is no number, or no element of d.
func fits(d types.DType, x float64) error {
	if err := numeric(x); err != nil {
		return err
	}
	return element(d, x)
}

// element returns an error when x is no element of an integer or bool dtype: then
// it would have to be changed to become one. Floating point only rounds.
func element(d types.DType, x float64) error {
	if d.Continuous() || d.IsFloat8() {
		return nil
	}
	v := soa.Make(types.Of(d))
	memory.SetBits(v, 0, ir.LiteralBits(d, x))
	if memory.Float(v, 0) != x {
		return fmt.Errorf("%v is no value of %v", x, d)
	}
	return nil
}

// exactBelow is the absolute value from which on a float64 may stand for several integers: 2^53 + 1 rounds to it.
const exactBelow = 1 << 53

// rounded returns an error when x, an element of the dtype, may be another integer that has been rounded to
// float64. The least i64 is no error: extremes begin with it.
func rounded(d types.DType, x float64) error {
	if d.Continuous() || d.IsFloat8() || math.Abs(x) < exactBelow || x == math.MinInt64 {
		return nil
	}
	kind := "int64"
	if !d.IsSigned() {
		kind = "uint64"
	}
	return fmt.Errorf("%.0f may have been rounded: f64 has all integers only below 2^53; give a tensor, as lazy.From(tr, []%s{n})", x, kind)
}

// numeric returns an error when x was computed from the name of an open size.
func numeric(x float64) error {
	if dims.FromName(x) {
		return fmt.Errorf("%v is computed from the name of a size that is open, which is no number: compute with Size(i), a tensor, as in x.Div(x.Size(i).Convert(lazy.F32))", x)
	}
	return nil
}

// NumbersAsConstants keeps all numbers of ops, as in [Tensor.MulScalar] and [Full], constants
// of programs, as [Const] keeps one.
//
// Without it, a number that varies from step to step becomes an argument. The second value at
// a line compiles a program for all values, if the steps have recorded the same before that
// line and reuse nodes ([Trace.Reuse]); else the third value does. Each trace finds out for
// itself, and for each scope. Results may differ in their last bits from those of a program with
// the constant: a square by an argument is a power.
func NumbersAsConstants() Option { return func(d *Device) { d.constantNumbers = true } }

// Const returns the number x as a scalar that is part of the program. Each value has a program
// of its own, also where a number in an op would become an argument because it varies: see
// [NumbersAsConstants].
func Const(tr *Trace, dtype types.DType, x float64) *Tensor {
	if bad := misfit(tr, "const", dtype, x); bad != nil {
		return bad
	}
	return tr.constant(dtype, ir.LiteralBits(dtype, x))
}

// constant records a scalar of the given bits that is part of the program.
func (tr *Trace) constant(dtype types.DType, bits uint64) *Tensor {
	if !tr.enter() {
		return tr.poisoned(tr.crowded(ir.OpConstant.String()))
	}
	defer tr.leave()
	return tr.record(ir.OpConstant, nil, tr.b.Attrs(constant(dtype, bits)...))
}

func constant(dtype types.DType, bits uint64) []ir.Attr {
	return []ir.Attr{ir.ConstantDType: {Int: int64(dtype)}, ir.ConstantValue: {Int: int64(bits)}}
}

// number records a scalar of an op: a constant, or an argument if that number of the line varies
// from step to step.
func (tr *Trace) number(dtype types.DType, bits uint64) *Tensor {
	if !tr.enter() {
		return tr.poisoned(tr.crowded(ir.OpConstant.String()))
	}
	defer tr.leave()
	site := tr.site()
	if c := tr.closure(); c != nil && c.closed {
		return tr.anew(site, ir.OpConstant, nil, constant(dtype, bits))
	}
	line, argument := tr.numbers.Argument(tr.b, tr.step, site)
	if argument {
		return tr.argumentOf(dtype, bits)
	}
	attrs := tr.b.Attrs(constant(dtype, bits)...)
	if t := tr.again(site, ir.OpConstant, nil, attrs); t != nil {
		return t
	}
	if !tr.dev.constantNumbers && tr.numbers.Varies(tr.b, tr.step, site, line, attrs, bits) {
		return tr.argumentOf(dtype, bits)
	}
	return tr.anew(site, ir.OpConstant, nil, attrs)
}

// isNumber reports whether a parameter is a number of an op.
func isNumber(n *ir.Node) bool {
	v, ok := n.Value.(*value)
	return ok && v.number
}

// argumentOf returns a number as a scalar argument.
func (tr *Trace) argumentOf(dtype types.DType, bits uint64) *Tensor {
	t := newValue(tr, tr.dev.memory.Scalar(dtype), "")
	t.val.number = true
	memory.SetBits(t.val.view, 0, bits)
	return t
}

// like records a constant scalar of t's dtype, in t's trace.
func (t *Tensor) like(x float64) *Tensor {
	if t.err != nil || t.tr == nil {
		return t
	}
	d := t.DType()
	return t.tr.number(d, ir.LiteralBits(d, x))
}

// AddScalar, SubScalar, MulScalar and DivScalar combine every element of x with
// a constant of the program. For integers of 64 bits a number from 2^53 on is an error, as float64 does not hold
// all of them: [Tensor.Add] takes a tensor of it.
func (x *Tensor) AddScalar(v float64) *Tensor { return x.withScalar("add_scalar", ir.OpAdd, v) }

// SubScalar returns x-v elementwise.
func (x *Tensor) SubScalar(v float64) *Tensor { return x.withScalar("sub_scalar", ir.OpSub, v) }

// MulScalar returns x*v elementwise.
func (x *Tensor) MulScalar(v float64) *Tensor { return x.withScalar("mul_scalar", ir.OpMul, v) }

// DivScalar returns x/v elementwise.
func (x *Tensor) DivScalar(v float64) *Tensor { return x.withScalar("div_scalar", ir.OpDiv, v) }

// MaximumScalar returns the larger of x and v elementwise, as [Tensor.Maximum] does.
func (x *Tensor) MaximumScalar(v float64) *Tensor {
	return x.withScalar("maximum_scalar", ir.OpMaximum, v)
}

// MinimumScalar returns the smaller of x and v elementwise, as [Tensor.Minimum] does.
func (x *Tensor) MinimumScalar(v float64) *Tensor {
	return x.withScalar("minimum_scalar", ir.OpMinimum, v)
}

// PowScalar returns x to the power of v elementwise, as [Tensor.Pow] does.
func (x *Tensor) PowScalar(v float64) *Tensor { return x.withScalar("pow_scalar", ir.OpPow, v) }

// EqualScalar, NotEqualScalar, LessScalar, LessEqualScalar, GreaterScalar and
// GreaterEqualScalar compare every element of x with a constant of the program.
func (x *Tensor) EqualScalar(v float64) *Tensor { return x.compareScalar("equal_scalar", "EQ", v) }
func (x *Tensor) NotEqualScalar(v float64) *Tensor {
	return x.compareScalar("not_equal_scalar", "NE", v)
}
func (x *Tensor) LessScalar(v float64) *Tensor { return x.compareScalar("less_scalar", "LT", v) }
func (x *Tensor) LessEqualScalar(v float64) *Tensor {
	return x.compareScalar("less_equal_scalar", "LE", v)
}
func (x *Tensor) GreaterScalar(v float64) *Tensor { return x.compareScalar("greater_scalar", "GT", v) }
func (x *Tensor) GreaterEqualScalar(v float64) *Tensor {
	return x.compareScalar("greater_equal_scalar", "GE", v)
}

// WhereScalar returns x where cond is true, and a constant of the program elsewhere.
func (cond *Tensor) WhereScalar(x *Tensor, v float64) *Tensor {
	const op = "where_scalar"
	return called(op, func() *Tensor {
		return whereNumber(op, x, v, func(s *Tensor) *Tensor { return cond.Where(x, s) }, cond)
	}, cond, x)
}

// withScalar records an op on x and a number for the user's call.
func (x *Tensor) withScalar(call string, op ir.Op, v float64) *Tensor {
	s, bad := x.scalarLike(call, v)
	if bad != nil {
		return bad
	}
	x.tr.gentle++ // as called, which is further from the user's line
	y := record2(op, x, s)
	x.tr.gentle--
	return y.ofCall(call, x)
}

func (x *Tensor) compareScalar(call, direction string, v float64) *Tensor {
	s, bad := x.scalarLike(call, v)
	if bad != nil {
		return bad
	}
	x.tr.gentle++
	y := x.compare(direction, s)
	x.tr.gentle--
	return y.ofCall(call, x)
}

// scalarLike returns v as a constant of x's dtype in x's trace, for op.
func (x *Tensor) scalarLike(op string, v float64) (s, bad *Tensor) {
	if x == nil || x.err != nil || x.tr == nil {
		return nil, noTrace(op, x)
	}
	return x.tr.scalarLike(op, v, x)
}

// scalarLike returns v as a constant of x's dtype, for op.
func (tr *Trace) scalarLike(op string, v float64, x *Tensor) (s, bad *Tensor) {
	d := x.DType()
	kind, why := ErrUsage, numeric(v)
	if why == nil {
		if err := element(d, v); err != nil {
			kind, why = ErrType, fmt.Errorf("%w; convert x with Convert", err)
		} else if err := rounded(d, v); err != nil {
			kind, why = ErrType, err
		}
	}
	if why != nil {
		e := opError(tr.site(), op, kind, []*Tensor{x}, "%v", why)
		e.Label = op + "_number"
		return nil, tr.poisoned(e)
	}
	return tr.number(d, ir.LiteralBits(d, v)), nil
}

// ClampScalar returns [Tensor.Clamp] with numbers as the bounds. An infinite one is none,
// for integers, too.
func (x *Tensor) ClampScalar(low, high float64) *Tensor {
	return called("clamp_scalar", func() *Tensor { return x.clampScalar(low, high) }, x)
}

func (x *Tensor) clampScalar(low, high float64) *Tensor {
	const op = "clamp_scalar"
	if math.IsNaN(low) || math.IsNaN(high) {
		return x.violates(op, "bounds", "a bound is NaN; use infinities for none")
	}
	y := x
	if !math.IsInf(low, -1) {
		v, bad := x.scalarLike(op, low)
		if bad != nil {
			return bad
		}
		y = y.ClampMin(v)
	}
	if !math.IsInf(high, 1) {
		v, bad := x.scalarLike(op, high)
		if bad != nil {
			return bad
		}
		y = y.ClampMax(v)
	}
	return y
}

// ClampScalar_ writes x.ClampScalar(low, high) into x and returns x.
func (x *Tensor) ClampScalar_(low, high float64) *Tensor {
	return x.writeNamed("clamp_", x.ClampScalar(low, high))
}

// ScalarWhere returns a constant of the program where cond is true, and y elsewhere.
func (cond *Tensor) ScalarWhere(v float64, y *Tensor) *Tensor {
	const op = "scalar_where"
	return called(op, func() *Tensor {
		return whereNumber(op, y, v, func(s *Tensor) *Tensor { return cond.Where(s, y) }, cond)
	}, cond, y)
}

// MaskedFill returns the number v where mask is true, and x elsewhere. They broadcast.
func (x *Tensor) MaskedFill(mask *Tensor, v float64) *Tensor {
	const op = "masked_fill"
	return called(op, func() *Tensor {
		if mask.DType() != types.Bool {
			return mask.violates(op, "mask", fmt.Sprintf("the mask is %v, must be bool; compare it with a number, as NotEqualScalar does", mask.DType()))
		}
		return whereNumber(op, x, v, func(s *Tensor) *Tensor { return mask.Where(s, x) }, mask)
	}, x, mask)
}

// whereNumber gives choose v as a scalar of x's dtype, for the user's call op on x and a condition.
func whereNumber(op string, x *Tensor, v float64, choose func(s *Tensor) *Tensor, cond *Tensor) *Tensor {
	s, bad := traceOfTwo(cond, x).scalarLike(op, v, x)
	if bad != nil {
		return bad
	}
	return choose(s)
}

// MaskedFill_ writes x.MaskedFill(mask, v) into x and returns x.
func (x *Tensor) MaskedFill_(mask *Tensor, v float64) *Tensor {
	return x.writeNamed("masked_fill_", x.MaskedFill(mask, v))
}

// RSubScalar, RDivScalar and RPowScalar have the number on the left: they return v-x, v/x
// and v to the power of x elementwise.
func (x *Tensor) RSubScalar(v float64) *Tensor { return x.scalarWith("r_sub_scalar", ir.OpSub, v) }
func (x *Tensor) RDivScalar(v float64) *Tensor { return x.scalarWith("r_div_scalar", ir.OpDiv, v) }
func (x *Tensor) RPowScalar(v float64) *Tensor { return x.scalarWith("r_pow_scalar", ir.OpPow, v) }

func (x *Tensor) scalarWith(call string, op ir.Op, v float64) *Tensor {
	s, bad := x.scalarLike(call, v)
	if bad != nil {
		return bad
	}
	x.tr.gentle++
	y := record2(op, s, x)
	x.tr.gentle--
	return y.ofCall(call, x)
}

// RemScalar returns [Tensor.Rem] with the number v as the divisor.
func (x *Tensor) RemScalar(v float64) *Tensor { return x.withScalar("rem_scalar", ir.OpRem, v) }

// RemainderScalar and FloorDivideScalar are [Tensor.Remainder] and [Tensor.FloorDivide]
// with the number v as the divisor.
func (x *Tensor) RemainderScalar(v float64) *Tensor {
	return x.methodScalar("remainder_scalar", v, (*Tensor).Remainder)
}
func (x *Tensor) FloorDivideScalar(v float64) *Tensor {
	return x.methodScalar("floor_divide_scalar", v, (*Tensor).FloorDivide)
}

func (x *Tensor) methodScalar(op string, v float64, f func(x, y *Tensor) *Tensor) *Tensor {
	return called(op, func() *Tensor {
		s, bad := x.scalarLike(op, v)
		if bad != nil {
			return bad
		}
		return f(x, s)
	}, x)
}

// AndScalar, OrScalar, XorScalar, ShiftLeftScalar and ShiftRightScalar combine the bits of
// every element of x with those of the integer v.
func (x *Tensor) AndScalar(v int64) *Tensor { return x.bitsWith("and_scalar", ir.OpAnd, v) }
func (x *Tensor) OrScalar(v int64) *Tensor  { return x.bitsWith("or_scalar", ir.OpOr, v) }
func (x *Tensor) XorScalar(v int64) *Tensor { return x.bitsWith("xor_scalar", ir.OpXor, v) }
func (x *Tensor) ShiftLeftScalar(v int64) *Tensor {
	return x.bitsWith("shift_left_scalar", ir.OpShiftLeft, v)
}
func (x *Tensor) ShiftRightScalar(v int64) *Tensor {
	return x.bitsWith("shift_right_scalar", ir.OpShiftRight, v)
}

func (x *Tensor) bitsWith(call string, op ir.Op, v int64) *Tensor {
	return called(call, func() *Tensor {
		d := x.DType()
		if !holdsInteger(d, v) {
			return x.violates(call, "number", fmt.Sprintf("%d is no value of %v", v, d))
		}
		return record2(op, x, x.tr.number(d, ir.IntLiteralBits(d, v)))
	}, x)
}

// holdsInteger returns whether v is a value of a dtype of integers; of others always.
func holdsInteger(d types.DType, v int64) bool {
	switch bits := 8 * d.Size(); {
	case !d.IsInteger() || d == types.I64:
		return true
	case d.IsSigned():
		return v >= -1<<(bits-1) && v < 1<<(bits-1)
	}
	return v >= 0 && (d == types.U64 || v < 1<<(8*d.Size()))
}
