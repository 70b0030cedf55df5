package trials

import (
	"math"
	"os"
	"strconv"
)

// variable asks for long runs, which make soak does: 1 for whole ones, 0.1 for a
// tenth of them.
const variable = "LTC_SOAK"

// Soaking reports whether long runs are asked for.
func Soaking() bool { return os.Getenv(variable) != "" }

// Soak returns how many cases a test tries: some in ordinary runs, as [Of] has
// it, and in long ones the part of all that is asked for, at least one. A part
// that is no number above 0 panics.
func Soak(some, all int) int {
	if !Soaking() {
		return Of(some)
	}
	part, err := strconv.ParseFloat(os.Getenv(variable), 64)
	if err != nil || !(part > 0) || math.IsInf(part, 0) {
		panic(variable + " is a part of the long runs, as 1 or 0.1, not " + strconv.Quote(os.Getenv(variable)))
	}
	return max(int(part*float64(all)), 1)
}
