package llvm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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
	"ltc/internal/samples"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
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

// A program that is compiled again from its plan on disk is the same, and computes the same
// bits. Some plans are there of each family.
func TestKeptPlansOfRandomPrograms(t *testing.T) {
	if objcache.Executable() == "" {
		t.Skip("plans are kept where an executable has a build ID, and this one has none")
	}
	t.Setenv("LTC_CACHE", "")
	t.Setenv("LTC_CHECK", "")
	t.Setenv("LTC_CACHE_DIR", t.TempDir())
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	for name, of := range families {
		t.Run(name, func(t *testing.T) {
			var seeds, kept atomic.Int64
			var workers sync.WaitGroup
			n := int64(trials.Soak(10, 600))
			for range runtime.GOMAXPROCS(0) {
				workers.Go(func() {
					for !t.Failed() {
						seed := seeds.Add(1) - 1
						if seed >= n {
							return
						}
						p := of(rand.New(rand.NewPCG(uint64(seed), 77)), uint64(seed))
						ok, err := sameFromDisk(t.Context(), cpu, p, uint64(seed))
						assert.NoError(t, err, "seed %d\n%s", seed, p.Text)
						if ok {
							kept.Add(1)
						}
					}
				})
			}
			workers.Wait()
			fmt.Printf("%s: %d of %d were kept\n", t.Name(), kept.Load(), n)
			require.Greater(t, kept.Load(), n/4)
		})
	}
}

// sameFromDisk compares a program and what it is when it is compiled again. It reports whether
// there was a plan of it.
func sameFromDisk(ctx context.Context, cpu backends.Backend, p programs.Program, seed uint64) (kept bool, err error) {
	m := backends.NewModule(p.Text + strings.Repeat("// A long text.\n", 512))
	o := backends.Options{Threads: 1 + int(seed%2)}
	made, err := cpu.Compile(ctx, m, o)
	if err != nil {
		return false, err
	}
	o.Name, o.Threads = "again", 1+int(seed/2%2)
	read, err := cpu.Compile(ctx, m, o)
	if err != nil {
		return false, err
	}
	a, b := programOf(made), programOf(read)
	if a == nil || b == nil {
		return false, nil
	}
	if kept = b.Module == nil; !kept && len(a.HostSteps()) == 0 && !slices.ContainsFunc(a.Steps, func(s plan.Step) bool { _, ok := s.Work.(*plan.Composite); return ok }) {
		return false, errors.New("its plan is not on disk")
	}
	if a.String() != b.String() {
		return kept, fmt.Errorf("it is another program:\n%s\nwant\n%s", b, a)
	}
	got, wanted := &backends.Call{}, &backends.Call{}
	for _, c := range []*backends.Call{got, wanted} { // each its own: some are donated
		for i, a := range made.Signature().Args {
			v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", seed+uint64(i)))
			if err != nil {
				return kept, err
			}
			if p.Extreme {
				samples.Extreme(v, seed+uint64(i))
			}
			c.Args = append(c.Args, v)
		}
	}
	if err := made.Execute(ctx, wanted); err != nil {
		return kept, err
	}
	if err := read.Execute(ctx, got); err != nil {
		return kept, err
	}
	for j := range wanted.Results {
		if !slices.Equal(bytesOf(got.Results[j]), bytesOf(wanted.Results[j])) {
			return kept, fmt.Errorf("result %d has other bits", j)
		}
	}
	return kept, nil
}

func programOf(e backends.Executable) *plan.Program {
	if p, ok := e.(interface{ Program() *plan.Program }); ok {
		return p.Program()
	}
	return nil
}
