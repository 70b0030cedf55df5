package mlir

import (
	"errors"
	"io"
	"strings"
)

// Text prints the text form.
type Text struct {
	Print func(w io.Writer, m *Module, o PrintOptions) error
	Op    func(*Op) string // the text of an op as it would stand alone
}

// unknown prints nothing.
var unknown = Text{
	Print: func(io.Writer, *Module, PrintOptions) error { return errNoText },
	Op:    (*Op).Name,
}

var (
	text       = unknown // what RegisterText was given
	errNoText  = errors.New("mlir: the text form is unknown: import package stablehlo, which has it")
	registered bool
)

// RegisterText tells this package what prints the text form. It is for the init function of
// one package: a second call panics.
func RegisterText(t Text) {
	if registered {
		panic("mlir: the text form is registered a second time")
	}
	text, registered = t, true
}

// PrintOptions chooses the form that [Module.Print] gives.
type PrintOptions struct {
	Locations bool // loc(…) behind ops and arguments that have one, with aliases at the end
	Generic   bool // no pretty forms
}

// Print returns the module's text in the dialect's own form, without locations.
// Values with a name keep it, unless it is taken where they stand; the others
// are numbered. Parsing the text and printing it again gives the same text. Of
// options, the last counts. A program that does not import package stablehlo gets the
// sentence that it must.
func Print(m *Module, options ...PrintOptions) string {
	var o PrintOptions
	if len(options) > 0 {
		o = options[len(options)-1]
	}
	var b strings.Builder
	if err := m.Print(&b, o); err != nil { // not the Builder's, which does not fail
		return err.Error()
	}
	return b.String()
}

// String is [Print].
func (m *Module) String() string { return Print(m) }

// Print writes the module's text to w. The error is w's, or says that the text form is
// unknown.
func (m *Module) Print(w io.Writer, o PrintOptions) error { return text.Print(w, m, o) }

// String returns the op's text as it would stand alone: values without name are
// numbered, operands first. It is the op's name where the text form is unknown.
func (o *Op) String() string { return text.Op(o) }
