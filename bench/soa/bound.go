package main

import (
	"context"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/examples/networks"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/model"
	"ltc/soa"
)

// backend runs the programs.
const backend = "cpu"

// seed is that of the weights.
const seed = 7

// backendOf is what the backend tells of its device.
func backendOf() string {
	b, err := backends.Open(backend)
	if err != nil {
		return err.Error()
	}
	var of []string
	for name, value := range b.Devices()[0].Properties {
		of = append(of, name+"="+value)
	}
	slices.Sort(of)
	return "`" + backend + "` (" + strings.Join(of, ", ") + ")"
}

// inPlace is a side that runs a program on the tensors of collections, for which
// it is compiled.
func inPlace(ctx context.Context, name string, program networks.Forward, in, out *soa.Collection, threads int) (side, error) {
	dev, err := lazy.Open(backend, lazy.Threads(1), lazy.Seed(seed))
	if err != nil {
		return side{}, err
	}
	m, _, err := build(ctx, dev, program, in, out, threads)
	if err != nil {
		return side{}, err
	}
	return bound(name, m, in, out), nil
}

// bound is a side that runs a model. Its runs cannot be cancelled: what long ones
// write that can be is copied at their end.
func bound(name string, m *model.Model, in, out *soa.Collection) side {
	b := m.Bind(in, out)
	return side{name: name, run: func() error { return b.Run(context.Background(), nil, 0) }, copied: m.CopiedBytes}
}

// build compiles a program that takes and gives what the collections have, for
// any number of elements, and returns its weights too.
func build(ctx context.Context, dev *lazy.Device, program networks.Forward, in, out *soa.Collection, threads int) (*model.Model, map[string]soa.View, error) {
	var inputs []lazy.Input
	for i, name := range in.Names() {
		t := in.Tensor(i).Type
		t.Shape = append(types.Shape{lazy.AnySize}, t.Shape[1:]...)
		inputs = append(inputs, lazy.Input{Name: name, Type: t})
	}
	x, err := lazy.Func(dev, program).Export(inputs, out.Names()...)
	if err != nil {
		return nil, nil, err
	}
	b, err := backends.Open(backend)
	if err != nil {
		return nil, nil, err
	}
	m, err := model.New(ctx, b, backends.NewModule(x.Text), x.Constants, model.Threads(threads))
	return m, x.Constants, err
}
