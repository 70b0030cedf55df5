package vector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/llir/llvm/ir"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// String returns the module's text: that of [ir.Module.String], which takes several times as
// long, because it formats each instruction and each of its types anew.
func (m *Module) String() string {
	m.print()
	parts := []string{(&ir.Module{Globals: m.IR.Globals}).String(), m.text.String(),
		(&ir.Module{NamedMetadataDefs: m.IR.NamedMetadataDefs, MetadataDefs: m.IR.MetadataDefs}).String()}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}

// Flush keeps the text of the functions so far in place of their instructions, which take several
// times as much memory. The functions must be complete.
func (m *Module) Flush() {
	for _, f := range m.print() {
		f.Blocks = nil
	}
}

// print writes the functions that have no text yet, and returns them.
func (m *Module) print() []*ir.Func {
	if err := m.IR.AssignMetadataIDs(); err != nil {
		panic(fmt.Errorf("vector: %w", err))
	}
	some := m.IR.Funcs[m.printed:]
	for _, f := range some {
		if m.printed++; m.printed > 1 {
			m.text.WriteByte('\n')
		}
		m.text.function(f)
	}
	return some
}

// printer writes the text of functions. What is rare is left to package ir.
type printer struct{ strings.Builder }

func (p *printer) function(f *ir.Func) {
	if err := f.AssignIDs(); err != nil {
		panic(fmt.Errorf("vector: %s: %w", f.Ident(), err))
	}
	if len(f.Blocks) == 0 {
		p.WriteString(f.LLString())
		p.WriteByte('\n')
		return
	}
	blocks := f.Blocks
	f.Blocks = []*ir.Block{{LocalIdent: ir.LocalIdent{LocalName: "none"}, Term: ir.NewUnreachable()}}
	shell := f.LLString()
	f.Blocks = blocks
	p.WriteString(shell[:strings.LastIndex(shell, "{\n")+2])
	for i, b := range blocks {
		if i > 0 {
			p.WriteByte('\n')
		}
		p.WriteString(b.Ident()[1:])
		p.WriteString(":\n")
		for _, inst := range b.Insts {
			p.WriteByte('\t')
			if !p.instruction(inst) {
				p.WriteString(inst.LLString())
			}
			p.WriteByte('\n')
		}
		p.WriteByte('\t')
		if !p.terminator(b.Term) {
			p.WriteString(b.Term.LLString())
		}
		p.WriteByte('\n')
	}
	p.WriteString("}\n")
}

// instruction writes an instruction of a kind that functions have many of. It reports false for
// others, and writes nothing then.
func (p *printer) instruction(inst ir.Instruction) bool {
	switch x := inst.(type) {
	case *ir.InstAdd:
		return p.binary(x, "add", names(x.OverflowFlags), x.X, x.Y, x.Metadata)
	case *ir.InstSub:
		return p.binary(x, "sub", names(x.OverflowFlags), x.X, x.Y, x.Metadata)
	case *ir.InstMul:
		return p.binary(x, "mul", names(x.OverflowFlags), x.X, x.Y, x.Metadata)
	case *ir.InstShl:
		return p.binary(x, "shl", names(x.OverflowFlags), x.X, x.Y, x.Metadata)
	case *ir.InstAnd:
		return p.binary(x, "and", "", x.X, x.Y, x.Metadata)
	case *ir.InstFAdd:
		return p.binary(x, "fadd", names(x.FastMathFlags), x.X, x.Y, x.Metadata)
	case *ir.InstFSub:
		return p.binary(x, "fsub", names(x.FastMathFlags), x.X, x.Y, x.Metadata)
	case *ir.InstFMul:
		return p.binary(x, "fmul", names(x.FastMathFlags), x.X, x.Y, x.Metadata)
	case *ir.InstFDiv:
		return p.binary(x, "fdiv", names(x.FastMathFlags), x.X, x.Y, x.Metadata)
	case *ir.InstICmp:
		return p.binary(x, "icmp ", x.Pred.String(), x.X, x.Y, x.Metadata)
	case *ir.InstFCmp:
		return p.binary(x, "fcmp", names(x.FastMathFlags)+" "+x.Pred.String(), x.X, x.Y, x.Metadata)
	case *ir.InstBitCast:
		return p.conversion(x, "bitcast", x.From, x.To, x.Metadata)
	case *ir.InstIntToPtr:
		return p.conversion(x, "inttoptr", x.From, x.To, x.Metadata)
	case *ir.InstPtrToInt:
		return p.conversion(x, "ptrtoint", x.From, x.To, x.Metadata)
	case *ir.InstTrunc:
		return p.conversion(x, "trunc", x.From, x.To, x.Metadata)
	case *ir.InstGetElementPtr:
		return p.address(x)
	case *ir.InstLoad:
		return p.load(x)
	case *ir.InstStore:
		return p.store(x)
	case *ir.InstPhi:
		return p.phi(x)
	case *ir.InstCall:
		return p.call(x)
	case *ir.InstSelect:
		return len(x.FastMathFlags) == 0 && p.three(x, "select", x.Cond, x.ValueTrue, x.ValueFalse, x.Metadata)
	case *ir.InstShuffleVector:
		return p.three(x, "shufflevector", x.X, x.Y, x.Mask, x.Metadata)
	case *ir.InstInsertElement:
		return p.three(x, "insertelement", x.X, x.Elem, x.Index, x.Metadata)
	}
	return false
}

// names returns the names of flags, a space before each.
func names[F fmt.Stringer](flags []F) string {
	var all string
	for _, f := range flags {
		all += " " + f.String()
	}
	return all
}

func (p *printer) binary(inst value.Value, op, flags string, x, y value.Value, md ir.Metadata) bool {
	if len(md) > 0 {
		return false
	}
	p.define(inst, op)
	p.WriteString(flags)
	p.operand(" ", x)
	p.WriteString(", ")
	p.WriteString(y.Ident())
	return true
}

func (p *printer) conversion(inst value.Value, op string, from value.Value, to ll.Type, md ir.Metadata) bool {
	if len(md) > 0 {
		return false
	}
	p.define(inst, op)
	p.operand(" ", from)
	p.WriteString(" to ")
	p.typ(to)
	return true
}

func (p *printer) three(inst value.Value, op string, x, y, z value.Value, md ir.Metadata) bool {
	if len(md) > 0 {
		return false
	}
	p.define(inst, op)
	p.operand(" ", x)
	p.operand(", ", y)
	p.operand(", ", z)
	return true
}

func (p *printer) address(x *ir.InstGetElementPtr) bool {
	if x.InBounds || len(x.Metadata) > 0 {
		return false
	}
	p.define(x, "getelementptr ")
	p.typ(x.ElemType)
	p.operand(", ", x.Src)
	for _, i := range x.Indices {
		p.operand(", ", i)
	}
	return true
}

func (p *printer) load(x *ir.InstLoad) bool {
	if x.Atomic || x.Volatile || x.SyncScope != "" || x.Ordering != 0 || len(x.Metadata) > 0 {
		return false
	}
	p.define(x, "load ")
	p.typ(x.ElemType)
	p.operand(", ", x.Src)
	p.align(x.Align)
	return true
}

func (p *printer) store(x *ir.InstStore) bool {
	if x.Atomic || x.Volatile || x.SyncScope != "" || x.Ordering != 0 || len(x.Metadata) > 0 {
		return false
	}
	p.operand("store ", x.Src)
	p.operand(", ", x.Dst)
	p.align(x.Align)
	return true
}

func (p *printer) align(a ir.Align) {
	if a != 0 {
		p.WriteString(", ")
		p.WriteString(a.String())
	}
}

func (p *printer) phi(x *ir.InstPhi) bool {
	if len(x.FastMathFlags) > 0 || len(x.Metadata) > 0 {
		return false
	}
	p.define(x, "phi ")
	p.typ(x.Typ)
	for i, in := range x.Incs {
		p.WriteString([2]string{" [ ", ", [ "}[min(i, 1)])
		p.WriteString(in.X.Ident())
		p.WriteString(", ")
		p.WriteString(in.Pred.Ident())
		p.WriteString(" ]")
	}
	return true
}

func (p *printer) call(x *ir.InstCall) bool {
	if x.Tail != 0 || len(x.FastMathFlags) > 0 || x.CallingConv != 0 || len(x.ReturnAttrs) > 0 || x.AddrSpace != 0 ||
		x.Sig().Variadic || len(x.FuncAttrs) > 0 || len(x.OperandBundles) > 0 || len(x.Metadata) > 0 {
		return false
	}
	t := x.Type()
	if _, void := t.(*ll.VoidType); void {
		p.WriteString("call ")
	} else {
		p.define(x, "call ")
	}
	p.typ(t)
	p.WriteByte(' ')
	p.WriteString(x.Callee.Ident())
	p.WriteByte('(')
	for i, a := range x.Args {
		p.operand([2]string{"", ", "}[min(i, 1)], a)
	}
	p.WriteByte(')')
	return true
}

// terminator is instruction for the end of a block.
func (p *printer) terminator(t ir.Terminator) bool {
	switch x := t.(type) {
	case *ir.TermBr:
		if len(x.Metadata) > 0 {
			return false
		}
		p.WriteString("br label ")
		p.WriteString(x.Target.Ident())
		return true
	case *ir.TermCondBr:
		if len(x.Metadata) > 0 {
			return false
		}
		p.operand("br ", x.Cond)
		p.WriteString(", label ")
		p.WriteString(x.TargetTrue.Ident())
		p.WriteString(", label ")
		p.WriteString(x.TargetFalse.Ident())
		return true
	}
	return false
}

// define writes what an instruction defines, and its name.
func (p *printer) define(x value.Value, op string) {
	p.WriteString(x.Ident())
	p.WriteString(" = ")
	p.WriteString(op)
}

// operand writes what is between operands, and one with its type.
func (p *printer) operand(between string, v value.Value) {
	p.WriteString(between)
	if a, ok := v.(*ir.Arg); ok { // which has attributes
		p.WriteString(a.String())
		return
	}
	p.typ(v.Type())
	p.WriteByte(' ')
	p.WriteString(v.Ident())
}

func (p *printer) typ(t ll.Type) {
	if t.Name() == "" {
		switch t := t.(type) {
		case *ll.IntType:
			p.WriteByte('i')
			p.WriteString(strconv.FormatUint(t.BitSize, 10))
			return
		case *ll.FloatType:
			p.WriteString(t.Kind.String())
			return
		case *ll.VectorType:
			if !t.Scalable {
				p.WriteByte('<')
				p.WriteString(strconv.FormatUint(t.Len, 10))
				p.WriteString(" x ")
				p.typ(t.ElemType)
				p.WriteByte('>')
				return
			}
		case *ll.PointerType:
			if t.AddrSpace == 0 {
				p.typ(t.ElemType)
				p.WriteByte('*')
				return
			}
		}
	}
	p.WriteString(t.String())
}
