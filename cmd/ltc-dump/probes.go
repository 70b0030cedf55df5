package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"ltc/internal/files"
	"ltc/internal/test/interpreter"
	"ltc/soa/npy"
)

// probes keeps what interpreter.probe sees in a directory: files probe1.npy,
// probe2.npy, … and index.csv with a record of probe_id, type and file for
// each, as the dialect's own interpreter writes them.
type probes struct {
	dir   string
	files int
}

// numpyTypes gives NumPy's code for elements as they lie in memory. It has
// none for narrow floats, which are opaque bytes to it, and integers of less
// than a byte take one.
var numpyTypes = map[string]string{
	"i1": "|b1", "i2": "|i1", "i4": "|i1", "i8": "|i1", "i16": "<i2", "i32": "<i4", "i64": "<i8",
	"ui2": "|u1", "ui4": "|u1", "ui8": "|u1", "ui16": "<u2", "ui32": "<u4", "ui64": "<u8",
	"f16": "<f2", "bf16": "<V2", "f32": "<f4", "f64": "<f8", "tf32": "<f4", "complex<f32>": "<c8", "complex<f64>": "<c16",
}

func npyFile(v interpreter.Probed) ([]byte, error) {
	code, ok := numpyTypes[v.Elem]
	if !ok {
		code = "|V1"
	}
	head, err := npy.Header(code, v.Shape)
	return append(head, v.Data...), err
}

func (p *probes) index() string { return filepath.Join(p.dir, "index.csv") }

// Put adds a file and its record in the index.
func (p *probes) Put(id string, v interpreter.Probed) error {
	data, err := npyFile(v)
	if err != nil {
		return err
	}
	p.files++
	file := filepath.Join(p.dir, "probe"+strconv.Itoa(p.files)+".npy")
	if err := files.Write(file, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
		return err
	}
	index, err := os.OpenFile(p.index(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	w := csv.NewWriter(index)
	w.Write([]string{id, v.Type, file}) // what goes wrong is w.Error
	w.Flush()
	return errors.Join(w.Error(), index.Close())
}

// Same compares v with the file of a record.
func (p *probes) Same(id string, iteration int, v interpreter.Probed) error {
	kind, file, err := p.find(id, iteration)
	if err != nil {
		return err
	}
	want, err := npyFile(v)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	switch {
	case err != nil:
		return err
	case kind != v.Type:
		return fmt.Errorf("probe %q saw %s, the operand is %s", id, kind, v.Type)
	case !bytes.Equal(data, want):
		return fmt.Errorf("%s, what probe %q saw, is not the operand", file, id)
	}
	return nil
}

// find returns type and file of what a probe has seen, counted from 0.
func (p *probes) find(id string, iteration int) (kind, file string, err error) {
	f, err := os.Open(p.index())
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return "", "", err
	}
	for _, r := range records {
		if len(r) == 3 && r[0] == id {
			if iteration == 0 {
				return r[1], r[2], nil
			}
			iteration--
		}
	}
	return "", "", fmt.Errorf("%s has no such record of probe %q", p.index(), id)
}
