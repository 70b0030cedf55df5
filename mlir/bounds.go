package mlir

import (
	"strconv"
	"strings"
)

// canonicalBounds writes bounds in one way; other encodings stay.
func canonicalBounds(a Attribute) Attribute {
	list := (&TensorType{Encoding: a}).Bounds()
	if list == nil {
		return a
	}
	return boundsAttr(list)
}

func boundsAttr(list []int64) Attribute {
	s := make([]string, len(list))
	for i, n := range list {
		s[i] = sizeText(n)
	}
	return DialectAttr{Text: "stablehlo.bounds<" + strings.Join(s, ", ") + ">"}
}

// sizeText writes a size as types do.
func sizeText(n int64) string {
	if n == Dynamic {
		return "?"
	}
	return strconv.FormatInt(n, 10)
}

// boundsText is what stands between the brackets of a tensor type's bounds.
func boundsText(t *TensorType) (string, bool) {
	if t.Encoding == nil {
		return "", false
	}
	s := t.Encoding.String()
	if rest, ok := strings.CutPrefix(s, "#stablehlo.bounds<"); ok {
		return strings.TrimSuffix(rest, ">"), true
	}
	return "", false
}

// Bounds returns the largest sizes of the dimensions, Dynamic for one without;
// nil if the encoding is none of bounds.
func (t *TensorType) Bounds() []int64 {
	text, ok := boundsText(t)
	if !ok {
		return nil
	}
	list := []int64{}
	if strings.TrimSpace(text) == "" {
		return list
	}
	for e := range strings.SplitSeq(text, ",") {
		e = strings.TrimSpace(e)
		n, err := strconv.ParseInt(e, 10, 64)
		if e == "?" {
			n = Dynamic
		} else if err != nil {
			return nil // other dialects' numbers are not read
		}
		list = append(list, n)
	}
	return list
}

// limits is Bounds with an entry for each dimension in any case.
func (t *TensorType) limits() []int64 {
	if b := t.Bounds(); len(b) == len(t.Shape) {
		return b
	}
	return unknown(len(t.Shape))
}

// most is the largest size of dimension i; Dynamic if it is not known.
func (t *TensorType) most(i int) int64 {
	if d := t.Shape[i]; d != Dynamic {
		return d
	}
	return t.limits()[i]
}

// bounded returns how many dimensions of t are dynamic, and how many of those
// have a bound.
func bounded(t *TensorType) (dynamic, withBound int) {
	b := t.Bounds()
	for i, d := range t.Shape {
		if d != Dynamic {
			continue
		}
		dynamic++
		if i < len(b) && b[i] != Dynamic {
			withBound++
		}
	}
	return dynamic, withBound
}
