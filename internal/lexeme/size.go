package lexeme

import (
	"math"
	"strconv"
)

// Dynamic is the size that is written `?`.
const Dynamic = math.MinInt64

// Size returns the text of a size in a type.
func Size(n int64) string {
	if n == Dynamic {
		return "?"
	}
	return strconv.FormatInt(n, 10)
}
