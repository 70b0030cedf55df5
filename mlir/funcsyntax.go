package mlir

import (
	"strings"
)

// moduleSyntax is module @name attributes {…} {…}; it reads the op's name.
type moduleSyntax struct{ plain }

func (moduleSyntax) parse(lex *stream, o *opNode) *Error {
	lex.taken = lex.taken[:0]
	lex.take()
	if lex.tok.Type == tokSymbol {
		lex.take()
	}
	if is(lex, "attributes") {
		lex.take()
		lex.take()
	}
	n, err := grammatical(lex, moduleParser)
	if err != nil {
		return err
	}
	if n.Name != "" {
		name, ok := symbolName(n.Name)
		if !ok {
			return errorf(o.pos, "%s is not a symbol", n.Name)
		}
		o.set("sym_name", StringAttr(name))
	}
	if n.Attrs != nil {
		for _, e := range lex.r.dict(n.Attrs) {
			o.set(e.Name, e.Value)
		}
	}
	return o.region(lex)
}

func (moduleSyntax) fits(op *Op) bool {
	return len(op.Operands) == 0 && len(op.Results) == 0 && plainRegions(op, 1) && symbolOrNone(op)
}
func symbolOrNone(op *Op) bool {
	a := op.Attrs.Get("sym_name")
	s, ok := a.(StringAttr)
	return ok && flat(string(s)) || a == nil
}

// flat reports whether a name prints as one symbol, not as nested ones.
func flat(name string) bool { return name != "" && !strings.Contains(name, "::@") }

func (moduleSyntax) print(p *printer, op *Op) {
	if _, ok := op.Attrs.Get("sym_name").(StringAttr); ok {
		p.str(" " + SymbolAttr(op.SymName()).String())
	}
	p.extraAttrs(op.Attrs, map[string]bool{"sym_name": true})
	p.str(" ")
	p.region(op.Regions[0], true)
}

// plainRegions reports whether op has n regions of at most one block each,
// without arguments.
func plainRegions(op *Op, n int) bool {
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
type funcSyntax struct{ plain }

func (s funcSyntax) parse(lex *stream, o *opNode) *Error {
	for _, v := range []string{"public", "private", "nested"} {
		if accept(lex, v) {
			o.set("sym_visibility", StringAttr(v))
			break
		}
	}
	t, err := expectKind(lex, tokSymbol, "a function's name such as @main")
	if err != nil {
		return err
	}
	name, ok := symbolName(t.Value)
	if !ok || name == "" {
		return errorf(t.Pos, "%s is not a symbol", t.Value)
	}
	o.set("sym_name", StringAttr(name))
	args, argAttrs, err := s.args(lex)
	if err != nil {
		return err
	}
	outs, resAttrs, err := s.outs(lex)
	if err != nil {
		return err
	}
	fn := &fnRef{outs: outs}
	for _, a := range args {
		fn.ins = append(fn.ins, a.typ)
	}
	if ft := lex.r.typ(&typeRef{fn: fn, pos: t.Pos}); ft != nil {
		o.attrs = append(o.attrs, attrEntry{"function_type", t.Pos, TypeAttr{ft}})
	}
	o.setDicts("arg_attrs", argAttrs)
	o.setDicts("res_attrs", resAttrs)
	if accept(lex, "attributes") {
		if err := o.attrDict(lex); err != nil {
			return err
		}
	}
	if !is(lex, "{") {
		o.regions = append(o.regions, &Region{})
		return nil
	}
	return s.body(lex, o, args)
}

// body reads the region, whose entry block has the arguments.
func (funcSyntax) body(lex *stream, o *opNode, args []argNode) *Error {
	for _, a := range args {
		if a.name == "" {
			return errorf(a.typ.pos, "argument of a function with a body has no name: write %%arg0: type")
		}
	}
	if len(args) > 0 {
		return o.regionOf(lex, &entry{args, "a function with arguments"})
	}
	err := o.region(lex)
	if r := o.regions[0]; err == nil && len(r.Blocks) == 0 {
		r.Blocks = []*Block{{}} // {} is a body, too
	}
	return err
}

// setDicts sets a list of dictionaries, unless none of them was written.
func (o *opNode) setDicts(name string, ds []Attribute) {
	list, any := make(ArrayAttr, len(ds)), false
	for i, d := range ds {
		list[i] = DictAttr{}
		if d != nil {
			list[i], any = d, true
		}
	}
	if any {
		o.set(name, list)
	}
}

func (funcSyntax) args(lex *stream) (args []argNode, attrs []Attribute, err *Error) {
	err = list(lex, "(", ")", func() *Error {
		var a argNode
		var err *Error
		if lex.Peek().Type == tokValue {
			if a.useNode, err = parseArgName(lex); err != nil {
				return err
			}
			if err = expect(lex, ":"); err != nil {
				return err
			}
		}
		if a.typ, err = parseType(lex); err != nil {
			return err
		}
		d, err := optionalDict(lex)
		if err != nil {
			return err
		}
		a.loc, err = lex.optionalLoc()
		args, attrs = append(args, a), append(attrs, d)
		return err
	})
	for _, a := range args {
		if (a.name == "") != (args[0].name == "") {
			return nil, nil, errorf(a.typ.pos, "either all arguments of a function have names or none has")
		}
	}
	return args, attrs, err
}

// optionalDict reads {a = 1}; it returns nil when nothing is written.
func optionalDict(lex *stream) (Attribute, *Error) {
	if !is(lex, "{") {
		return nil, nil
	}
	var n dictNode
	if err := n.parse(lex); err != nil {
		return nil, err
	}
	return DictAttr(lex.r.dict(&n)), nil
}

func (funcSyntax) outs(lex *stream) (outs []typeRef, attrs []Attribute, err *Error) {
	if !accept(lex, "->") {
		return nil, nil, nil
	}
	if !is(lex, "(") {
		t, err := parseType(lex)
		return []typeRef{t}, []Attribute{nil}, err
	}
	err = list(lex, "(", ")", func() *Error {
		t, err := parseType(lex)
		if err != nil {
			return err
		}
		d, err := optionalDict(lex)
		outs, attrs = append(outs, t), append(attrs, d)
		return err
	})
	return outs, attrs, err
}

func (funcSyntax) fits(op *Op) bool {
	ft := op.FuncType()
	if ft == nil || !flat(op.SymName()) || len(op.Operands)+len(op.Results) > 0 || len(op.Regions) != 1 {
		return false
	}
	switch v := op.Attrs.Get("sym_visibility").(type) {
	case nil:
	case StringAttr:
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
	args := blocks[0].Args
	if len(args) != len(ft.Ins) {
		return false
	}
	for i, a := range args {
		if !SameType(a.Type, ft.Ins[i]) {
			return false
		}
	}
	return true
}

// dicts reports whether a is absent or n dictionaries, not all of them empty.
func dicts(a Attribute, n int) bool {
	if a == nil {
		return true
	}
	ds, ok := a.(ArrayAttr)
	any := false
	for _, d := range ds {
		e, isDict := d.(DictAttr)
		ok = ok && isDict
		any = any || len(e) > 0
	}
	return ok && len(ds) == n && any
}

var funcShown = map[string]bool{"sym_name": true, "function_type": true, "sym_visibility": true, "arg_attrs": true, "res_attrs": true}

func (s funcSyntax) print(p *printer, op *Op) {
	if v, ok := op.Attrs.Get("sym_visibility").(StringAttr); ok {
		p.str(" " + string(v))
	}
	ft := op.FuncType()
	p.str(" " + SymbolAttr(op.SymName()).String() + "(")
	var args []*Value
	if b := op.Regions[0].Blocks; len(b) > 0 {
		args = b[0].Args
	}
	argAttrs, _ := op.Attrs.Get("arg_attrs").(ArrayAttr)
	for i, t := range ft.Ins {
		if i > 0 {
			p.str(", ")
		}
		if args != nil {
			p.use(args[i])
			p.str(": ")
		}
		p.typ(t)
		p.dictAt(argAttrs, i)
		if args != nil {
			p.loc(args[i].Loc)
		}
	}
	p.str(")")
	s.printOuts(p, op, ft)
	p.extraAttrs(op.Attrs, funcShown)
	if len(op.Regions[0].Blocks) > 0 {
		p.str(" ")
		p.region(op.Regions[0], true)
	}
}

func (funcSyntax) printOuts(p *printer, op *Op, ft *FunctionType) {
	if len(ft.Outs) == 0 {
		return
	}
	p.str(" -> ")
	attrs, _ := op.Attrs.Get("res_attrs").(ArrayAttr)
	if _, fn := ft.Outs[0].(*FunctionType); len(ft.Outs) == 1 && attrs == nil && !fn {
		p.typ(ft.Outs[0])
		return
	}
	p.str("(")
	for i, t := range ft.Outs {
		if i > 0 {
			p.str(", ")
		}
		p.typ(t)
		p.dictAt(attrs, i)
	}
	p.str(")")
}

// callSyntax is @callee(%a) {…} : (T) -> U.
type callSyntax struct{ plain }

func (callSyntax) parse(lex *stream, o *opNode) *Error {
	t, err := expectKind(lex, tokSymbol, "the called function such as @f")
	if err != nil {
		return err
	}
	name, ok := symbolName(t.Value)
	if !ok {
		return errorf(t.Pos, "%s is not a symbol", t.Value)
	}
	o.set("callee", SymbolAttr(name))
	return o.callRest(lex)
}

// callRest reads (operands) {…} : type.
func (o *opNode) callRest(lex *stream) *Error {
	if err := list(lex, "(", ")", func() *Error { return o.operand(lex) }); err != nil {
		return err
	}
	if err := o.optionalAttrDict(lex); err != nil {
		return err
	}
	return o.functionalType(lex)
}

func (callSyntax) fits(op *Op) bool {
	_, ok := op.Attrs.Get("callee").(SymbolAttr)
	return ok && len(op.Regions) == 0
}
func (callSyntax) shows() []string { return []string{"callee"} }
func (callSyntax) print(p *printer, op *Op) {
	p.str(" " + op.Attrs.Get("callee").String())
	p.callRest(op)
}

// customCallSyntax is @target(%a) {…} : (T) -> U.
type customCallSyntax struct{ plain }

func (customCallSyntax) parse(lex *stream, o *opNode) *Error {
	t, err := expectKind(lex, tokSymbol, "the target such as @f")
	if err != nil {
		return err
	}
	name, ok := symbolName(t.Value)
	if !ok {
		return errorf(t.Pos, "%s is not a symbol", t.Value)
	}
	o.set("call_target_name", StringAttr(name))
	return o.callRest(lex)
}

func (customCallSyntax) fits(op *Op) bool {
	s, ok := op.Attrs.Get("call_target_name").(StringAttr)
	return ok && flat(string(s)) && len(op.Regions) == 0
}
func (customCallSyntax) shows() []string { return []string{"call_target_name"} }
func (customCallSyntax) print(p *printer, op *Op) {
	s := op.Attrs.Get("call_target_name").(StringAttr)
	p.str(" " + SymbolAttr(s).String())
	p.callRest(op)
}
