package interpreter

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/ir/types"
	"ltc/soa"
)

func compile(t testing.TB, text string) backends.Executable {
	t.Helper()
	e, err := eval.New().Compile(context.Background(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	return e
}

func compileError(text string) error {
	_, err := eval.New().Compile(context.Background(), backends.NewModule(text), backends.Options{Name: "m.mlir"})
	return err
}

func vec(t testing.TB, v []float32, dims ...int) soa.View {
	t.Helper()
	w, err := soa.Borrow(v, types.Of(types.F32, dims...))
	require.NoError(t, err)
	return w
}
