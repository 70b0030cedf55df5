package lazy

import (
	"fmt"
	"slices"
	"time"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/metrics"
	"ltc/soa"
)

// dtypeOf returns the dtype whose elements are of Go type T; Invalid if none.
func dtypeOf[T soa.Element]() types.DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return types.Bool
	case uint8:
		return types.U8
	case uint16:
		return types.U16
	case uint32:
		return types.U32
	case uint64:
		return types.U64
	case int8:
		return types.I8
	case int16:
		return types.I16
	case int32:
		return types.I32
	case int64:
		return types.I64
	case float32:
		return types.F32
	case float64:
		return types.F64
	case types.Float16:
		return types.F16
	case types.BFloat16:
		return types.BF16
	}
	return types.Invalid
}

// From copies host data into a tensor with the given dimensions, whose product
// must be len(data); without dimensions the tensor is a vector. For a number that
// changes from step to step see [Trace.Scalar]. The dtype is that of T.
func From[T soa.Element](p Place, data []T, dims ...int) *Tensor {
	return host(p, "from", data, dims, true)
}

// Borrow is From without the copy: the tensor shares data, which must not be
// written until every step that reads it has ended. It is never donated.
func Borrow[T soa.Element](p Place, data []T, dims ...int) *Tensor {
	return host(p, "borrow", data, dims, false)
}

func host[T soa.Element](p Place, op string, data []T, dims []int, copied bool) *Tensor {
	if len(dims) == 0 {
		dims = []int{len(data)}
	}
	t := types.Of(dtypeOf[T](), append([]int(nil), dims...)...)
	if t.DType == types.Invalid || nowhere(p) {
		return refused(p, op, fmt.Sprintf("elements of %T have no dtype", *new(T)))
	}
	view, err := soa.Borrow(data, t)
	if err != nil {
		return refused(p, op, err.Error())
	}
	if copied {
		dense, err := p.device().memory.Make(t)
		if err != nil {
			return p.device().poisoned(p.trace(), memoryError(callsite.Caller(), op, err))
		}
		start := time.Now()
		copy(soa.Slice[T](dense), data)
		p.device().metrics.Since(metrics.DataToHandle, start)
		view = dense
	}
	x := newValue(p, view, "")
	if !copied {
		x.val.borrow()
	}
	return x
}

// FromView shares the elements that a view shows, in any layout, as Borrow does
// for a slice; not the view's own lists of sizes, strides and addresses.
func FromView(p Place, v soa.View) *Tensor {
	if v.IsZero() || nowhere(p) {
		return refused(p, "from_view", "the view is the zero View")
	}
	if err := v.Check(); err != nil {
		return refused(p, "from_view", err.Error())
	}
	v.Type.Shape, v.Strides, v.Table = slices.Clone(v.Type.Shape), slices.Clone(v.Strides), slices.Clone(v.Table) // the caller may use them again
	x := newValue(p, v, "")
	x.val.borrow()
	return x
}

// newValue returns a tensor of data that outlives its step.
func newValue(p Place, view soa.View, name string) *Tensor {
	p.device().metrics.Add(metrics.DeviceData, 1)
	if tr := p.trace(); tr != nil {
		tr.account.Counts[metrics.DeviceData].Add(1)
	}
	p.device().metrics.Add(metrics.CreateTensor, 1)
	return holding(p, &value{name: name, view: view})
}

// holding returns a handle on a value of p's device.
func holding(p Place, v *value) *Tensor {
	v.pins.Add(1) // the caller's memory, or the handle's
	t := &Tensor{dev: p.device(), val: v}
	if tr := p.trace(); tr != nil {
		t.tr, t.loc = tr, tr.site()
	}
	if d := p.device(); d.live != nil {
		d.born(v, "value", callsite.Caller())
	}
	return t
}

// Full records a tensor all of whose elements are x, a number as in [Tensor.MulScalar]: see
// [Const].
func Full(tr *Trace, dtype types.DType, x float64, dims ...int) *Tensor {
	if bad := misfit(tr, "full", dtype, x); bad != nil {
		return bad
	}
	return tr.number(dtype, ir.LiteralBits(dtype, x)).BroadcastTo(dims...).Clone()
}

// Zeros records a tensor of zeros.
func Zeros(tr *Trace, dtype types.DType, dims ...int) *Tensor { return Full(tr, dtype, 0, dims...) }

// Ones records a tensor of ones.
func Ones(tr *Trace, dtype types.DType, dims ...int) *Tensor { return Full(tr, dtype, 1, dims...) }

// Iota records a tensor of the given shape that counts 0, 1, 2, … along axis.
func Iota(tr *Trace, dtype types.DType, axis int, dims ...int) *Tensor {
	if nowhere(tr) {
		return refused(tr, "iota", "")
	}
	if axis < 0 && axis >= -len(dims) {
		axis += len(dims)
	}
	return record0(tr, ir.OpIota, []ir.Attr{ir.IotaDType: {Int: int64(dtype)}, ir.IotaShape: {Ints: append([]int(nil), dims...)}, ir.IotaAxis: {Int: int64(axis)}}...)
}
