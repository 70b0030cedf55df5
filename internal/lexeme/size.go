package lexeme

import (
	"strconv"

	"ltc/ir/dims"
)

// Dynamic is the size that is written `?`.
const Dynamic = dims.Unknown

// Size returns the text of a size in a type.
func Size(n int64) string {
	if n == Dynamic {
		return "?"
	}
	if dims.IsExpr(n) { // in memory alone: no text is read with it
		return "{" + dims.String(n) + "}"
	}
	return strconv.FormatInt(n, 10)
}
