package kit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/reference"
)

// manyUpdates returns a program of n updates of one tensor after the other, each of
// what is read of the one before.
func manyUpdates(n int) string {
	var b strings.Builder
	b.WriteString("func.func public @main(%x: tensor<8192xf32>, %u: tensor<2xf32>, %i: tensor<i32>) -> (tensor<8192xf32>) {\n")
	b.WriteString("  %x0 = stablehlo.reverse %x, dims = [0] : tensor<8192xf32>\n")
	for i := range n {
		fmt.Fprintf(&b, `  %%s%[1]d = stablehlo.dynamic_slice %%x%[1]d, %%i, sizes = [2] : (tensor<8192xf32>, tensor<i32>) -> tensor<2xf32>
  %%a%[1]d = stablehlo.add %%s%[1]d, %%u : tensor<2xf32>
  %%x%[2]d = stablehlo.dynamic_update_slice %%x%[1]d, %%a%[1]d, %%i : (tensor<8192xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8192xf32>
`, i, i+1)
	}
	fmt.Fprintf(&b, "  func.return %%x%d : tensor<8192xf32>\n}\n", n)
	return b.String()
}

// All of a long chain of updates are written over one memory.
func TestManyUpdates(t *testing.T) {
	p := same(t, manyUpdates(200))
	require.Equal(t, 64, p.Arena, "an update, and no copy of what is updated")
}

// What an update takes to compile does not depend on how many there are.
func BenchmarkManyUpdates(b *testing.B) {
	for _, n := range []int{250, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				p, err := backends.Load(b.Context(), backends.NewModule(manyUpdates(n)), backends.Options{})
				require.NoError(b, err)
				_, err = kit.Compile(b.Context(), p, kit.Options{Eval: reference.New()})
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/update")
		})
	}
}

// manyOperands returns a program that joins n values, each computed from one.
func manyOperands(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "func.func public @main(%%x: tensor<4xf32>) -> tensor<%dxf32> {\n", 4*n)
	for i := range n {
		fmt.Fprintf(&b, "  %%c%d = stablehlo.constant dense<%d.0> : tensor<4xf32>\n  %%a%d = stablehlo.add %%x, %%c%d : tensor<4xf32>\n", i, i, i, i)
	}
	b.WriteString("  %r = stablehlo.concatenate ")
	for i := range n {
		fmt.Fprintf(&b, "%s%%a%d", separator(i), i)
	}
	b.WriteString(", dim = 0 : (" + strings.TrimSuffix(strings.Repeat("tensor<4xf32>, ", n), ", ") + fmt.Sprintf(") -> tensor<%dxf32>\n  func.return %%r : tensor<%dxf32>\n}\n", 4*n, 4*n))
	return b.String()
}

// manyUsers returns a program of 2n ops that use one value.
func manyUsers(n int) string {
	var b strings.Builder
	b.WriteString("func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %v = stablehlo.sine %x : tensor<4xf32>\n  %s0 = stablehlo.cosine %x : tensor<4xf32>\n")
	for i := range n {
		fmt.Fprintf(&b, "  %%m%d = stablehlo.multiply %%s%d, %%v : tensor<4xf32>\n  %%s%d = stablehlo.add %%m%d, %%v : tensor<4xf32>\n", i, i, i+1, i)
	}
	fmt.Fprintf(&b, "  func.return %%s%d : tensor<4xf32>\n}\n", n)
	return b.String()
}

// manyTimes returns a program that joins a value n times with itself.
func manyTimes(n int) string { // users of one value, all summed by concatenate
	var b strings.Builder
	fmt.Fprintf(&b, "func.func public @main(%%x: tensor<4xf32>, %%k: tensor<4xf32>) -> tensor<%dxf32> {\n  %%v = stablehlo.sine %%x : tensor<4xf32>\n  %%r = stablehlo.concatenate ", 4*n)
	for i := range n {
		fmt.Fprintf(&b, "%s%%v", separator(i))
	}
	b.WriteString(", dim = 0 : (" + strings.TrimSuffix(strings.Repeat("tensor<4xf32>, ", n), ", ") + fmt.Sprintf(") -> tensor<%dxf32>\n  func.return %%r : tensor<%dxf32>\n}\n", 4*n, 4*n))
	return b.String()
}

func separator(i int) string {
	if i == 0 {
		return ""
	}
	return ", "
}

// What many operands and many users take to compile grows with their number: four
// times as many take less than nine times as long, where sixteen would be quadratic.
// The least of three times is looked at, and the measurement is made again if other
// programs were at work.
func TestManyOperandsAndUsersCompileInLinearTime(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures times")
	}
	for name, text := range map[string]func(int) string{"operands": manyOperands, "users": manyUsers, "times": manyTimes} {
		t.Run(name, func(t *testing.T) {
			least := func(n int) time.Duration {
				took := time.Hour
				for range 3 {
					p, err := backends.Load(t.Context(), backends.NewModule(text(n)), backends.Options{})
					require.NoError(t, err)
					start := time.Now()
					_, err = kit.Compile(t.Context(), p, kit.Options{Eval: reference.New()})
					require.NoError(t, err)
					took = min(took, time.Since(start))
				}
				return took
			}
			var ratio float64
			for range 3 {
				if ratio = float64(least(2000)) / float64(least(500)); ratio < 9 {
					return
				}
			}
			t.Fatalf("2,000 take %.1f times as long as 500", ratio)
		})
	}
}
