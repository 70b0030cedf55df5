package reference

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/tiles"
	"ltc/internal/test/programs"
	"ltc/internal/test/viewtest"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// keepingCompiler keeps plans in memory.
type keepingCompiler struct {
	tiles.Compiler
	plans map[string][]byte
}

func (k keepingCompiler) KeptPlan(program string) ([]byte, bool) {
	plan, ok := k.plans[program]
	return plan, ok
}

func (k keepingCompiler) KeepPlan(program, _ string, plan []byte) { k.plans[program] = plan }

// A program whose plan is kept computes the same bits as one that is made from its text, also
// for views.
func TestKeptPlans(t *testing.T) {
	for _, name := range []string{"encoder", "lstm", "decoder"} {
		data, err := os.ReadFile("../../testdata/exported/" + name + ".mlir")
		require.NoError(t, err)
		text := string(data) + strings.Repeat("// A long text.\n", leastPlanned/16)
		m, o := backends.NewModule(text), backends.Options{Name: name, Threads: 1}
		use := []kernel.Compiler{keepingCompiler{plans: map[string][]byte{}}}
		plans := plansFor(m, o, use)
		require.Nil(t, plans.get(t.Context()))
		p, err := backends.Load(t.Context(), m, o)
		require.NoError(t, err)
		made, err := compileKernels(t.Context(), p, o, use)
		require.NoError(t, err)
		plans.keep(made.(*compiled).kept())
		kept := plans.get(t.Context())
		require.NotNil(t, kept)
		read, err := compileProgram(t.Context(), o.File(), kept.program, o, use)
		require.NoError(t, err)
		require.Equal(t, made.Signature(), read.Signature())
		dense := arguments(made)
		views := make([]soa.View, len(dense))
		for i, v := range dense {
			views[i] = v
			if a := v.Type.Shape; len(a) == 2 && v.Type.DType == types.F32 {
				views[i] = viewtest.Strided(t, [][]int{{1, a[0]}}, a...)[0]
				require.NoError(t, soa.Copy(views[i], v))
			}
		}
		for _, args := range [][]soa.View{dense, views} {
			want, got := backends.Call{Args: args}, backends.Call{Args: args}
			require.NoError(t, made.Execute(t.Context(), &want))
			require.NoError(t, read.Execute(t.Context(), &got))
			for i := range want.Results {
				require.Equal(t, soa.Slice[float32](want.Results[i]), soa.Slice[float32](got.Results[i]))
			}
		}
		_, failed := read.Variants()
		require.Zero(t, failed)
	}
}

// A program that leaves sizes open and whose plan is kept computes the same bits for all sizes as one that is made from
// its text, also for views, and calls of no elements. Plans of other bytes are errors, or families.
func TestKeptFamilies(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, text := range openPrograms {
		text += strings.Repeat("\n// A long text.", leastPlanned/16)
		m, o := backends.NewModule(text), backends.Options{Name: name, Threads: 1}
		keeper := keepingCompiler{plans: map[string][]byte{}}
		use := []kernel.Compiler{keeper}
		p, err := backends.LoadOpen(t.Context(), m, o)
		require.NoError(t, err)
		made, err := compileSized(t.Context(), m, o, p, use)
		require.NoError(t, err)
		plans := plansFor(m, o, use)
		plans.keep(made.(*openExecutable).kept())
		got := plans.get(t.Context())
		require.NotNil(t, got, name)
		kept := got.family
		require.Equal(t, made.(*openExecutable).Family.BaseSizes(), kept.BaseSizes())
		require.Equal(t, made.(*openExecutable).Program().String(), kept.Base().String())
		read, err := compileFamily(t.Context(), o.File(), kept, m, o, use)
		require.NoError(t, err)
		require.Equal(t, made.Signature(), read.Signature())
		for _, n := range []int{1, 2, 3, 64, 1000, 0} {
			c := backends.Call{}
			for i, a := range made.Signature().Args {
				shape := slices.Clone(a.Type.Shape)
				for d := range shape {
					if shape[d] == backends.AnySize {
						shape[d] = n
					}
				}
				v := soa.Make(types.Of(a.Type.DType, shape...))
				for k, x := range soa.Slice[float32](v) {
					soa.Slice[float32](v)[k] = x + float32((k*7919+i)%101)/50 - 1
				}
				c.Args = append(c.Args, v)
			}
			all := []backends.Call{c}
			if n > 1 {
				strided := viewtest.Strided(t, [][]int{{1, n}}, n, c.Args[0].Type.Shape[1])[0]
				require.NoError(t, soa.Copy(strided, c.Args[0]))
				all = append(all, backends.Call{Args: slices.Concat([]soa.View{strided}, c.Args[1:])})
			}
			for _, c := range all {
				want, got := c, c
				require.NoError(t, made.Execute(t.Context(), &want))
				require.NoError(t, read.Execute(t.Context(), &got))
				for j := range want.Results {
					require.Equal(t, want.Results[j].Type, got.Results[j].Type)
					require.Equal(t, soa.Slice[float32](want.Results[j]), soa.Slice[float32](got.Results[j]), "%s of %d", name, n)
				}
			}
		}
		_, failed := read.Variants()
		require.Zero(t, failed)

		require.Len(t, keeper.plans, 2, "the program, and its variant")
		data := keeper.plans[text][1:]
		failing := errors.New("it is made again")
		without, err := plan.DecodeFamily(data, plan.NewOrigin(0, func() (*plan.Program, error) { return nil, failing }), nil, nil)
		require.NoError(t, err)
		layouts := make([]plan.Layout, len(made.Signature().Args))
		layouts[0] = plan.LayoutOf([]int{1, 5}, -1)
		_, err = without.Variant(layouts, make([]plan.Layout, len(made.Signature().Results)))
		require.ErrorIs(t, err, failing)
		without.Open().KeepVariants(plans, nil)
		v, err := without.Variant(layouts, make([]plan.Layout, len(made.Signature().Results)))
		require.NoError(t, err)
		want, err := made.(*openExecutable).Family.Variant(layouts, nil)
		require.NoError(t, err)
		require.Equal(t, want.Base().String(), v.Base().String())
		again, ok := kept.Encode()
		require.True(t, ok)
		require.Equal(t, data, again)
		for n := range data {
			_, err := plan.DecodeFamily(data[:n], nil, nil, nil)
			require.Error(t, err)
		}
		for range trials.Soak(300, 100_000) {
			if f, err := plan.DecodeFamily(forge(r, data), nil, nil, nil); err == nil {
				_, _ = f.Base().String(), f.BaseText()
			}
		}
	}
}

// Constants are bound, and bound again, to a program from its plan as to one from its text.
func TestBindOfKeptPlan(t *testing.T) {
	text := `func.func @main(%x: tensor<3x8xf32>, %w: tensor<8x8xf32> {ltc.constant}, %v: tensor<8x4xf32> {ltc.constant}) -> tensor<3x4xf32> {
  %0 = stablehlo.dot %w, %v : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.sine %0 : tensor<8x4xf32>
  %2 = stablehlo.dot %x, %1 : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}
`
	var results [][]float32
	data := planOf(t, text)
	for _, fromPlan := range []bool{false, true} {
		prog := decoded(t, data)
		if !fromPlan {
			p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			prog, err = kernelsOf(t.Context(), p, []kernel.Compiler{tiles.Compiler{}})
			require.NoError(t, err)
		}
		var e backends.Executable
		e, err := compileProgram(t.Context(), "bound", prog, backends.Options{}, []kernel.Compiler{tiles.Compiler{}})
		require.NoError(t, err)
		args := arguments(e)
		for _, i := range []int{1, 2} {
			e, err = e.Bind(t.Context(), map[int]soa.View{i: args[i]})
			require.NoError(t, err)
			c := &backends.Call{Args: args}
			require.NoError(t, e.Execute(t.Context(), c))
			results = append(results, soa.Slice[float32](c.Results[0]))
		}
	}
	require.Equal(t, results[:2], results[2:])
}

func decoded(t *testing.T, data []byte) *plan.Program {
	p, err := plan.Decode(data, nil, nil)
	require.NoError(t, err)
	return p
}

// A plan that is damaged is logged, and none.
func TestDamagedPlan(t *testing.T) {
	text := topKText + strings.Repeat("// A long text.\n", leastPlanned/16)
	good := append([]byte{ofProgram}, planOf(t, text)...)
	keeper := keepingCompiler{plans: map[string][]byte{}}
	for _, data := range [][]byte{nil, {ofProgram}, {ofFamily}, good[:len(good)-1], append([]byte{ofFamily}, good[1:]...), append(slices.Clone(good), 0), []byte(text)} {
		keeper.plans[text] = data
		var log strings.Builder
		o := backends.Options{Name: "model", Logger: slog.New(slog.NewTextHandler(&log, nil))}
		require.Nil(t, plansFor(backends.NewModule(text), o, []kernel.Compiler{keeper}).get(t.Context()))
		require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
		require.Contains(t, log.String(), "program=model")
	}
	keeper.plans[text] = good
	require.NotNil(t, plansFor(backends.NewModule(text), backends.Options{}, []kernel.Compiler{keeper}).get(t.Context()))
}

// A plan of a function that this process has not registered is none, and not damaged: the compile of the text says
// which function is missing.
func TestPlanOfUnregisteredFunction(t *testing.T) {
	text := `func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @reference.planned(%x) {api_version = 4 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
` + strings.Repeat("// A long text.\n", leastPlanned/16)
	require.NoError(t, backends.RegisterHost("reference.planned", func(_ context.Context, c *backends.HostCall) error { return soa.Copy(c.Results[0], c.Args[0]) }))
	data := planOf(t, text)
	require.NotNil(t, data)
	name := []byte("@reference.planned")
	other := bytes.ReplaceAll(data, name, []byte("@reference.plannex"))
	require.NotEqual(t, data, other)
	keeper := keepingCompiler{plans: map[string][]byte{}}
	for _, registered := range []bool{true, false} {
		if keeper.plans[text] = append([]byte{ofProgram}, data...); !registered {
			keeper.plans[text] = append([]byte{ofProgram}, other...)
		}
		var log strings.Builder
		o := backends.Options{Name: "model", Logger: slog.New(slog.NewTextHandler(&log, nil))}
		plans := plansFor(backends.NewModule(text), o, []kernel.Compiler{keeper})
		require.Equal(t, registered, plans.get(t.Context()) != nil)
		require.Empty(t, log.String())
		_, err := plans.decode(keeper.plans[text], nil)
		require.Equal(t, !registered, errors.Is(err, plan.ErrHost), "%v", err)
	}
}

// Plans are kept of programs that take longer to plan than to read, where nothing asks for what
// happens on the way.
func TestPlansThatAreNotKept(t *testing.T) {
	long := strings.Repeat("// A long text.\n", leastPlanned/16)
	use := []kernel.Compiler{keepingCompiler{plans: map[string][]byte{}}}
	kept := func(text string, o backends.Options, use []kernel.Compiler) bool {
		return plansFor(backends.NewModule(text), o, use).keeper != nil
	}
	require.True(t, kept(long, backends.Options{}, use))
	require.True(t, kept(long, backends.Options{Tiers: true}, use))
	require.False(t, kept(long[1:], backends.Options{}, use))
	require.False(t, kept(long, backends.Options{Threads: -1}, use))
	require.False(t, kept(long, backends.Options{}, []kernel.Compiler{tiles.Compiler{}}))
	t.Setenv("LTC_CHECK", "1")
	require.False(t, kept(long, backends.Options{}, use))
}

// forged returns a program made executable from a plan of which some bytes are others; nil if it
// is none. The program is small enough to be run.
func forged(t *testing.T, data []byte) *compiled {
	p, err := plan.Decode(data, nil, nil)
	if err != nil {
		return nil
	}
	again, ok := p.Encode()
	require.True(t, ok)
	_, err = plan.Decode(again, nil, nil)
	require.NoError(t, err)
	_, _ = p.String(), p.ResidentBytes()
	most := p.Arena
	for _, a := range p.Signature.Args {
		most = max(most, a.Type.Bytes())
	}
	for _, r := range p.Signature.Results {
		most = max(most, r.Type.Bytes())
	}
	if most > 1<<20 {
		return nil
	}
	e, err := compileProgram(t.Context(), "forged", p, backends.Options{Threads: 1}, []kernel.Compiler{tiles.Compiler{}})
	if err != nil {
		return nil
	}
	return e
}

// Plans whose bytes are others are errors, or programs that run within their memory.
func TestForgedPlans(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	runs := 0
	for n := range trials.Soak(60, 20_000) {
		data := planOf(t, seedProgram(n))
		if data == nil {
			continue
		}
		for range 40 {
			if e := forged(t, forge(r, data)); e != nil {
				runs++
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond) // of loops without end
				_ = e.Execute(ctx, &backends.Call{Args: arguments(e)})
				cancel()
			}
		}
	}
	require.NotZero(t, runs)
}

// seedProgram returns a random program of one of all kinds.
func seedProgram(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 5))
	switch n % 6 {
	case 0:
		return programs.Updates(r, 4+n%16)
	case 1:
		return programs.Complex(r, 4+n%16)
	case 2:
		return programs.Recurrent(r)
	case 3:
		return programs.QuantizedRandom(r, 4+n%16).Text
	case 4:
		return topKText
	}
	return programs.Random(r, 4+n%16)
}

const topKText = `func.func @main(%x: tensor<4x40xf32>, %a: tensor<2x4x4xf32>, %b: tensor<2x4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>, tensor<2x4x3xf32>) {
  %v, %p = chlo.top_k(%x, k = 3) : tensor<4x40xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x4x4xf32>
  %1 = "stablehlo.triangular_solve"(%0, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return %v, %p, %1 : tensor<4x3xf32>, tensor<4x3xi32>, tensor<2x4x3xf32>
}
`

// planOf returns the plan of a text; nil if there is none.
func planOf(t *testing.T, text string) []byte {
	p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	prog, err := kernelsOf(t.Context(), p, []kernel.Compiler{tiles.Compiler{}})
	if err != nil {
		return nil
	}
	data, _ := prog.Encode()
	return data
}

// forge returns bytes of which one to three are others, or are left out or added.
func forge(r *rand.Rand, data []byte) []byte {
	data = slices.Clone(data)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(data))
		for r.IntN(20) > 0 && (data[at] == '\n' || data[at] >= ' ' && data[at] <= '~') { // few of the texts of kernels
			at = r.IntN(len(data))
		}
		switch r.IntN(6) {
		case 0:
			data[at] = byte(r.Uint32())
		case 1:
			data[at] += 2 // the next number
		case 2:
			data[at] -= 2
		case 3:
			data[at] ^= 1 // of another sign
		case 4:
			data = slices.Delete(data, at, at+1)
		default:
			data = slices.Insert(data, at, byte(r.IntN(8)))
		}
	}
	return data
}
