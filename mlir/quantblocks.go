package mlir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
)

// The rules for scales of blocks are those of MLIR's quant dialect.

// blocks reads 0:2,1:4}, the rest of the list of block sizes.
func (q *QuantType) blocks(s string) error {
	list, ok := strings.CutSuffix(s, "}")
	if !ok {
		return fmt.Errorf("block sizes are written {dimension:size, …}")
	}
	q.Blocks = []QuantBlock{}
	if list == "" {
		return nil
	}
	for part := range strings.SplitSeq(list, ",") {
		axis, size, _ := strings.Cut(part, ":")
		a, err1 := strconv.ParseInt(axis, 10, 32)
		n, err2 := strconv.ParseInt(size, 10, 64)
		switch {
		case err1 != nil || err2 != nil:
			return fmt.Errorf("block size %q is not dimension:size", lexeme.Clip(part))
		case a < 0:
			return fmt.Errorf("quantization dimension %d is negative", a)
		case n <= 0:
			return fmt.Errorf("blocks of %d along dimension %d, want at least 1", n, a)
		case slices.ContainsFunc(q.Blocks, func(b QuantBlock) bool { return b.Axis == int(a) }):
			return fmt.Errorf("dimension %d has two block sizes", a)
		}
		q.Blocks = append(q.Blocks, QuantBlock{int(a), n})
	}
	return nil
}

// grid reads scales in nested lists: {{0.1:-30, 0.5}, {0.1, 0.5}}.
func (q *QuantType) grid(s string) error {
	rest, err := q.gridList(s, 0)
	if err == nil && rest != "" {
		err = fmt.Errorf("unexpected %q behind the scales", lexeme.Clip(rest))
	}
	if err == nil && slices.Contains(q.Grid, -1) {
		err = fmt.Errorf("the scales are a list without elements")
	}
	return err
}

// gridList reads the list at depth that s begins with and returns what follows.
// The first list of each depth says how long the others are.
func (q *QuantType) gridList(s string, depth int) (string, error) {
	s, ok := strings.CutPrefix(s, "{")
	if !ok {
		return "", fmt.Errorf("scales of blocks are written in nested braces, as deep as the tensor has dimensions")
	}
	if depth == len(q.Grid) {
		if len(q.Scales) > 0 {
			return "", fmt.Errorf("lists of scales are not equally deep")
		}
		q.Grid = append(q.Grid, -1)
	}
	n := int64(0)
	for more := true; more; n++ {
		var err error
		if strings.HasPrefix(s, "{") {
			s, err = q.gridList(s, depth+1)
		} else {
			s, err = q.gridScale(s, depth)
		}
		if err != nil {
			return "", err
		}
		s, more = strings.CutPrefix(s, ",")
	}
	if q.Grid[depth] < 0 {
		q.Grid[depth] = n
	}
	if s, ok = strings.CutPrefix(s, "}"); !ok {
		return "", fmt.Errorf("'}' is expected behind %s", diag.Count(n, "scale"))
	}
	if q.Grid[depth] != n {
		return "", fmt.Errorf("a list of %s stands beside one of %d", diag.Count(n, "scale"), q.Grid[depth])
	}
	return s, nil
}

func (q *QuantType) gridScale(s string, depth int) (string, error) {
	if depth != len(q.Grid)-1 {
		return "", fmt.Errorf("lists of scales are not equally deep")
	}
	end := strings.IndexAny(s, ",}")
	if end < 0 {
		end = len(s)
	}
	return s[end:], q.param(s[:end])
}

// appendGrid writes the list at depth whose first scale is the i-th, and
// returns which comes next.
func (q *QuantType) appendGrid(b []byte, depth, i int) ([]byte, int) {
	b = append(b, '{')
	for k := range q.Grid[depth] {
		if k > 0 {
			b = append(b, ", "...)
		}
		if depth+1 < len(q.Grid) {
			b, i = q.appendGrid(b, depth+1, i)
		} else {
			b, i = q.appendParam(b, i), i+1
		}
	}
	return append(b, '}'), i
}

// Misfit says why tensors of the given shape cannot have elements of type q;
// "" if they can. Dimensions that are not known fit.
func (q *QuantType) Misfit(shape []int64) string {
	switch {
	case q.Blocks != nil:
		return q.blockMisfit(shape)
	case q.Axis < 0:
	case q.Axis >= len(shape):
		return "the quantization dimension is not one of the tensor's (quant_c12)"
	case shape[q.Axis] != Dynamic && shape[q.Axis] != int64(len(q.Scales)):
		return "there should be a scale for each slice of the quantization dimension (quant_c13)"
	}
	return ""
}

func (q *QuantType) blockMisfit(shape []int64) string {
	if len(q.Grid) != len(shape) {
		return fmt.Sprintf("the scales have %s, but should have as many as the tensor", diag.Count(len(q.Grid), "dimension"))
	}
	want := slices.Repeat([]int64{1}, len(shape))
	for _, b := range q.Blocks {
		if b.Axis >= len(shape) {
			return fmt.Sprintf("there is no dimension %d to be cut into blocks", b.Axis)
		}
		n := shape[b.Axis]
		switch {
		case n == Dynamic:
			n = Dynamic
		case n%b.Size != 0:
			return fmt.Sprintf("dimension %d is %d, which is no multiple of its blocks' %d", b.Axis, n, b.Size)
		default:
			n /= b.Size
		}
		want[b.Axis] = n
	}
	for i, n := range want {
		if n != Dynamic && n != q.Grid[i] {
			return fmt.Sprintf("there should be scales for %s along dimension %d, not for %d", diag.Count(n, "block"), i, q.Grid[i])
		}
	}
	return ""
}
