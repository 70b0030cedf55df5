package mlir

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Parse reads a module. A text of bare top-level ops is the body of one
// without name. The error is an [*Error], or [Errors] in the order of the text;
// file is only what they name. The module keeps text alive.
func Parse(file, text string) (*Module, error) { return Chunk{file, text, 0, 1}.Parse() }

// Chunk is a part of a file that is a module of its own.
type Chunk struct {
	File string
	// Text is the file's up to the end of the chunk, which starts at Offset,
	// on the given Line.
	Text         string
	Offset, Line int
}

// Split cuts the text of a file at its lines `// -----`. A text without such
// lines is one chunk.
func Split(file, text string) []Chunk {
	const mark = "// -----"
	chunks := []Chunk{{file, text, 0, 1}}
	line := 1
	for i := 0; i < len(text); line++ {
		end := len(text)
		if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
			end = i + n + 1
		}
		if strings.HasPrefix(text[i:end], mark) {
			chunks[len(chunks)-1].Text = text[:i]
			chunks = append(chunks, Chunk{file, text, end, line + 1})
		}
		i = end
	}
	return chunks
}

// Body is the chunk's own text.
func (c Chunk) Body() string { return c.Text[c.Offset:] }

// Parse is the package's Parse of the chunk; the lines of errors and ops are
// the file's.
func (c Chunk) Parse() (*Module, error) { return c.parse(context.Background()) }

func (c Chunk) parse(ctx context.Context) (*Module, error) {
	if strings.HasPrefix(c.Body(), bytecode) {
		return nil, &Error{File: c.File, Pos: Pos{c.Line, 1}, Msg: "this is MLIR bytecode; export the program as text: mlir_module() of a jax.export, lower(…).as_text(), str(module) or mlir-opt"}
	}
	if !utf8.ValidString(c.Body()) {
		return nil, join(c.File, c.Text, []*Error{notUTF8(c)})
	}
	r := newResolver(c.Text)
	r.done = ctx.Done()
	m := r.file(c)
	if m == nil && len(r.missing) > 0 && len(r.late) > 0 {
		// An alias that does not start a line was used before it stood there.
		again := newResolver(c.Text)
		again.done = r.done
		for _, name := range r.late {
			again.noteAlias(name, r.aliases[name].offset, r.aliases[name].pos)
		}
		r, m = again, again.file(c)
	}
	if m == nil && ctx.Err() != nil {
		return nil, ended(ctx, c.File, "parse", r.errs)
	}
	if m == nil {
		return nil, join(c.File, c.Text, r.errs)
	}
	m.file, m.text = c.File, c.Text
	m.Number()
	return m, nil
}

// bytecode starts files in MLIR's binary form.
const bytecode = "ML\xefR"

func notUTF8(c Chunk) *Error {
	s := scanner{text: c.Text, off: c.Offset, start: c.Offset, line: c.Line}
	for {
		c, n := utf8.DecodeRuneInString(s.text[s.off:])
		if c == utf8.RuneError && n == 1 {
			return Errorf(s.pos(), "byte %#02x is not UTF-8", s.text[s.off])
		}
		s.off += n
		if c == '\n' {
			s.line++
			s.start = s.off
		}
	}
}

// file makes the module: the text's only top-level op if that is one, and else
// a module without name around all of them. It is nil when there were errors.
func (r *resolver) file(c Chunk) *Module {
	r.findAliases(c.Text, c.Offset, c.Line)
	var ops []*Op
	err := r.try(func() {
		for s := newStream(r, c.Text, c.Offset, Pos{c.Line, 1}); !s.tok.EOF(); {
			switch {
			case s.tok.Type == HashToken || s.tok.Type == tokBang:
				r.aliasItem(s)
			case s.Is("{-#"):
				r.resourceItem(s)
			default:
				ops = append(ops, r.opLine(s))
			}
		}
	})
	if err != nil {
		r.failed(err)
		return nil
	}
	m := r.module(ops)
	r.settle(0, true)
	if len(r.errs) > 0 {
		return nil
	}
	if r.section != nil {
		m.Resources = r.section.list
	}
	return m
}

func (r *resolver) module(ops []*Op) *Module {
	m := &Module{Ops: ops}
	if len(ops) != 1 || ops[0].Code != OpModule {
		return m
	}
	op := ops[0]
	m = &Module{Name: op.SymName(), Loc: op.Loc}
	for _, a := range op.Attrs {
		if a.Name != "sym_name" {
			m.Attrs = append(m.Attrs, a)
		}
	}
	if len(op.Regions) != 1 || len(op.Regions[0].Blocks) > 1 || len(op.Operands)+len(op.Results) > 0 {
		r.fail(op.Pos, "builtin.module has one region of one block, and neither operands nor results")
		return m
	}
	if b := op.Body(); b != nil {
		m.Ops = b.Ops
	}
	return m
}

// ParseContext is [Parse] that ends when ctx is done, with an error that wraps
// its cause.
func ParseContext(ctx context.Context, file, text string) (*Module, error) {
	return Chunk{file, text, 0, 1}.parse(ctx)
}

// closed reports whether done is closed; false for nil.
func closed(done <-chan struct{}) bool {
	if done == nil {
		return false
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// ended is the error of what a context ended, in the last line of errs.
func ended(ctx context.Context, file, what string, errs []*Error) error {
	line := 0
	for _, e := range errs {
		line = max(line, e.Pos.Line)
	}
	return fmt.Errorf("%s: %s ended on line %d: %w", file, what, line, context.Cause(ctx))
}

// Ended returns the error of work, named by what, that ctx ended at pos of m's text.
func (m *Module) Ended(ctx context.Context, what string, pos Pos) error {
	return ended(ctx, m.file, what, []*Error{{Pos: pos}})
}
