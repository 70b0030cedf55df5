package kernel

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ltc/ir/dims"
	"ltc/ir/types"
)

// String prints the kernel in its text form, which [Parse] reads:
//
//	kernel scale(x: f32[n0, n1] strides [*, 1], out y: f32[n0, n1] strides [*, 1]) {
//	  for i < n0
//	  stage j < n1 {
//	    %0 = load x[i, j]
//	    %1 = constant 2.0 : f32
//	    %2 = multiply %0, %1 : f32
//	    store y[i, j], %2
//	  }
//	}
func (k *Kernel) String() string {
	p := printer{k: k}
	const line = 32 // letters, usually
	p.Grow(line * (2 + len(k.Params) + len(k.Axes) + len(k.Locals) + 2*len(k.Stages) + len(k.Instrs)))
	p.kernel()
	return p.String()
}

// printer writes the text without package fmt: programs compare kernels by their texts, and ask
// for each several times.
type printer struct {
	strings.Builder
	k     *Kernel
	stage int
}

func (p *printer) kernel() {
	p.words("kernel ", p.k.Name, "(")
	for i := range p.k.Params {
		if i > 0 {
			p.WriteString(", ")
		}
		p.param(&p.k.Params[i])
	}
	p.WriteString(") {\n")
	for _, a := range p.k.Axes {
		p.words("  for ", a.Name, " < ", a.Size.String(), "\n")
	}
	for _, l := range p.k.Locals {
		p.words("  local ", l.Name, ": ", l.DType.String())
		list(p, l.Dims)
		p.WriteByte('\n')
	}
	for s := range p.k.Stages {
		p.stage = s
		p.body(&p.k.Stages[s])
	}
	p.WriteString("}\n")
}

func (p *printer) words(all ...string) {
	for _, s := range all {
		p.WriteString(s)
	}
}

func (p *printer) id(before string, id ID) {
	p.words(before, "%", strconv.Itoa(int(id)))
}

func (p *printer) param(a *Param) {
	if a.Out {
		p.WriteString("out ")
	}
	p.words(a.Name, ": ", a.DType.String())
	list(p, a.Dims)
	if len(a.Strides) > 0 {
		p.WriteString(" strides ")
		list(p, a.Strides)
	}
}

func (s Stride) String() string {
	return [...]string{AnyStride: "*", UnitStride: "1", ZeroStride: "0", TableStride: "table"}[s]
}

func (k AxisKind) String() string {
	return [...]string{FreeAxis: "", ScanAxis: "scan ", ReverseAxis: "scan reverse "}[k]
}

func list[T fmt.Stringer](p *printer, all []T) {
	p.WriteByte('[')
	for i, v := range all {
		if i > 0 {
			p.WriteString(", ")
		}
		p.WriteString(v.String())
	}
	p.WriteByte(']')
}

func (p *printer) body(s *Stage) {
	p.WriteString("  stage ")
	for _, a := range s.Axes {
		p.words(a.Kind.String(), a.Name, " < ", a.Size.String(), " ")
	}
	p.WriteString("{\n")
	for id := s.Begin; id < s.End; id++ {
		p.WriteString("    ")
		p.instr(id, &p.k.Instrs[id])
		p.WriteByte('\n')
	}
	p.WriteString("  }\n")
}

func (p *printer) instr(id ID, i *Instr) {
	if i.Op != Store {
		p.id("", id)
		p.WriteString(" = ")
	}
	p.WriteString(i.Op.String())
	switch i.Op {
	case Constant:
		p.words(" ", FormatBits(i.Type, uint64(i.Aux)), " : ", i.Type.String())
	case Iota:
		p.words(" ", p.k.Axis(p.stage, int(i.Aux)).Name, " : ", i.Type.String())
	case SizeOf:
		p.words(" ", Size(i.Aux).String())
	case Reduce:
		p.words(" ", Op(i.Aux).String())
		p.id(" ", i.Args[0])
	case Scan:
		with, exclusive := AsScan(i.Aux)
		p.words(" ", with.String())
		if exclusive {
			p.WriteString(" exclusive")
		}
		p.id(" ", i.Args[0])
	case Lookup:
		table, row := TableRow(i.Aux).Table()
		if table == nil { // of a kernel that is refused
			fmt.Fprintf(p, " table %d", i.Aux)
			break
		}
		fmt.Fprintf(p, " %s %d %%%d : %v", table.Name, row, i.Args[0], i.Type)
	case Load:
		p.access(i.Mem)
		if i.Mem.Guard {
			p.id(" else ", i.Args[0])
		}
	case Store:
		if i.Mem.Combine != Invalid {
			p.words(" ", i.Mem.Combine.String())
		}
		p.access(i.Mem)
		if i.Mem.Guard {
			p.WriteString(" inside")
		}
		p.id(", ", i.Args[0])
	default:
		for j, a := range i.Args {
			p.id([2]string{" ", ", "}[min(j, 1)], a)
		}
		p.words(" : ", i.Type.String())
	}
}

func (p *printer) access(m *Access) {
	name := ""
	if m.Local {
		name = p.k.Locals[m.Param].Name
	} else {
		name = p.k.Params[m.Param].Name
	}
	p.words(" ", name, "[")
	for d, i := range m.Index {
		if d > 0 {
			p.WriteString(", ")
		}
		p.index(i)
	}
	p.WriteByte(']')
}

// index prints i as in 2*i + %3 - 1.
func (p *printer) index(i Index) {
	some := false
	// number writes a number and what follows it, with a sign between terms.
	number := func(n int64, after string) {
		switch {
		case dims.GoIsExpr(n): // before sizes are arguments
			if some {
				p.WriteString(" + ")
			}
			p.words("(", dims.String(n), ")", after)
		case some && n < 0:
			p.words(" - ", strings.TrimPrefix(strconv.FormatInt(n, 10), "-"), after)
		case some:
			p.words(" + ", strconv.FormatInt(n, 10), after)
		default:
			p.words(strconv.FormatInt(n, 10), after)
		}
		some = true
	}
	name := func(s string) {
		if some {
			p.WriteString(" + ")
		}
		p.WriteString(s)
		some = true
	}
	for _, t := range i.Terms {
		if axis := p.k.Axis(p.stage, t.Axis).Name; t.Factor == 1 {
			name(axis)
		} else {
			number(t.Factor, "*"+axis)
		}
	}
	if i.Value != None {
		name("%" + strconv.Itoa(int(i.Value)))
	}
	if i.Offset != 0 || !some {
		number(i.Offset, "")
	}
}

// FormatBits prints an element so that [ParseBits] gives the same bits.
func FormatBits(t types.DType, bits uint64) string {
	switch {
	case t == types.Bool:
		return fmt.Sprint(bits != 0)
	case t == types.F32:
		return float(float64(math.Float32frombits(uint32(bits))), 32, bits)
	case t == types.F64:
		return float(math.Float64frombits(bits), 64, bits)
	case t.IsFloat():
		return fmt.Sprintf("0x%04X", uint16(bits))
	case !t.IsSigned():
		return fmt.Sprint(bits)
	}
	shift := 64 - 8*t.Size()
	return fmt.Sprint(int64(bits) << shift >> shift)
}

func float(v float64, width int, bits uint64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Sprintf("0x%0*X", width/4, bits&(1<<width-1))
	}
	return decimal(v, width)
}

func decimal(v float64, width int) string {
	s := strconv.FormatFloat(v, 'g', -1, width)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
