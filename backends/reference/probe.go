package reference

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"unsafe"
)

// Probes is where the ops that look at a running program's values put them.
// Without one, interpreter.probe and interpreter.print only hand values on.
// What a Probes holds is called by one run at a time.
type Probes struct {
	Sink ProbeSink // nil: none
	// Out gets the text of what interpreter.print sees; nil for none.
	Out io.Writer

	mu sync.Mutex
}

// ProbeSink keeps what the probes of a program see. An error ends the run.
type ProbeSink interface {
	// Put keeps a value that an interpreter.probe with the probe_id id sees.
	Put(id string, v Probed) error
	// Same returns an error unless v is what was put under id, bit by bit: the
	// first time for iteration 0, then the second, and so on. It is what
	// check.expect_serialized_eq asks.
	Same(id string, iteration int, v Probed) error
}

// Probed is a value that a sink sees; it may keep the shape, but not the data.
type Probed struct {
	Type  string // as the text has it: tensor<2xf32>
	Elem  string // f32; of a quantized type the integers
	Shape []int
	// Data is the elements in row-major order, in the machine's byte order.
	// Elements of less than a byte take one, tf32 takes four.
	Data []byte
}

func probed(t tensor, mem unsafe.Pointer) Probed {
	return Probed{t.String(), t.dt.String(), t.shape, unsafe.Slice((*byte)(mem), t.bytes())}
}

type probesKey struct{}

// WithProbes returns a context under which runs of the evaluator use p.
func WithProbes(ctx context.Context, p *Probes) context.Context {
	return context.WithValue(ctx, probesKey{}, p)
}

// probes returns what the run was given; nil if nothing.
func (ws *workspace) probes() *Probes {
	p, _ := ws.ctx.Value(probesKey{}).(*Probes)
	return p
}

// prepareProbe hands its operand on and shows it to the sink.
func prepareProbe(b *builder, o *site) error {
	if err := o.arity(1, 1); err != nil {
		return err
	}
	id, in := stringAttr(o.op.Attrs.Get("probe_id")), o.in[0]
	b.emitTry(func(f *frame) error {
		p := f.ws.probes()
		if p == nil || p.Sink == nil {
			return nil
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.Sink.Put(id, probed(in.tensor, f.p[in.slot]))
	})
	return prepareRegroup(b, o)
}

// prepareExpectSerialized fails unless what a probe has seen is the operand, bit by bit.
func prepareExpectSerialized(b *builder, o *site) error {
	if err := o.arity(1, 0); err != nil {
		return err
	}
	iteration, err := intAttr(o.op.Attrs, "iteration", 0)
	if err != nil {
		return err
	}
	id, in := stringAttr(o.op.Attrs.Get("probe_id")), o.in[0]
	b.emitTry(func(f *frame) error {
		p := f.ws.probes()
		if p == nil || p.Sink == nil {
			return fmt.Errorf("nothing keeps what probes see: see WithProbes")
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.Sink.Same(id, iteration, probed(in.tensor, f.p[in.slot]))
	})
	return nil
}

// preparePrint writes its operand as text.
func preparePrint(b *builder, o *site) error {
	if err := o.arity(1, 0); err != nil {
		return err
	}
	in := o.in[0]
	b.emitTry(func(f *frame) error {
		p := f.ws.probes()
		if p == nil || p.Out == nil {
			return nil
		}
		text, err := printed(in.tensor, f.p[in.slot])
		if err != nil {
			return err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		_, err = io.WriteString(p.Out, text)
		return err
	})
	return nil
}

// printed returns a value as the dialect's interpreter prints it.
func printed(t tensor, mem unsafe.Pointer) (string, error) {
	element, err := elementPrinter(t.dt)
	if err != nil {
		return "", err
	}
	if t.scalar() {
		return fmt.Sprintf("%v {%s}\n", t, element(mem)), nil
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "%v {\n", t)
	at := 0
	var rows func(shape []int, indent string)
	rows = func(shape []int, indent string) {
		text.WriteString(indent + "[")
		for i := range shape[0] {
			switch {
			case len(shape) > 1 && i > 0:
				text.WriteString(",\n")
			case len(shape) > 1:
				text.WriteString("\n")
			case i > 0:
				text.WriteString(", ")
			}
			if len(shape) > 1 {
				rows(shape[1:], indent+"  ")
				continue
			}
			text.WriteString(element(unsafe.Add(mem, at)))
			at += t.dt.size()
		}
		if len(shape) > 1 && shape[0] > 0 {
			text.WriteString("\n" + indent)
		}
		text.WriteString("]")
	}
	rows(t.shape, "  ")
	text.WriteString("\n}\n")
	return text.String(), nil
}

// elementPrinter returns what prints an element of type d.
func elementPrinter(d dtype) (func(unsafe.Pointer) string, error) {
	float := func(x float64) string { return strconv.FormatFloat(x, 'e', 6, 64) }
	switch {
	case d == i1:
		return func(p unsafe.Pointer) string { return strconv.FormatBool(*(*uint8)(p) != 0) }, nil
	case d == u64:
		return func(p unsafe.Pointer) string { return strconv.FormatUint(*(*uint64)(p), 10) }, nil
	case d.isInt():
		read := indexReader(d)
		return func(p unsafe.Pointer) string { return strconv.Itoa(read(p)) }, nil
	case d == f64:
		return func(p unsafe.Pointer) string { return float(*(*float64)(p)) }, nil
	case d.isFloat():
		k := convertKernel(d, f64)
		return func(p unsafe.Pointer) string {
			var x float64
			k(unsafe.Pointer(&x), p, 1)
			return float(x)
		}, nil
	case d == c64:
		return func(p unsafe.Pointer) string {
			x := *(*complex64)(p)
			return "[" + float(float64(real(x))) + ", " + float(float64(imag(x))) + "]"
		}, nil
	case d == c128:
		return func(p unsafe.Pointer) string {
			x := *(*complex128)(p)
			return "[" + float(real(x)) + ", " + float(imag(x)) + "]"
		}, nil
	}
	return nil, fmt.Errorf("elements of %v cannot be printed", d)
}
