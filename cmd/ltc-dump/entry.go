package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ltc/backends"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// program is a module whose main is the function that is to run.
type program struct {
	file, source string // as it was given
	function     string // its name there
	text         string // as a backend gets it
}

// entry makes the function called name the main of the module with the given
// text. The ops keep their ordinals.
func entry(ctx context.Context, file, text, name string) (*program, error) {
	p := &program{file: file, source: text, function: name, text: text}
	if name == "main" {
		return p, nil
	}
	m, err := stablehlo.ParseContext(ctx, file, text)
	if err != nil {
		return nil, err
	}
	if err := verify.ModuleContext(ctx, m); err != nil {
		return nil, err
	}
	f := m.Func(name)
	if f == nil {
		return nil, fmt.Errorf("-func %s: %s", name, functions(m))
	}
	other := "main"
	for m.Func(other) != nil {
		other += "_"
	}
	swap := map[mlir.SymbolAttr]mlir.SymbolAttr{mlir.SymbolAttr(name): "main", "main": mlir.SymbolAttr(other)}
	m.Walk(func(op *mlir.Op) bool {
		for i, a := range op.Attrs {
			op.Attrs[i].Value = renamed(a.Value, swap)
		}
		return true
	})
	if main := m.Func("main"); main != nil {
		main.Attrs.Set("sym_name", mlir.StringAttr(other))
	}
	f.Attrs.Set("sym_name", mlir.StringAttr("main"))
	f.Attrs.Set("sym_visibility", mlir.StringAttr("public"))
	p.text = mlir.Print(m)
	return p, nil
}

// functions names those of a module.
func functions(m *mlir.Module) string {
	var names []string
	for _, op := range m.Ops {
		if op.Code == mlir.OpFunc {
			names = append(names, op.SymName())
		}
	}
	if names == nil {
		return "the module has no functions"
	}
	return "the module has " + strings.Join(names, ", ")
}

// renamed returns a with the symbols in it renamed.
func renamed(a mlir.Attribute, names map[mlir.SymbolAttr]mlir.SymbolAttr) mlir.Attribute {
	switch a := a.(type) {
	case mlir.SymbolAttr:
		if to, ok := names[a]; ok {
			return to
		}
	case mlir.ArrayAttr:
		all := make(mlir.ArrayAttr, len(a))
		for i, x := range a {
			all[i] = renamed(x, names)
		}
		return all
	case mlir.DictAttr:
		all := make(mlir.DictAttr, len(a))
		for i, x := range a {
			all[i] = mlir.NamedAttr{Name: x.Name, Value: renamed(x.Value, names)}
		}
		return all
	}
	return a
}

// located gives an error about the text that the backend got the places of the
// text that was given, if that can be read in the time that is left.
func (p *program) located(ctx context.Context, err error) error {
	if ctx.Err() != nil { // it says where the program was
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), grace/2)
		defer cancel()
	}
	var lacking *backends.UnsupportedError
	if p.text == p.source || !errors.As(err, &lacking) {
		return located(ctx, err, p.file, p.source)
	}
	got, err1 := stablehlo.ParseContext(ctx, p.file, p.text)
	given, err2 := stablehlo.ParseContext(ctx, p.file, p.source)
	if err1 != nil || err2 != nil {
		return err
	}
	var places []mlir.Pos
	given.Walk(func(op *mlir.Op) bool { places = append(places, op.Pos); return true })
	ordinals := map[mlir.Pos]int{}
	got.Walk(func(op *mlir.Op) bool { ordinals[op.Pos] = op.Ordinal; return true })
	lines := strings.Split(p.source, "\n")
	moved := *lacking
	moved.Ops = nil
	for _, o := range lacking.Ops {
		if n, ok := ordinals[o.Pos]; ok && n < len(places) {
			o.Pos = places[n]
			o.Line = lines[o.Pos.Line-1]
		}
		moved.Ops = append(moved.Ops, o)
	}
	return &moved
}
