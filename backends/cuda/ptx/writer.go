package ptx

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"ltc/backends/kit/kernel"
)

// writer writes the instructions of one entry. A value is the name of a register,
// or a literal.
type writer struct {
	k *kernel.Kernel
	s *Schedule
	strings.Builder
	regs    map[class]int
	labels  int
	threads [2]int // the most of a block, along x and y
	// known has what was computed in the blocks of code that are open, by
	// instruction: it need not be again.
	known     []map[string]string
	bases     []string          // the address of each operand
	sizes     []string          // the run-time sizes
	steps     [][]string        // the strides of each operand
	vals      []string          // by ID: the value at the point
	warps     bool              // rows are a warp's each, not a block's
	unrounded map[string]string // by register, the f32 that was rounded to f16 or bf16 for it
	wanted    []exactness       // by ID: how exact it is to be; nil: all bits
	// tables are in the module beside the entry, whose name theirs begin with.
	tables map[string][]uint64
	name   string // of the entry
	params int    // it has, of 8 bytes each
	// narrows says that block, tile, row and batch numbers are below 2^31 and are divided
	// in 32 bits. Division in 64 bits is a call: ptxas 12.0 to 12.5 crash on setmaxnreg
	// beside one, and one serializes wgmma in relocatable code.
	narrows bool
	maps    int // how many tensor maps it is given, behind all else
	err     error
}

// class is a kind of registers, by the letters of their names.
type class string

const (
	predicate class = "p"
	half      class = "h"
	word      class = "r"
	long      class = "rd"
	single    class = "f"
	double    class = "fd"
)

// declared is how classes are declared, in order.
var declared = []struct {
	class class
	is    string
}{{predicate, "pred"}, {half, "b16"}, {word, "b32"}, {long, "b64"}, {single, "f32"}, {double, "f64"}}

// shared is the name of a block's memory.
const shared = "block"

// begin begins an entry of no kernel.
func begin(name string, threads [2]int) *writer {
	w := &writer{name: name, threads: threads, regs: map[class]int{}, tables: map[string][]uint64{}, unrounded: map[string]string{}}
	w.open()
	return w
}

// param returns the next of the entry's parameters.
func (w *writer) param() string {
	r := w.fresh(long)
	w.line("ld.param.u64 %s, [a%d]", r, w.params)
	w.params++
	return r
}

func newWriter(name string, k *kernel.Kernel, s *Schedule) *writer {
	w := begin(name, s.Threads)
	w.k, w.s, w.vals, w.wanted = k, s, make([]string, len(k.Instrs)), wanted(k)
	for range k.Params {
		w.bases = append(w.bases, w.param())
	}
	for range k.Sizes {
		w.sizes = append(w.sizes, w.param())
	}
	for p := range k.Params {
		var steps []string
		for _, c := range k.Params[p].Strides {
			switch c {
			case kernel.UnitStride, kernel.TableStride:
				steps = append(steps, "1")
			case kernel.ZeroStride:
				steps = append(steps, "0")
			default:
				steps = append(steps, w.param())
			}
		}
		w.steps = append(w.steps, steps)
	}
	return w
}

// entry returns the text of the entry, once all is written.
func (w *writer) entry() string {
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
	for i := range w.params {
		params = append(params, fmt.Sprintf(".param .u64 a%d", i))
	}
	for i := range w.maps {
		params = append(params, fmt.Sprintf(".param .align 64 .b8 %s[128]", mapName(i)))
	}
	b.WriteString(strings.Join(params, ", "))
	t := w.threads
	// Without the second, the assembler spills some registers so that as many
	// blocks as can be share a processor.
	fmt.Fprintf(&b, ")\n.maxntid %d, %d, 1\n.minnctapersm 1\n{\n", t[0], t[1])
	for _, d := range declared {
		if n := w.regs[d.class]; n > 0 {
			fmt.Fprintf(&b, "\t.reg .%s %%%s<%d>;\n", d.is, d.class, n)
		}
	}
	b.WriteString(w.String())
	b.WriteString("\tret;\n}\n")
	return b.String()
}

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, "\t"+format+";\n", args...) }

func (w *writer) fresh(c class) string {
	w.regs[c]++
	return "%" + string(c) + strconv.Itoa(w.regs[c]-1)
}

// open begins a block of code that may not be run, or more than once.
func (w *writer) open() { w.known = append(w.known, map[string]string{}) }

func (w *writer) close() { w.known = w.known[:len(w.known)-1] }

// op computes a value that depends on its operands alone.
func (w *writer) op(c class, opcode string, args ...string) string {
	key := opcode + " " + strings.Join(args, ", ")
	for i := len(w.known) - 1; i >= 0; i-- {
		if v, ok := w.known[i][key]; ok {
			return v
		}
	}
	r := w.fresh(c)
	w.line("%s %s, %s", opcode, r, strings.Join(args, ", "))
	w.known[len(w.known)-1][key] = r
	return r
}

// variable returns a register that is set to a value and may be set again.
func (w *writer) variable(c class, v string) string {
	r := w.fresh(c)
	w.set(c, r, v)
	return r
}

func (w *writer) set(c class, r, v string) {
	for _, d := range declared {
		if d.class == c {
			w.line("mov.%s %s, %s", d.is, r, v)
		}
	}
}

func (w *writer) label() string {
	w.labels++
	return "L" + strconv.Itoa(w.labels)
}

func (w *writer) place(label string) { fmt.Fprintf(w, "%s:\n", label) }

// loop runs body for i from start to before end, by step.
func (w *writer) loop(start, end, step string, body func(i string)) {
	begin, after := w.label(), w.label()
	i := w.variable(long, start)
	w.place(begin)
	w.open()
	w.line("@%s bra %s", w.op(predicate, "setp.ge.s64", i, end), after)
	body(i)
	w.close()
	w.line("add.s64 %s, %s, %s", i, i, step)
	w.line("bra %s", begin)
	w.place(after)
}

// unrolled is loop whose text has n bodies in a row, whose loads are on their way
// together, and one for what is left.
func (w *writer) unrolled(n int, start, end, step string, body func(i string)) {
	i := w.variable(long, start)
	for _, times := range slices.Compact([]int{n, 1}) {
		begin, after := w.label(), w.label()
		advance := w.mul(step, number(int64(times)))
		w.place(begin)
		w.open()
		last := w.add(i, w.mul(step, number(int64(times-1))))
		w.line("@%s bra %s", w.op(predicate, "setp.ge.s64", last, end), after)
		for t := range times {
			body(w.add(i, w.mul(step, number(int64(t)))))
		}
		w.close()
		w.line("add.s64 %s, %s, %s", i, i, advance)
		w.line("bra %s", begin)
		w.place(after)
	}
}

// while runs body as long as the predicate that holds computes does.
func (w *writer) while(holds func() string, body func()) {
	begin, after := w.label(), w.label()
	w.place(begin)
	w.open()
	w.line("@!%s bra %s", holds(), after)
	body()
	w.close()
	w.line("bra %s", begin)
	w.place(after)
}

// words returns what loads word i+k of a table of the entry's module, for an i that
// is within it for all k that are asked for.
func (w *writer) words(name string, all []uint64, i string) func(k int) string {
	name = w.name + "_" + name
	if _, there := w.tables[name]; !there {
		w.tables[name] = all
	}
	at := w.mad(i, "8", w.op(long, "mov.u64", name))
	return func(k int) string { return w.op(long, "ld.global.nc.b64", fmt.Sprintf("[%s+%d]", at, 8*k)) }
}

// when runs body if the predicate holds; always, if it is none.
func (w *writer) when(p string, body func()) {
	if p == "" {
		body()
		return
	}
	after := w.label()
	w.line("@!%s bra %s", p, after)
	w.open()
	body()
	w.close()
	w.place(after)
}

// on returns the prefix of an instruction that is run if a predicate holds.
func on(p string) string {
	if p == "" {
		return ""
	}
	return "@" + p + " "
}

func (w *writer) barrier() { w.line("bar.sync 0") }

// special returns one of the registers that say which thread it is, as an i64.
func (w *writer) special(name string) string {
	return w.op(long, "cvt.s64.s32", w.op(word, "mov.u32", name))
}

// literal returns the number that v is, if it is one.
func literal(v string) (int64, bool) {
	n, err := strconv.ParseInt(v, 10, 64)
	return n, err == nil
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// bits32 and bits64 are floats as literals.
func bits32(x float64) string { return fmt.Sprintf("0f%08X", math.Float32bits(float32(x))) }
func bits64(x float64) string { return fmt.Sprintf("0d%016X", math.Float64bits(x)) }

// add, mul and mad compute with i64s, those that are literals at once.
func (w *writer) add(a, b string) string {
	x, known := literal(a)
	y, both := literal(b)
	switch {
	case known && both:
		return number(x + y)
	case known && x == 0:
		return b
	case both && y == 0:
		return a
	}
	if known {
		a, b = b, a
	}
	return w.op(long, "add.s64", a, b)
}

func (w *writer) mul(a, b string) string {
	x, known := literal(a)
	y, both := literal(b)
	switch {
	case known && both:
		return number(x * y)
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
	return w.op(long, "mul.lo.s64", a, b)
}

func (w *writer) mad(a, b, c string) string {
	_, known := literal(a)
	_, both := literal(b)
	if n, ok := literal(c); known || both || ok && n == 0 {
		return w.add(w.mul(a, b), c)
	}
	return w.op(long, "mad.lo.s64", a, b, c)
}

// quotient and modulo divide numbers that are not negative.
func (w *writer) quotient(n, by string) string { return w.divided("div", n, by) }
func (w *writer) modulo(n, by string) string   { return w.divided("rem", n, by) }

func (w *writer) divided(opcode, n, by string) string {
	if !w.narrows {
		return w.op(long, opcode+".u64", n, by)
	}
	return w.op(long, "cvt.u64.u32", w.op(word, opcode+".u32", w.narrow(n), w.narrow(by)))
}

// narrow returns the lower half of an i64.
func (w *writer) narrow(v string) string {
	if _, known := literal(v); known {
		return v
	}
	return w.op(word, "cvt.u32.u64", v)
}

// size returns the number that a size is.
func (w *writer) size(s kernel.Size) string {
	if i, ok := s.Sym(); ok {
		return w.sizes[i]
	}
	return number(int64(s))
}

// product returns the number of points of axes.
func (w *writer) product(stage int, axes []int) string {
	n := "1"
	for _, a := range axes {
		n = w.mul(n, w.size(w.k.Axis(stage, a).Size))
	}
	return n
}
