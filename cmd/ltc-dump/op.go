package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"ltc/internal/calls"
	"ltc/internal/diag"
	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
	"ltc/soa/npy"
)

// calling is what op's flags ask for.
type calling struct {
	attrs           attributes
	given           sources
	output, backend string
	grad, grad2     bool
	serve           bool
}

// attributes collects the -attr flags.
type attributes map[string]string

func (a attributes) String() string { return "" }

// Set adds a flag's value.
func (a attributes) Set(s string) error {
	name, text, ok := strings.Cut(s, "=")
	if !ok || name == "" {
		return fmt.Errorf("want NAME=VALUE, such as axis=-1")
	}
	if _, twice := a[name]; twice {
		return fmt.Errorf("%s has a value already", name)
	}
	a[name] = text
	return nil
}

// sources collects the -input flags.
type sources []string

func (s *sources) String() string { return "" }

// Set adds a flag's value.
func (s *sources) Set(v string) error {
	*s = append(*s, v)
	return nil
}

func (o *calling) flags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	o.attrs = attributes{}
	fs.Var(o.attrs, "attr", "an attribute, `NAME=VALUE`: axis=-1, axes=0,2, dtype=bf16, epsilon=1e-5, causal=true.\n"+
		"A list that is left out is empty, a flag false. May be repeated")
	fs.Var(&o.given, "input", "the next tensor, `SOURCE`: a .npy file, a .npz file whose arrays are the next ones, or a\n"+
		"type with numbers or with what makes them, f32[3]:1,-2,nan, c64[2]:1+2i,3\n"+
		"or f32[2,3]:rand:1 ("+samples.Kinds+"). May be repeated")
	fs.StringVar(&o.output, "output", "", "`file` to write the results to, a .npz, or a .npy if there is one;\nthey are printed if it is empty")
	fs.BoolVar(&o.grad, "grad", false, "compute the gradient for each floating-point input, too: of the sum of all\nfloating-point results. Input 0 has it as grad0")
	fs.BoolVar(&o.grad2, "grad2", false, "compute the gradients as -grad does, and the gradient of the sum of them all for\neach floating-point input. Input 0 has it as second0")
	fs.StringVar(&o.backend, "backend", "cpu", "`name` of the backend")
	fs.BoolVar(&o.serve, "serve", false, "read requests from standard input, a line of JSON each, and answer each with a line:\nsee docs/tools.md")
	return fs
}

// callOp runs the sub-command op.
func callOp(c *call) error {
	var o calling
	args, err := c.parse(o.flags(c.name))
	if err != nil {
		return err
	}
	switch {
	case o.serve && (len(args) > 0 || len(o.attrs) > 0 || len(o.given) > 0 || o.output != "" || o.grad):
		return usagef("-serve takes everything but -backend from the requests")
	case !o.serve && len(args) != 1:
		return usagef("%s: want one", diag.Count(len(args), "op"))
	case o.output != "" && filepath.Ext(o.output) != ".npz" && filepath.Ext(o.output) != ".npy":
		return usagef("-output %s: want a name that ends in .npz or .npy", o.output)
	}
	if _, err := open(o.backend); err != nil {
		return err
	}
	dev, err := lazy.Open(o.backend)
	if err != nil {
		return err
	}
	defer dev.Close()
	if o.serve {
		return serve(c, dev)
	}
	return o.run(c, dev, args[0])
}

// run calls one op.
func (o *calling) run(c *call, dev *lazy.Device, name string) error {
	op, err := calls.Find(name)
	if err != nil {
		return fmt.Errorf("%w; ltc-dump ops lists them", err)
	}
	attrs, err := op.Parse(o.attrs)
	if err != nil {
		return err
	}
	r := calls.Request{Op: op, Attrs: attrs, Gradients: o.grad, Second: o.grad2}
	for _, s := range o.given {
		vs, err := valuesFrom(s)
		if err != nil {
			return fmt.Errorf("-input %s: %w", s, err)
		}
		r.Inputs = append(r.Inputs, vs...)
	}
	got, err := calls.Run(dev, r)
	if err != nil {
		return err
	}
	var entries []npy.Entry
	for _, part := range []struct {
		name  string
		views []soa.View
	}{{"out", got.Results}, {"grad", got.Gradients}, {"second", got.Seconds}} {
		for i, v := range part.views {
			if !v.IsZero() {
				entries = append(entries, npy.Entry{Name: fmt.Sprint(part.name, i), View: v})
			}
		}
	}
	switch {
	case o.output == "":
		return c.printed(entries)
	case filepath.Ext(o.output) == ".npz":
		return npy.WriteArchive(o.output, entries)
	case len(entries) != 1:
		return fmt.Errorf("-output %s holds one array, there are %d: name a .npz file", o.output, len(entries))
	}
	return npy.WriteFile(o.output, entries[0].View)
}

// printed prints values with their names.
func (c *call) printed(entries []npy.Entry) error {
	for _, e := range entries {
		s, err := samples.Format(e.View)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, "%s: %v\n%s\n", e.Name, e.View.Type, s)
	}
	return nil
}

// valuesFrom reads or makes the values of an -input flag.
func valuesFrom(source string) ([]soa.View, error) {
	switch filepath.Ext(source) {
	case ".npy":
		v, err := npy.ReadFile(source)
		return []soa.View{v}, err
	case ".npz":
		entries, err := npy.ReadArchive(source)
		var all []soa.View
		for _, e := range entries {
			all = append(all, e.View)
		}
		return all, err
	}
	text, what, ok := strings.Cut(source, ":")
	t, err := types.ParseType(text)
	if !ok || err != nil {
		return nil, fmt.Errorf("want a .npy or .npz file, or a type with numbers such as f32[3]:1,-2,nan, or with %s", samples.Kinds)
	}
	if v, err := samples.Make(t, what); err == nil {
		return []soa.View{v}, nil
	}
	v, err := written(t, what)
	return []soa.View{v}, err
}

// written returns a tensor of numbers that are written in row-major order.
func written(t types.Type, numbers string) (soa.View, error) {
	texts := strings.FieldsFunc(numbers, func(r rune) bool { return r == ',' || r == ' ' })
	if err := t.Check(); err != nil {
		return soa.View{}, err
	}
	if len(texts) != t.Elements() {
		return soa.View{}, fmt.Errorf("%v has %s, got %s", t, diag.Count(t.Elements(), "element"), diag.Count(len(texts), "number"))
	}
	v := soa.Make(t)
	for i, s := range texts {
		if err := setText(v, i, s); err != nil {
			return soa.View{}, err
		}
	}
	return v, nil
}

// setText stores the number that a text has in element i (row-major) of a dense view. Integers
// keep all their digits. One beyond the dtype is an error.
func setText(v soa.View, i int, text string) error {
	switch d := v.Type.DType; {
	case d.IsComplex():
		z, err := strconv.ParseComplex(text, 128)
		if err != nil {
			return fmt.Errorf("%q is no complex number: write one as 1+2i", text)
		}
		samples.SetComplex(v, i, z)
	case d == types.Bool:
		switch text {
		case "true", "1":
			samples.SetBits(v, i, 1)
		case "false", "0":
		default:
			return fmt.Errorf("%q is no bool: write true, false, 1 or 0", text)
		}
	case d.IsSigned() && d.IsInteger():
		n, err := strconv.ParseInt(text, 10, 8*d.Size())
		if err != nil {
			least := int64(-1) << (8*d.Size() - 1)
			return fmt.Errorf("%q is no %v: want an integer from %d to %d", text, d, least, -(least + 1))
		}
		samples.SetBits(v, i, uint64(n))
	case d.IsInteger():
		n, err := strconv.ParseUint(text, 10, 8*d.Size())
		if err != nil {
			return fmt.Errorf("%q is no %v: want an integer from 0 to %d", text, d, ^uint64(0)>>(64-8*d.Size()))
		}
		samples.SetBits(v, i, n)
	default:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%q is no number", text)
		}
		samples.Set(v, i, x)
	}
	return nil
}
