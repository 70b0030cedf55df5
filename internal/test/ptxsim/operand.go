package ptxsim

import (
	"strconv"
	"strings"
)

// operand is a register or a literal.
type operand struct {
	reg  int // -1: a literal
	bits uint64
}

func (o operand) get(t *thread) uint64 {
	if o.reg >= 0 {
		return t.regs[o.reg]
	}
	return o.bits
}

// operands splits what follows an opcode: at commas that are in no braces and brackets.
func operands(s string) []string {
	var all []string
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				all = append(all, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	if rest := strings.TrimSpace(s[from:]); rest != "" {
		all = append(all, rest)
	}
	return all
}

// reg returns the number of a register that is written.
func (p *parser) reg(s string) int {
	r, ok := p.regs[s]
	if !ok {
		p.fail("there is no register %s", s)
	}
	return r
}

// value reads a register, an integer, or a float by its bits: 0f or 0d.
func (p *parser) value(s string) operand {
	if r, ok := p.regs[s]; ok {
		return operand{reg: r}
	}
	if hex, ok := strings.CutPrefix(s, "0f"); ok && len(hex) == 8 {
		if v, err := strconv.ParseUint(hex, 16, 32); err == nil {
			return operand{-1, v}
		}
	}
	if hex, ok := strings.CutPrefix(s, "0d"); ok && len(hex) == 16 {
		if v, err := strconv.ParseUint(hex, 16, 64); err == nil {
			return operand{-1, v}
		}
	}
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return operand{-1, uint64(v)}
	}
	if v, err := strconv.ParseUint(s, 0, 64); err == nil {
		return operand{-1, v}
	}
	if s != "" && s == p.m.shared {
		return operand{-1, sharedBase}
	}
	if at, there := p.tables[s]; there {
		return operand{-1, at}
	}
	if word, there := p.params[s]; there {
		return operand{-1, paramBase + uint64(8*word)}
	}
	p.fail("%q is no register and no literal", s)
	return operand{-1, 0}
}

// address reads [register], [register+offset] or [name+offset].
func (p *parser) address(s string) (base operand, offset uint64) {
	in, open := strings.CutPrefix(s, "[")
	in, end := strings.CutSuffix(in, "]")
	if !open || !end {
		p.fail("%q is no address", s)
		return operand{-1, 0}, 0
	}
	b, o, has := strings.Cut(in, "+")
	base = p.value(strings.TrimSpace(b))
	if has {
		o := p.value(strings.TrimSpace(o))
		if o.reg >= 0 {
			p.fail("%q has a register for an offset", s)
		}
		offset = o.bits
	}
	return base, offset
}

// list splits {a, b, …}, which has n items.
func (p *parser) list(s string, n int) []string {
	in, open := strings.CutPrefix(s, "{")
	in, end := strings.CutSuffix(in, "}")
	f := operands(in)
	if !open || !end || len(f) != n {
		p.fail("expected {…} of %d, not %s", n, s)
		return nil
	}
	return f
}

// values reads {a, b, …}, of n registers or literals.
func (p *parser) values(s string, n int) []operand {
	var all []operand
	for _, v := range p.list(s, n) {
		all = append(all, p.value(v))
	}
	return all
}

// registersOf reads {a, b, …}, of n registers that are written.
func (p *parser) registersOf(s string, n int) []int {
	var all []int
	for _, r := range p.list(s, n) {
		all = append(all, p.reg(r))
	}
	return all
}
