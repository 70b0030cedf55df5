package model_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/model"
	"ltc/soa"
)

// Zero models run nothing, and say so.
func TestZeroModelsRunNothing(t *testing.T) {
	for _, b := range []*model.Bound{nil, {}} {
		require.EqualError(t, b.Run(t.Context(), nil, 0), "model: the Bound is the zero value: make a Bound with Model.Bind")
	}
	for _, m := range []*model.Model{nil, {}} {
		require.EqualError(t, m.Bind(soa.NewCollection(1), soa.NewCollection(1)).Run(t.Context(), nil, 0), "model: bind: the Model is the zero value: make a Model with New")
		require.Nil(t, m.Signature())
		require.Nil(t, m.Executable())
		require.EqualValues(t, -1, m.CopiedBytes())
		made, failed := m.Variants()
		require.Equal(t, []int{-1, -1}, []int{made, failed})
	}
	_, err := model.New(t.Context(), nil, backends.NewModule(""), nil)
	require.EqualError(t, err, "model: the backend is nil")
	for _, backend := range []string{"cpu", "eval"} {
		b, err := backends.Open(backend)
		require.NoError(t, err)
		for _, empty := range []backends.Module{{}, backends.NewModule("\n")} {
			_, err = model.New(t.Context(), b, empty, nil)
			require.EqualError(t, err, "model: the program is empty: make a program with backends.NewModule, from a text such as Exported.Text")
		}
		_, err = model.New(t.Context(), b, backends.NewModule("module {}"), nil)
		require.EqualError(t, err, "model: program: error: the module has no function @main with a body of one block")
	}
}

// A nil context is that of a program, as everywhere.
func TestNilContextIsThatOfAProgram(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	x, err := network(t, dev).Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 3)}}, "score", "class")
	require.NoError(t, err)
	for _, backend := range []string{"cpu", "eval"} {
		b, err := backends.Open(backend)
		require.NoError(t, err)
		var none context.Context
		m, err := model.New(none, b, backends.NewModule(x.Text), x.Constants)
		require.NoError(t, err)
		hits, in, out := columns(t, 10, 5)
		require.NoError(t, m.Bind(in, out).Run(none, nil, 0))
		require.NotZero(t, hits.At(0).Load().Class)
	}
}

// Among tensors that are cut into batches, one that is whole is the error of a run that
// it does not go with: it names the tensor, its column and what to call.
func TestWholeTensorAmongBatchesIsNamed(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	f := network(t, dev)
	for _, backend := range []string{"cpu", "eval"} {
		m := newModel(t, f, backend)
		hits, cut, _ := columns(t, 10, 5)
		out := soa.NewCollection(10)
		require.NoError(t, out.AddBatched("class", 5, hits.Col("Class")))
		require.NoError(t, out.Add("score", hits.Col("Score")))
		err = m.Bind(cut, out).Run(t.Context(), nil, 0)
		at := "model: batch 0: " // of the run
		if backend == "cpu" {
			at = "model: bind: batch 0: "
		}
		require.ErrorContains(t, err, at)
		require.ErrorContains(t, err, " (tensor score: layout hit: column Score: each batch gets the whole tensor: use AddBatched; it takes a padded tensor as a ViewColumn)")

		_, _, both := columns(t, 10, 5)
		in := soa.NewCollection(10)
		require.NoError(t, in.Add("x", hits.Col("X"), hits.Col("Y"), hits.Col("Z")))
		require.EqualError(t, m.Bind(in, both).Run(t.Context(), nil, 0),
			"model: bind: in has 10 elements in 1 batch (tensor x: layout hit: column X), out has 10 elements in 2 batches of 5 (tensor class: layout hit: column Class): AddBatched cuts a tensor into batches, Add gives the whole tensor to each batch")
		require.NoError(t, in.AddBatched("unused", 5, hits.Col("X")))
		require.ErrorContains(t, m.Bind(in, both).Run(t.Context(), nil, 0),
			" (tensor x: layout hit: column X: each batch gets the whole tensor: use AddBatched; it takes a padded tensor as a ViewColumn)")
	}
}
