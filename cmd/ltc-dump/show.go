package main

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ltc/internal/conformance"
	"ltc/ir"
	"ltc/lower"
	"ltc/mlir"
	"ltc/shapeinfer"
)

// irSuffix ends the names of files in the text form of our own IR.
const irSuffix = ".ltcir"

// read returns the content of file, without a byte order mark, and the name
// that errors give it.
func (c *call) read(file string) (name, text string, err error) {
	var data []byte
	if name = file; file == "-" {
		name = "<stdin>"
		data, err = conformance.ReadPipe(name, c.stdin)
	} else {
		data, err = conformance.ReadFile(file)
	}
	return name, strings.TrimPrefix(string(data), "\ufeff"), err
}

// program reads a file that must not be empty.
func (c *call) program(file string) (name, text string, err error) {
	name, text, err = c.read(file)
	if err == nil && strings.TrimSpace(text) == "" {
		err = &mlir.Error{File: name, Pos: mlir.Pos{Line: 1, Col: 1}, Msg: "the file is empty: there is no program in it"}
	}
	return name, text, err
}

// graph reads a file in the text form of our own IR and verifies it.
func (c *call) graph(file string) (*ir.Graph, error) {
	name, text, err := c.program(file)
	if err != nil {
		return nil, err
	}
	g, err := ir.Parse(name, text)
	if err != nil {
		return nil, err
	}
	return g, g.Verify(shapeinfer.Infer)
}

// module reads a file and returns the text of the MLIR module that it holds or
// lowers to.
func (c *call) module(file string) (name, text string, err error) {
	if filepath.Ext(file) != irSuffix {
		return c.program(file)
	}
	g, err := c.graph(file)
	if err != nil {
		return "", "", err
	}
	return file, lower.Text(g, true), nil
}

func show(c *call) error {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	asIR := fs.Bool("ir", false, "read FILE as the text form of our own IR, and print that")
	asDot := fs.Bool("dot", false, "read FILE as the text form of our own IR, and print a drawing of it for Graphviz")
	loc := fs.Bool("loc", false, "print the ops' locations")
	generic := fs.Bool("generic", false, "print no pretty forms")
	args, err := c.parse(fs)
	switch {
	case err != nil:
		return err
	case len(args) != 1:
		return usagef("%d files: want one", len(args))
	}
	if *asIR || *asDot {
		g, err := c.graph(args[0])
		if err != nil {
			return err
		}
		text := g.String()
		if *asDot {
			text = g.Dot()
		}
		_, err = io.WriteString(c.stdout, text)
		return err
	}
	name, text, err := c.module(args[0])
	if err != nil {
		return err
	}
	m, err := mlir.Parse(name, text)
	if err != nil {
		return err
	}
	return m.Print(c.stdout, mlir.PrintOptions{Locations: *loc, Generic: *generic})
}

func verify(c *call) error {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	expect := fs.Bool("expect-errors", false, "check chunks between lines // ----- against their comments expected-error@+N {{…}};\ndirectories stand for the *.mlir files below them")
	args, err := c.parse(fs)
	switch {
	case err != nil:
		return err
	case len(args) == 0:
		return usagef("no files")
	case *expect:
		return c.expectErrors(args)
	}
	if len(args) == 1 {
		return c.verifyFile(args[0])
	}
	bad := 0
	for _, file := range args {
		err := c.verifyFile(file)
		switch {
		case err == nil:
			continue
		case positional(err):
			fmt.Fprintln(c.stderr, err)
		default:
			fmt.Fprintf(c.stderr, "ltc-dump verify: %v\n", err)
		}
		bad++
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d files are not valid", bad, len(args))
	}
	return nil
}

// verifyFile checks a file and prints that it is valid, and why run would not
// take it all the same.
func (c *call) verifyFile(file string) error {
	name, text, err := c.module(file)
	if err != nil {
		return err
	}
	m, err := mlir.Parse(name, text)
	if err != nil {
		return err
	}
	if err := mlir.Verify(m); err != nil {
		return err
	}
	hint := ""
	if m.Func("main") == nil {
		hint = ", but without @main: run needs -func; " + functions(m)
	}
	fmt.Fprintf(c.stdout, "%s: ok%s\n", file, hint)
	return nil
}
