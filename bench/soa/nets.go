package main

import (
	"context"
	"fmt"
	"math"

	"ltc/bench/measure"
	"ltc/examples/networks"
	"ltc/internal/diag"
	"ltc/internal/samples"
	"ltc/lazy"
	"ltc/soa"
)

// The sides of a network.
const (
	inOrder   = "in place, adjacent columns"
	inGather  = "in place, gathered columns"
	packFirst = "our pack, then the same"
	before    = "packed before"
	pytorch   = "PyTorch, packed before"
)

// network is one that takes three columns.
type network struct {
	name    string
	make    func(dev *lazy.Device) networks.Forward
	results []int // columns of each
	// heads are the names of the last layers, one for each result, in the order
	// of the results; those of the last give shares.
	heads  []string
	layers []string // before them
	ratios []ratio
	torch  bool // simplenet.py runs it, too
}

var simpleRatios = []ratio{
	{inGather, packFirst, 1 / 1.3},
	{inGather, before, 1.1},
	{inOrder, packFirst, 1 / 1.3},
	{inOrder, before, 1.1},
	{inGather, pytorch, 1},
	{inOrder, pytorch, 1},
}

func simple(widths ...int) func(dev *lazy.Device) networks.Forward {
	return func(dev *lazy.Device) networks.Forward { return networks.NewSimpleNet(dev, widths...).Forward }
}

func layersOf(name string, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("%s.%d", name, i))
	}
	return all
}

var nets = []network{
	{name: "SimpleNet", make: simple(), results: []int{1}, layers: layersOf("simple", 5), heads: []string{"simple.head"}, ratios: simpleRatios, torch: true},
	{name: "the same with layers 3-16-16-1", make: simple(16, 16), results: []int{1}, layers: layersOf("simple", 2), heads: []string{"simple.head"}, ratios: simpleRatios, torch: true},
	{
		name: "MultiHeadNet, two results", results: []int{1, 3}, layers: layersOf("multi", 5), heads: []string{"multi.reg", "multi.classes"},
		make:   func(dev *lazy.Device) networks.Forward { return networks.NewMultiHeadNet(dev).Forward },
		ratios: []ratio{{inGather, packFirst, 0}, {inGather, before, 1.1}, {inOrder, before, 1.1}},
	},
}

// networks lists the comparisons of them for so many threads.
func (o *options) networks(ctx context.Context, threads int) (all []contest) {
	for _, n := range nets {
		name := n.name
		if threads > 1 {
			name = fmt.Sprintf("%s, %s", name, diag.Count(threads, "thread"))
		}
		t := &trial{network: n, ctx: ctx, options: o, threads: threads}
		c := contest{name: name, threads: threads, open: t.sides, ratios: n.ratios}
		if n.torch {
			c.peer = t.pytorch
		}
		all = append(all, c)
	}
	return all
}

// trial is a network on data.
type trial struct {
	network
	*options
	ctx     context.Context
	threads int
	data    [][]float32
	weights map[string]soa.View
	// quickest is how PyTorch runs it best; none before it was asked.
	quickest figure
}

// sides are the network on columns, on packed rows and behind a pack of them.
func (t *trial) sides() ([]side, error) {
	t.data = [][]float32{measure.Gen(1, t.n), measure.Gen(2, t.n), measure.Gen(3, t.n)}
	var all []side
	for _, s := range []struct {
		name string
		at   layout
		pack bool
	}{
		{inOrder, inColumns(adjacent, fields), false},
		{inGather, inColumns(gathered, apart), false},
		{before, inRows, false},
		{packFirst, inColumns(gathered, apart), true},
	} {
		made, err := t.side(s.name, s.at, s.pack)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		all = append(all, made)
	}
	return all, nil
}

// side is the network on memory of a layout, packed first if pack is set.
func (t *trial) side(name string, at layout, pack bool) (side, error) {
	from, to := at(newMemory(t.n), t.n, len(t.data)), at(newMemory(t.n), t.n, t.results...)
	if err := from.fill(t.data); err != nil {
		return side{}, err
	}
	in, out := soa.NewCollection(t.n), soa.NewCollection(t.n)
	if err := in.Add("x", from.tensors[0]...); err != nil {
		return side{}, err
	}
	for j, columns := range to.tensors {
		if err := out.Add(fmt.Sprint("y", j), columns...); err != nil {
			return side{}, err
		}
	}
	first := func() error { return nil }
	if pack {
		rows := soa.NewCollection(t.n)
		if err := rows.Add("x", inRows(newMemory(t.n), t.n, len(t.data)).tensors[0]...); err != nil {
			return side{}, err
		}
		packing, err := t.packing(from.tensors[0], rows)
		if err != nil {
			return side{}, err
		}
		first, in = packing.run, rows
	}
	dev, err := lazy.Open(backend, lazy.Threads(1), lazy.Seed(seed))
	if err != nil {
		return side{}, err
	}
	m, weights, err := build(t.ctx, dev, t.make(dev), in, out, t.threads)
	if err != nil {
		return side{}, err
	}
	t.weights = weights
	s := bound(name, m, in, out)
	run := s.run
	s.run = func() error {
		if err := first(); err != nil {
			return err
		}
		return run()
	}
	s.check = func() error { return t.verify(out) }
	return s, nil
}

// packing is the program that puts columns side by side.
func (t *trial) packing(columns []soa.Column, rows *soa.Collection) (side, error) {
	in := soa.NewCollection(t.n)
	for _, c := range columns {
		if err := in.Add(c.Name(), c); err != nil {
			return side{}, err
		}
	}
	pack := func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		return []*lazy.Tensor{lazy.Concatenate(1, x...)}
	}
	return inPlace(t.ctx, "pack", pack, in, rows, t.threads)
}

// tolerance is how far a result may be from that in float64: thousands of terms
// are added up.
const tolerance = 1e-4

// verify compares rows of all results with what loops in float64 give.
func (t *trial) verify(out *soa.Collection) error {
	for r := range t.results {
		got, err := samples.Dense(out.Tensor(r))
		if err != nil {
			return err
		}
		width := t.results[r]
		for i := 0; i < t.n; i += max(1, t.n/200) {
			want := t.row(i)[r]
			for c := range width {
				if x := samples.Float(got, i*width+c); !(math.Abs(x-want[c]) <= tolerance) {
					return fmt.Errorf("wrong result: element (%d, %d) of %s is %v, want %v", i, c, out.Names()[r], x, want[c])
				}
			}
		}
	}
	return nil
}

// row returns the results of a row.
func (t *trial) row(i int) (results [][]float64) {
	x := make([]float64, len(t.data))
	for j := range x {
		x[j] = float64(t.data[j][i])
	}
	for _, name := range t.layers {
		x = t.dense(name, x)
		for k := range x {
			x[k] = max(x[k], 0)
		}
	}
	for k, name := range t.heads {
		y := t.dense(name, x)
		if k > 0 {
			y = softmax(y)
		}
		results = append(results, y)
	}
	return results
}

// dense is a layer of the weights.
func (t *trial) dense(name string, x []float64) []float64 {
	w, b := soa.Slice[float32](t.weights[name+".w"]), soa.Slice[float32](t.weights[name+".b"])
	y := make([]float64, len(b))
	for o := range y {
		y[o] = float64(b[o])
		for k := range x {
			y[o] += x[k] * float64(w[k*len(b)+o])
		}
	}
	return y
}

func softmax(x []float64) []float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v)
	}
	for k, v := range x {
		x[k] = math.Exp(v) / sum
	}
	return x
}
