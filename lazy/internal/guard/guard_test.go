package guard_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/guard"
	"ltc/lazy/internal/programs"
	"ltc/soa"
)

// broken is a device that panics when it hears of a NaN.
type broken struct{}

func (broken) HasNaN(*ir.Node, string) { panic("mistaken") }

// A guard that panics is the run's error: it looks on a goroutine that is no user's.
func TestPanicIsAnError(t *testing.T) {
	v, err := soa.Borrow([]float32{float32(math.NaN())}, types.Of(types.F32, 1))
	require.NoError(t, err)
	g := &ir.Graph{Params: []*ir.Node{{Op: ir.OpParameter, Type: v.Type}}}
	x := guard.New(broken{}, g, &programs.Cache{})
	err = x.Look(t.Context(), &backends.Call{Args: []soa.View{v}})
	require.ErrorContains(t, err, "the check of the run's data panicked: mistaken\n")
	require.ErrorContains(t, err, "guard_test.broken.HasNaN", "where")
}
