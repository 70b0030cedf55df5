package mlir

import (
	"strconv"
	"strings"
)

// boundsText is what stands between the brackets of a tensor type's bounds.
func boundsText(t *TensorType) (string, bool) {
	if t.Encoding == nil {
		return "", false
	}
	s := t.Encoding.String()
	if rest, ok := strings.CutPrefix(s, "#stablehlo.bounds<"); ok {
		return strings.TrimSuffix(rest, ">"), true
	}
	if rest, ok := strings.CutPrefix(s, "#stablehlo.type_extensions<"); ok {
		_, rest, _ = strings.Cut(rest, "[")
		rest, _, ok = strings.Cut(rest, "]")
		return rest, ok
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
		n, err := strconv.ParseInt(strings.TrimSpace(e), 10, 64)
		if err != nil {
			n = Dynamic
		}
		list = append(list, n)
	}
	return list
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
