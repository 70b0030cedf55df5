package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"ltc/backends"
	"ltc/data"
	"ltc/lazy"
	"ltc/model"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
	"ltc/soa"
)

// net is a network on sets: each particle goes through the same layers, what they give is
// added up for each jet, and other layers score the sum.
type net struct{ Particle, Score layers.Sequential }

// perceptron returns layers with ReLU between them, whose widths are given.
func perceptron(widths ...int) layers.Sequential {
	var n layers.Sequential
	for i, out := range widths[1:] {
		if i > 0 {
			n = append(n, layers.ReLU())
		}
		n = append(n, &layers.Linear{In: widths[i], Out: out, Init: lazy.HeNormal("OI")})
	}
	return n
}

// tagger is a network and the jets that it is for.
type tagger struct {
	backend     string
	dev         *lazy.Device
	net         net
	columns     *soa.Columns
	in          *soa.Collection
	train, test []int // jets
}

// newTagger makes a tagger of the jets, of which it holds every fourth back.
func newTagger(backend string, seed uint64, jets *soa.Columns) (*tagger, error) {
	dev, err := lazy.Open(backend, lazy.Seed(seed))
	if err != nil {
		return nil, err
	}
	t := &tagger{
		backend: backend, dev: dev, columns: jets, in: soa.NewCollection(jets.Len()),
		net: net{Particle: perceptron(3, 16, 16), Score: perceptron(18, 16, 2)},
	}
	if err := module.Build(&t.net, dev); err != nil {
		return nil, err
	}
	t.train, t.test = data.Holdout(jets.Len(), 4)
	if err := t.in.Add("jets", jets.Col("Pt"), jets.Col("Mass")); err != nil {
		return nil, err
	}
	if err := t.in.AddRagged("particles", jets.Col("Particles.Pt"), jets.Col("Particles.Eta"), jets.Col("Particles.Phi")); err != nil {
		return nil, err
	}
	return t, t.in.AddRagged("owner", jets.Col("Particles.Jet"))
}

// inputs are the names of the tensors that the graph takes, in order: of each
// jet, of each particle, and the number of each particle's jet.
var inputs = []string{"jets", "particles", "owner"}

// logits records the scores of quarks and gluons, (jets, 2).
func (t *tagger) logits(tr *lazy.Trace, x []*lazy.Tensor) *lazy.Tensor {
	owner, n := tr.Read(x[2]).Reshape(-1), x[0].Dim(0)
	pt, mass := tr.Read(x[0]).Narrow(1, 0, 1), tr.Read(x[0]).Narrow(1, 1, 1)
	particles := tr.Read(x[1])
	hardness := particles.Narrow(1, 0, 1).Div(pt.Gather(owner)).AddScalar(1e-4).Log().MulScalar(0.3)
	place := particles.Narrow(1, 1, 2).MulScalar(8)
	each := t.net.Particle.Forward(lazy.Concatenate(1, hardness, place)).ReLU()
	sum := lazy.Zeros(tr, lazy.F32, n, 16).ScatterAdd(owner, each).MulScalar(1. / 30)
	jet := lazy.Concatenate(1, sum, pt.Log().AddScalar(-5), mass.Div(pt).MulScalar(8))
	return t.net.Score.Forward(jet)
}

// shapes records the mean distance of the particles from the jet's axis, weighted
// by their momenta, and how unequal these are: √Σp² / Σp. Both are (jets, 1).
func (t *tagger) shapes(tr *lazy.Trace, x []*lazy.Tensor) (width, ptd *lazy.Tensor) {
	owner, n := tr.Read(x[2]).Reshape(-1), x[0].Dim(0)
	column := func(i int) *lazy.Tensor { return tr.Read(x[1]).Narrow(1, i, 1) }
	sum := func(y *lazy.Tensor) *lazy.Tensor { return lazy.Zeros(tr, lazy.F32, n, 1).ScatterAdd(owner, y) }
	pt, eta, phi := column(0), column(1), column(2)
	total := sum(pt)
	width = sum(pt.Mul(eta.Mul(eta).Add(phi.Mul(phi)).Sqrt())).Div(total)
	return width, sum(pt.Mul(pt)).Sqrt().Div(total)
}

// fit trains on the jets that are not held back, all at once.
func (t *tagger) fit(steps int, out io.Writer) error {
	labels, err := soa.Elements[int32](t.columns.Col("Label"))
	if err != nil {
		return err
	}
	rows, wanted := make([]int32, len(t.train)), make([]int32, len(t.train))
	for i, j := range t.train {
		rows[i], wanted[i] = int32(j), labels[j]
	}
	tr := lazy.NewTrace(t.dev)
	var x []*lazy.Tensor
	for _, name := range inputs {
		v, err := t.in.Lookup(name)
		if err != nil {
			return err
		}
		x = append(x, lazy.FromView(t.dev, v))
	}
	chosen, want := lazy.From(t.dev, rows), lazy.From(t.dev, wanted)
	sgd := optim.NewSGD(t.dev, module.Trainable(&t.net), optim.SGDConfig{LR: 0.2, Momentum: 0.9})
	for step := range steps {
		sgd.SetLR(0.1 * (1 + math.Cos(math.Pi*float64(step)/float64(steps))))
		loss := t.logits(tr, x).Gather(chosen).CrossEntropy(want)
		if err := sgd.Step(loss); err != nil {
			return err
		}
		if err := tr.MarkStep(loss); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		if step%20 == 0 || step == steps-1 {
			fmt.Fprintf(out, "step %d: loss %.4f\n", step+1, loss.Float())
		}
	}
	return nil
}

// tag scores all jets and computes their shapes, into columns of their own.
func (t *tagger) tag() (*soa.Records[Tags], error) {
	tags := soa.Of[Tags](t.columns.Len())
	out := soa.NewCollection(t.columns.Len())
	for _, name := range []string{"Score", "Width", "PtD"} {
		if err := out.Add(name, tags.Col(name)); err != nil {
			return nil, err
		}
	}
	f := lazy.Func(t.dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		width, ptd := t.shapes(tr, x)
		return []*lazy.Tensor{t.logits(tr, x).Softmax(1).Narrow(1, 1, 1), width, ptd}
	})
	var takes []lazy.Input
	for _, name := range inputs {
		v, err := t.in.Lookup(name)
		if err != nil {
			return nil, err
		}
		takes = append(takes, lazy.Input{Name: name, Type: v.Type})
	}
	x, err := f.Export(takes, out.Names()...)
	if err != nil {
		return nil, err
	}
	b, err := backends.Open(t.backend)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	m, err := model.New(ctx, b, backends.NewModule(x.Text), x.Constants)
	if err != nil {
		return nil, err
	}
	return tags, m.Bind(t.in, out).Run(ctx, nil, 0)
}

// area returns the area under the ROC curve of the jets held back: how often a
// gluon has a higher score than a quark.
func (t *tagger) area(tags *soa.Columns) (float64, error) {
	labels, err := soa.Elements[int32](t.columns.Col("Label"))
	if err != nil {
		return 0, err
	}
	scores, err := soa.Elements[float32](tags.Col("Score"))
	if err != nil {
		return 0, err
	}
	var of [2][]float32
	for _, j := range t.test {
		if l := labels[j]; l == 0 || l == 1 {
			of[l] = append(of[l], scores[j])
		}
	}
	above := 0.0
	for _, g := range of[1] {
		for _, q := range of[0] {
			switch {
			case g > q:
				above++
			case g == q:
				above += 0.5
			}
		}
	}
	return above / float64(max(len(of[0])*len(of[1]), 1)), nil
}
