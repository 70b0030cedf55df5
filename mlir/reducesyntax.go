package mlir

// reduceSyntax is
//
//	(%x init: %c) applies stablehlo.add across dimensions = [1] {…} : type
//	(%x init: %c), (%y init: %d) across dimensions = [1] {…} : type
//	 reducer(%a: T, %b: T) (%c: U, %d: U) {…}
//
// where the pairs are the arguments that meet in the reducer: %a and %c are
// what is accumulated, %b and %d the elements.
type reduceSyntax struct{ plain }

func (s reduceSyntax) parse(lex *stream, o *opNode) *Error {
	var inits []useNode
	for {
		if err := s.parsePair(lex, o, &inits); err != nil {
			return err
		}
		if !accept(lex, ",") {
			break
		}
	}
	o.operands = append(o.operands, inits...)
	var inner Code
	if accept(lex, "applies") {
		t, err := expectKind(lex, tokIdent, "the op that is applied")
		if err != nil {
			return err
		}
		if inner = CodeOf(t.Value); !applicable(inner) {
			return errorf(t.Pos, "%s cannot be applied by a reduce: it is not a commutative op of two operands, such as stablehlo.add", t.Value)
		}
	}
	if err := s.parseTail(lex, o); err != nil {
		return err
	}
	n := len(inits)
	if len(o.ins) != 2*n {
		return errorf(o.typePos, "stablehlo.reduce has %d operands but %d operand types", 2*n, len(o.ins))
	}
	if inner == 0 {
		return s.parseReducer(lex, o, n)
	}
	if n != 1 {
		return errorf(o.pos, "a reduce that applies an op has one operand and one initial value")
	}
	s.apply(lex.r, o, inner)
	return nil
}

func (reduceSyntax) parsePair(lex *stream, o *opNode, inits *[]useNode) *Error {
	if err := expect(lex, "("); err != nil {
		return err
	}
	if err := o.operand(lex); err != nil {
		return err
	}
	for _, w := range []string{"init", ":"} {
		if err := expect(lex, w); err != nil {
			return err
		}
	}
	t, err := expectKind(lex, tokValue, "an initial value such as %0")
	if err != nil {
		return err
	}
	*inits = append(*inits, useNode{t.Value[1:], t.Pos})
	return expect(lex, ")")
}

func (reduceSyntax) parseTail(lex *stream, o *opNode) *Error {
	for _, w := range []string{"across", "dimensions", "="} {
		if err := expect(lex, w); err != nil {
			return err
		}
	}
	dims, err := parseInts(lex)
	if err != nil {
		return err
	}
	o.set("dimensions", I64Array(dims))
	if err := o.optionalAttrDict(lex); err != nil {
		return err
	}
	return o.functionalType(lex)
}

func (reduceSyntax) parseReducer(lex *stream, o *opNode, n int) *Error {
	if err := expect(lex, "reducer"); err != nil {
		return err
	}
	left, right := make([]argNode, 0, n), make([]argNode, 0, n)
	for range n {
		var pair []argNode
		pos := lex.Peek().Pos
		err := list(lex, "(", ")", func() *Error {
			a, err := parseArg(lex)
			pair = append(pair, a)
			return err
		})
		if err != nil {
			return err
		}
		if len(pair) != 2 {
			return errorf(pos, "a reducer has two arguments for each operand")
		}
		left, right = append(left, pair[0]), append(right, pair[1])
	}
	return o.regionOf(lex, &entry{append(left, right...), "a reducer"})
}

// applicable reports whether a reduce can apply the op: it is commutative, and
// its two operands and its result have one type.
func applicable(op Code) bool { return op.Info().Traits.Has(Commutative) }

// reduced is the type of what the region of `applies` works on: scalars of the
// first operand's elements.
func reduced(operand Type) *TensorType {
	if t, ok := operand.(*TensorType); ok {
		return Tensor(t.Elem)
	}
	return nil
}

// apply builds the region of `applies`.
func (reduceSyntax) apply(r *resolver, o *opNode, inner Code) {
	operand := r.typ(&o.ins[0])
	scalar := reduced(operand)
	if scalar == nil {
		if operand != nil {
			r.fail(o.ins[0].pos, "stablehlo.reduce reduces tensors, not %s", operand)
		}
		o.regions = append(o.regions, &Region{})
		return
	}
	t := r.typ(&typeRef{text: scalar.String(), pos: o.ins[0].pos})
	b := NewBlock(t, t)
	op := NewOp(inner, b.Args, t)
	ret := NewOp(CodeOf("stablehlo.return"), op.Results)
	op.Pos, ret.Pos = o.pos, o.pos
	b.Ops = []*Op{op, ret}
	o.regions = append(o.regions, &Region{Blocks: []*Block{b}})
}

func (reduceSyntax) shows() []string { return []string{"dimensions"} }

func (reduceSyntax) fits(op *Op) bool {
	n := len(op.Operands) / 2
	b := op.Body()
	d, ok := op.Attrs.Get("dimensions").(DenseArrayAttr)
	return ok && d.Elem == I64 && n > 0 && len(op.Operands) == 2*n && b != nil && len(b.Args) == 2*n
}

// applied returns the op that a reduce can print behind `applies`, or nil.
func applied(op *Op) *Op {
	b := op.Body()
	if len(op.Operands) != 2 || len(op.Results) != 1 || len(b.Ops) != 2 {
		return nil
	}
	in, ret := b.Ops[0], b.Ops[1]
	if !applicable(in.Code) || ret.Name() != "stablehlo.return" || len(in.Attrs)+len(ret.Attrs)+len(ret.Results) > 0 ||
		len(in.Operands) != 2 || len(in.Results) != 1 || len(ret.Operands) != 1 ||
		in.Operands[0] != b.Args[0] || in.Operands[1] != b.Args[1] || ret.Operands[0] != in.Results[0] {
		return nil
	}
	t := reduced(op.Operands[0].Type)
	if t == nil || !SameType(b.Args[0].Type, t) || !SameType(b.Args[1].Type, t) || !SameType(in.Results[0].Type, t) {
		return nil
	}
	return in
}

func (s reduceSyntax) print(p *printer, op *Op) {
	n := len(op.Operands) / 2
	for i := range n {
		if i > 0 {
			p.str(", ")
		}
		p.str("(")
		p.use(op.Operands[i])
		p.str(" init: ")
		p.use(op.Operands[n+i])
		p.str(")")
	}
	in := applied(op)
	if in != nil {
		p.str(" applies " + in.Name())
	}
	p.str(" across dimensions = ")
	p.ints(op.Attrs.Get("dimensions").(DenseArrayAttr).Ints)
	p.attrDict(op.Attrs, map[string]bool{"dimensions": true})
	p.str(" : ")
	p.funcType(op)
	if in != nil {
		return
	}
	p.newline()
	p.str(" reducer") // with its spaces as the dialect's printer has them
	args := op.Body().Args
	for i := range n {
		p.str("(")
		p.arg(args[i])
		p.str(", ")
		p.arg(args[n+i])
		p.str(") ")
	}
	p.str(" ")
	p.region(op.Regions[0], true)
}
