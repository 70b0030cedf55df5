package asm

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Writer writes the instructions of one entry. A value is the name of a register,
// or a literal.
type Writer struct {
	strings.Builder
	regs    map[Class]int
	labels  int
	Threads [2]int // the most of a block, along x and y
	// Resident is how many blocks a multiprocessor is to have the registers for; 0 is 1.
	Resident int
	// known has what was computed in the blocks of code that are open, by
	// instruction: it need not be again.
	known     []map[string]string
	unrounded map[string]string // by register, the f32 that was rounded to f16 or bf16 for it
	// tables are in the module beside the entry, whose name theirs begin with.
	tables map[string][]uint64
	name   string // of the entry
	Params int    // it has, of 8 bytes each
	// narrows says that block, tile, row and batch numbers are below 2^31 and are divided
	// in 32 bits. Division in 64 bits is a call: ptxas 12.0 to 12.5 crash on setmaxnreg
	// beside one, and one serializes wgmma in relocatable code.
	Narrows bool
	maps    int // how many tensor maps it is given, behind all else
	Err     error
}

// Class is a kind of registers, by the letters of their names.
type Class string

const (
	Predicate Class = "p"
	Half      Class = "h"
	Word      Class = "r"
	Long      Class = "rd"
	Single    Class = "f"
	Double    Class = "fd"
)

// declared is how classes are declared, in order.
var declared = []struct {
	class Class
	is    string
}{{Predicate, "pred"}, {Half, "b16"}, {Word, "b32"}, {Long, "b64"}, {Single, "f32"}, {Double, "f64"}}

// Shared is the name of a block's memory.
const Shared = "block"

// New begins an entry, for blocks of so many threads along x and y.
func New(name string, threads [2]int) *Writer {
	w := &Writer{name: name, Threads: threads, regs: map[Class]int{}, tables: map[string][]uint64{}, unrounded: map[string]string{}}
	w.Open()
	return w
}

// Param returns the next of the entry's parameters.
func (w *Writer) Param() string {
	r := w.Fresh(Long)
	w.Line("ld.param.u64 %s, [a%d]", r, w.Params)
	w.Params++
	return r
}

// Text returns the text of the entry, once all is written.
func (w *Writer) Text() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(w.tables)) {
		fmt.Fprintf(&b, ".global .align 8 .b64 %s[%d] = {", name, len(w.tables[name]))
		for i, v := range w.tables[name] {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "0x%X", v)
		}
		b.WriteString("};\n")
	}
	fmt.Fprintf(&b, ".visible .entry %s(", w.name)
	var params []string
	for i := range w.Params {
		params = append(params, fmt.Sprintf(".param .u64 a%d", i))
	}
	for i := range w.maps {
		params = append(params, fmt.Sprintf(".param .align 64 .b8 %s[128]", mapName(i)))
	}
	b.WriteString(strings.Join(params, ", "))
	t := w.Threads
	// Without the second, the assembler spills some registers so that as many
	// blocks as can be share a processor.
	fmt.Fprintf(&b, ")\n.maxntid %d, %d, 1\n.minnctapersm %d\n{\n", t[0], t[1], max(w.Resident, 1))
	for _, d := range declared {
		if n := w.regs[d.class]; n > 0 {
			fmt.Fprintf(&b, "\t.reg .%s %%%s<%d>;\n", d.is, d.class, n)
		}
	}
	b.WriteString(w.String())
	b.WriteString("\tret;\n}\n")
	return b.String()
}

// Fail notes the first error; what is written after it is not used.
func (w *Writer) Fail(err error) {
	if w.Err == nil {
		w.Err = err
	}
}

// Line writes an instruction.
func (w *Writer) Line(format string, args ...any) { fmt.Fprintf(w, "\t"+format+";\n", args...) }

// Fresh returns a register that nothing has used.
func (w *Writer) Fresh(c Class) string {
	w.regs[c]++
	return "%" + string(c) + strconv.Itoa(w.regs[c]-1)
}

// Open begins a block of code that may not be run, or more than once.
func (w *Writer) Open() { w.known = append(w.known, map[string]string{}) }

// Close ends the block that Open began: what was computed in it is known no longer.
func (w *Writer) Close() { w.known = w.known[:len(w.known)-1] }

// Op computes a value that depends on its operands alone.
func (w *Writer) Op(c Class, opcode string, args ...string) string {
	key := opcode + " " + strings.Join(args, ", ")
	for i := len(w.known) - 1; i >= 0; i-- {
		if v, ok := w.known[i][key]; ok {
			return v
		}
	}
	r := w.Fresh(c)
	w.Line("%s %s, %s", opcode, r, strings.Join(args, ", "))
	w.known[len(w.known)-1][key] = r
	return r
}

// Variable returns a register that is set to a value and may be set again.
func (w *Writer) Variable(c Class, v string) string {
	r := w.Fresh(c)
	w.Set(c, r, v)
	return r
}

// Set writes the value v to the register r, of class c.
func (w *Writer) Set(c Class, r, v string) {
	for _, d := range declared {
		if d.class == c {
			w.Line("mov.%s %s, %s", d.is, r, v)
		}
	}
}

// Label returns a label that is nowhere yet; Place puts it.
func (w *Writer) Label() string {
	w.labels++
	return "L" + strconv.Itoa(w.labels)
}

// Place puts a label before the next instruction.
func (w *Writer) Place(label string) { fmt.Fprintf(w, "%s:\n", label) }

// Loop runs body for i from start to before end, by step.
func (w *Writer) Loop(start, end, step string, body func(i string)) {
	begin, after := w.Label(), w.Label()
	i := w.Variable(Long, start)
	w.Place(begin)
	w.Open()
	w.Line("@%s bra %s", w.Op(Predicate, "setp.ge.s64", i, end), after)
	body(i)
	w.Close()
	w.Line("add.s64 %s, %s, %s", i, i, step)
	w.Line("bra %s", begin)
	w.Place(after)
}

// Unrolled is loop whose text has n bodies in a row, whose loads are on their way
// together, and one for what is left.
func (w *Writer) Unrolled(n int, start, end, step string, body func(i string)) {
	i := w.Variable(Long, start)
	for _, times := range slices.Compact([]int{n, 1}) {
		begin, after := w.Label(), w.Label()
		advance := w.Mul(step, Number(int64(times)))
		w.Place(begin)
		w.Open()
		last := w.Add(i, w.Mul(step, Number(int64(times-1))))
		w.Line("@%s bra %s", w.Op(Predicate, "setp.ge.s64", last, end), after)
		for t := range times {
			body(w.Add(i, w.Mul(step, Number(int64(t)))))
		}
		w.Close()
		w.Line("add.s64 %s, %s, %s", i, i, advance)
		w.Line("bra %s", begin)
		w.Place(after)
	}
}

// While runs body as long as the predicate that holds computes does.
func (w *Writer) While(holds func() string, body func()) {
	begin, after := w.Label(), w.Label()
	w.Place(begin)
	w.Open()
	w.Line("@!%s bra %s", holds(), after)
	body()
	w.Close()
	w.Line("bra %s", begin)
	w.Place(after)
}

// words returns what loads word i+k of a table of the entry's module, for an i that
// is within it for all k that are asked for.
func (w *Writer) words(name string, all []uint64, i string) func(k int) string {
	name = w.name + "_" + name
	if _, there := w.tables[name]; !there {
		w.tables[name] = all
	}
	at := w.Mad(i, "8", w.Op(Long, "mov.u64", name))
	return func(k int) string { return w.Op(Long, "ld.global.nc.b64", fmt.Sprintf("[%s+%d]", at, 8*k)) }
}

// When runs body if the predicate holds; always, if it is none.
func (w *Writer) When(p string, body func()) {
	if p == "" {
		body()
		return
	}
	after := w.Label()
	w.Line("@!%s bra %s", p, after)
	w.Open()
	body()
	w.Close()
	w.Place(after)
}

// On returns the prefix of an instruction that is run if a predicate holds.
func On(p string) string {
	if p == "" {
		return ""
	}
	return "@" + p + " "
}

// Barrier has all threads of a block wait for one another.
func (w *Writer) Barrier() { w.Line("bar.sync 0") }

// Special returns one of the registers that say which thread it is, as an i64.
func (w *Writer) Special(name string) string {
	return w.Op(Long, "cvt.s64.s32", w.Op(Word, "mov.u32", name))
}

// Literal returns the number that v is, if it is one.
func Literal(v string) (int64, bool) {
	n, err := strconv.ParseInt(v, 10, 64)
	return n, err == nil
}

// Number returns n as an operand, which [Literal] reads.
func Number(n int64) string { return strconv.FormatInt(n, 10) }

// Bits32 and bits64 are floats as literals.
func Bits32(x float64) string { return fmt.Sprintf("0f%08X", math.Float32bits(float32(x))) }
func bits64(x float64) string { return fmt.Sprintf("0d%016X", math.Float64bits(x)) }

// Add, mul and mad compute with i64s, those that are literals at once.
func (w *Writer) Add(a, b string) string {
	x, known := Literal(a)
	y, both := Literal(b)
	switch {
	case known && both:
		return Number(x + y)
	case known && x == 0:
		return b
	case both && y == 0:
		return a
	}
	if known {
		a, b = b, a
	}
	return w.Op(Long, "add.s64", a, b)
}

// Mul returns the long a · b; nothing is computed for numbers, 0 and 1.
func (w *Writer) Mul(a, b string) string {
	x, known := Literal(a)
	y, both := Literal(b)
	switch {
	case known && both:
		return Number(x * y)
	case known && x == 0, both && y == 0:
		return "0"
	case known && x == 1:
		return b
	case both && y == 1:
		return a
	}
	if known {
		a, b = b, a
	}
	return w.Op(Long, "mul.lo.s64", a, b)
}

// Mad returns the long a · b + c; nothing is computed for numbers, 0 and 1.
func (w *Writer) Mad(a, b, c string) string {
	_, known := Literal(a)
	_, both := Literal(b)
	if n, ok := Literal(c); known || both || ok && n == 0 {
		return w.Add(w.Mul(a, b), c)
	}
	return w.Op(Long, "mad.lo.s64", a, b, c)
}

// Quotient and Modulo divide numbers that are not negative.
func (w *Writer) Quotient(n, by string) string { return w.divided("div", n, by) }
func (w *Writer) Modulo(n, by string) string   { return w.divided("rem", n, by) }

func (w *Writer) divided(opcode, n, by string) string {
	if !w.Narrows {
		return w.Op(Long, opcode+".u64", n, by)
	}
	return w.Op(Long, "cvt.u64.u32", w.Op(Word, opcode+".u32", w.narrow(n), w.narrow(by)))
}

// narrow returns the lower half of an i64.
func (w *Writer) narrow(v string) string {
	if _, known := Literal(v); known {
		return v
	}
	return w.Op(Word, "cvt.u32.u64", v)
}

// TensorMap returns the address of one of the entry's tensor maps.
func (w *Writer) TensorMap(n int) string {
	w.maps = max(w.maps, n+1)
	return w.Op(Long, "cvta.param.u64", w.Op(Long, "mov.b64", mapName(n)))
}

func mapName(n int) string { return fmt.Sprintf("m%d", n) }
