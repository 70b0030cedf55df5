package kernel

import (
	"fmt"
	"math"
	"strconv"
	"strings"

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
	p.kernel()
	return p.String()
}

type printer struct {
	strings.Builder
	k     *Kernel
	stage int
}

func (p *printer) kernel() {
	fmt.Fprintf(p, "kernel %s(", p.k.Name)
	for i := range p.k.Params {
		if i > 0 {
			p.WriteString(", ")
		}
		p.param(&p.k.Params[i])
	}
	p.WriteString(") {\n")
	for _, a := range p.k.Axes {
		fmt.Fprintf(p, "  for %s < %v\n", a.Name, a.Size)
	}
	for _, l := range p.k.Locals {
		fmt.Fprintf(p, "  local %s: %v%s\n", l.Name, l.DType, list(l.Dims))
	}
	for s := range p.k.Stages {
		p.stage = s
		p.body(&p.k.Stages[s])
	}
	p.WriteString("}\n")
}

func (p *printer) param(a *Param) {
	if a.Out {
		p.WriteString("out ")
	}
	fmt.Fprintf(p, "%s: %v%s", a.Name, a.DType, list(a.Dims))
	if len(a.Strides) > 0 {
		fmt.Fprintf(p, " strides %s", list(a.Strides))
	}
}

func (s Stride) String() string {
	return [...]string{AnyStride: "*", UnitStride: "1", ZeroStride: "0", TableStride: "table"}[s]
}

func (k AxisKind) String() string {
	return [...]string{FreeAxis: "", ScanAxis: "scan ", ReverseAxis: "scan reverse "}[k]
}

func list[T fmt.Stringer](all []T) string {
	s := make([]string, len(all))
	for i, v := range all {
		s[i] = v.String()
	}
	return "[" + strings.Join(s, ", ") + "]"
}

func (p *printer) body(s *Stage) {
	p.WriteString("  stage ")
	for _, a := range s.Axes {
		fmt.Fprintf(p, "%v%s < %v ", a.Kind, a.Name, a.Size)
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
		fmt.Fprintf(p, "%%%d = ", id)
	}
	p.WriteString(i.Op.String())
	switch i.Op {
	case Constant:
		fmt.Fprintf(p, " %s : %v", FormatBits(i.Type, uint64(i.Aux)), i.Type)
	case Iota:
		fmt.Fprintf(p, " %s : %v", p.k.Axis(p.stage, int(i.Aux)).Name, i.Type)
	case SizeOf:
		fmt.Fprintf(p, " %v", Size(i.Aux))
	case Reduce:
		fmt.Fprintf(p, " %v %%%d", Op(i.Aux), i.Args[0])
	case Scan:
		with, exclusive := AsScan(i.Aux)
		fmt.Fprintf(p, " %v", with)
		if exclusive {
			p.WriteString(" exclusive")
		}
		fmt.Fprintf(p, " %%%d", i.Args[0])
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
			fmt.Fprintf(p, " else %%%d", i.Args[0])
		}
	case Store:
		if i.Mem.Combine != Invalid {
			fmt.Fprintf(p, " %v", i.Mem.Combine)
		}
		p.access(i.Mem)
		if i.Mem.Guard {
			p.WriteString(" inside")
		}
		fmt.Fprintf(p, ", %%%d", i.Args[0])
	default:
		for j, a := range i.Args {
			fmt.Fprintf(p, "%s %%%d", map[bool]string{true: ","}[j > 0], a)
		}
		fmt.Fprintf(p, " : %v", i.Type)
	}
}

func (p *printer) access(m *Access) {
	name := ""
	if m.Local {
		name = p.k.Locals[m.Param].Name
	} else {
		name = p.k.Params[m.Param].Name
	}
	fmt.Fprintf(p, " %s[", name)
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
	var terms []string
	for _, t := range i.Terms {
		name := p.k.Axis(p.stage, t.Axis).Name
		if t.Factor != 1 {
			name = fmt.Sprintf("%d*%s", t.Factor, name)
		}
		terms = append(terms, name)
	}
	if i.Value != None {
		terms = append(terms, fmt.Sprintf("%%%d", i.Value))
	}
	if i.Offset != 0 || len(terms) == 0 {
		terms = append(terms, fmt.Sprint(i.Offset))
	}
	p.WriteString(strings.ReplaceAll(strings.Join(terms, " + "), "+ -", "- "))
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
