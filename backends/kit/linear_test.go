package kit_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/fuse"
	"ltc/backends/reference"
	"ltc/backends/reference/eval"
	"ltc/internal/test/growth"
	"ltc/internal/test/programs"
)

// What a program of many equal parts takes to compile grows with their number.
func TestCompilingIsLinear(t *testing.T) {
	for name, text := range programs.Many {
		t.Run(name, func(t *testing.T) {
			growth.Linear(t, 500, func(n int) func() {
				p, err := backends.Load(t.Context(), backends.NewModule(text(n)), backends.Options{})
				require.NoError(t, err)
				return func() {
					_, err := kit.Compile(t.Context(), p, kit.Options{Eval: eval.New(), Fuse: fuse.Options{Cut: reference.Cut}})
					require.NoError(t, err)
				}
			})
		})
	}
}

var errEnough = errors.New("enough")

// counted is a context that ends when it is looked at for the nth time.
type counted struct {
	context.Context
	looks, most int
}

func (c *counted) Done() <-chan struct{} { return make(chan struct{}) }

func (c *counted) Err() error {
	if c.looks++; c.looks >= c.most {
		return errEnough
	}
	return nil
}

// Compiling looks at its context all along, and ends where that has ended.
func TestCompilingEndsWithItsContext(t *testing.T) {
	for name, text := range programs.Many {
		t.Run(name, func(t *testing.T) {
			compile := func(n, most int) (looks int, err error) {
				p, err := backends.Load(t.Context(), backends.NewModule(text(n)), backends.Options{})
				require.NoError(t, err)
				c := &counted{t.Context(), 0, most}
				_, err = kit.Compile(c, p, kit.Options{Eval: eval.New(), Fuse: fuse.Options{Cut: reference.Cut}})
				return c.looks, err
			}
			const size = 400
			all, err := compile(size, 1<<30)
			require.NoError(t, err)
			require.Greater(t, all, size/16)
			for part := range 5 {
				most := max(all*part/5, 1)
				looks, err := compile(size, most)
				require.ErrorIs(t, err, errEnough)
				require.LessOrEqual(t, looks, most+2, "who sees the end goes on with nothing")
			}
		})
	}
}
