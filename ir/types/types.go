// Package types describes what a tensor is before it has values: the type of
// its elements and its shape. Its central type is [Type].
//
// The package imports only ltc/ir/dims and ltc/internal/minifloat.
package types

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ltc/ir/dims"
)

// Shape lists the dimensions of a tensor, outermost first. A scalar has the
// empty shape. A Shape is never changed after it has been made: types, nodes
// and views share it. In compilers a dimension may be an expression of package dims; the
// tensors that a user meets have numbers.
type Shape []int

// Elements returns the number of elements: the product of the dimensions, 1
// for a scalar. It is an expression if a dimension is one.
func (s Shape) Elements() int {
	n := 1
	for _, d := range s {
		if dims.IsExpr(d) {
			return dims.Product(s...)
		}
		n *= d
	}
	return n
}

// Equal reports whether both shapes have the same rank and dimensions.
func (s Shape) Equal(o Shape) bool {
	if len(s) != len(o) {
		return false
	}
	// Results of elementwise ops share the shape of an operand.
	return len(s) == 0 || &s[0] == &o[0] || slices.Equal(s, o)
}

// String prints the shape as [2,3]; a scalar's is [].
func (s Shape) String() string { return string(s.append(nil)) }

func (s Shape) append(b []byte) []byte {
	b = append(b, '[')
	for i, d := range s {
		if i > 0 {
			b = append(b, ',')
		}
		if dims.IsExpr(d) {
			b = append(b, dims.String(d)...)
			continue
		}
		b = strconv.AppendInt(b, int64(d), 10)
	}
	return append(b, ']')
}

// Type is the type of a tensor. Its text form is the dtype followed by the
// shape, f32[64,784]; a scalar is written f32[].
type Type struct {
	DType DType
	Shape Shape
}

// Of returns the type with the given dtype and dimensions.
func Of(d DType, dims ...int) Type { return Type{DType: d, Shape: Shape(dims)} }

// Axes returns the axes of a tensor of a rank: 0, 1, … rank-1.
func Axes(rank int) []int {
	axes := make([]int, rank)
	for i := range axes {
		axes[i] = i
	}
	return axes
}

// Rank returns the number of dimensions.
func (t Type) Rank() int { return len(t.Shape) }

// Elements returns the number of elements.
func (t Type) Elements() int { return t.Shape.Elements() }

// Bytes returns the size of the elements laid out densely.
func (t Type) Bytes() int {
	n := t.Elements()
	if dims.IsExpr(n) {
		return dims.Mul(n, t.DType.Size())
	}
	return n * t.DType.Size()
}

// KnownBytes is Bytes of a type all of whose sizes are numbers; 0 of others.
func (t Type) KnownBytes() int {
	for _, n := range t.Shape {
		if n < 0 {
			return 0
		}
	}
	return t.Bytes()
}

// Equal reports whether dtype and shape are the same.
func (t Type) Equal(o Type) bool { return t.DType == o.DType && t.Shape.Equal(o.Shape) }

// String prints the type as f32[64,784].
func (t Type) String() string { return string(t.Shape.append([]byte(t.DType.String()))) }

// Parts returns the type of memory that has the parts of complex numbers as elements: the last
// dimension has the real and the imaginary part. It is t itself for other dtypes.
func (t Type) Parts() Type {
	if !t.DType.IsComplex() {
		return t
	}
	return Type{DType: t.DType.Part(), Shape: append(slices.Clone(t.Shape), 2)}
}

// Check reports why t cannot be the type of a tensor: an unknown dtype, a
// negative dimension, or a size in bytes that does not fit an int. Dimensions of
// 0 do not help the others: strides are products of some of them.
func (t Type) Check() error {
	if !t.DType.Valid() {
		return errors.New("invalid dtype " + t.DType.String())
	}
	for i, d := range t.Shape {
		if d < 0 {
			return fmt.Errorf("dimension %d is negative: %d", i, d)
		}
	}
	size := t.DType.Size()
	for _, d := range t.Shape {
		if d > 0 && size > math.MaxInt/d {
			return fmt.Errorf("%v has more bytes than an int can count", t)
		}
		size *= max(d, 1)
	}
	return nil
}

// CheckSizes is Check of a type whose dimensions may be expressions of package dims.
func (t Type) CheckSizes() error {
	if !dims.HasExpr(t.Shape...) {
		return t.Check()
	}
	if !t.DType.Valid() {
		return errors.New("invalid dtype " + t.DType.String())
	}
	for i, d := range t.Shape {
		if err := dims.Check(d); err != nil {
			return fmt.Errorf("dimension %d: %w", i, err)
		}
		if dims.Less(d, 0) {
			return fmt.Errorf("dimension %d is negative: %s", i, dims.String(d))
		}
	}
	return nil
}

// ParseType reads the text form that [Type.String] prints.
func ParseType(s string) (Type, error) {
	name, rest, ok := strings.Cut(s, "[")
	d, known := ParseDType(name)
	if !ok || !known || !strings.HasSuffix(rest, "]") {
		return Type{}, fmt.Errorf("invalid type %q: want a dtype and dimensions, like f32[64,784]", s)
	}
	t := Type{DType: d}
	rest = strings.TrimSuffix(rest, "]")
	if rest == "" {
		return t, nil
	}
	for part := range strings.SplitSeq(rest, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || strconv.Itoa(n) != part {
			return Type{}, fmt.Errorf("invalid type %q: dimension %q is not a number", s, part)
		}
		t.Shape = append(t.Shape, n)
	}
	if err := t.Check(); err != nil {
		return Type{}, fmt.Errorf("invalid type %q: %w", s, err)
	}
	return t, nil
}
