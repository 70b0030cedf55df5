package main

import (
	"os"
	"path/filepath"

	"ltc/data"
)

// pixels is the number of columns of the table that are an image; the label
// follows.
const pixels = 64

const dataFile = "testdata/digits/digits.csv.gz"

// root returns the directory that holds the data: the current one or the
// nearest above it, or above the executable; "." when there is none.
func root() string {
	if wd, err := os.Getwd(); err == nil {
		if dir := above(wd); dir != "" {
			if rel, err := filepath.Rel(wd, dir); err == nil {
				return rel
			}
			return dir
		}
	}
	if exe, err := os.Executable(); err == nil {
		if dir := above(filepath.Dir(exe)); dir != "" {
			return dir
		}
	}
	return "."
}

// above returns dir or the nearest directory above it that holds the data.
func above(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(dataFile))); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// load reads the images, scaled to [0, 1], and holds every fifth back.
func load(path string) (train, test *data.Table, err error) {
	t, err := data.ReadCSVFile(path)
	if err != nil {
		return nil, nil, err
	}
	for r := range t.Rows {
		for i := range pixels {
			t.Row(r)[i] /= 16
		}
	}
	trainRows, testRows := data.Holdout(t.Rows, 5)
	return t.Select(trainRows), t.Select(testRows), nil
}
