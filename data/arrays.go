package data

import (
	"fmt"
	"strings"
	"unsafe"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/soa"
	"ltc/soa/npy"
)

// Arrays are arrays of any dtypes whose first axes are the examples of a data set, or of a batch: images[n, 28, 28] and
// labels[n]. [ReadIDXArray] and packages soa/npy and checkpoint read such arrays from files, lazy.FromView makes
// tensors of them.
type Arrays []soa.View

// ArrayOf returns an array on the elements of a slice, with the given dimensions; without them it has one axis.
func ArrayOf[T soa.Element](elements []T, dims ...int) (soa.View, error) {
	if len(dims) == 0 {
		dims = []int{len(elements)}
	}
	v, err := soa.ColumnOf("", elements).View()
	if err != nil {
		return soa.View{}, fmt.Errorf("data: array: %w", err)
	}
	return soa.Borrow(elements, types.Of(v.Type.DType, dims...))
}

// Column is a type of elements that [Columns] can convert to.
type Column interface {
	Number
	soa.Element
}

// Columns returns columns lo to hi-1 of a table as an array [rows, hi-lo], or of rank 1 for one column, converted to T as
// Go converts. It panics as [Gather] does.
func Columns[T Column](t *Table, lo, hi int) soa.View {
	values := Gather[T](nil, t, All(t.Rows), lo, hi)
	dims := []int{t.Rows, hi - lo}
	if hi == lo+1 {
		dims = dims[:1]
	}
	v, err := ArrayOf(values, dims...)
	if err != nil {
		panic(err) // the sizes are those of values
	}
	return v
}

// Len returns the number of examples: the size of the first axis of the first array, 0 without arrays.
func (a Arrays) Len() int {
	if len(a) == 0 || a[0].Type.Rank() == 0 {
		return 0
	}
	return a[0].Type.Shape[0]
}

// Check returns an error if an array has no axis, or another number of examples than the first.
func (a Arrays) Check() error {
	for i, v := range a {
		switch {
		case v.Check() != nil:
			return fmt.Errorf("data: array %d: %w", i, v.Check())
		case v.Type.Rank() == 0:
			return fmt.Errorf("data: array %d is %v: its first axis must be the examples", i, v.Type)
		case v.Type.Shape[0] != a.Len():
			return fmt.Errorf("data: array %d is %v, and array 0 %v: their first axes must have one size, the number of examples", i, v.Type, a[0].Type)
		}
	}
	return nil
}

// Select returns arrays with copies of the given rows, in their order.
func (a Arrays) Select(rows []int) (Arrays, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	a, err := a.dense()
	if err != nil {
		return nil, err
	}
	for i, r := range rows {
		if r < 0 || r >= a.Len() {
			return nil, fmt.Errorf("data: select row %d (rows[%d]) of %s", r, i, diag.Count(a.Len(), "row"))
		}
	}
	all := make(Arrays, len(a))
	for i, v := range a {
		selected, err := selectRows(v, rows)
		if err != nil {
			return nil, fmt.Errorf("data: array %d: %w", i, err)
		}
		all[i] = selected
	}
	return all, nil
}

func selectRows(v soa.View, rows []int) (soa.View, error) {
	shape := append([]int{len(rows)}, v.Type.Shape[1:]...)
	t := types.Of(v.Type.DType, shape...)
	if err := soa.Fits(t.Bytes()); err != nil {
		return soa.View{}, err
	}
	to := soa.Make(t)
	if t.Bytes() == 0 {
		return to, nil
	}
	n := t.Bytes() / len(rows)
	from := unsafe.Slice((*byte)(v.Base()), v.Type.Bytes())
	into := unsafe.Slice((*byte)(to.Base()), t.Bytes())
	for i, r := range rows {
		copy(into[i*n:(i+1)*n], from[r*n:])
	}
	soa.KeepAlive(v)
	soa.KeepAlive(to)
	return to, nil
}

// dense returns the arrays, with copies of those that are not in row-major order.
func (a Arrays) dense() (Arrays, error) {
	all := make(Arrays, len(a))
	for i, v := range a {
		if all[i] = v; v.IsDense() {
			continue
		}
		if err := soa.Fits(v.Type.Bytes()); err != nil {
			return nil, fmt.Errorf("data: array %d: %w", i, err)
		}
		all[i] = soa.Make(v.Type)
		if err := soa.Copy(all[i], v); err != nil {
			return nil, fmt.Errorf("data: array %d: %w", i, err)
		}
	}
	return all, nil
}

// Holdout splits the rows as the function [Holdout] does: every k-th is in held.
func (a Arrays) Holdout(k int) (kept, held Arrays, err error) {
	some, others := Holdout(a.Len(), k)
	if kept, err = a.Select(some); err != nil {
		return nil, nil, err
	}
	if held, err = a.Select(others); err != nil {
		return nil, nil, err
	}
	return kept, held, nil
}

// ReadArrays reads a file as each array: .npy, or IDX as [ReadIDXArray] does. The arrays must have as many rows.
func ReadArrays(paths ...string) (Arrays, error) {
	all := make(Arrays, len(paths))
	for i, path := range paths {
		read := ReadIDXArrayFile
		if strings.HasSuffix(path, ".npy") {
			read = npy.ReadFile
		}
		v, err := read(path)
		if err != nil {
			return nil, err
		}
		all[i] = v
	}
	return all, all.Check()
}

// Loader returns a loader of the arrays' rows; b says the size of batches, the seed and the like, and its Rows are those
// of the arrays. Its batches have memory of their own. Arrays that [Arrays.Check] refuses have its error as first batch.
func (a Arrays) Loader(b Batches) *Loader[Arrays] {
	b.Rows = a.Len()
	err := a.Check()
	if err == nil {
		a, err = a.dense() // once, and not for each batch
	}
	return &Loader[Arrays]{Batches: b, Load: func(b Batch) (Arrays, error) { return a.Select(b.Rows) }, err: err}
}

// CheckLabels returns an error if an element of an array of integers is none of the given number of classes. The error
// names the first such row.
func CheckLabels(labels soa.View, classes int) error {
	if !labels.Type.DType.IsInteger() {
		return fmt.Errorf("data: labels are %v: they must be integers", labels.Type)
	}
	if labels.Type.Rank() == 0 {
		return fmt.Errorf("data: labels are %v: their first axis must be the examples", labels.Type)
	}
	wide, err := integers(labels)
	if err != nil {
		return fmt.Errorf("data: labels: %w", err)
	}
	for i, x := range wide {
		if x < 0 || x >= int64(classes) {
			return fmt.Errorf("data: label %d of row %d is none of %s, 0 to %d", x, i/max(len(wide)/max(labels.Type.Shape[0], 1), 1), diag.Count(classes, "class"), classes-1)
		}
	}
	return nil
}

// integers returns the elements of an array of integers.
func integers(v soa.View) ([]int64, error) {
	dense := soa.Make(v.Type)
	if err := soa.Copy(dense, v); err != nil {
		return nil, err
	}
	switch v.Type.DType {
	case types.I8:
		return widen[int8](dense), nil
	case types.U8:
		return widen[uint8](dense), nil
	case types.I16:
		return widen[int16](dense), nil
	case types.U16:
		return widen[uint16](dense), nil
	case types.I32:
		return widen[int32](dense), nil
	case types.U32:
		return widen[uint32](dense), nil
	case types.I64:
		return widen[int64](dense), nil
	}
	return widen[uint64](dense), nil
}

func widen[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](v soa.View) []int64 {
	s := unsafe.Slice((*T)(v.Base()), v.Type.Elements())
	all := make([]int64, len(s))
	for i, x := range s {
		all[i] = int64(x)
		if x > 0 && all[i] < 0 {
			all[i] = -1
		}
	}
	soa.KeepAlive(v)
	return all
}
