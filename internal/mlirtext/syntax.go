package mlirtext

import (
	"slices"
	"strconv"

	"ltc/mlir"
)

// Syntax is the pretty form of an op behind its name, as a list of parts: one
// list reads it and prints it. The parts follow the directives of MLIR's
// declarative assembly format, in which the dialect defines its own.
type Syntax []Part

// Part is one piece of a pretty form.
type Part interface {
	// Parse reads the piece into o, or ends the reading by [Stream.Stop].
	Parse(lex *Stream, o *OpText)
	// Fits reports whether the piece can print op so that it reads back the same.
	Fits(op *mlir.Op) bool
	Print(p *Printer, op *mlir.Op)
	// Shows returns the attributes that the piece prints.
	Shows() []string
}

func (s Syntax) Parse(lex *Stream, o *OpText) {
	for _, p := range s {
		p.Parse(lex, o)
	}
}

func (s Syntax) Fits(op *mlir.Op) bool {
	return len(op.Successors) == 0 && !slices.ContainsFunc(s, func(p Part) bool { return !p.Fits(op) })
}

func (s Syntax) Print(p *Printer, op *mlir.Op) {
	for _, q := range s {
		q.Print(p, op)
	}
}

func (s Syntax) Shows() []string {
	var names []string
	for _, p := range s {
		names = append(names, p.Shows()...)
	}
	return names
}

// Plain is embedded by parts that always fit and show no attribute.
type Plain struct{}

func (Plain) Fits(*mlir.Op) bool { return true }
func (Plain) Shows() []string    { return nil }

// Operands is a list of that many operands, or if negative of any number; with -2,
// none print as a space, which the dialect's printer leaves. A comma behind the
// list that no operand follows is left for the next part.
type Operands int

func (s Operands) Parse(lex *Stream, o *OpText) {
	if s < 0 {
		s.parseAny(lex, o)
		return
	}
	for i := range int(s) {
		if i > 0 && !lex.Accept(",") {
			lex.Stop(Unexpected(lex.Peek(), "',' and operand "+strconv.Itoa(i+1)+" of "+strconv.Itoa(int(s))))
		}
		o.Operand(lex)
	}
}

func (Operands) parseAny(lex *Stream, o *OpText) {
	start, had := lex.Mark(), len(o.Operands)
	for lex.tok.Type == ValueToken {
		o.Operand(lex)
		if !lex.Is(",") {
			break
		}
		comma := lex.Mark()
		if lex.Next(); lex.tok.Type != ValueToken {
			lex.GoTo(comma)
			break
		}
	}
	if len(o.Operands) > had && definesResults(lex) {
		lex.GoTo(start)
		o.Operands = o.Operands[:had]
	}
}

// definesResults reports whether the values just read are not operands but what
// the next op defines: behind a return without operands, %0 = or %0:2.
func definesResults(lex *Stream) bool {
	if !lex.Is(":") {
		return lex.Is("=")
	}
	back := lex.Mark()
	lex.Next()
	count := lex.tok.Type == IntToken
	lex.GoTo(back)
	return count
}

func (s Operands) Fits(op *mlir.Op) bool { return s < 0 || int(s) == len(op.Operands) }
func (Operands) Shows() []string         { return nil }
func (s Operands) Print(p *Printer, op *mlir.Op) {
	if s == -2 && len(op.Operands) == 0 {
		p.Str(" ")
	}
	for i, v := range op.Operands {
		if i > 0 {
			p.Str(",")
		}
		p.Str(" ")
		p.Use(v)
	}
}

// AttrDict is the dictionary of the attributes that no other part shows.
// It stands in ops that have no regions.
type AttrDict struct{ Plain }

func (AttrDict) Fits(op *mlir.Op) bool { return len(op.Regions) == 0 }

func (AttrDict) Parse(lex *Stream, o *OpText) { o.OptionalAttrDict(lex) }
func (AttrDict) Print(p *Printer, op *mlir.Op) {
	p.RestDict(op)
}

// ShortType reads `: T…`, leaving the types behind the first to rest, or a
// whole function type.
func (o *OpText) ShortType(lex *Stream, rest func(first TypeText)) {
	lex.Expect(":")
	if lex.Is("(") {
		o.functionTypes(lex)
		return
	}
	t := lex.Type()
	o.TypePos = t.Pos
	rest(t)
}

// TypeList is `: T1, T2`, the types of all results where there are no operands,
// or of the operands where there are no results. With optional, nothing stands
// for none.
type TypeList struct {
	Plain
	Operands bool // of the operands; else of the results
	Both     bool // operands and results have the same types
	Optional bool
}

func (s TypeList) Parse(lex *Stream, o *OpText) {
	if s.Optional && !lex.Is(":") {
		return
	}
	lex.Expect(":")
	o.TypePos = lex.tok.Pos
	for {
		t := lex.Type()
		if s.Operands || s.Both {
			o.Ins = append(o.Ins, t)
		}
		if !s.Operands {
			o.Outs = append(o.Outs, t)
		}
		if !lex.Accept(",") {
			return
		}
	}
}

func (s TypeList) Fits(op *mlir.Op) bool {
	switch {
	case s.Both:
		return SameTypes(mlir.TypesOf(op.Operands), mlir.TypesOf(op.Results)) && (s.Optional || len(op.Results) > 0)
	case s.Operands:
		return len(op.Results) == 0 && (s.Optional || len(op.Operands) > 0)
	}
	return len(op.Operands) == 0 && (s.Optional || len(op.Results) > 0)
}

func (s TypeList) Print(p *Printer, op *mlir.Op) {
	vs := op.Results
	if s.Operands {
		vs = op.Operands
	}
	for i, v := range vs {
		p.Str([]string{", ", " : "}[btoi(i == 0)])
		p.Type(v.Type)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
