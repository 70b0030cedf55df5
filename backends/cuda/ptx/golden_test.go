package ptx_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/test/golden"
	"ltc/internal/test/ptxas"
	"ltc/ir/types"
)

// compile makes kernels of a StableHLO text.
func compile(t testing.TB, text string) *plan.Program {
	t.Helper()
	l, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	p, err := kit.Compile(t.Context(), l, kit.Options{Eval: eval.New()})
	require.NoError(t, err)
	return p
}

// cpu is the machine of the CPU's half.
var cpu = vector.Machine{Level: vector.AVX2, Splats: true}

// TestText holds what a text becomes: a kernel; by a CPU's schedule a function
// of LLVM IR (whose vector instructions some have, without their registers'
// numbers); by a GPU's an entry of PTX. The entry runs in the interpreter and
// computes what the kernel's evaluator does; what the assembler says about it is in
// ptxas.tsv.
func TestText(t *testing.T) {
	for _, file := range golden.Files(t, "testdata/*.txtar") {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			before, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.Equal(t, "text.mlir", before.Files[0].Name)
			p := compile(t, string(before.Files[0].Data))
			require.Len(t, p.Kernels, 1)
			require.Len(t, p.Steps, 1)
			k, sizes := p.Kernels[0], p.Steps[0].Launch().Sizes

			got := &txtar.Archive{Comment: before.Comment, Files: before.Files[:1:1]}
			add := func(name, text string) {
				got.Files = append(got.Files, txtar.File{Name: name, Data: []byte(text)})
			}
			add("kernel", k.String())
			ll, schedules := emit.Module([]*kernel.Kernel{k}, cpu, func() {})
			require.NotNil(t, schedules[0])
			add("cpu.schedule", schedules[0].Of(k))
			if section(before, "cpu.ll") != "" {
				add("cpu.ll", vectors(ll))
			}
			module, s, err := text(k)
			require.NoError(t, err)
			launch, err := s.Launch(sizes)
			require.NoError(t, err)
			add("gpu.schedule", fmt.Sprintf("%v\n%v blocks of %v threads with %d bytes for sizes %v\n", s, launch.Grid, launch.Block, launch.Shared, sizes))
			add("gpu.ptx", entryOf(module, launch.Entry("k")))
			t.Run("interpreted", func(t *testing.T) { interpreted(t, k, sizes) })
			require.NoError(t, ptxas.Name("text/"+name, module))
			golden.Is(t, file, string(txtar.Format(got)))
		})
	}
}

// entryOf returns what a module has of an entry: all, if it has no other.
func entryOf(module, name string) string {
	const begins = ".visible .entry "
	at := strings.Index(module, begins)
	for _, text := range strings.Split(module[at+len(begins):], begins) {
		if strings.HasPrefix(text, name+"(") {
			return module[:at] + begins + text
		}
	}
	return module
}

var numbers = regexp.MustCompile(`%\d+`)

// vectors returns the instructions on vectors of a function, in order.
func vectors(ll string) string {
	var b strings.Builder
	for line := range strings.Lines(ll) {
		if strings.HasPrefix(line, "\t") && strings.Contains(line, "<8 x float>") {
			b.WriteString(numbers.ReplaceAllString(strings.TrimSpace(line), "%") + "\n")
		}
	}
	return b.String()
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// interpreted requires that a kernel computes in the interpreter what the
// evaluator computes, for some values.
func interpreted(t *testing.T, k *kernel.Kernel, sizes []int64) {
	t.Helper()
	run, err := runner(t, k, 1<<20)
	require.NoError(t, err)
	before := kerneltest.NewMemory(k, sizes, kerneltest.Spread, 0x5A)
	ordinary(before)
	want, err := before.Run(evaluate)
	require.NoError(t, err)
	got, err := before.Run(run)
	require.NoError(t, err)
	by := near
	by.Absolute = max(by.Absolute, float64(terms(k, sizes))*0x1p-24)
	require.NoError(t, kerneltest.Same(want, got, by))
}

// terms is how many terms, of about 1 each, the longest sums of a kernel have: another
// order rounds them otherwise. They are along the axes that a reduction runs over, or a
// scatter adds them to one element.
func terms(k *kernel.Kernel, sizes []int64) int64 {
	most := int64(1)
	for s := range k.Stages {
		for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
			if along, ok := summed(k, s, id); ok {
				n := int64(1)
				for _, axis := range along {
					n *= k.Axis(s, axis).Size.Of(sizes)
				}
				most = max(most, n)
			}
		}
	}
	return most
}

// summed returns the axes that an instruction of a stage sums over; false if it sums
// nothing.
func summed(k *kernel.Kernel, stage int, id kernel.ID) (along []int, ok bool) {
	i := &k.Instrs[id]
	kept := kernel.AxisSet(0)
	switch {
	case i.Op == kernel.Reduce && kernel.Op(i.Aux) == kernel.Add:
		kept = kernel.AxisRange(0, len(k.Axes))
	case i.Op == kernel.Store && i.Mem.Combine == kernel.Add:
		for _, x := range i.Mem.Index {
			for _, t := range x.Terms {
				kept |= 1 << t.Axis
			}
		}
	default:
		return nil, false
	}
	for axis := range len(k.Axes) + len(k.Stages[stage].Axes) {
		if !kept.Has(axis) {
			along = append(along, axis)
		}
	}
	return along, true
}

// The tolerance of sums grows with the axes that they run over, and with no others.
func TestToleranceGrowsWithTheTermsOfSums(t *testing.T) {
	text := func(axes int, what string) *kernel.Kernel {
		b := kernel.NewBuilder("k")
		b.Axis("i", 7)
		stage := []kernel.Axis{{Name: "j", Size: 5}, {Name: "k", Size: 3}}[:axes]
		b.Stage(stage...)
		x := b.Param(kernel.Param{Name: "x", DType: types.F32, Dims: []kernel.Size{7, 5, 3}[:1+axes]})
		index := []kernel.Index{kernel.Along(0), kernel.Along(1), kernel.Along(2)}[:1+axes]
		v := b.Load(x, index...)
		switch what {
		case "store":
			b.Store(b.Param(kernel.Param{Name: "y", DType: types.F32, Dims: []kernel.Size{7, 5, 3}[:1+axes], Out: true}), v, index...)
			return b.Kernel()
		case "sum":
			v = b.Reduce(kernel.Add, v)
		case "maximum":
			v = b.Reduce(kernel.Maximum, v)
		}
		b.Stage()
		b.Store(b.Param(kernel.Param{Name: "y", DType: types.F32, Dims: []kernel.Size{7}, Out: true}), v, kernel.Along(0))
		return b.Kernel()
	}
	require.EqualValues(t, 1, terms(text(2, "store"), nil))
	require.EqualValues(t, 1, terms(text(2, "maximum"), nil))
	require.EqualValues(t, 5, terms(text(1, "sum"), nil))
	require.EqualValues(t, 15, terms(text(2, "sum"), nil))
}

// ordinary fills operands with small numbers; integers number rows.
func ordinary(m *kerneltest.Memory) {
	r := rand.New(rand.NewPCG(3, 4))
	for p := range m.Kernel.Params {
		values := m.Get(p)
		for i := range values {
			switch d := m.Kernel.Params[p].DType; d {
			case types.F32:
				values[i] = uint64(math.Float32bits(float32(r.NormFloat64())))
			case types.F64:
				values[i] = math.Float64bits(r.NormFloat64())
			case types.BF16:
				values[i] = uint64(types.ToBFloat16(r.NormFloat64()))
			case types.F16:
				values[i] = uint64(types.ToFloat16(r.NormFloat64()))
			case types.Bool:
				values[i] = r.Uint64() & 1
			default:
				values[i] = uint64(r.IntN(6))
			}
		}
		m.Set(p, values)
	}
}

// The kernels of all workloads of the benchmark have texts, which compute what
// the evaluator computes.
func TestWorkloads(t *testing.T) {
	for _, file := range golden.Files(t, "../../kit/testdata/workloads/*.mlir") {
		name := strings.TrimSuffix(filepath.Base(file), ".mlir")
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			p := compile(t, string(b))
			for n, k := range p.Kernels {
				module, _, err := text(k)
				require.NoError(t, err)
				require.NoError(t, ptxas.Name(fmt.Sprintf("workload/%s/%d", name, n), module))
			}
			for n := range p.Steps {
				if st := p.Steps[n].Launch(); st != nil {
					interpreted(t, p.Kernels[st.Kernel], st.Sizes)
				}
			}
		})
	}
}
