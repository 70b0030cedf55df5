// Package torchgolden compares ops with what PyTorch computes. Its central type is [Case],
// a line of a file in testdata/torch, which tools/goldens wrote.
//
// The package imports only ltc/internal/calls, ltc/internal/diag, ltc/internal/samples, ltc/ir/types and
// ltc/soa.
package torchgolden

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ltc/internal/calls"
	"ltc/internal/diag"
	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/soa"
)

// Array is a tensor in a golden.
type Array struct {
	DType    string
	Shape    []int
	Data     []byte
	Reversed bool // the elements lie in memory with the axes in the opposite order
}

// Case is a call of an op, and what PyTorch gives.
type Case struct {
	Op         string `json:"-"` // Go name
	Name       string `json:"case"`
	Kind       string // how results are compared: exact, equal, elementary, relative, absolute or second
	Attrs      map[string]string
	Inputs     []Array
	Results    []Array
	Cotangents []Array  // of the floating-point results; none: no gradients are asked for
	Gradients  []*Array // for each input; nil for one that is not floating point
	Weights    []Array  // of the gradients, in the same order without nil; none: no second derivatives are asked for
	Seconds    []*Array // of the weighted sum of the gradients, for each input
	Tangents   []*Array // of that sum, for each cotangent
}

// Read returns the cases of an op's file.
func Read(path string) ([]Case, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var all []Case
	for d := json.NewDecoder(z); d.More(); {
		c := Case{Op: strings.TrimSuffix(filepath.Base(path), ".jsonl.gz")}
		if err := d.Decode(&c); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// Request returns the call of the case.
func (c *Case) Request() (calls.Request, error) {
	op, err := calls.Find(c.Op)
	if err != nil {
		return calls.Request{}, err
	}
	r := calls.Request{Op: op, Gradients: c.Cotangents != nil, Second: c.Weights != nil}
	if r.Attrs, err = op.Parse(c.Attrs); err != nil {
		return calls.Request{}, err
	}
	if r.Inputs, err = views(c.Inputs); err != nil {
		return calls.Request{}, err
	}
	if r.Cotangents, err = views(c.Cotangents); err != nil {
		return calls.Request{}, err
	}
	r.Weights, err = views(c.Weights)
	return r, err
}

func views(arrays []Array) ([]soa.View, error) {
	var all []soa.View
	for _, a := range arrays {
		v, err := a.view()
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// view returns the array as a view of fresh memory.
func (a *Array) view() (soa.View, error) {
	d, ok := types.ParseDType(a.DType)
	if !ok {
		return soa.View{}, fmt.Errorf("unknown dtype %q", a.DType)
	}
	t := types.Of(d, a.Shape...)
	dense, err := samples.FromBytes(t, a.Data)
	if err != nil || !a.Reversed {
		return dense, err
	}
	strides, n := make([]int, len(t.Shape)), 1
	for i, size := range t.Shape {
		strides[i] = n
		n *= size
	}
	v, err := soa.Make(types.Of(d, t.Elements())).Restride(t, 0, strides)
	if err != nil {
		return soa.View{}, err
	}
	return v, soa.Copy(v, dense)
}

// Compare reports how what a call gave differs from the case.
func (c *Case) Compare(got calls.Response) error {
	if c.Weights != nil { // results and gradients are those of another case
		if err := compareAll("second derivative", c.Seconds, got.Seconds, c.Kind); err != nil {
			return err
		}
		return compareAll("tangent", c.Tangents, got.Tangents, c.Kind)
	}
	if len(got.Results) != len(c.Results) {
		return fmt.Errorf("got %s, want %d", diag.Count(len(got.Results), "result"), len(c.Results))
	}
	for i := range c.Results {
		if err := c.Results[i].compare(got.Results[i], c.Kind); err != nil {
			return fmt.Errorf("result %d: %w", i, err)
		}
	}
	return compareAll("gradient", c.Gradients, got.Gradients, "relative")
}

// compareAll reports the first array that differs; nil ones are not compared.
func compareAll(what string, want []*Array, got []soa.View, kind string) error {
	for i, a := range want {
		if a == nil {
			continue
		}
		if err := a.compare(got[i], kind); err != nil {
			return fmt.Errorf("%s %d: %w", what, i, err)
		}
	}
	return nil
}

// compare reports the first element that differs by more than the kind allows.
func (a *Array) compare(got soa.View, kind string) error {
	want, err := a.view()
	if err != nil {
		return err
	}
	if !got.Type.Equal(want.Type) {
		return fmt.Errorf("is %v, want %v", got.Type, want.Type)
	}
	if got, err = samples.Dense(got); err != nil {
		return err
	}
	t := want.Type
	if got, err = parts(got); err != nil {
		return err
	}
	if want, err = parts(want); err != nil {
		return err
	}
	within := tolerance(want, kind)
	for i := range want.Type.Elements() {
		if !within(got, want, i) {
			return fmt.Errorf("element %d of %v is %v, want %v", i*t.Elements()/want.Type.Elements(), t, element(got, i), element(want, i))
		}
	}
	return nil
}

// parts returns a dense view with the parts of complex numbers as elements; v itself if it has
// no complex numbers.
func parts(v soa.View) (soa.View, error) {
	if !v.Type.DType.IsComplex() {
		return v, nil
	}
	data, err := samples.Bytes(v)
	if err != nil {
		return soa.View{}, err
	}
	return samples.FromBytes(v.Type.Parts(), data)
}

func element(v soa.View, i int) any {
	if v.Type.DType.IsFloat() {
		return samples.Float(v, i)
	}
	return samples.Bits(v, i)
}
