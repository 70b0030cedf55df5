package reference

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/tiles"
	"ltc/internal/trials"
	"ltc/soa"
)

// Of short rows a kernel finds the first few elements, NaNs and zeros included.
func TestPasses(t *testing.T) {
	trials.Sequential(t)
	r := rand.New(rand.NewPCG(1, 11))
	for order := range orders {
		for _, elem := range []string{"f32", "bf16", "f16", "i32", "ui32", "i16", "ui8", "f64"} {
			if !strings.Contains(elem, "f") && order != "less" && order != "greater" && order != "swapped" {
				continue
			}
			for n, shape := range [][]int{{300, 40}, {1100, 5}} {
				text, keep := sorting(elem, order, shape, 1), 5
				if n == 0 {
					keep = 3
					text = firstOf(text, shape, 1, keep)
				}
				want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
				require.NoError(t, err, text)
				p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
				require.NoError(t, err)
				got, err := compileKernels(t.Context(), p, backends.Options{Threads: 1 + n}, []kernel.Compiler{anotherCompiler{}, tiles.Compiler{}})
				require.NoError(t, err, text)
				code := got.(*compiled).steps[0].code.(*sortCode)
				require.Equal(t, elem != "f64", code.passes != nil, "words have 64 bits")
				for fill := range 4 {
					c := &backends.Call{}
					for _, a := range want.Signature().Args {
						v := soa.Make(a.Type)
						if fill < 3 {
							fillSorted(v, r, fill > 0)
						}
						c.Args = append(c.Args, v)
					}
					sameResults(t, want, got, c.Args, fmt.Sprintf("%s of %s, %v, fill %d", order, elem, shape, fill))
				}
			}
		}
	}
}

// Runs by passes and by blocks allocate nothing, and those that are given up write nothing.
func TestFirstAllocatesNothingAndEnds(t *testing.T) {
	for n, keep := range map[int]int{40: 2, 1000: 6} {
		text := firstOf(sorting("f32", "total", []int{300, n}, 1), []int{300, n}, 1, keep)
		p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		e, err := compileKernels(t.Context(), p, backends.Options{Threads: 1}, []kernel.Compiler{anotherCompiler{}, tiles.Compiler{}})
		require.NoError(t, err)
		code := e.(*compiled).steps[0].code.(*sortCode)
		require.Equal(t, []bool{n < 100, n > 100}, []bool{code.passes != nil, code.blocks != nil})
		c := sortedCall(e, 12)
		require.NoError(t, e.Execute(t.Context(), c))
		require.Zero(t, trials.Allocs(10, func() { require.NoError(t, e.Execute(t.Context(), c)) }))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, r := range c.Results {
			clear(bytesOf(r))
		}
		l := e.(*compiled).launcher()
		require.NoError(t, code.Run(&kernel.Call{Parts: 1, Done: ctx.Done(), Scratch: l.scratch.Base(),
			Mem: []unsafe.Pointer{c.Args[1].Base(), c.Args[0].Base(), c.Results[0].Base(), c.Results[1].Base()}}))
		for _, r := range c.Results {
			require.Equal(t, make([]uint8, r.Type.Bytes()), bytesOf(r))
		}
	}
}
