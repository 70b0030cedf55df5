package reference

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"unsafe"

	"ltc/soa/npy"
)

// Probes is where the ops that look at a running program's values put them.
// Without one, interpreter.probe and interpreter.print only hand values on.
type Probes struct {
	// Dir gets a file probe1.npy, probe2.npy, … for each value that an
	// interpreter.probe sees, and index.csv with a record of probe_id, type and
	// file for each; check.expect_serialized_eq reads them. It must exist; "" for
	// none.
	Dir string
	// Out gets the text of what interpreter.print sees; nil for none.
	Out io.Writer

	mu    sync.Mutex
	files int
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

// prepareProbe hands its operand on and writes it to a file.
func prepareProbe(b *builder, o *site) error {
	if err := o.arity(1, 1); err != nil {
		return err
	}
	id, in := stringAttr(o.op.Attrs.Get("probe_id")), o.in[0]
	b.emitTry(func(f *frame) error {
		if p := f.ws.probes(); p != nil && p.Dir != "" {
			return p.write(id, in.tensor, f.p[in.slot])
		}
		return nil
	})
	return prepareRegroup(b, o)
}

// write adds a file and its record in the index.
func (p *Probes) write(id string, t tensor, mem unsafe.Pointer) error {
	data, err := npyFile(t, mem)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files++
	file := filepath.Join(p.Dir, "probe"+strconv.Itoa(p.files)+".npy")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		return err
	}
	index, err := os.OpenFile(p.index(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	w := csv.NewWriter(index)
	w.Write([]string{id, t.String(), file}) // what goes wrong is w.Error
	w.Flush()
	return errors.Join(w.Error(), index.Close())
}

func (p *Probes) index() string { return filepath.Join(p.Dir, "index.csv") }

// numpyTypes gives NumPy's code for elements as they lie in memory. It has
// none for narrow floats, which are opaque bytes to it, and integers of less
// than a byte take one.
var numpyTypes = map[dtype]string{
	i1: "|b1", i2: "|i1", i4: "|i1", i8: "|i1", i16: "<i2", i32: "<i4", i64: "<i8",
	u2: "|u1", u4: "|u1", u8: "|u1", u16: "<u2", u32: "<u4", u64: "<u8",
	f16: "<f2", bf16: "<V2", f32: "<f4", f64: "<f8", tf32: "<f4", c64: "<c8", c128: "<c16",
}

// npyFile returns a .npy file with a value.
func npyFile(t tensor, mem unsafe.Pointer) ([]byte, error) {
	code, ok := numpyTypes[t.dt]
	if !ok {
		code = "|V" + strconv.Itoa(t.dt.size())
	}
	head, err := npy.Header(code, t.shape)
	return append(head, unsafe.Slice((*byte)(mem), t.bytes())...), err
}

// prepareExpectSerialized fails unless the file that a probe has written holds
// the operand, bit by bit.
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
		if p == nil || p.Dir == "" {
			return fmt.Errorf("no directory of probes: see WithProbes")
		}
		kind, file, err := p.find(id, iteration)
		if err != nil {
			return err
		}
		want, err := npyFile(in.tensor, f.p[in.slot])
		if err != nil {
			return err
		}
		data, err := os.ReadFile(file)
		switch {
		case err != nil:
			return err
		case kind != in.String():
			return fmt.Errorf("probe %q saw %s, the operand is %v", id, kind, in.tensor)
		case !bytes.Equal(data, want):
			return fmt.Errorf("%s, what probe %q saw, is not the operand", file, id)
		}
		return nil
	})
	return nil
}

// find returns type and file of what a probe has seen, counted from 0.
func (p *Probes) find(id string, iteration int) (kind, file string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, err := os.Open(p.index())
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return "", "", err
	}
	for _, r := range records {
		if len(r) == 3 && r[0] == id {
			if iteration == 0 {
				return r[1], r[2], nil
			}
			iteration--
		}
	}
	return "", "", fmt.Errorf("%s has no such record of probe %q", p.index(), id)
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
