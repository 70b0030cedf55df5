package kernel_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
)

func TestBoundsOfGoldens(t *testing.T) {
	for _, g := range kerneltest.Goldens(t) {
		for _, r := range g.Runs {
			require.NoError(t, kernel.Bounds(g.Kernel, r.Before.Sizes), r.Name)
		}
	}
	concatenate := kerneltest.Kernel(t, "concatenate")
	require.EqualError(t, kernel.Bounds(concatenate, []int64{1, 2, 2, 2}),
		"kernel concatenate: %4 store: index 0 of y may lie from 1 to 2, outside of its 2 elements")
	require.NoError(t, kernel.Bounds(concatenate, []int64{1, 2, 0, 2}), "a launch of no points accesses nothing")
	require.NoError(t, kernel.Bounds(kerneltest.Kernel(t, "gather"), []int64{1, 1, 1}))
	require.EqualError(t, kernel.Bounds(kerneltest.Kernel(t, "gather"), []int64{0, 1, 1}),
		"kernel gather: %7 load: index 0 of table may lie from -1 to -1, outside of its 0 elements")
	require.EqualError(t, kernel.Bounds(concatenate, []int64{1, 2}), "kernel concatenate: 2 sizes, want 4")
	require.EqualError(t, kernel.Bounds(concatenate, []int64{1, 2, -1, 3}), "kernel concatenate: n2 is -1")
}

// What is known of an index that is computed by some instructions, of an
// operand of 100 elements.
func TestBounds(t *testing.T) {
	for _, c := range []struct{ name, index, body, want string }{
		{"axis", "i", "", ""},
		{"twice", "2*i", "", "from 0 to 198"},
		{"backwards", "-1*i + 99", "", ""},
		{"before", "i - 1", "", "from -1 to 98"},
		{"overflow", "9223372036854775807*i + 9223372036854775807", "", "anywhere"},
		{"overflow of an end that is not reached", "9223372036854775807*i", "", "anywhere"},
		{"iota", "%a", "%a = iota i : i32", ""},
		{"iota that wraps", "%a", "%a = iota j : u8", "from 0 to 255"},
		{"size", "%a - 950", "%a = size n1", ""},
		{"i32", "%a", "%a = load rows[i]", "from -2147483648 to 2147483647"},
		{"u64", "%a", "%a = load places[i]", "from -9223372036854775808 to 9223372036854775807"},
		{"u64 bounded above", "%a", "%b = load places[i]\n %c = constant 99 : u64\n %a = minimum %b, %c : u64", ""},
		{"u64 bounded above, the other way", "%a", "%b = load places[i]\n %c = constant 99 : u64\n %a = minimum %c, %b : u64", ""},
		{"u64 clamped", "%a", "%b = load places[i]\n %c = constant 1 : u64\n %d = constant 99 : u64\n %a = clamp %c, %b, %d : u64", ""},
		{"u64 bounded below", "%a", "%b = load places[i]\n %c = constant 99 : u64\n %a = maximum %b, %c : u64", "from -9223372036854775808 to 9223372036854775807"},
		{"u64 below 0", "%a", "%b = constant 1 : u64\n %c = constant 2 : u64\n %a = subtract %b, %c : u64", "from -9223372036854775808 to 9223372036854775807"},
		{"large u64", "%a", "%a = constant 18446744073709551615 : u64", "from -9223372036854775808 to 9223372036854775807"},
		{"clamped", "%a", "%b = load rows[i]\n %c = constant 5 : i32\n %d = constant 99 : i32\n %a = clamp %c, %b, %d : i32", ""},
		{"clamped to nothing", "%a", "%b = load rows[i]\n %c = constant 105 : i32\n %d = constant 99 : i32\n %a = clamp %c, %b, %d : i32", ""},
		{"converted", "%a", "%b = iota i : i32\n %a = convert %b : u8", ""},
		{"converted to a narrower type", "%a", "%b = iota j : i32\n %a = convert %b : u8", "from 0 to 255"},
		{"negative as unsigned", "%a", "%b = constant -1 : i32\n %a = convert %b : u64", "from -9223372036854775808 to 9223372036854775807"},
		{"of a float", "%a", "%b = constant 3.0 : f32\n %a = convert %b : i32", "from -2147483648 to 2147483647"},
		{"sum that wraps", "%a", "%b = constant 2147483647 : i32\n %c = constant 1 : i32\n %a = add %b, %c : i32", "from -2147483648 to 2147483647"},
		{"product", "%a", "%b = iota i : i64\n %c = constant -1 : i64\n %d = multiply %b, %c : i64\n %e = constant 99 : i64\n %a = add %d, %e : i64", ""},
		{"product that wraps", "%a", "%b = constant 4294967296 : i64\n %a = multiply %b, %b : i64", "from -9223372036854775808 to 9223372036854775807"},
		{"negated", "%a + 99", "%b = iota i : i64\n %a = negate %b : i64", ""},
		{"lowest, negated", "%a", "%b = constant -9223372036854775808 : i64\n %a = negate %b : i64", "from -9223372036854775808 to 9223372036854775807"},
		{"quotient", "%a", "%b = iota j : i64\n %c = constant 10 : i64\n %a = divide %b, %c : i64", ""},
		{"quotient by what may be 0", "%a", "%b = iota j : i64\n %c = iota i : i64\n %a = divide %b, %c : i64", "from -9223372036854775808 to 9223372036854775807"},
		{"remainder", "%a", "%b = load rows[i]\n %c = constant 100 : i32\n %a = remainder %b, %c : i32", "from -99 to 99"},
		{"remainder of what is not negative", "%a", "%b = iota j : i32\n %c = constant 100 : i32\n %a = remainder %b, %c : i32", ""},
		{"chosen", "%a", "%b = iota i : i64\n %c = constant 0 : i64\n %d = compare_gt %b, %c : bool\n %a = select %d, %b, %c : i64", ""},
		{"chosen from outside", "%a", "%b = iota i : i64\n %c = constant -1 : i64\n %d = compare_gt %b, %c : bool\n %a = select %d, %b, %c : i64", "from -1 to 99"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := parse(t, strings.NewReplacer("INDEX", c.index, "BODY", c.body).Replace(`
kernel k(x: f32[n0] strides [1], rows: i32[n0] strides [1], places: u64[n0] strides [1], out y: f32[n1, n0] strides [*, 1]) {
  for j < n1
  for i < n0
  stage {
    BODY
    %x = load x[INDEX]
    %y = load rows[i]
    %z = load places[i]
    store y[j, i], %x
  }
}`))
			require.NoError(t, kernel.Verify(k))
			err := kernel.Bounds(k, []int64{100, 1000})
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "load: index 0 of x may lie "+c.want+", outside of its 100 elements")
		})
	}
}
