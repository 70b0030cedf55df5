package llvm

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/backends/objcache"
	"ltc/backends/reference"
	"ltc/internal/samples"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/mlir"
)

// families are the random programs of all kinds.
var families = map[string]func(r *rand.Rand, seed uint64) programs.Program{
	"random": func(r *rand.Rand, seed uint64) programs.Program {
		return programs.Program{Text: programs.Random(r, 4+int(seed%24))}
	},
	"complex": func(r *rand.Rand, seed uint64) programs.Program {
		return programs.Program{Text: programs.Complex(r, 4+int(seed%24))}
	},
	"quantized": func(r *rand.Rand, seed uint64) programs.Program {
		return programs.QuantizedRandom(r, 4+int(seed%24))
	},
	"large": func(r *rand.Rand, seed uint64) programs.Program {
		return programs.Large(r, 4+int(seed%40), 3000<<(seed%3))
	},
	"networks":  func(r *rand.Rand, _ uint64) programs.Program { return programs.Program{Text: programs.Network(r)} },
	"recurrent": func(r *rand.Rand, _ uint64) programs.Program { return programs.Program{Text: programs.Recurrent(r)} },
	"convolutions": func(r *rand.Rand, _ uint64) programs.Program {
		return programs.Program{Text: programs.Convolution(r, false), Near: []bool{true}}
	},
	"selectandscatter": func(r *rand.Rand, seed uint64) programs.Program {
		return programs.Program{Text: programs.SelectAndScatter(r), Extreme: seed%2 == 0}
	},
	"updates": func(r *rand.Rand, seed uint64) programs.Program {
		return programs.Program{Text: programs.Updates(r, 4+int(seed%24))}
	},
}

// inChild says in the environment that a process is to compile random programs, and prints what
// becomes of them.
const inChild = "KEPT_PLANS_TEST_CHILD"

// needsBuildID skips a test of kept plans where there are none.
func needsBuildID(t *testing.T) {
	t.Helper()
	if objcache.Executable() == "" {
		t.Skip("plans are kept where an executable has a build ID, and this one has none")
	}
}

// A program that another process of the executable compiles from its plan on disk is the same,
// and computes the same bits, also where two processes write plans at once.
func TestKeptPlansOfRandomPrograms(t *testing.T) {
	needsBuildID(t)
	if os.Getenv(inChild) != "" {
		compileFamilies(t)
		return
	}
	dir := t.TempDir()
	var wait sync.WaitGroup
	var lines [3]map[string]string
	for i := range lines {
		if i == 2 { // both others have written all plans
			wait.Wait()
		}
		wait.Go(func() { lines[i] = compileInChild(t, dir) })
	}
	wait.Wait()
	require.NotEmpty(t, lines[0])
	read := map[string]int{}
	for name, made := range lines[0] {
		got, fromDisk := strings.CutPrefix(lines[2][name], "read ")
		made = strings.TrimPrefix(made, "read ")
		require.Equal(t, made, strings.TrimPrefix(lines[1][name], "read "), "%s: two processes at once", name)
		require.Equal(t, made, got, name)
		if family, _, _ := strings.Cut(name, "/"); fromDisk {
			read[family]++
		}
	}
	fmt.Println("programs from plans on disk:", read)
	for family := range families {
		require.Greater(t, read[family], programsOfFamily()/4, family)
	}
}

// A plan is for the composites that the host computes: one that was kept before is not taken after a function is registered.
func TestKeptPlansOfComposites(t *testing.T) {
	needsBuildID(t)
	t.Setenv("LTC_CACHE", "")
	t.Setenv("LTC_CACHE_DIR", t.TempDir())
	s := &shared{}
	s.KeepPlan("a program", "its plan", []byte("a plan"))
	kept, ok := s.KeptPlan("a program")
	require.True(t, ok)
	require.Equal(t, "a plan", string(kept))
	takes := func(_, _ []types.Type, _ mlir.Dict) bool { return true }
	require.NoError(t, backends.RegisterHostComposite("llvm.test.late", takes, func(context.Context, *backends.HostCall) error { return nil }))
	require.Contains(t, backends.HostComposites(), "llvm.test.late")
	_, ok = s.KeptPlan("a program")
	require.False(t, ok)
}

// programsOfFamily is how many programs there are of a family.
func programsOfFamily() int { return trials.Soak(10, 600) }

// compileInChild returns what a process with a cache makes of random programs, by their names.
func compileInChild(t *testing.T, dir string) map[string]string {
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), inChild+"=1", "LTC_CACHE=", "LTC_CHECK=", "LTC_CACHE_DIR="+dir)
	out, err := child.CombinedOutput()
	if !assert.NoError(t, err, "%s", out) {
		return nil
	}
	all := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, made, ok := strings.Cut(strings.TrimPrefix(line, "made "), ": "); ok && strings.HasPrefix(line, "made ") {
			all[name] = strings.TrimSpace(made)
		}
	}
	return all
}

// readPlans are the texts of programs whose plans were on disk.
var readPlans sync.Map

// planReader is a compiler that says which plans it had on disk.
type planReader struct{ *shared }

func (r planReader) KeptPlan(program string) (plan []byte, ok bool) {
	if plan, ok = r.shared.KeptPlan(program); ok {
		readPlans.Store(program, true)
	}
	return plan, ok
}

// compileFamilies prints what random programs become.
func compileFamilies(t *testing.T) {
	reference.UseCompiler(planReader{&shared{}})
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	var next atomic.Int64
	var workers sync.WaitGroup
	names := slices.Sorted(maps.Keys(families))
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(names)*programsOfFamily(); n = int(next.Add(1)) - 1 {
				name, seed := names[n%len(names)], uint64(n/len(names))
				p := families[name](rand.New(rand.NewPCG(seed, 77)), seed)
				made, err := becomes(t.Context(), cpu, p, seed)
				assert.NoError(t, err, "seed %d\n%s", seed, p.Text)
				fmt.Printf("made %s/%d: %s\n", name, seed, made)
			}
		})
	}
	workers.Wait()
}

// becomes returns hashes of what a program becomes and of the bits that it computes, behind
// "read" if its plan was on disk.
func becomes(ctx context.Context, cpu backends.Backend, p programs.Program, seed uint64) (string, error) {
	m := backends.NewModule(p.Text + strings.Repeat("// A long text.\n", 512))
	e, err := cpu.Compile(ctx, m, backends.Options{Threads: 1 + int(seed%2), Warn: func(*backends.FallbackError) {}})
	if err != nil {
		return "", err
	}
	x, ok := e.(interface{ Program() *plan.Program })
	if !ok {
		return "whole evaluated", nil
	}
	c, sum := new(backends.Call), sha256.New()
	for i, a := range e.Signature().Args {
		v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", seed+uint64(i)))
		if err != nil {
			return "", err
		}
		if p.Extreme {
			samples.Extreme(v, seed+uint64(i))
		}
		c.Args = append(c.Args, v)
	}
	if err := e.Execute(ctx, c); err != nil {
		return "", err
	}
	for _, r := range c.Results {
		sum.Write(bytesOf(r))
	}
	read := ""
	if _, ok := readPlans.Load(m.Text()); ok {
		read = "read "
	}
	return fmt.Sprintf("%s%x computes %x", read, sha256.Sum256([]byte(x.Program().String())), sum.Sum(nil)), nil
}
