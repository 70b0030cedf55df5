// Command gen writes accessors of a struct's columns that use no reflection:
//
//	//go:generate go run ltc/soa/gen -type Hit
//	type Hit struct { … }
//
// makes hit_soa_gen.go with HitLayout, and with HitView and HitConstView, whose
// At(i) has a method for each column, and which have one for each scalar. What
// a struct may have, and its tags, are those of soa.LayoutOf; blocks have
// accessors of their own struct.
//
// Methods have the fields' names. So a field cannot be Index or, if it is a scalar, At,
// All, Len, Columns, Const or Entries. Nor can it be a name of another field's methods:
// those of X are X, SetX and XEntries, and a jagged one has XLen. A tag gives the column of
// a field with another name that name: Number int32 `soa:"Index"`.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	name := flag.String("type", "", "the struct")
	out := flag.String("o", "", "the file to write (NAME_soa_gen.go)")
	file := flag.String("file", os.Getenv("GOFILE"), "the file that has the struct")
	flag.Parse()
	switch {
	case *name == "":
		usage("-type names no struct")
	case *file == "":
		usage("-file names no file: go generate sets it, by GOFILE")
	}
	if *out == "" {
		*out = filepath.Join(filepath.Dir(*file), strings.ToLower(*name)+"_soa_gen.go")
	}
	if err := run(*file, *name, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// usage says what the command line lacks, and ends the program.
func usage(lacks string) {
	fmt.Fprintf(os.Stderr, "gen: %s\nusage: go run ltc/soa/gen -type NAME [flags]\n", lacks)
	flag.PrintDefaults()
	os.Exit(2)
}

// run writes out anew, unless it is as it should be.
func run(file, name, out string) error {
	s, err := read(file, name)
	if err != nil {
		return err
	}
	text, err := s.source()
	if err != nil {
		return s.positioned(err)
	}
	if old, err := os.ReadFile(out); err == nil && bytes.Equal(old, text) {
		return nil
	}
	return os.WriteFile(out, text, 0o644)
}
