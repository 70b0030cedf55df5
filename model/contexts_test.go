package model_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/model"
	"ltc/soa"
)

// No context is held by a model that has run sizes of its own, none at all among them: it may
// be a request, with all that belongs to it.
func TestContextsOfRunsAreLetGo(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	x, err := network(t, dev).Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 3)}}, "score", "class")
	require.NoError(t, err)
	for _, backend := range []string{"cpu", "eval"} {
		t.Run(backend, func(t *testing.T) {
			var contexts trials.Requests
			var m *model.Model
			contexts.With("New", func(ctx context.Context) {
				b, err := backends.Open(backend)
				require.NoError(t, err)
				m, err = model.New(ctx, b, backends.NewModule(x.Text), x.Constants)
				require.NoError(t, err)
			})
			for _, n := range []int{3, 0, 2, 0} {
				contexts.With(fmt.Sprintf("a run of %d elements", n), func(ctx context.Context) {
					hits := soa.Of[hit](n)
					in, out := soa.NewCollection(n), soa.NewCollection(n)
					require.NoError(t, in.Add("x", hits.Col("X"), hits.Col("Y"), hits.Col("Z")))
					require.NoError(t, out.Add("score", hits.Col("Score")))
					require.NoError(t, out.Add("class", hits.Col("Class")))
					require.NoError(t, m.Bind(in, out).Run(ctx, nil, 0))
				})
			}
			contexts.Released(t)
			runtime.KeepAlive(m)
		})
	}
}
