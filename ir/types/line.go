package types

// Line is a number that depends on a size n: Slope·n + Base.
type Line struct{ Slope, Base int64 }

// Through returns the line on which a number is so much for each of some sizes, of
// which the first two differ; false if there is none.
func Through(sizes []int, numbers []int64) (Line, bool) {
	l := Line{Slope: (numbers[1] - numbers[0]) / int64(sizes[1]-sizes[0])}
	l.Base = numbers[0] - l.Slope*int64(sizes[0])
	for i, n := range sizes {
		if l.At(n) != numbers[i] {
			return l, false
		}
	}
	return l, true
}

// At returns the number for size n.
func (l Line) At(n int) int64 { return l.Slope*int64(n) + l.Base }
