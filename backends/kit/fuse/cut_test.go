package fuse_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/internal/test/kittest"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
)

// everyStage cuts kernels into all their stages.
func everyStage(k *kernel.Kernel) []int {
	var all []int
	for s := 1; s < len(k.Stages); s++ {
		all = append(all, s)
	}
	return all
}

// A concatenation is as many kernels as the target wants it to be, and so is one whose
// operands are computed where they are stored: rotated rows here.
func TestCut(t *testing.T) {
	text := `func.func @main(%x: tensor<3x8xf32>, %y: tensor<3x2xf32>) -> tensor<3x10xf32> {
  %0 = stablehlo.slice %x [0:3, 5:8] : (tensor<3x8xf32>) -> tensor<3x3xf32>
  %1 = stablehlo.slice %x [0:3, 0:5] : (tensor<3x8xf32>) -> tensor<3x5xf32>
  %2 = stablehlo.negate %1 : tensor<3x5xf32>
  %3 = stablehlo.concatenate %0, %2, %y, dim = 1 : (tensor<3x3xf32>, tensor<3x5xf32>, tensor<3x2xf32>) -> tensor<3x10xf32>
  return %3 : tensor<3x10xf32>
}`
	for want, cut := range map[int]func(k *kernel.Kernel) []int{
		1: nil,
		2: func(*kernel.Kernel) []int { return []int{2} },
		3: everyStage,
	} {
		p := kittest.SameAs(t, text, kittest.CompileFor(t, text, fuse.Options{Cut: cut}))
		require.Len(t, p.Steps, want)
		require.Equal(t, want-1, p.Values[p.Results[0]].Last)
	}
}

// What is written over a donated argument is not read any more: the parts of a rotation
// are not all written before the argument is read.
func TestCutInPlace(t *testing.T) {
	text := `func.func @main(%x: tensor<8xf32> {tf.aliasing_output = 0 : i32}) -> tensor<8xf32> {
  %0 = stablehlo.slice %x [5:8] : (tensor<8xf32>) -> tensor<3xf32>
  %1 = stablehlo.slice %x [0:5] : (tensor<8xf32>) -> tensor<5xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<3xf32>, tensor<5xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}`
	p := kittest.SameAs(t, text, kittest.CompileFor(t, text, fuse.Options{Cut: everyStage}))
	require.Len(t, p.Steps, 2)
	require.False(t, p.InPlace(0))
}

// Random programs compute the same, however they are cut.
func TestRandomCut(t *testing.T) {
	cuts := 0
	for seed := range trials.Of(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 12))
			text := programs.Updates(r, 4+seed%20)
			if seed%2 == 0 {
				text = programs.Random(r, 4+seed%20)
			}
			p := kittest.SameAs(t, text, kittest.CompileFor(t, text, fuse.Options{Cut: func(k *kernel.Kernel) []int {
				all := slices.DeleteFunc(everyStage(k), func(int) bool { return r.IntN(3) == 0 })
				cuts += len(all)
				return all
			}}))
			if t.Failed() {
				t.Log("\n" + text + "\n" + strings.TrimSpace(p.String()))
			}
		})
	}
	require.Positive(t, cuts)
}
