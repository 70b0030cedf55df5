package llvm

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/internal/samples"
	"ltc/soa"
)

// largeLoop has a body that is too long for a chain, or not, by the number of its elements.
const largeLoop = `func.func @main(%x: tensor<Nxf32>) -> tensor<Nxf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c, %a = %x) : tensor<i32>, tensor<Nxf32> cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %b = stablehlo.reverse %a, dims = [0] : tensor<Nxf32>
    %s = stablehlo.subtract %b, %x : tensor<Nxf32>
    stablehlo.return %j, %s : tensor<i32>, tensor<Nxf32>
  }
  return %r#1 : tensor<Nxf32>
}`

// Loops give the evaluator's bits, whether they are chains of launches or not, and also where
// several goroutines run them at once.
func TestLoops(t *testing.T) {
	compilers(t)
	a, err := txtar.ParseFile("../testdata/loops.txtar")
	require.NoError(t, err)
	texts := map[string]string{}
	for _, f := range a.Files {
		texts[f.Name] = string(f.Data)
	}
	for _, n := range []int{1 << 14, 1 << 20} {
		texts[fmt.Sprint(n, " elements")] = strings.ReplaceAll(largeLoop, "Nx", fmt.Sprint(n, "x"))
	}
	for name, text := range texts {
		eval := compiledFor(t, "eval", text, 1)
		var all []evaluated
		for seed := range 3 {
			args := randomArgs(t, eval, seed)
			want := &backends.Call{Args: args(), Results: make([]soa.View, len(eval.Signature().Results))}
			require.NoError(t, eval.Execute(t.Context(), want))
			all = append(all, evaluated{args, want.Results})
		}
		for _, threads := range []int{1, 2} {
			t.Run(fmt.Sprint(name, " on ", threads), func(t *testing.T) {
				cpu := compiledFor(t, "cpu", text, threads)
				var running sync.WaitGroup
				for seed, e := range all {
					running.Go(func() {
						for range 3 {
							got := &backends.Call{Args: e.args(), Results: make([]soa.View, len(e.results))}
							if err := cpu.Execute(t.Context(), got); err != nil {
								t.Error(err)
								return
							}
							for j, w := range e.results {
								if !bytes.Equal(memoryOf(w), memoryOf(got.Results[j])) {
									t.Errorf("seed %d: result %d differs from the evaluator's", seed, j)
								}
							}
						}
					})
				}
				running.Wait()
			})
		}
	}
}

// evaluated is what a program's results are for some arguments.
type evaluated struct {
	args    func() []soa.View
	results []soa.View
}

// randomArgs returns a function that makes arguments, the same in each call.
func randomArgs(t testing.TB, e backends.Executable, seed int) func() []soa.View {
	args := make([]soa.View, len(e.Signature().Args))
	for i, a := range e.Signature().Args {
		v, err := samples.Make(a.Type, fmt.Sprint("rand:", seed))
		require.NoError(t, err)
		args[i] = v
	}
	return func() []soa.View {
		own := make([]soa.View, len(args))
		for i, v := range args {
			own[i] = soa.Make(v.Type)
			if err := soa.Copy(own[i], v); err != nil {
				panic(err)
			}
		}
		return own
	}
}

func elementBits(v soa.View) []uint64 {
	bits := make([]uint64, v.Type.Elements())
	for i := range bits {
		bits[i] = samples.Bits(v, i)
	}
	return bits
}

// A chain of machine code calls short launches until one leaves false, and goes on where its
// time has ended.
func TestChains(t *testing.T) {
	for _, c := range compilers(t) {
		var kernels []*kernel.Kernel
		for _, text := range []string{
			"kernel count(x: i32[], out y: i32[]) {\n  stage {\n    %0 = load x[]\n    %1 = constant 1 : i32\n    %2 = add %0, %1 : i32\n    store y[], %2\n  }\n}\n",
			"kernel less(x: i32[], out y: bool[]) {\n  stage {\n    %0 = load x[]\n    %1 = constant 1000 : i32\n    %2 = compare_lt %0, %1 : bool\n    store y[], %2\n  }\n}\n",
			"kernel double(x: f32[n0] strides [1], out y: f32[n0] strides [1]) {\n  for i < n0\n  stage {\n    %0 = load x[i]\n    %1 = add %0, %0 : f32\n    store y[i], %1\n  }\n}\n",
		} {
			k, err := kernel.Parse(text)
			require.NoError(t, err)
			require.NoError(t, kernel.Verify(k))
			kernels = append(kernels, k)
		}
		codes := compile(t, c, kernels...)
		count, more := new(int32), new(bool)
		rows := []float32{1, 2, 3}
		at := func(p ...unsafe.Pointer) *kernel.Call { return &kernel.Call{Mem: p, Parts: 1} }
		n, p, row := unsafe.Pointer(count), unsafe.Pointer(more), unsafe.Pointer(&rows[0])
		doubles := func(n int64) *kernel.Call {
			c := at(row, row)
			c.Sizes = []int64{n}
			return c
		}

		chain := codes[0].(kernel.Chainer).NewChain(3)
		require.True(t, chain.Set(0, codes[1], at(n, p), more, 1))
		require.True(t, chain.Set(1, codes[0], at(n, n), nil, 2))
		require.True(t, chain.Set(2, codes[2], doubles(3), nil, 0))
		calls, next, ended := 0, 0, false
		var err error
		for ; !ended; calls++ {
			next, ended, err = chain.Run(next, 100)
			require.NoError(t, err)
		}
		require.Zero(t, next)
		require.False(t, *more)
		require.EqualValues(t, 1000, *count)
		require.Greater(t, calls, 10, "the chain does not end when its time does")
		require.Less(t, calls, 1000, "the chain returns after each launch")

		require.False(t, chain.Set(2, codes[2], doubles(0), nil, 0), "a launch of no elements reads nothing")
		require.False(t, chain.Set(2, codes[2], doubles(1<<30), nil, 0), "a long launch")
		require.False(t, chain.Set(2, notOurs{codes[2]}, doubles(3), nil, 0), "code of another compiler")
	}
}

// notOurs is code of another compiler.
type notOurs struct{ kernel.Code }
