package native

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"ltc/internal/cpu"
)

// CPU is what generated code may use of a processor.
type CPU struct {
	level    string
	features []string // sorted
	l2       int
}

// level is a step of what processors can do.
type level struct {
	name string
	arch string   // as in GOARCH
	adds []string // the features that it needs besides those of the level before
}

// levels lists the levels of each architecture, the lowest first. What every
// processor of an architecture has is not named.
var levels = []level{
	{"sse2", "amd64", nil},
	{"avx2", "amd64", []string{"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "avx", "avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe"}},
	{"avx512", "amd64", []string{"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}},
	{"avx512bf16", "amd64", []string{"avx512bf16"}},
	{"neon", "arm64", nil},
}

// Host returns the processor that this process runs on.
var Host = sync.OnceValue(func() CPU {
	c := newCPU(runtime.GOARCH, slices.Clone(cpu.Features()))
	c.l2 = cpu.L2()
	return c
})

// newCPU returns a processor with these features, at the highest level that
// they make.
func newCPU(arch string, features []string) CPU {
	slices.Sort(features)
	c := CPU{features: slices.Compact(features)}
	for _, l := range levels {
		if l.arch == arch {
			if !c.has(l.adds) {
				break
			}
			c.level = l.name
		}
	}
	return c
}

// Level returns the highest level of the processor: sse2, avx2 (x86-64-v3),
// avx512 (x86-64-v4), avx512bf16, or neon; empty on other architectures.
func (c CPU) Level() string { return c.level }

// L2 returns the bytes of a core's L2 cache, 0 if unknown.
func (c CPU) L2() int { return c.l2 }

// Has reports whether the processor has a feature, by LLVM's name of it. Of what
// every processor of an architecture has it knows nothing.
func (c CPU) Has(feature string) bool {
	_, found := slices.BinarySearch(c.features, feature)
	return found
}

func (c CPU) has(features []string) bool {
	for _, f := range features {
		if !c.Has(f) {
			return false
		}
	}
	return true
}

// String returns the level and the features, which tells apart all processors
// that may get different code.
func (c CPU) String() string { return c.level + " " + strings.Join(c.features, ",") }

// As returns the same processor without what is above a level: code for the
// result runs on both. A level that the processor has not reached is an error.
func (c CPU) As(name string) (CPU, error) {
	at := slices.IndexFunc(levels, func(l level) bool { return l.name == name })
	own := slices.IndexFunc(levels, func(l level) bool { return l.name == c.level })
	switch {
	case at < 0:
		return CPU{}, fmt.Errorf("native: no level %q of processors", name)
	case own < 0 || levels[own].arch != levels[at].arch || own < at:
		return CPU{}, fmt.Errorf("native: this processor is %s: it cannot run code for %s", c.level, name)
	case own == at:
		return c, nil
	}
	kept := []string{}
	for _, l := range levels[:at+1] {
		if l.arch == levels[at].arch {
			kept = append(kept, l.adds...)
		}
	}
	slices.Sort(kept)
	return CPU{level: name, features: kept, l2: c.l2}, nil
}
