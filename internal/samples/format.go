package samples

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"ltc/ir/types"
	"ltc/soa"
)

// NumPy's own limits: of a tensor with more elements than all, only the first
// and last few of each axis are shown.
const (
	all  = 1000
	edge = 3
)

// Format prints the elements of v as NumPy does: nested brackets, columns
// aligned, floating-point values with as few digits as tell them apart. Complex numbers are
// written as Go prints them, (1+2i). No elements are [] in any shape.
func Format(v soa.View) (string, error) {
	v, err := Dense(v)
	if err != nil {
		return "", err
	}
	if v.Type.Elements() == 0 {
		return "[]", nil
	}
	f := formatter{v: v, some: v.Type.Elements() > all}
	f.each(0, 0, func(i int) { f.width = max(f.width, utf8.RuneCountInString(f.element(i))) })
	f.axis(0, 0)
	return f.b.String(), nil
}

type formatter struct {
	b     strings.Builder
	v     soa.View
	some  bool // leave out the middle
	width int  // of the widest element shown
}

// element prints element i.
func (f *formatter) element(i int) string {
	if d := f.v.Type.DType; d.IsComplex() {
		parts := f.v.Parts()
		return strconv.FormatComplex(complex(Float(parts, 2*i), Float(parts, 2*i+1)), 'g', -1, 8*d.Size())
	}
	bits := Bits(f.v, i)
	switch d := f.v.Type.DType; d {
	case types.Bool:
		return strconv.FormatBool(bits != 0)
	case types.I8:
		return strconv.FormatInt(int64(int8(bits)), 10)
	case types.I16:
		return strconv.FormatInt(int64(int16(bits)), 10)
	case types.I32:
		return strconv.FormatInt(int64(int32(bits)), 10)
	case types.I64:
		return strconv.FormatInt(int64(bits), 10)
	case types.U8, types.U16, types.U32, types.U64:
		return strconv.FormatUint(bits, 10)
	case types.F64:
		return short(Float(f.v, i), 64)
	case types.F32:
		return short(Float(f.v, i), 32)
	default:
		return shortest(Float(f.v, i), bits, d)
	}
}

func short(x float64, bits int) string { return strconv.FormatFloat(x, 'g', -1, bits) }

// shortest finds the fewest digits that round to the float of 8 or 16 bits with the
// given bits again.
func shortest(x float64, bits uint64, d types.DType) string {
	for digits := 1; digits < 5; digits++ {
		s := strconv.FormatFloat(x, 'g', digits, 64)
		y, err := strconv.ParseFloat(s, 64)
		var back uint64
		switch d {
		case types.F16:
			back = uint64(types.ToFloat16(y))
		case types.BF16:
			back = uint64(types.ToBFloat16(y))
		default:
			back = uint64(types.Float8Bits(d, y))
		}
		if err == nil && back == bits {
			return short(y, 64)
		}
	}
	return short(x, 32)
}

// shown calls show for each index of an axis that is printed; a gap comes
// before the index after those left out.
func (f *formatter) shown(axis int, show func(i int, gap bool)) {
	n := f.v.Type.Shape[axis]
	for i := 0; i < n; i++ {
		gap := f.some && n > 2*edge && i == edge
		if gap {
			i = n - edge
		}
		show(i, gap)
	}
}

// each calls show for the elements that are printed. start is the row-major
// number of the first element, counting only axes before axis.
func (f *formatter) each(axis, start int, show func(i int)) {
	if axis == f.v.Type.Rank() {
		show(start)
		return
	}
	f.shown(axis, func(i int, _ bool) { f.each(axis+1, start*f.v.Type.Shape[axis]+i, show) })
}

func (f *formatter) axis(axis, start int) {
	rank := f.v.Type.Rank()
	if axis == rank {
		s := f.element(start)
		f.b.WriteString(strings.Repeat(" ", f.width-utf8.RuneCountInString(s)) + s)
		return
	}
	// Elements are separated by a space, rows by a line, planes by two.
	between := " "
	if inner := rank - axis - 1; inner > 0 {
		between = strings.Repeat("\n", inner) + strings.Repeat(" ", axis+1)
	}
	f.b.WriteByte('[')
	first := true
	f.shown(axis, func(i int, gap bool) {
		if !first {
			f.b.WriteString(between)
		}
		if gap {
			f.b.WriteString("..." + between)
		}
		first = false
		f.axis(axis+1, start*f.v.Type.Shape[axis]+i)
	})
	f.b.WriteByte(']')
}
