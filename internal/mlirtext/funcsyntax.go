package mlirtext

import (
	"ltc/internal/lexeme"
	"ltc/mlir"
)

// moduleSyntax is @name attributes {…} {…}.
type moduleSyntax struct{ Plain }

func (moduleSyntax) Parse(lex *Stream, o *OpText) {
	if t := lex.tok; t.Type == tokSymbol {
		lex.Next()
		name, ok := symbolName(t.Value)
		if !ok {
			lex.Stop(mlir.Errorf(o.Pos, "%s is not a symbol", t.Value))
		}
		o.Set("sym_name", mlir.StringAttr(name))
	}
	if lex.Accept("attributes") {
		if !lex.Is("{") {
			lex.Stop(Unexpected(lex.tok, ""))
		}
		var n dictNode
		n.parse(lex)
		for _, e := range lex.r.entries(&n, false) {
			o.Set(e.Name, e.Value)
		}
	}
	o.Region(lex)
}

func (moduleSyntax) Fits(op *mlir.Op) bool {
	a := op.Attrs.Get("sym_name")
	s, ok := a.(mlir.StringAttr)
	return len(op.Operands) == 0 && len(op.Results) == 0 && plainRegions(op, 1) && (a == nil || ok && lexeme.FlatSymbol(string(s)))
}

func (moduleSyntax) Print(p *Printer, op *mlir.Op) {
	if _, ok := op.Attrs.Get("sym_name").(mlir.StringAttr); ok {
		p.Str(" " + mlir.SymbolAttr(op.SymName()).String())
	}
	p.ExtraAttrs(op.Attrs, map[string]bool{"sym_name": true})
	p.Str(" ")
	p.Region(op.Regions[0], true)
}

// plainRegions reports whether op has n regions of at most one block each,
// without arguments.
func plainRegions(op *mlir.Op, n int) bool {
	if len(op.Regions) != n {
		return false
	}
	for _, r := range op.Regions {
		if len(r.Blocks) > 1 || len(r.Blocks) == 1 && len(r.Blocks[0].Args) > 0 {
			return false
		}
	}
	return true
}

// funcSyntax is
//
//	public @name(%arg0: T {attrs}) -> (T {attrs}) attributes {…} {…}
//
// where a function without body has no names of arguments.
type funcSyntax struct{ Plain }

func (s funcSyntax) Parse(lex *Stream, o *OpText) {
	for _, v := range []string{"public", "private", "nested"} {
		if lex.Accept(v) {
			o.Set("sym_visibility", mlir.StringAttr(v))
			break
		}
	}
	t := lex.Kind(tokSymbol, "a function's name such as @main")
	name, ok := symbolName(t.Value)
	if !ok || name == "" {
		lex.Stop(mlir.Errorf(t.Pos, "%s is not a symbol", t.Value))
	}
	o.Set("sym_name", mlir.StringAttr(name))
	args, argAttrs := s.args(lex)
	outs, resAttrs := s.outs(lex)
	fn := &fnRef{outs: outs}
	for _, a := range args {
		fn.ins = append(fn.ins, a.Type)
	}
	if ft := lex.r.typ(&TypeText{fn: fn, Pos: t.Pos}); ft != nil {
		o.attrs = append(o.attrs, attrEntry{"function_type", t.Pos, mlir.TypeAttr{Type: ft}})
	}
	o.setDicts("arg_attrs", argAttrs)
	o.setDicts("res_attrs", resAttrs)
	if lex.Accept("attributes") {
		o.AttrDict(lex)
	}
	if !lex.Is("{") {
		o.Regions = append(o.Regions, &mlir.Region{})
		return
	}
	s.body(lex, o, args)
}

// body reads the region, whose entry block has the arguments.
func (funcSyntax) body(lex *Stream, o *OpText, args []ArgText) {
	for _, a := range args {
		if a.Name == "" {
			lex.Stop(mlir.Errorf(a.Type.Pos, "argument of a function with a body has no name: write %%arg0: type"))
		}
	}
	if len(args) > 0 {
		o.RegionOf(lex, &Entry{args, "a function with arguments"})
		return
	}
	o.Region(lex)
	if r := o.Regions[0]; len(r.Blocks) == 0 {
		r.Blocks = []*mlir.Block{{}} // {} is a body, too
	}
}

// setDicts sets a list of dictionaries, unless none of them was written.
func (o *OpText) setDicts(name string, ds []mlir.Attribute) {
	list, any := make(mlir.ArrayAttr, len(ds)), false
	for i, d := range ds {
		list[i] = mlir.DictAttr{}
		if d != nil {
			list[i], any = d, true
		}
	}
	if any {
		o.Set(name, list)
	}
}

func (funcSyntax) args(lex *Stream) (args []ArgText, attrs []mlir.Attribute) {
	lex.List("(", ")", func() {
		var a ArgText
		if lex.Peek().Type == ValueToken {
			a.UseText = lex.ArgName()
			lex.Expect(":")
		}
		a.Type = lex.Type()
		attrs = append(attrs, optionalDict(lex))
		a.Loc = lex.optionalLoc()
		args = append(args, a)
		if (a.Name == "") != (args[0].Name == "") {
			lex.Stop(mlir.Errorf(a.Type.Pos, "either all arguments of a function have names or none has"))
		}
	})
	return args, attrs
}

// optionalDict reads {a = 1}; it returns nil when nothing is written.
func optionalDict(lex *Stream) mlir.Attribute {
	if !lex.Is("{") {
		return nil
	}
	var n dictNode
	n.parse(lex)
	return mlir.DictAttr(lex.r.entries(&n, false))
}

func (funcSyntax) outs(lex *Stream) (outs []TypeText, attrs []mlir.Attribute) {
	if !lex.Accept("->") {
		return nil, nil
	}
	if !lex.Is("(") {
		return []TypeText{lex.Type()}, []mlir.Attribute{nil}
	}
	lex.List("(", ")", func() { outs, attrs = append(outs, lex.Type()), append(attrs, optionalDict(lex)) })
	return outs, attrs
}

func (funcSyntax) Fits(op *mlir.Op) bool {
	ft := op.FuncType()
	if ft == nil || !lexeme.FlatSymbol(op.SymName()) || len(op.Operands)+len(op.Results) > 0 || len(op.Regions) != 1 {
		return false
	}
	switch v := op.Attrs.Get("sym_visibility").(type) {
	case nil:
	case mlir.StringAttr:
		if v != "public" && v != "private" && v != "nested" {
			return false
		}
	default:
		return false
	}
	if !dicts(op.Attrs.Get("arg_attrs"), len(ft.Ins)) || !dicts(op.Attrs.Get("res_attrs"), len(ft.Outs)) {
		return false
	}
	blocks := op.Regions[0].Blocks
	if len(blocks) == 0 {
		return true
	}
	return SameTypes(mlir.TypesOf(blocks[0].Args), ft.Ins)
}

// dicts reports whether a is absent or n dictionaries, not all of them empty.
func dicts(a mlir.Attribute, n int) bool {
	if a == nil {
		return true
	}
	ds, ok := a.(mlir.ArrayAttr)
	any := false
	for _, d := range ds {
		e, isDict := d.(mlir.DictAttr)
		ok = ok && isDict
		any = any || len(e) > 0
	}
	return ok && len(ds) == n && any
}

var funcShown = map[string]bool{"sym_name": true, "function_type": true, "sym_visibility": true, "arg_attrs": true, "res_attrs": true}

func (s funcSyntax) Print(p *Printer, op *mlir.Op) {
	if v, ok := op.Attrs.Get("sym_visibility").(mlir.StringAttr); ok {
		p.Str(" " + string(v))
	}
	ft := op.FuncType()
	p.Str(" " + mlir.SymbolAttr(op.SymName()).String() + "(")
	var args []*mlir.Value
	if b := op.Regions[0].Blocks; len(b) > 0 {
		args = b[0].Args
	}
	argAttrs, _ := op.Attrs.Get("arg_attrs").(mlir.ArrayAttr)
	for i, t := range ft.Ins {
		p.Comma(i)
		if args != nil {
			p.Use(args[i])
			p.Str(": ")
		}
		p.Type(t)
		p.dictAt(argAttrs, i)
		if args != nil {
			p.loc(args[i].Loc)
		}
	}
	p.Str(")")
	s.printOuts(p, op, ft)
	p.ExtraAttrs(op.Attrs, funcShown)
	if len(op.Regions[0].Blocks) > 0 {
		p.Str(" ")
		p.Region(op.Regions[0], true)
	}
}

func (funcSyntax) printOuts(p *Printer, op *mlir.Op, ft *mlir.FunctionType) {
	if len(ft.Outs) == 0 {
		return
	}
	p.Str(" -> ")
	attrs, _ := op.Attrs.Get("res_attrs").(mlir.ArrayAttr)
	if _, fn := ft.Outs[0].(*mlir.FunctionType); len(ft.Outs) == 1 && attrs == nil && !fn {
		p.Type(ft.Outs[0])
		return
	}
	p.Str("(")
	for i, t := range ft.Outs {
		p.Comma(i)
		p.Type(t)
		p.dictAt(attrs, i)
	}
	p.Str(")")
}

// callSyntax is @callee(%a) {…} : (T) -> U.
type callSyntax struct{ Plain }

func (callSyntax) Parse(lex *Stream, o *OpText) {
	o.Set("callee", mlir.SymbolAttr(lex.Symbol("the called function such as @f")))
	o.CallRest(lex)
}

// CallRest reads (operands) {…} : type.
func (o *OpText) CallRest(lex *Stream) {
	lex.List("(", ")", func() { o.Operand(lex) })
	o.OptionalAttrDict(lex)
	o.FunctionalType(lex)
}

func (callSyntax) Fits(op *mlir.Op) bool {
	_, ok := op.Attrs.Get("callee").(mlir.SymbolAttr)
	return ok && len(op.Regions) == 0
}
func (callSyntax) Shows() []string { return []string{"callee"} }
func (callSyntax) Print(p *Printer, op *mlir.Op) {
	p.Str(" " + op.Attrs.Get("callee").String())
	p.CallRest(op)
}
