package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/internal/explain"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// explainPrograms says of each program in files, but for the first, in what it differs from
// the nearest one before.
func explainPrograms(c *call) error {
	args, err := c.parse(flag.NewFlagSet(c.name, flag.ContinueOnError))
	if err != nil {
		return err
	}
	var all []source
	asIR := true
	for _, file := range args {
		some, err := c.sources(file, 0)
		if err != nil {
			return err
		}
		for _, s := range some {
			asIR = asIR && s.isIR
		}
		all = append(all, some...)
	}
	if len(all) < 2 {
		return usagef("%s: want two or more, in one file or in several", programs(len(all)))
	}
	known := make([]explained, len(all))
	for i := range all {
		if known[i], err = all[i].explained(asIR, i, len(args) > 1 && len(all) == len(args)); err != nil {
			return err
		}
		if i > 0 {
			known[i].explain(c.stdout, known[:i])
		}
	}
	return nil
}

// explained is a program that is compared.
type explained struct {
	name    string
	at      string // the line of the step that a record has
	program *explain.Program
	sketch  explain.Sketch
}

// explained reads a program, the i-th of all. Alone says that its file has no other.
func (s *source) explained(asIR bool, i int, alone bool) (e explained, err error) {
	e.at = s.at
	if e.name = s.name; !alone {
		e.name = strings.TrimSuffix(fmt.Sprintf("program %d (%s)", i+1, s.at), " ()")
	}
	if asIR {
		g, err := s.graph()
		if err != nil {
			return e, err
		}
		e.program = explain.Of(g)
	} else {
		m, err := s.parse(context.Background())
		if err != nil {
			return e, err
		}
		if e.program, err = programOf(s.name, m); err != nil {
			return e, err
		}
	}
	e.sketch = e.program.Sketch()
	return e, nil
}

// explain prints in what the program differs from the nearest of others, the latest of which
// is the last.
func (e *explained) explain(w io.Writer, others []explained) {
	var best *explain.Comparison
	var near *explained
	for i := len(others) - 1; i >= 0; i-- {
		x := &others[i]
		if best != nil && e.sketch.Least(&x.sketch) >= best.Ops {
			continue
		}
		if c := explain.Compare(x.program, e.program); best == nil || c.Ops < best.Ops {
			best, near = c, x
		}
	}
	d := best.Difference()
	if d.Kind == explain.Equal {
		fmt.Fprintf(w, "%s and %s are equal\n", e.name, near.name)
		return
	}
	if r := d.Resized; r != nil && e.at != "" && e.at == near.at { // steps are recorded with numbers
		d.Do = fmt.Sprintf("nothing: one program that has axis %d open serves both, unless the log says that sizes stay numbers", r.Axis)
	}
	n := ""
	if d.Ops > 0 {
		n = " in " + diag.Count(d.Ops, "op")
	}
	fmt.Fprintf(w, "%s differs from %s%s, %v: %v\n", e.name, near.name, n, d.Kind, d)
}

// programOf returns the form in which a module is compared: that of its function main, or of
// its first one.
func programOf(file string, m *mlir.Module) (*explain.Program, error) {
	main := m.Func("main")
	for _, op := range m.Ops {
		if main == nil && op.Code == mlir.OpFunc {
			main = op
		}
	}
	if main == nil || main.Body() == nil {
		return nil, &mlir.Error{File: file, Pos: mlir.Pos{Line: 1, Col: 1}, Msg: "the module has no function with a body of one block"}
	}
	r := moduleReader{file: file, module: m, funcs: map[string]*explain.Program{}}
	return r.function(main), nil
}

// moduleReader reads the functions of a module.
type moduleReader struct {
	file   string
	module *mlir.Module
	funcs  map[string]*explain.Program // by symbol; nil while one is read
}

// called returns the function of a symbol; nil if there is none, or it is being read.
func (r *moduleReader) called(symbol string) *explain.Program {
	if p, known := r.funcs[symbol]; known {
		return p
	}
	r.funcs[symbol] = nil
	if f := r.module.Func(symbol); f != nil && f.Body() != nil {
		r.funcs[symbol] = r.function(f)
	}
	return r.funcs[symbol]
}

// function returns the form of a function.
func (r *moduleReader) function(f *mlir.Op) *explain.Program {
	b := blockReader{moduleReader: r, at: map[*mlir.Value]int32{}}
	dicts, _ := f.Attrs.Get("arg_attrs").(mlir.ArrayAttr)
	taken := map[int64]int32{} // results to arguments
	for i, v := range f.Body().Args {
		name := ""
		if i < len(dicts) {
			d, _ := dicts[i].(mlir.DictAttr)
			if s, ok := mlir.Dict(d).Get("ltc.name").(mlir.StringAttr); ok {
				name = strconv.Quote(string(s))
			}
			if a, ok := mlir.Dict(d).Get("tf.aliasing_output").(mlir.IntegerAttr); ok {
				taken[a.Value] = int32(i)
			}
		}
		b.argument(v, name, f.Pos)
	}
	return b.block(f.Body(), taken)
}

// blockReader reads a block.
type blockReader struct {
	*moduleReader
	ops    []explain.Op
	texts  []func() explain.Text
	bodies [][]*explain.Program
	at     map[*mlir.Value]int32
}

func (b *blockReader) add(o explain.Op, text func() explain.Text, bodies ...*explain.Program) int32 {
	b.ops, b.texts, b.bodies = append(b.ops, o), append(b.texts, text), append(b.bodies, bodies)
	return int32(len(b.ops) - 1)
}

// argument adds an argument of a function or a region, or what a region takes from outside.
func (b *blockReader) argument(v *mlir.Value, name string, pos mlir.Pos) int32 {
	if name == "" && v.Name != "" {
		name = "%" + v.Name
	}
	o := explain.Op{Label: explain.LeafLabel, Role: explain.Leaf, Type: explain.MixText(0, v.Type.String()), At: b.line(v.Loc, pos)}
	b.at[v] = b.add(o, func() explain.Text { return typed(strings.TrimSpace("parameter "+name), v) })
	return b.at[v]
}

// line returns the line that a location says, or else the one of the text.
func (b *blockReader) line(loc mlir.Location, pos mlir.Pos) callsite.Site {
	text, _, _ := strings.Cut(backends.LineOf(loc), " in ")
	if i := strings.LastIndexByte(text, ':'); i > 0 {
		if n, err := strconv.Atoi(text[i+1:]); err == nil {
			return callsite.At(text[:i], n)
		}
	}
	if pos.Line == 0 {
		return 0
	}
	return callsite.At(b.file, pos.Line)
}

// block adds the ops of a block and returns the form of it. Taken says which results take
// over the memory of which arguments.
func (b *blockReader) block(block *mlir.Block, taken map[int64]int32) *explain.Program {
	var results, alias []int32
	for i, op := range block.Ops {
		in := make([]int32, len(op.Operands))
		for k, v := range op.Operands {
			at, known := b.at[v]
			if !known { // of a block around
				at = b.argument(v, "", op.Pos)
			}
			in[k] = at
		}
		if last := i == len(block.Ops)-1; last && len(op.Results) == 0 {
			for k := range in {
				a, some := taken[int64(k)]
				if !some {
					a = -1
				}
				alias = append(alias, a)
			}
			results = in
			break
		}
		b.op(op, in)
	}
	texts := b.texts
	return explain.New(b.ops, results, alias, func(i int) explain.Text { return texts[i]() }, b.bodies)
}

// op adds an op, and one for each of its results if there are several.
func (b *blockReader) op(op *mlir.Op, in []int32) {
	o := explain.Op{Label: explain.MixText(2, op.Name()), In: in, At: b.line(op.Loc, op.Pos)}
	name := strings.TrimPrefix(op.Name(), "stablehlo.")
	switch op.Code {
	case stablehlo.Constant:
		o.Label, o.Role = explain.LeafLabel, explain.Literal
	case stablehlo.Iota, stablehlo.BroadcastInDim:
		o.Role = explain.Filled
	case stablehlo.RNG, stablehlo.RNGBitGenerator:
		o.Role = explain.Drawn
	case stablehlo.Composite:
		s, _ := op.Attrs.Get("name").(mlir.StringAttr)
		if name = string(s); explain.Draws(name) {
			o.Role = explain.Drawn
		}
		o.Label = explain.MixText(3, name)
	}
	for _, v := range op.Results {
		o.Type = explain.MixText(o.Type, v.Type.String())
	}
	attrs := attrTexts(op)
	for _, a := range attrs {
		o.Attrs = explain.MixText(o.Attrs, a)
	}
	var bodies []*explain.Program
	if f := b.called(op.Callee()); f != nil {
		bodies = append(bodies, f)
	}
	for block := range op.Blocks() {
		inner := blockReader{moduleReader: b.moduleReader, at: map[*mlir.Value]int32{}}
		for _, v := range block.Args {
			inner.argument(v, "", op.Pos)
		}
		bodies = append(bodies, inner.block(block, nil))
	}
	at := b.add(o, func() explain.Text {
		t := typed(name, op.Results...)
		if t.Attrs = attrs; op.Code == stablehlo.Constant && len(attrs) > 0 {
			_, value, _ := strings.Cut(attrs[0], " = ")
			value, _, _ = strings.Cut(value, " : ")
			t.Literal = strings.TrimSuffix(strings.TrimPrefix(value, "dense<"), ">")
		}
		return t
	}, bodies...)
	for k, v := range op.Results {
		if b.at[v] = at; len(op.Results) > 1 {
			r := explain.Op{Label: explain.MixText(4, "result"), Attrs: uint64(k), In: []int32{at}, At: o.At, Type: explain.MixText(0, v.Type.String())}
			b.at[v] = b.add(r, func() explain.Text { return typed(fmt.Sprintf("result %d of %s", k, name), v) })
		}
	}
}

// attrTexts returns the attributes of an op as name = value, but for the names of functions.
func attrTexts(op *mlir.Op) (all []string) {
	for _, e := range op.Attrs.Sorted() {
		switch a := e.Value.(type) {
		case mlir.SymbolAttr:
		case mlir.DictAttr:
			for _, x := range mlir.Dict(a).Sorted() {
				all = append(all, x.Name+" = "+x.Value.String())
			}
		default:
			all = append(all, e.Name+" = "+a.String())
		}
	}
	return all
}

// typed returns the text of an op with these results. Types are as the IR has them, where it
// has them.
func typed(name string, results ...*mlir.Value) explain.Text {
	t := explain.Text{Name: name}
	var all []string
	for _, v := range results {
		text := v.Type.String()
		if x, ok := v.Type.(*mlir.TensorType); ok && !x.Unranked && mlir.DTypeOf(x.Elem) != types.Invalid {
			of := types.Type{DType: mlir.DTypeOf(x.Elem)}
			for _, n := range x.Shape {
				of.Shape = append(of.Shape, int(n))
			}
			t.Types = append(t.Types, of)
			if x.Static() {
				text = of.String()
			}
		}
		all = append(all, text)
	}
	if len(t.Types) < len(results) {
		t.Types = nil
	}
	if t.Type = strings.Join(all, ", "); len(all) != 1 {
		t.Type = "(" + t.Type + ")"
	}
	return t
}
