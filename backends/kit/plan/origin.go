package plan

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"

	"ltc/backends"
)

// NewOrigin returns the [Origin] of a program that was decoded: make makes it anew from its text,
// when it is asked for a variant for the first time. Kept is how many bytes make keeps.
func NewOrigin(kept int, make func() (*Program, error)) Origin {
	return &textOrigin{kept: kept, make: sync.OnceValues(make)}
}

// textOrigin is the origin of a program that is made from a text.
type textOrigin struct {
	kept int
	make func() (*Program, error)
}

// Variant is [Program.Variant].
func (o *textOrigin) Variant(p *Program, args, results []Layout) (*Program, error) {
	q, err := o.make()
	if err != nil {
		return nil, err
	}
	return q.variantOf(p, args, results)
}

// ResidentBytes leaves out the program that is made, as few are asked for variants.
func (o *textOrigin) ResidentBytes() int { return o.kept }

// regionOrigin is the origin of a region of a program that was decoded.
type regionOrigin struct {
	outer   Origin
	step, n int
}

func (o regionOrigin) program() (*Program, error) {
	var outer *Program
	var err error
	switch x := o.outer.(type) {
	case *textOrigin:
		outer, err = x.make()
	case regionOrigin:
		outer, err = x.program()
	}
	if err != nil {
		return nil, err
	}
	if outer == nil || o.step >= len(outer.Steps) || o.n >= len(outer.Steps[o.step].Regions()) {
		return nil, errOther
	}
	return outer.Steps[o.step].Regions()[o.n], nil
}

// Variant is [Program.Variant].
func (o regionOrigin) Variant(p *Program, args, results []Layout) (*Program, error) {
	q, err := o.program()
	if err != nil {
		return nil, err
	}
	return q.variantOf(p, args, results)
}

func (regionOrigin) ResidentBytes() int { return 0 }

// errOther says that a program was not what its text becomes.
var errOther = errors.New("plan: the program on disk is not what its text becomes here: remove the files of LTC_CACHE_DIR, or set LTC_CACHE=off")

// variantOf returns a variant of p, which is equal to q but for what it was made from.
func (q *Program) variantOf(p *Program, args, results []Layout) (*Program, error) {
	a, ok := p.Encode()
	b, also := q.Encode()
	if !ok || !also || !bytes.Equal(a, b) {
		return nil, errOther
	}
	v, err := q.Variant(args, results)
	if err != nil {
		return nil, fmt.Errorf("made from its text again: %w", err)
	}
	return v, nil
}

// Variants are variants of a program as bytes, by their layouts.
type Variants interface {
	Get(layouts string) (data []byte, ok bool)
	Keep(layouts string, data []byte)
}

// KeepVariants has p take its variants from those that are kept, and keeps the others that it has made. Hosts is as for [Decode].
func (p *Program) KeepVariants(v Variants, hosts Hosts) {
	if p.From != nil {
		p.From = keptOrigin{p.From, v, hosts}
	}
}

// keptOrigin is the origin of a program whose variants are kept.
type keptOrigin struct {
	Origin
	variants Variants
	hosts    Hosts
}

// Variant is [Program.Variant].
func (o keptOrigin) Variant(p *Program, args, results []Layout) (*Program, error) {
	layouts := fmt.Sprint(withLayout(args), withLayout(results))
	if data, ok := o.variants.Get(layouts); ok {
		v, err := decodeVariant(data, p, o.hosts)
		if err == nil {
			return v, nil
		}
		log := backends.Options{Logger: p.Logger}
		log.Log().Warn("ltc: the plan of a program on disk for views with these layouts cannot be read: it is made anew", "layouts", layouts, "reason", err)
	}
	v, err := o.Origin.Variant(p, args, results)
	if err != nil {
		return nil, err
	}
	if data, ok := encodeOpen(func(c *coder) { c.program(v) }); ok {
		if _, err := decodeVariant(data, p, noHosts); err == nil {
			o.variants.Keep(layouts, data)
		}
	}
	return v, nil
}

// withLayout returns a list without the last values that have no layout.
func withLayout(list []Layout) []Layout {
	for len(list) > 0 && list[len(list)-1] == nil {
		list = list[:len(list)-1]
	}
	return list
}

// decodeVariant reads a variant of p, with whose kernels those of the variant begin.
func decodeVariant(data []byte, p *Program, hosts Hosts) (*Program, error) {
	c := &coder{data: data, reading: true, hosts: hosts}
	v, err := c.readOpen(true)
	if err == nil {
		err = c.end()
	}
	if err != nil {
		return nil, err
	}
	if len(v.Kernels) < len(p.Kernels) || len(v.Steps) != len(p.Steps) || len(v.Values) < len(p.Values) || !slices.Equal(v.Args, p.Args) || !slices.Equal(v.Results, p.Results) {
		return nil, errOther
	}
	for i, k := range p.Kernels {
		if v.Kernels[i].String() != k.String() {
			return nil, errOther
		}
		v.Kernels[i] = k
	}
	v.Logger, v.From, v.Decoded = p.Logger, nil, true
	return v, nil
}
