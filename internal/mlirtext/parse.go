package mlirtext

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"ltc/mlir"
)

// Parse reads a module, as package stablehlo's Parse does.
func Parse(file, text string) (*mlir.Module, error) {
	return ParseContext(context.Background(), file, text)
}

// parse reads c; a context that is done ends it.
func parse(ctx context.Context, c Chunk) (*mlir.Module, error) {
	if strings.HasPrefix(c.Body(), bytecode) {
		return nil, &mlir.Error{File: c.File, Pos: mlir.Pos{Line: c.Line, Col: 1}, Msg: "this is MLIR bytecode; export the program as text: mlir_module() of a jax.export, lower(…).as_text(), str(module) or mlir-opt"}
	}
	if !utf8.ValidString(c.Body()) {
		return nil, source(c).Errors([]*mlir.Error{notUTF8(c)})
	}
	r := newResolver(c.Text)
	r.done = ctx.Done()
	m := r.file(c)
	if m == nil && len(r.missing) > 0 && len(r.late) > 0 {
		// An alias that does not start a line was used before it stood there.
		again := newResolver(c.Text)
		again.done = r.done
		for _, name := range r.late {
			again.noteAlias(name, r.aliases[name].offset, r.aliases[name].pos)
		}
		r, m = again, again.file(c)
	}
	if m == nil && ctx.Err() != nil {
		return nil, ended(ctx, c, r.errs)
	}
	if m == nil {
		return nil, source(c).Errors(r.errs)
	}
	m.SetSource(c.File, c.Text)
	m.Number()
	return m, nil
}

// bytecode starts files in MLIR's binary form.
const bytecode = "ML\xefR"

func notUTF8(c Chunk) *mlir.Error {
	s := scanner{text: c.Text, off: c.Offset, start: c.Offset, line: c.Line}
	for {
		c, n := utf8.DecodeRuneInString(s.text[s.off:])
		if c == utf8.RuneError && n == 1 {
			return mlir.Errorf(s.pos(), "byte %#02x is not UTF-8", s.text[s.off])
		}
		s.off += n
		if c == '\n' {
			s.line++
			s.start = s.off
		}
	}
}

// file makes the module: the text's only top-level op if that is one, and else
// a module without name around all of them. It is nil when there were errors.
func (r *resolver) file(c Chunk) *mlir.Module {
	r.findAliases(c.Text, c.Offset, c.Line)
	var ops []*mlir.Op
	err := r.try(func() {
		for s := newStream(r, c.Text, c.Offset, mlir.Pos{Line: c.Line, Col: 1}); !s.tok.EOF(); {
			switch {
			case s.tok.Type == HashToken || s.tok.Type == tokBang:
				r.aliasItem(s)
			case s.Is("{-#"):
				r.resourceItem(s)
			default:
				ops = append(ops, r.opLine(s))
			}
		}
	})
	if err != nil {
		r.failed(err)
		return nil
	}
	m := r.module(ops)
	r.settle(0, true)
	// A text that breaks off has lost its aliases, too: these errors are those of a whole text.
	r.errs = slices.AppendSeq(r.errs, maps.Values(r.missing))
	if len(r.errs) > 0 {
		return nil
	}
	if r.section != nil {
		m.Resources = r.section.list
	}
	return m
}

func (r *resolver) module(ops []*mlir.Op) *mlir.Module {
	m := &mlir.Module{Ops: ops}
	if len(ops) != 1 || ops[0].Code != mlir.OpModule {
		return m
	}
	op := ops[0]
	m = &mlir.Module{Name: op.SymName(), Loc: op.Loc}
	for _, a := range op.Attrs {
		if a.Name != "sym_name" {
			m.Attrs = append(m.Attrs, a)
		}
	}
	if len(op.Regions) != 1 || len(op.Regions[0].Blocks) > 1 || len(op.Operands)+len(op.Results) > 0 {
		r.fail(op.Pos, "builtin.module has one region of one block, and neither operands nor results")
		return m
	}
	if b := op.Body(); b != nil {
		m.Ops = b.Ops
	}
	return m
}

// ParseContext is [Parse] that ends when ctx is done, with an error that wraps
// its cause.
func ParseContext(ctx context.Context, file, text string) (*mlir.Module, error) {
	return parse(ctx, Chunk{File: file, Text: text, Line: 1})
}

// ended is the error of a text that a context ended, in the last line of errs.
func ended(ctx context.Context, c Chunk, errs []*mlir.Error) error {
	line := 0
	for _, e := range errs {
		line = max(line, e.Pos.Line)
	}
	return source(c).Ended(ctx, "parse", mlir.Pos{Line: line})
}

// source returns a module that has only the text of c, for errors.
func source(c Chunk) *mlir.Module {
	m := &mlir.Module{}
	m.SetSource(c.File, c.Text)
	return m
}
