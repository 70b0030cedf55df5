package kernel

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"ltc/ir/types"
)

// instr reads an instruction from its op to its end. Named says that its value has a
// name, which was read before.
func (p *parser) instr(named bool) Instr {
	start := p.pos
	op, ok := ParseOp(p.word("an op"))
	if !ok || named == (op == Store) {
		p.pos = start
		p.space()
		p.failf("expected an op: store, or %%name = and one that has a value")
		return Instr{}
	}
	i := Instr{Op: op}
	switch op {
	case Constant:
		literal := p.literal()
		p.expect(":")
		i.Type = p.dtype()
		bits, err := ParseBits(i.Type, literal)
		if err != nil {
			p.failf("%q is not a literal of %v", literal, i.Type)
		}
		i.Aux = int64(bits)
	case Iota:
		i.Aux = int64(p.axisNamed(p.word("an axis")))
		p.expect(":")
		i.Type = p.dtype()
	case SizeOf:
		i.Type, i.Aux = types.I64, int64(p.size())
	case Reduce:
		with, _ := ParseOp(p.word("the op to reduce with"))
		i.Aux, i.Args = int64(with), []ID{p.value()}
		if p.err == nil {
			i.Type = p.k.Instrs[i.Args[0]].Type
		}
	case Scan:
		with, _ := ParseOp(p.word("the op to scan with"))
		i.Aux, i.Args = NewScan(with, p.accept("exclusive")), []ID{p.value()}
		if p.err == nil {
			i.Type = p.k.Instrs[i.Args[0]].Type
		}
	case Lookup:
		table, ok := tableNamed(p.word("a table"))
		row, err := strconv.Atoi(p.word("a row"))
		if !ok || err != nil || row < 0 || row > 255 {
			p.failf("expected a table and a row of it")
		}
		i.Aux, i.Args = int64(RowOf(table, row)), []ID{p.value()}
		p.expect(":")
		i.Type = p.dtype()
	case Load:
		i.Type, i.Mem = p.access(p.word("an operand or local"))
		if i.Mem.Guard = p.accept("else"); i.Mem.Guard {
			i.Args = []ID{p.value()}
		}
	case Store:
		p.store(&i)
	default:
		for i.Args = append(i.Args, p.value()); p.accept(","); {
			i.Args = append(i.Args, p.value())
		}
		p.expect(":")
		i.Type = p.dtype()
	}
	return i
}

func (p *parser) store(i *Instr) {
	name := p.word("an operand or local")
	combine := Invalid
	if p.space(); !strings.HasPrefix(p.text[p.pos:], "[") {
		var ok bool
		if combine, ok = ParseOp(name); !ok {
			p.failf("%s is not an op to combine with", name)
		}
		name = p.word("an operand or local")
	}
	i.Type, i.Mem = p.access(name)
	i.Mem.Combine = combine
	i.Mem.Guard = p.accept("inside")
	p.expect(",")
	i.Args = []ID{p.value()}
}

// access reads the indices of an operand or local, and returns its type too.
func (p *parser) access(name string) (types.DType, *Access) {
	m, t := &Access{}, types.Invalid
	if i := slices.IndexFunc(p.k.Params, func(a Param) bool { return a.Name == name }); i >= 0 {
		m.Param, t = i, p.k.Params[i].DType
	} else if i := slices.IndexFunc(p.k.Locals, func(l Local) bool { return l.Name == name }); i >= 0 {
		m.Param, m.Local, t = i, true, p.k.Locals[i].DType
	} else {
		p.failf("there is no operand or local %s", name)
	}
	p.list("[", "]", func() { m.Index = append(m.Index, p.index()) })
	return t, m
}

// index reads a sum such as 2*i + %3 - 1.
func (p *parser) index() Index {
	x := Index{Value: None}
	for sign := p.sign(true); p.err == nil && sign != ""; sign = p.sign(false) {
		if p.space(); strings.HasPrefix(p.text[p.pos:], "%") {
			if sign == "-" || x.Value != None {
				p.failf("an index adds at most one value, and subtracts none")
			}
			x.Value = p.value()
			continue
		}
		w := p.word("an axis, a number or a value")
		if w != "" && !('0' <= w[0] && w[0] <= '9') {
			x.Terms = append(x.Terms, Term{p.axisNamed(w), p.number(sign, "1")})
			continue
		}
		n := p.number(sign, w)
		if p.accept("*") {
			x.Terms = append(x.Terms, Term{p.axisNamed(p.word("an axis")), n})
			continue
		}
		if sum := x.Offset + n; x.Offset > 0 == (n > 0) && sum > 0 != (n > 0) && n != 0 {
			p.failf("the sum of the constants does not fit an i64")
		} else {
			x.Offset = sum
		}
	}
	slices.SortStableFunc(x.Terms, func(a, b Term) int { return a.Axis - b.Axis })
	return x
}

// sign reads + or -. The first term of a sum needs no +.
func (p *parser) sign(first bool) string {
	switch {
	case p.accept("-"):
		return "-"
	case p.accept("+") || first:
		return "+"
	}
	return ""
}

func (p *parser) number(sign, digits string) int64 {
	n, err := strconv.ParseInt(sign+digits, 10, 64)
	if err != nil {
		p.failf("%s is not a number of 64 bits", strings.TrimPrefix(sign, "+")+digits)
	}
	return n
}

func (p *parser) axisNamed(name string) int {
	i := slices.IndexFunc(p.axes, func(a Axis) bool { return a.Name == name })
	if i < 0 {
		p.failf("there is no axis %s here", name)
		return 0
	}
	return i
}

// literal reads the text up to white space or a colon.
func (p *parser) literal() string {
	p.space()
	rest := p.text[p.pos:]
	if end := strings.IndexAny(rest, " \t\r\n:"); end >= 0 {
		rest = rest[:end]
	}
	p.pos += len(rest)
	return rest
}

// ParseBits reads the literal of one element of type t: true or false, a decimal number, or, for
// a float, its bits as 0x and hexadecimal digits.
func ParseBits(t types.DType, s string) (uint64, error) {
	width := 8 * t.Size()
	hex, isHex := strings.CutPrefix(s, "0x")
	switch {
	case t == types.Bool && s == "true":
		return 1, nil
	case t == types.Bool && s == "false":
		return 0, nil
	case t.IsFloat() && isHex:
		return strconv.ParseUint(hex, 16, width)
	case t == types.F32:
		v, err := strconv.ParseFloat(s, 32)
		return narrow(t, v), err
	case t.IsFloat():
		v, err := strconv.ParseFloat(s, 64)
		return narrow(t, v), err
	case t.IsInteger() && t.IsSigned():
		v, err := strconv.ParseInt(s, 10, width)
		return uint64(v) & (1<<width - 1), err
	case t.IsInteger():
		return strconv.ParseUint(s, 10, width)
	}
	return 0, strconv.ErrSyntax
}

// narrow returns the bits of v, rounded to a float type.
func narrow(t types.DType, v float64) uint64 {
	switch t {
	case types.F16:
		return uint64(types.ToFloat16(v))
	case types.BF16:
		return uint64(types.ToBFloat16(v))
	case types.F64:
		return math.Float64bits(v)
	}
	return uint64(math.Float32bits(float32(v)))
}
