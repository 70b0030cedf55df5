// Package model runs trained programs on data as it lies in memory. Its central
// type is [Model]: the text of a program with the values of its constants,
// compiled once for all numbers of elements. [Model.Bind] connects it with the
// columns that it reads and writes; any number of goroutines run it at once.
//
//	x, err := predict.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 3)}}, "y")
//	m, err := model.New(ctx, backend, backends.NewModule(x.Text), x.Constants)
//	err = m.Bind(in, out).Run(ctx, nil, batch)
//
// imports only ltc/backends, ltc/internal/border, ltc/internal/spare, ltc/ir/types,
// ltc/soa and ltc/internal/diag.
package model
