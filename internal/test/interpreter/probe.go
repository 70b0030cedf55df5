package interpreter

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"ltc/backends/reference/eval"
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

func seen(t eval.Tensor, data []byte) Probed {
	return Probed{t.String(), t.Element(), t.Shape(), data}
}

type probesKey struct{}

// WithProbes returns a context under which runs of the evaluator use p.
func WithProbes(ctx context.Context, p *Probes) context.Context {
	return context.WithValue(ctx, probesKey{}, p)
}

// probesOf returns what the run was given; nil if nothing.
func probesOf(r *run) *Probes {
	p, _ := r.Context().Value(probesKey{}).(*Probes)
	return p
}

// probed hands its operand on and shows it to the sink.
func probed(s *site) (func(*run) error, error) {
	if err := arity(s, 1, 1); err != nil {
		return nil, err
	}
	id := text(s.Op.Attrs.Get("probe_id"))
	return func(r *run) error {
		copy(r.Out(0), r.In(0))
		p := probesOf(r)
		if p == nil || p.Sink == nil {
			return nil
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.Sink.Put(id, seen(s.In[0], r.In(0)))
	}, nil
}

// expectSerialized fails unless what a probe has seen is the operand, bit by bit.
func expectSerialized(s *site) (func(*run) error, error) {
	if err := arity(s, 1, 0); err != nil {
		return nil, err
	}
	iteration, err := number(s.Op.Attrs, "iteration", 0)
	if err != nil {
		return nil, err
	}
	id := text(s.Op.Attrs.Get("probe_id"))
	return func(r *run) error {
		p := probesOf(r)
		if p == nil || p.Sink == nil {
			return fmt.Errorf("nothing keeps what probes see: see WithProbes")
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.Sink.Same(id, iteration, seen(s.In[0], r.In(0)))
	}, nil
}

// printed writes its operand as text.
func printed(s *site) (func(*run) error, error) {
	if err := arity(s, 1, 0); err != nil {
		return nil, err
	}
	return func(r *run) error {
		p := probesOf(r)
		if p == nil || p.Out == nil {
			return nil
		}
		lines, err := asText(s.In[0], r.In(0))
		if err != nil {
			return err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		_, err = io.WriteString(p.Out, lines)
		return err
	}, nil
}

// asText returns a value as the dialect's interpreter prints it.
func asText(t eval.Tensor, data []byte) (string, error) {
	shape := t.Shape()
	var lines strings.Builder
	at := 0
	element := func() error {
		x, err := t.Number(data, at)
		at++
		if err != nil {
			return fmt.Errorf("elements of %s cannot be printed", t.Element())
		}
		lines.WriteString(asNumber(x))
		return nil
	}
	if len(shape) == 0 {
		lines.WriteString(t.String() + " {")
		err := element()
		return lines.String() + "}\n", err
	}
	lines.WriteString(t.String() + " {\n")
	var rows func(shape []int, indent string) error
	rows = func(shape []int, indent string) error {
		lines.WriteString(indent + "[")
		for i := range shape[0] {
			switch {
			case len(shape) > 1 && i > 0:
				lines.WriteString(",\n")
			case len(shape) > 1:
				lines.WriteString("\n")
			case i > 0:
				lines.WriteString(", ")
			}
			var err error
			if len(shape) > 1 {
				err = rows(shape[1:], indent+"  ")
			} else {
				err = element()
			}
			if err != nil {
				return err
			}
		}
		if len(shape) > 1 && shape[0] > 0 {
			lines.WriteString("\n" + indent)
		}
		lines.WriteString("]")
		return nil
	}
	err := rows(shape, "  ")
	return lines.String() + "\n}\n", err
}

func asNumber(x any) string {
	float := func(x float64) string { return strconv.FormatFloat(x, 'e', 6, 64) }
	switch x := x.(type) {
	case float64:
		return float(x)
	case complex128:
		return "[" + float(real(x)) + ", " + float(imag(x)) + "]"
	}
	return fmt.Sprint(x)
}
