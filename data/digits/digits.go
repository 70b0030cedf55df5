// Package digits has a small data set to learn and to test with: 1,797 handwritten
// digits, of which README.md here gives source and licence. They are part of the program
// that imports it, 57 kB, and need no file. Its only function is [Load].
//
// The package imports only ltc/data.
package digits

import (
	"bytes"
	_ "embed"

	"ltc/data"
)

// Columns of a row of the table.
const (
	Pixels = 64     // columns 0 to 63: an image of 8×8 pixels, row by row
	Label  = Pixels // the column after them: the digit, 0 to 9
)

//go:embed digits.csv.gz
var zipped []byte

// Load returns the digits as a table of 1,797 rows and 65 columns: the pixels, from 0 to
// 1, white on black, then the label. Each call reads them anew: the table is the caller's.
func Load() *data.Table {
	t, err := data.ReadCSV("digits.csv.gz", bytes.NewReader(zipped))
	if err != nil {
		panic(err) // the file is part of this package
	}
	for r := range t.Rows {
		row := t.Row(r)
		for i := range Pixels {
			row[i] /= 16
		}
	}
	return t
}
