package stablehlo

import (
	"strconv"
	"strings"

	"ltc/mlir"
)

// canonicalBounds writes bounds in one way; other encodings stay.
func canonicalBounds(a mlir.Attribute) mlir.Attribute {
	list := Bounds(&mlir.TensorType{Encoding: a})
	if list == nil {
		return a
	}
	return boundsAttr(list)
}

func boundsAttr(list []int64) mlir.Attribute {
	s := make([]string, len(list))
	for i, n := range list {
		s[i] = mlir.SizeText(n)
	}
	return mlir.DialectAttr{Text: "stablehlo.bounds<" + strings.Join(s, ", ") + ">"}
}

// boundsText is what stands between the brackets of a tensor type's bounds.
func boundsText(t *mlir.TensorType) (string, bool) {
	if t.Encoding == nil {
		return "", false
	}
	s := t.Encoding.String()
	if rest, ok := strings.CutPrefix(s, "#stablehlo.bounds<"); ok {
		return strings.TrimSuffix(rest, ">"), true
	}
	return "", false
}

// Bounds returns the largest sizes of a tensor type's dimensions, Dynamic for one
// without; nil if its encoding is none of bounds.
func Bounds(t *mlir.TensorType) []int64 {
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
			n = mlir.Dynamic
		} else if err != nil {
			return nil // other dialects' numbers are not read
		}
		list = append(list, n)
	}
	return list
}
