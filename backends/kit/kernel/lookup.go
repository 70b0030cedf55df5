package kernel

import (
	"slices"

	"ltc/backends/kit/approx"
)

// TableRow names a row of one of [approx.Tables]. A [Lookup] has a TableRow as its [Instr].Aux.
type TableRow int64

// RowOf returns the TableRow of a row of approx.Tables[table].
func RowOf(table, row int) TableRow { return TableRow(table<<8 | row) }

// Table returns the table of r and the number of the row in it. The table is nil if r names no
// table.
func (r TableRow) Table() (*approx.Table, int) {
	if n := int64(r >> 8); n >= 0 && n < int64(len(approx.Tables)) {
		return &approx.Tables[n], int(r & 255)
	}
	return nil, 0
}

func tableNamed(name string) (int, bool) {
	n := slices.IndexFunc(approx.Tables[:], func(t approx.Table) bool { return t.Name == name })
	return n, n >= 0
}
