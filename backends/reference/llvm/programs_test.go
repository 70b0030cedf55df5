package llvm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/samples"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// Random programs compute on the backend cpu what the evaluator computes. A
// program counts when at most a tenth of its ops was left to the evaluator.
// With LTC_SOAK=1 there are 100,000 of them.
func TestRandomPrograms(t *testing.T) {
	count(t, trials.Soak(300, 100_000), func(seed uint64) programs.Program {
		return programs.Program{Text: programs.Random(rand.New(rand.NewPCG(seed, 2)), 4+int(seed%24))}
	})
}

// So do those with complex numbers; with LTC_SOAK=1 20,000.
func TestComplexPrograms(t *testing.T) {
	count(t, trials.Soak(100, 20_000), func(seed uint64) programs.Program {
		return programs.Program{Text: programs.Complex(rand.New(rand.NewPCG(seed, 9)), 4+int(seed%24))}
	})
}

// So do those with quantized elements; with LTC_SOAK=1 20,000.
func TestQuantizedPrograms(t *testing.T) {
	count(t, trials.Soak(60, 20_000), func(seed uint64) programs.Program {
		return programs.QuantizedRandom(rand.New(rand.NewPCG(seed, 10)), 4+int(seed%24))
	})
}

// So do those on larger tensors, with more ops and with extreme arguments; with
// LTC_SOAK=1 20,000.
func TestLargePrograms(t *testing.T) {
	count(t, trials.Soak(100, 20_000), func(seed uint64) programs.Program {
		return programs.Large(rand.New(rand.NewPCG(seed, 3)), 4+int(seed%40), 3000<<(seed%6))
	})
}

// So do networks of small layers, which are kernels of their rows, with LTC_SOAK=1
// 10,000.
func TestNetworks(t *testing.T) {
	count(t, trials.Soak(12, 10_000), func(seed uint64) programs.Program {
		return programs.Program{Text: programs.Network(rand.New(rand.NewPCG(seed, 4)))}
	})
}

// So do recurrent networks of small cells, with LTC_SOAK=1 5,000.
func TestRecurrentNetworks(t *testing.T) {
	count(t, trials.Soak(8, 5000), func(seed uint64) programs.Program {
		return programs.Program{Text: programs.Recurrent(rand.New(rand.NewPCG(seed, 8)))}
	})
}

// So do convolutions of all forms, with LTC_SOAK=1 10,000 small and as many large
// ones, and as many again with features before the spatial dimensions, with borders, and several
// that follow each other.
func TestConvolutions(t *testing.T) {
	for name, c := range map[string]struct {
		program func(*rand.Rand, bool) string
		large   bool
	}{
		"small": {programs.Convolution, false}, "large": {programs.Convolution, true},
		"small, channels first": {programs.ChannelsFirst, false}, "large, channels first": {programs.ChannelsFirst, true},
		"bordered": {programs.Bordered, false}, "blocks": {programs.Blocks, false},
	} {
		t.Run(name, func(t *testing.T) {
			count(t, trials.Soak(24, 10_000), func(seed uint64) programs.Program {
				return programs.Program{Text: c.program(rand.New(rand.NewPCG(seed, 6)), c.large), Near: []bool{true, true}}
			})
		})
	}
}

// So do gradients of pooling of all forms, with LTC_SOAK=1 10,000.
func TestSelectAndScatter(t *testing.T) {
	trials.Sequential(t)
	count(t, trials.Soak(12, 10_000), func(seed uint64) programs.Program {
		return programs.Program{Text: programs.SelectAndScatter(rand.New(rand.NewPCG(seed, 7))), Extreme: seed%2 == 0}
	})
}

// So do those that write over parts of tensors, in loops and branches, too, with
// LTC_SOAK=1 20,000.
func TestRandomUpdates(t *testing.T) {
	count(t, trials.Soak(60, 20_000), func(seed uint64) programs.Program {
		return programs.Program{Text: programs.Updates(rand.New(rand.NewPCG(seed, 5)), 4+int(seed%24))}
	})
}

// Stand-ins compute what compiled code does.
func TestStandInsOfRandomPrograms(t *testing.T) {
	stream := rand.Uint64() // programs of their own: no code was compiled by another run or process
	t.Logf("programs of stream %d", stream)
	hold(t)
	for name, text := range map[string]func(r *rand.Rand, seed uint64) programs.Program{
		"random": func(r *rand.Rand, seed uint64) programs.Program {
			return programs.Program{Text: programs.Random(r, 4+int(seed%24))}
		},
		"large": func(r *rand.Rand, seed uint64) programs.Program {
			return programs.Large(r, 4+int(seed%40), 3000<<(seed%6))
		},
		"updates": func(r *rand.Rand, seed uint64) programs.Program {
			return programs.Program{Text: programs.Updates(r, 4+int(seed%24))}
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := trials.Soak(30, 10_000)
			ran := countTiers(t, n, func(uint64) tiering { return standIns }, func(seed uint64) programs.Program {
				return text(rand.New(rand.NewPCG(seed, stream)), seed)
			})
			require.Greater(t, ran, int64(n)/10, "programs in which stand-ins ran: kernels of the others were compiled for other tests")
		})
	}
}

// Stand-ins that run without [backends.Options.Tiers] give the bits of compiled code.
func TestStandInsAreExact(t *testing.T) {
	stream := rand.Uint64() // as for TestStandInsOfRandomPrograms
	t.Logf("programs of stream %d", stream)
	for name, text := range map[string]func(r *rand.Rand, seed uint64) programs.Program{
		"random": func(r *rand.Rand, seed uint64) programs.Program {
			return programs.Program{Text: programs.Random(r, 4+int(seed%24)), Extreme: seed%2 == 0}
		},
		"large": func(r *rand.Rand, seed uint64) programs.Program {
			return programs.Large(r, 4+int(seed%40), 3000<<(seed%6))
		},
		"updates": func(r *rand.Rand, seed uint64) programs.Program {
			return programs.Program{Text: programs.Updates(r, 4+int(seed%24))}
		},
		"products": func(r *rand.Rand, _ uint64) programs.Program { return programs.Program{Text: productText(r)} },
		"rows":     func(r *rand.Rand, _ uint64) programs.Program { return programs.Program{Text: rowsOfSums(r)} },
		"networks": func(r *rand.Rand, _ uint64) programs.Program { return programs.Program{Text: programs.Network(r)} },
	} {
		t.Run(name, func(t *testing.T) {
			stoodIn, n := 0, max(24, trials.Soak(24, 10_000)) // of fewer all may have to wait
			for seed := range uint64(n) {
				p := text(rand.New(rand.NewPCG(seed, stream)), seed)
				early, err := exactly(t, p, seed)
				require.NoError(t, err, "seed %d\n%s", seed, p.Text)
				if early > 0 {
					stoodIn++
				}
			}
			require.Greater(t, stoodIn, n/6, "programs in which stand-ins ran")
		})
	}
}

// productText returns a product of matrices, or of a row and a matrix, with an epilogue.
func productText(r *rand.Rand) string {
	size := func(most int) int { return 1 + int(math.Pow(float64(most), r.Float64())) }
	m, n, k := size(600), size(3000), size(2500)
	if r.IntN(3) == 0 {
		m = 1
	}
	a, b := fmt.Sprintf("%dx%d", m, k), fmt.Sprintf("%dx%d", k, n)
	dims := [2]int{1, 0}
	if r.IntN(2) == 0 {
		a, dims[0] = fmt.Sprintf("%dx%d", k, m), 0
	}
	if r.IntN(2) == 0 {
		b, dims[1] = fmt.Sprintf("%dx%d", n, k), 1
	}
	result := fmt.Sprintf("%dx%d", m, n)
	if m == 1 && r.IntN(2) == 0 {
		a, dims[0], result = fmt.Sprint(k), 0, fmt.Sprint(n)
	}
	return strings.NewReplacer("AxT", a+"xf32", "BxT", b+"xf32", "CxT", result+"xf32", "LEFT", fmt.Sprint(dims[0]), "RIGHT", fmt.Sprint(dims[1]), "OP",
		[]string{"tanh", "abs", "negate", "exponential"}[r.IntN(4)], "NUMBER", fmt.Sprintf("%.6f", 0.5+r.Float64())).Replace(`func.func @main(%x: tensor<AxT>, %y: tensor<BxT>, %z: tensor<CxT>) -> tensor<CxT> {
  %c = stablehlo.constant dense<NUMBER> : tensor<CxT>
  %p = stablehlo.dot_general %x, %y, contracting_dims = [LEFT] x [RIGHT] : (tensor<AxT>, tensor<BxT>) -> tensor<CxT>
  %m = stablehlo.multiply %p, %c : tensor<CxT>
  %s = stablehlo.add %m, %z : tensor<CxT>
  %r = stablehlo.OP %s : tensor<CxT>
  return %r : tensor<CxT>
}`)
}

// rowsOfSums returns a program whose rows, or columns, are normalised by their sums, as a softmax or a
// layer norm does.
func rowsOfSums(r *rand.Rand) string {
	of := []int{1 + r.IntN(40), 1 + r.IntN(1500)}
	axis, kept := 1, 0
	if r.IntN(3) == 0 {
		of = []int{1 + r.IntN(1500), 1 + r.IntN(40)}
	}
	if r.IntN(3) == 0 {
		axis, kept = 0, 1
	}
	d := []string{"f32", "f32", "f64", "bf16"}[r.IntN(4)]
	first := []string{"%x", "%e"}[r.IntN(2)]
	return strings.NewReplacer("XxT", fmt.Sprintf("%dx%dx%s", of[0], of[1], d), "SxT", fmt.Sprintf("%dx%s", of[kept], d), "tensor<T>", "tensor<"+d+">",
		"AXIS", fmt.Sprint(axis), "KEPT", fmt.Sprint(kept), "FIRST", first, "NUMBER", fmt.Sprintf("%.6f", 0.5+r.Float64())).Replace(`func.func @main(%x: tensor<XxT>, %w: tensor<XxT>) -> tensor<XxT> {
  %zero = stablehlo.constant dense<0.0> : tensor<T>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %lowest = stablehlo.convert %low : (tensor<f32>) -> tensor<T>
  %c = stablehlo.constant dense<NUMBER> : tensor<XxT>
  %m = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [AXIS] : (tensor<XxT>, tensor<T>) -> tensor<SxT>
  %mb = stablehlo.broadcast_in_dim %m, dims = [KEPT] : (tensor<SxT>) -> tensor<XxT>
  %d = stablehlo.subtract %x, %mb : tensor<XxT>
  %e = stablehlo.exponential %d : tensor<XxT>
  %s = stablehlo.reduce(FIRST init: %zero) applies stablehlo.add across dimensions = [AXIS] : (tensor<XxT>, tensor<T>) -> tensor<SxT>
  %sb = stablehlo.broadcast_in_dim %s, dims = [KEPT] : (tensor<SxT>) -> tensor<XxT>
  %f = stablehlo.divide FIRST, %sb : tensor<XxT>
  %g = stablehlo.multiply %f, %f : tensor<XxT>
  %v = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [AXIS] : (tensor<XxT>, tensor<T>) -> tensor<SxT>
  %vb = stablehlo.broadcast_in_dim %v, dims = [KEPT] : (tensor<SxT>) -> tensor<XxT>
  %h = stablehlo.multiply %f, %c : tensor<XxT>
  %i = stablehlo.subtract %h, %vb : tensor<XxT>
  %j = stablehlo.multiply %i, %w : tensor<XxT>
  %r = stablehlo.add %j, %x : tensor<XxT>
  return %r : tensor<XxT>
}`)
}

// exactly compares the bits of a run by stand-ins with those of compiled code. It returns how many
// launches stand-ins ran.
func exactly(t *testing.T, p programs.Program, seed uint64) (early int64, err error) {
	release := hold(t)
	defer release()
	e := compileFor(t, "cpu", p.Text, backends.Options{Threads: 1 + int(seed%3), Profile: true})
	run := func() *backends.Call {
		c := &backends.Call{}
		for i, a := range e.Signature().Args {
			v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", seed+uint64(i)))
			require.NoError(t, err)
			if p.Extreme {
				samples.Extreme(v, seed+uint64(i))
			}
			c.Args = append(c.Args, v)
		}
		require.NoError(t, e.Execute(t.Context(), c))
		return c
	}
	first := run()
	early, _ = interim(e)
	release()
	require.NoError(t, e.(backends.Tiered).Finish(t.Context()))
	last := run()
	for j := range last.Results {
		got, want := elementBits(first.Results[j]), elementBits(last.Results[j])
		for i := range want {
			if d := last.Results[j].Type.DType; got[i] != want[i] && !(isNaN(d, got[i]) && isNaN(d, want[i])) {
				return early, fmt.Errorf("result %d of %v differs at element %d: bits %x, want %x; %d launches by stand-ins", j, d, i, got[i], want[i], early)
			}
		}
	}
	return early, nil
}

// count compares programs until so many count, as many at once as Go may run. A fourth of them
// begins to run before all is compiled, and runs again when it is.
func count(t *testing.T, want int, program func(seed uint64) programs.Program) {
	countTiers(t, want, func(seed uint64) tiering {
		if seed%4 == 3 {
			return bothTiers
		}
		return oneTier
	}, program)
}

// tiering says which code of a program with tiers runs.
type tiering int

const (
	oneTier   tiering = iota // there are no tiers
	standIns                 // what there is at once
	bothTiers                // that, and the final code after it
)

// countTiers is count where tiers says which code of a program runs. It returns in how many
// programs stand-ins ran.
func countTiers(t *testing.T, want int, tiers func(seed uint64) tiering, program func(seed uint64) programs.Program) (interims int64) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	eval, err := backends.Open("eval")
	require.NoError(t, err)
	var seeds, counted, stoodIn atomic.Int64
	start := time.Now()
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for !t.Failed() && counted.Load() < int64(want) {
				seed := uint64(seeds.Add(1) - 1)
				p := program(seed)
				ok, early, err := alikeWith(t.Context(), cpu, eval, p, seed, tiers(seed))
				if early > 0 {
					stoodIn.Add(1)
				}
				if !assert.NoError(t, err, "seed %d\n%s", seed, p.Text) || !assert.Less(t, seed, uint64(2*want+runtime.GOMAXPROCS(0)), "too few programs are compiled") {
					return
				}
				if ok && counted.Add(1)%10_000 == 0 {
					t.Logf("%d programs, %.0fs", counted.Load(), time.Since(start).Seconds())
				}
			}
		})
	}
	workers.Wait()
	if !t.Failed() {
		fmt.Printf("soak: %d programs compiled (%s), 0 differences, %.0fs\n", counted.Load(), t.Name(), time.Since(start).Seconds())
	}
	return stoodIn.Load()
}

// alike compares what two backends compute. ok says that the program counts.
func alike(ctx context.Context, cpu, eval backends.Backend, p programs.Program, seed uint64) (ok bool, err error) {
	ok, _, err = alikeWith(ctx, cpu, eval, p, seed, oneTier)
	return ok, err
}

// alikeWith is alike with tiers or without. It returns how many launches stand-ins ran.
func alikeWith(ctx context.Context, cpu, eval backends.Backend, p programs.Program, seed uint64, tiers tiering) (ok bool, early int64, err error) {
	m := backends.NewModule(p.Text)
	a, err := cpu.Compile(ctx, m, backends.Options{Threads: 1 + int(seed%3), Tiers: tiers != oneTier, Profile: tiers != oneTier})
	if err != nil {
		return false, 0, err
	}
	b, err := eval.Compile(ctx, m, backends.Options{})
	if err != nil {
		return false, 0, err
	}
	if err := alikeOnce(ctx, a, b, p, seed); err != nil {
		return false, 0, err
	}
	if tiers != oneTier {
		early, _ = interim(a)
	}
	if tiers == bothTiers {
		if err := a.(backends.Tiered).Finish(ctx); err != nil {
			return false, 0, err
		}
		if err := alikeOnce(ctx, a, b, p, seed); err != nil {
			return false, 0, fmt.Errorf("the final code: %w", err)
		}
	}
	c, ok := a.(interface {
		Compiled() (kernels, evaluated int)
	})
	if !ok {
		return false, early, nil
	}
	kernels, evaluated := c.Compiled()
	return 10*evaluated <= kernels+evaluated, early, nil
}

// alikeOnce compares what one run of two executables of a program computes.
func alikeOnce(ctx context.Context, a, b backends.Executable, p programs.Program, seed uint64) error {
	got, wanted := &backends.Call{}, &backends.Call{}
	for _, c := range []*backends.Call{got, wanted} { // each its own: some are donated
		for i, a := range a.Signature().Args {
			v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", seed+uint64(i)))
			if err != nil {
				return err
			}
			if p.Extreme {
				samples.Extreme(v, seed+uint64(i))
			}
			c.Args = append(c.Args, v)
		}
	}
	if err := a.Execute(ctx, got); err != nil {
		return err
	}
	if err := b.Execute(ctx, wanted); err != nil {
		return err
	}
	for j := range wanted.Results {
		d, err := samples.Differ(got.Results[j], wanted.Results[j])
		if err != nil {
			return err
		}
		if d.Size > tolerance(wanted.Results[j].Type.DType, p.Near != nil && p.Near[j]) {
			return fmt.Errorf("result %d differs at %v: %s, want %s", j, d.At, d.Got, d.Want)
		}
	}
	return nil
}

// tolerance is how far numbers may be apart.
func tolerance(d types.DType, near bool) float64 {
	switch {
	case near && d.Size() == 2:
		return 0.1
	case near:
		return 1e-2
	}
	return 1e-3
}
