package ptxsim

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/test/ptxas"
)

// Module is what a PTX text holds. It is immutable.
type Module struct {
	entries map[string]*Entry
	// shared is the name of the memory of a block whose size a launch gives.
	shared string
	tables []byte // what the text declares in global memory
}

// Entry is a kernel of a module.
type Entry struct {
	Name   string
	Params []int // the bytes of each: 8, or 128 of a tensor map
	// Threads is how many a block may have at most, as the text says; 0: it does not.
	// Run does not hold launches to it.
	Threads int
	instrs  []instr
	module  *Module
	regs    []uint64 // what a thread's registers hold at first: see poison
	agents  bool     // whether others than threads access the block's memory
	partial bool     // whether some threads wait for some others
}

// words is how many words of 8 bytes the parameters have.
func (e *Entry) words() int {
	n := 0
	for _, size := range e.Params {
		n += size / 8
	}
	return n
}

// instr is an instruction of a thread. Those that wait for other threads have a
// kind; others run.
type instr struct {
	text   string
	line   int
	pred   int // the register that says whether it is run; -1: it is
	negate bool
	kind   kind
	target int // of a branch
	run    func(t *thread)
	wait   func(t *thread) bool // of a phase: reports whether the thread goes on
	warp   collective
	meets  meeting
}

type kind uint8

const (
	plain kind = iota
	branch
	barrier
	together
	phase
	exit
)

// mostParameters is how many bytes of them a launch takes of an entry of a module whose
// version is below 8.1; the assembler takes 256 more.
const mostParameters = 4096

// Error is a mistake in a text.
type Error struct {
	Line    int
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("ptx line %d: %s", e.Line, e.Message) }

// Entry returns the kernel of a name.
func (m *Module) Entry(name string) (*Entry, error) {
	if e := m.entries[name]; e != nil {
		return e, nil
	}
	return nil, fmt.Errorf("ptx: there is no kernel %s", name)
}

// Parse reads the text of a module. An [Error] says what is not PTX, or not of
// the subset. Modules are kept for the assembler, see package ptxas.
func Parse(text string) (*Module, error) {
	p := &parser{text: uncommented(text), line: 1, m: &Module{entries: map[string]*Entry{}}, tables: map[string]uint64{}}
	for p.err == nil {
		if p.space(); p.text == "" {
			return p.m, ptxas.Keep(text)
		}
		p.directive()
	}
	return nil, p.err
}

// uncommented returns text without what follows // in lines.
func uncommented(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i], _, _ = strings.Cut(l, "//")
	}
	return strings.Join(lines, "\n")
}

type parser struct {
	text   string // what is left
	line   int
	m      *Module
	err    error
	target target
	tables map[string]uint64 // where each begins
	// Of the kernel that is read:
	e      *Entry
	regs   map[string]int
	poison []uint64 // by register
	params map[string]int
	labels map[string]int
	uses   []labelUse
	wide   []int // the instructions that are wideFence
}

type labelUse struct {
	instr, line int
	name        string
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = &Error{p.line, fmt.Sprintf(format, args...)}
	}
}

func (p *parser) take(n int) string {
	s := p.text[:n]
	p.line += strings.Count(s, "\n")
	p.text = p.text[n:]
	return s
}

func (p *parser) space() { p.take(len(p.text) - len(strings.TrimLeft(p.text, " \t\r\n"))) }

// until takes what comes before one of the given bytes, and it.
func (p *parser) until(ends string) string {
	p.space()
	n := strings.IndexAny(p.text, ends)
	if n < 0 {
		p.fail("expected one of %q", ends)
		p.text = ""
		return ""
	}
	s := strings.TrimSpace(p.take(n))
	p.take(1)
	return s
}

func (p *parser) directive() {
	line, _, _ := strings.Cut(p.text, "\n")
	word, _, _ := strings.Cut(line, " ")
	switch {
	case word == ".version":
		p.target.version = strings.TrimSpace(line[len(word):])
		p.take(len(line))
	case word == ".target":
		p.target.arch = strings.TrimSpace(line[len(word):])
		p.take(len(line))
	case word == ".address_size":
		p.take(len(line))
	case strings.HasPrefix(line, ".extern .shared "):
		f := strings.Fields(p.until(";")) // .extern .shared .align 16 .b8 name[]
		name, array := strings.CutSuffix(f[len(f)-1], "[]")
		if len(f) != 6 || !array {
			p.fail("expected .extern .shared .align N .b8 name[]")
		}
		p.m.shared = name
	case strings.HasPrefix(line, ".global "):
		p.table(p.until(";"))
	case strings.HasPrefix(line, ".visible .entry "):
		p.entry()
	default:
		p.fail("unknown directive %s", word)
	}
}

// table reads .global .align 8 .b64 name[n] = {…}.
func (p *parser) table(s string) {
	head, list, _ := strings.Cut(s, "=")
	f := strings.Fields(head)
	values := strings.Split(strings.Trim(strings.TrimSpace(list), "{}"), ",")
	if len(f) != 5 || f[1] != ".align" || f[2] != "8" || f[3] != ".b64" || !strings.HasSuffix(f[4], fmt.Sprintf("[%d]", len(values))) {
		p.fail("expected .global .align 8 .b64 name[n] = {n numbers}, not %s", head)
		return
	}
	name, _, _ := strings.Cut(f[4], "[")
	p.tables[name] = tableBase + uint64(len(p.m.tables))
	for _, v := range values {
		p.m.tables = binary.LittleEndian.AppendUint64(p.m.tables, p.value(strings.TrimSpace(v)).bits)
	}
}

func (p *parser) entry() {
	p.take(len(".visible .entry "))
	p.e = &Entry{Name: p.until("("), module: p.m}
	p.regs, p.params, p.labels, p.uses, p.wide, p.poison = map[string]int{}, map[string]int{}, map[string]int{}, nil, nil, nil
	if list := p.until(")"); list != "" {
		for _, param := range strings.Split(list, ",") {
			f := strings.Fields(param)
			name, size := f[len(f)-1], 8
			kind := strings.Join(f[:len(f)-1], " ")
			if short, is := strings.CutSuffix(name, "[128]"); is && kind == ".param .align 64 .b8" {
				name, size = short, mapBytes
			} else if kind != ".param .u64" {
				p.fail("a parameter is %q, want .param .u64 name or .param .align 64 .b8 name[128]", strings.TrimSpace(param))
				return
			}
			p.params[name] = p.e.words()
			p.e.Params = append(p.e.Params, size)
		}
	}
	if n := 8 * p.e.words(); n > mostParameters {
		p.fail("entry %s has %s of parameters, of at most %d", p.e.Name, diag.Count(n, "byte"), mostParameters)
	}
	for p.space(); strings.HasPrefix(p.text, "."); p.space() {
		p.tuning(p.take(strings.IndexByte(p.text+"\n", '\n')))
	}
	if p.until("{") != "" {
		p.fail("expected { before the instructions of %s", p.e.Name)
	}
	for p.err == nil {
		p.space()
		if strings.HasPrefix(p.text, "}") {
			p.take(1)
			break
		}
		p.statement()
	}
	p.finish()
}

// tuning is a directive before the instructions of an entry. How many blocks are to
// share a processor, at least, says only how many registers there are.
func (p *parser) tuning(line string) {
	name, list, _ := strings.Cut(line, " ")
	switch name {
	case ".maxntid":
		p.e.Threads = 1
		for _, n := range strings.Split(list, ",") {
			p.e.Threads *= int(p.value(strings.TrimSpace(n)).bits)
		}
	case ".minnctapersm":
		p.value(strings.TrimSpace(list))
	default:
		p.fail("unknown directive %s", name)
	}
}

func (p *parser) finish() {
	for _, u := range p.uses {
		at, known := p.labels[u.name]
		if !known {
			p.line = u.line
			p.fail("there is no label %s", u.name)
			return
		}
		p.e.instrs[u.instr].target = at
		for _, n := range p.wide {
			if at <= n && n <= u.instr { // in the loop that a branch back closes
				p.line = p.e.instrs[n].line
				p.fail("%s in a loop waits for memory of the whole GPU each time: write %s.shared::cta", wideFence, wideFence)
				return
			}
		}
	}
	p.e.regs = p.poison
	p.m.entries[p.e.Name] = p.e
}

func (p *parser) statement() {
	line := p.line
	n := strings.IndexByte(p.text, ';')
	if n < 0 {
		p.fail("expected ;")
		return
	}
	if at := strings.IndexByte(p.text[:n], ':'); at >= 0 && p.text[at+1] != ':' {
		n = at
		p.labels[strings.TrimSpace(p.take(n))] = len(p.e.instrs)
		p.take(1)
		return
	}
	s := strings.Join(strings.Fields(p.take(n)), " ")
	p.take(1)
	if strings.HasPrefix(s, ".reg ") {
		p.registers(s)
		return
	}
	i := instr{text: s, line: line, pred: -1}
	if rest, ok := strings.CutPrefix(s, "@"); ok {
		name, instruction, _ := strings.Cut(rest, " ")
		name, i.negate = strings.CutPrefix(name, "!")
		if i.pred, ok = p.regs[name]; !ok {
			p.fail("there is no register %s", name)
		}
		s = instruction
	}
	p.compile(&i, s)
	p.e.instrs = append(p.e.instrs, i)
}

// registers declares those of a statement such as .reg .f32 %f<9>.
func (p *parser) registers(s string) {
	f := strings.Fields(s)
	if len(f) != 3 {
		p.fail("expected .reg .type %%name<count>")
		return
	}
	name, rest, _ := strings.Cut(f[2], "<")
	n, err := strconv.Atoi(strings.TrimSuffix(rest, ">"))
	if err != nil || n > 1<<16 {
		p.fail("expected .reg .type %%name<count>")
		return
	}
	for i := range n {
		p.regs[fmt.Sprint(name, i)] = len(p.regs)
		p.poison = append(p.poison, poison&mask(width(strings.TrimPrefix(f[1], "."))))
	}
}

// poison is what registers hold before they are written, cut to their width: NaN as a
// float of any width, an address where nothing is allocated, true as a predicate.
const poison = 0x7FFF7FFF7FFF7FFF
