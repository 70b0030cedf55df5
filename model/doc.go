// Package model runs trained programs on the caller's columns (package soa), in place. Its
// central type is [Model]: a program and the values of its constants, compiled once for any
// number of elements. [Model.Bind] connects a model with the columns that it reads and writes,
// and returns a [Bound]. Any number of goroutines may run a Bound at the same time.
//
//	x, err := predict.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 3)}}, "y")
//	m, err := model.New(ctx, backend, backends.NewModule(x.Text), x.Constants)
//	err = m.Bind(in, out).Run(ctx, nil, batch)
//
// The package imports only ltc/backends, ltc/internal/border, ltc/internal/spare, ltc/ir/types,
// ltc/soa and ltc/internal/diag.
package model
