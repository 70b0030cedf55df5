package kernel_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
)

// random checks a random kernel: it is verified, reads back as it prints, and
// neither reads nor writes around its operands.
func random(t testing.TB, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0))
	make := kerneltest.Random
	if seed%4 == 3 {
		make = kerneltest.RandomScan
	}
	k, sizes := make(r, nil)
	require.NoError(t, kernel.Verify(k), "%v", k)
	stays(t, k)
	require.NoError(t, kernel.Bounds(k, sizes), "%v%v", k, sizes)
	before := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0)
	before.Fill(r)
	want, err := before.Run(evaluate)
	require.NoError(t, err, "%v%v", k, sizes)
	got, err := before.Like(kerneltest.Spread, 0xFF).Run(evaluate)
	require.NoError(t, err, "%v%v", k, sizes)
	require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v%v", k, sizes)
}

func TestRandom(t *testing.T) {
	for seed := range uint64(150) {
		random(t, seed)
	}
}

func FuzzEvaluate(f *testing.F) {
	for seed := range uint64(3) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { random(t, seed) })
}

// FuzzVerify changes a part of a random kernel. The verifier takes any; what it
// passes prints, reads back and runs.
func FuzzVerify(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, seed, int64(seed)-2)
	}
	f.Fuzz(func(t *testing.T, seed, where uint64, what int64) {
		r := rand.New(rand.NewPCG(seed, 0))
		k, sizes := kerneltest.Random(r, nil)
		spoil(k, where, what)
		if kernel.Verify(k) != nil {
			return
		}
		if k.Name != "" && len(sizes) == k.Sizes {
			stays(t, k)
		}
		bytes := int64(1)
		for _, p := range k.Params {
			n := int64(1)
			for _, d := range p.Dims {
				n *= min(max(d.Of(sizes), 1), 1<<20)
			}
			bytes = max(bytes, n)
		}
		if kernel.Bounds(k, sizes) != nil || points(k, sizes) > 1<<16 || bytes > 1<<18 {
			return
		}
		m := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0xA5)
		m.Fill(r)
		_, err := m.Run(evaluate)
		require.NoError(t, err, "%v%v", k, sizes)
	})
}

// points returns how many points the kernel's longest stage has, at least 1.
func points(k *kernel.Kernel, sizes []int64) int64 {
	most := int64(1)
	for s := range k.Stages {
		n := int64(1)
		for _, a := range slices.Concat(k.Axes, k.Stages[s].Axes) {
			n *= min(max(a.Size.Of(sizes), 1), 1<<20)
		}
		most = max(most, n)
	}
	return most
}

// spoil changes one number of a kernel.
func spoil(k *kernel.Kernel, where uint64, what int64) {
	i := &k.Instrs[where/16%uint64(len(k.Instrs))]
	pick := int(where >> 32 % 8)
	switch where % 16 {
	case 0:
		i.Op = kernel.Op(what)
	case 1:
		i.Type++
	case 2:
		i.Aux += what
	case 3:
		if len(i.Args) > 0 {
			i.Args[pick%len(i.Args)] += kernel.ID(what)
		}
	case 4:
		i.Args = append(i.Args, kernel.ID(what))
	case 5:
		i.Mem = nil
	case 6:
		k.Axes = append(k.Axes, kernel.Axis{Name: "z", Size: kernel.Size(what % 16)})
	case 7:
		if len(k.Axes) > 0 {
			k.Axes[pick%len(k.Axes)].Size = kernel.Size(what % 16)
		}
	case 8:
		s := &k.Stages[pick%len(k.Stages)]
		s.Axes = append(s.Axes, kernel.Axis{Name: "z", Size: kernel.Size(what % 16)})
	case 9:
		k.Stages[pick%len(k.Stages)].End += kernel.ID(what)
	}
	if i.Mem == nil {
		return
	}
	switch where % 16 {
	case 10:
		i.Mem.Param += int(what)
	case 11:
		i.Mem.Guard = !i.Mem.Guard
	case 12:
		i.Mem.Combine = kernel.Op(what)
	}
	if len(i.Mem.Index) == 0 {
		return
	}
	x := &i.Mem.Index[pick%len(i.Mem.Index)]
	switch where % 16 {
	case 13:
		x.Offset += what
	case 14:
		x.Value = kernel.ID(what)
	case 15:
		x.Terms = append(x.Terms, kernel.Term{Axis: pick, Factor: what})
	}
}
