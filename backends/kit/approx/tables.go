package approx

import "math"

// Table is numbers that code looks up by an index: one of each row for index i,
// modulo the length of rows, which is a power of two.
type Table struct {
	Name  string
	rows  [][]float64
	words []uint64 // the one row of a table of bits
}

// The tables that code looks numbers up in.
const (
	SixteenthsTable = iota
	InversesTable
	Erf32Table
	Erf64Table
	Tanh32Table
	Tanh64Table
	AtanTable
	PowerTable
	TwoOverPiTable
)

// Tables has them, by number.
var Tables = [...]Table{
	SixteenthsTable: {Name: "sixteenths", rows: Sixteenths32},
	InversesTable:   {Name: "inverses", rows: Inverses32},
	Erf32Table:      {Name: "erf32", rows: Erf32},
	Erf64Table:      {Name: "erf64", rows: Erf64},
	Tanh32Table:     {Name: "tanh32", rows: Tanh32},
	Tanh64Table:     {Name: "tanh64", rows: Tanh64},
	AtanTable:       {Name: "atan", rows: AtanEighths64},
	PowerTable:      {Name: "power", rows: PowerParts},
	TwoOverPiTable:  {Name: "two_over_pi", words: TwoOverPi},
}

// Rows returns how many rows a table has.
func (t *Table) Rows() int { return max(len(t.rows), 1) }

// Floats returns a row of a table of floats; nil if the table is of bits.
func (t *Table) Floats(row int) []float64 {
	if t.words != nil {
		return nil
	}
	return padded(t.rows[row])
}

// Bits returns a row as bits of elements of 32 or 64 bits.
func (t *Table) Bits(row, width int) []uint64 {
	if t.words != nil {
		return padded(t.words)
	}
	floats := t.Floats(row)
	all := make([]uint64, len(floats))
	for i, v := range floats {
		if width == 32 {
			all[i] = uint64(math.Float32bits(float32(v)))
		} else {
			all[i] = math.Float64bits(v)
		}
	}
	return all
}

// padded returns a row with zeros behind it, up to a power of two.
func padded[T any](row []T) []T {
	n := 1
	for n < len(row) {
		n *= 2
	}
	return append(row[:len(row):len(row)], make([]T, n-len(row))...)
}
