package kernel

import (
	"slices"

	"ltc/backends/kit/approx"
)

// TableRow is a row of one of [approx.Tables], as [Lookup] names it.
type TableRow int64

// RowOf returns a row of the table with the given number.
func RowOf(table, row int) TableRow { return TableRow(table<<8 | row) }

// Table returns the table and which row of it r is; no table if there is none.
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
