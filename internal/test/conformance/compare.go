package conformance

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/minifloat"
	"ltc/mlir"
)

// element is a type of elements: how the bytes of [mlir.DenseAttr.Decode] are
// to be read.
type element struct {
	name   string
	size   int // bytes, of one part
	parts  int // 2 for complex numbers
	bits   int // of a part that is a float
	float  bool
	signed bool // an integer
	mini   minifloat.Format
}

func elementOf(t mlir.Type) (element, error) {
	e := element{name: t.String(), parts: 1}
	switch t := t.(type) {
	case mlir.IntegerType:
		e.size, e.signed = 1, t.Sign != mlir.Unsigned && t.Width > 1
		for 8*e.size < t.Width {
			e.size *= 2
		}
		return e, nil
	case mlir.ComplexType:
		e, err := elementOf(t.Elem)
		e.parts = 2
		return e, err
	case mlir.FloatType:
		e.float = true
		switch t.Name {
		case "f64":
			e.size, e.bits = 8, 64
			return e, nil
		case "f32":
			e.size, e.bits = 4, 32
			return e, nil
		}
		var ok bool
		if e.mini, e.bits, ok = minifloat.Of(t.Name); ok {
			for e.size = 1; 8*e.size < e.bits; {
				e.size *= 2
			}
			return e, nil
		}
	}
	return e, fmt.Errorf("elements of type %v cannot be compared", t)
}

// number is the value of a float with the given bits.
func (e element) number(bits uint64) float64 {
	switch e.bits {
	case 64:
		return math.Float64frombits(bits)
	case 32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return e.mini.Value(bits)
}

// text prints a part.
func (e element) text(bits uint64) string {
	switch {
	case e.float && e.bits == 64:
		return strconv.FormatFloat(e.number(bits), 'g', -1, 64)
	case e.float:
		return strconv.FormatFloat(e.number(bits), 'g', -1, 32)
	case e.name == "i1":
		return strconv.FormatBool(bits != 0)
	case e.signed:
		shift := 64 - 8*e.size
		return strconv.FormatInt(int64(bits<<shift)>>shift, 10)
	}
	return strconv.FormatUint(bits, 10)
}

// tensor is a value of a program.
type tensor struct {
	element
	shape []int64
	n     int    // elements
	data  []byte // as mlir.DenseAttr.Decode gives them
	splat bool   // data is one element, which stands for all
}

func newTensor(t *mlir.TensorType, data []byte, splat bool) (tensor, error) {
	e, err := elementOf(t.Elem)
	return tensor{element: e, shape: t.Shape, n: int(t.Elements()), data: data, splat: splat}, err
}

// part returns the bits of a part of element i.
func (t tensor) part(i, part int) uint64 {
	if t.splat {
		i = 0
	}
	from := (i*t.parts + part) * t.size
	bits := uint64(0)
	for k, b := range t.data[from : from+t.size] {
		bits |= uint64(b) << (8 * k)
	}
	return bits
}

// at prints element i.
func (t tensor) at(i int) string {
	if t.parts == 1 {
		return t.text(t.part(i, 0))
	}
	return "(" + t.text(t.part(i, 0)) + ", " + t.text(t.part(i, 1)) + ")"
}

// index prints where element i is.
func (t tensor) index(i int) string {
	at := make([]string, len(t.shape))
	for k := len(t.shape) - 1; k >= 0; k-- {
		d := int(t.shape[k])
		at[k] = strconv.Itoa(i % d)
		i /= d
	}
	return "[" + strings.Join(at, ", ") + "]"
}

// same reports whether two parts are the same by the rule and, by one that
// counts them, how many ulps they are apart.
func (r rule) same(e element, a, b uint64) (bool, uint64) {
	if r.kind == bitwise || !e.float && r.kind != ulps {
		return a == b, 0
	}
	if r.kind == ulps {
		d := e.distance(a, b)
		return r.min <= d && d <= r.max, d
	}
	x, y := e.number(a), e.number(b)
	switch {
	case x == y:
		return true, 0
	case r.kind == exactly:
		return false, 0
	case math.IsNaN(x) || math.IsNaN(y):
		return math.IsNaN(x) && math.IsNaN(y), 0
	}
	return math.Abs(x-y) <= r.abs, 0
}

// distance is how many numbers that the format has lie between two, the second
// one counted. NaNs are one number; the distance of what is not finite from
// anything else is the largest there is.
func (e element) distance(a, b uint64) uint64 {
	if a == b {
		return 0
	}
	if !e.float {
		return math.MaxUint64
	}
	x, y := e.number(a), e.number(b)
	switch {
	case math.IsNaN(x) && math.IsNaN(y):
		return 0
	case !finite(x) || !finite(y):
		return math.MaxUint64
	case e.name == "f8E8M0FNU": // has no sign
		return max(a, b) - min(a, b)
	}
	sign := uint64(1) << (e.bits - 1)
	if a&sign != b&sign {
		return a&^sign + b&^sign
	}
	return max(a&^sign, b&^sign) - min(a&^sign, b&^sign)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// compare returns "" if all elements are the same by the rule, and otherwise
// what is wrong with the first that is not.
func (r rule) compare(actual, expected tensor) string {
	first, bad, worst := -1, 0, uint64(0)
	for i := range actual.n {
		if !r.element(actual, expected, i, &worst) {
			if bad == 0 {
				first = i
			}
			bad++
		}
	}
	if bad == 0 {
		return ""
	}
	s := fmt.Sprintf("%s: expected %s, actual %s", actual.index(first), expected.at(first), actual.at(first))
	switch r.kind {
	case approximately:
		s += fmt.Sprintf(", which may differ by %g", r.abs)
	case ulps:
		apart := strconv.FormatUint(worst, 10)
		if worst == math.MaxUint64 {
			apart = "infinitely many"
		}
		s += fmt.Sprintf("; up to %s ulps apart, %d to %d are allowed", apart, r.min, r.max)
	}
	return s + fmt.Sprintf(" (%d of %s)", bad, diag.Count(actual.n, "element"))
}

// element compares element i. Of a complex number, the part that is further
// off counts.
func (r rule) element(actual, expected tensor, i int, worst *uint64) bool {
	apart, ok := uint64(0), true
	for p := range actual.parts {
		same, d := r.same(actual.element, actual.part(i, p), expected.part(i, p))
		apart = max(apart, d)
		ok = ok && same
	}
	if r.kind == ulps {
		*worst = max(*worst, apart)
		return r.min <= apart && apart <= r.max
	}
	return ok
}
