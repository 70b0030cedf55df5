// Package outside holds tests of programs in a module of their own, as users
// write them: what they need must be exported, and building them must need
// nothing but this module and what it requires.
//
// The package imports only the standard library.
package outside

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the repository's directory.
func root(t *testing.T) string {
	dir, err := filepath.Abs("../../..")
	require.NoError(t, err)
	return dir
}

// build compiles the command in testdata/name, with the packages beside it, as
// part of a new module that requires this one. Nothing is fetched: whatever the
// build needs, this module's own build needs too.
func build(t *testing.T, name string) (binary string) { return built(t, name, "build") }

// built is build by one of Go's commands.
func built(t *testing.T, name string, command ...string) (binary string) {
	dir, repo := t.TempDir(), root(t)
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata")))
	own, err := os.ReadFile(filepath.Join(repo, "go.mod"))
	require.NoError(t, err)
	_, requires, _ := strings.Cut(string(own), "\nrequire")
	mod := "module mychip.example\n\ngo 1.26.0\n\nrequire ltc v0.0.0\n\nreplace ltc => " + strconv.Quote(filepath.ToSlash(repo)) + "\n\nrequire" + requires
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644))
	sums, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))

	binary = filepath.Join(dir, name+".exe")
	c := exec.Command("go", slices.Concat(command, []string{"-o", binary, "./" + name})...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "CGO_ENABLED=0")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// output runs a program and returns the lines it prints.
func output(t *testing.T, dir, binary string) []string {
	c := exec.Command(binary)
	c.Dir = dir
	c.Stderr = os.Stderr
	out, err := c.Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// falling checks that lines are losses, each below the one before.
func falling(t *testing.T, lines []string) {
	last := 1e9
	for _, l := range lines {
		loss, err := strconv.ParseFloat(l, 64)
		require.NoError(t, err)
		require.Less(t, loss, last)
		last = loss
	}
}

var report = regexp.MustCompile(`^1 compile \(\d+ ops in .*\), 3 cached, 4 marks, 0 implicit syncs, `)

func TestTrainOnBackendFromOutside(t *testing.T) {
	lines := output(t, t.TempDir(), build(t, "train"))
	require.Len(t, lines, 13, "%q", lines)
	eval, mychip := lines[1:6], lines[7:12]
	require.Equal(t, "on eval", lines[0]) // which mychip has run its programs
	require.Equal(t, "on mychip", lines[6])
	falling(t, eval[:4])
	require.Regexp(t, report, eval[4])
	require.Equal(t, eval[:4], mychip[:4])
	require.Regexp(t, report, mychip[4])
	require.Equal(t, "programs compiled by mychip: 1", lines[12])
}

// The backend that docs/backend.md is about.
func TestBackendOfTwoOps(t *testing.T) {
	lines := output(t, t.TempDir(), build(t, "small"))
	require.Equal(t, []string{"<nil>", "[11 22] <nil>", "[121 484] <nil>"}, lines[:3])
	require.Regexp(t, `main\.go:\d+: stablehlo\.exponential: compile for small: backend small cannot run 1 of the program's ops:$`, lines[3])
	require.Regexp(t, `^module\.mlir:\d+:\d+: stablehlo\.exponential: not an op of this backend, recorded at .*main\.go:\d+$`, lines[4])
}

// It passes the suite, whose programs of other ops are counted as unsupported.
func TestSuiteOfBackendOfTwoOps(t *testing.T) {
	lines := output(t, t.TempDir(), built(t, "small", "test", "-c"))
	require.Equal(t, "PASS", lines[len(lines)-1])
}

// The target in the host's memory that docs/backend.md names runs a program, and all of the suite.
func TestTargetInMemoryOfTheHost(t *testing.T) {
	lines := output(t, t.TempDir(), build(t, "host"))
	require.Equal(t, []string{"<nil>", "[0.047425874 0.95257413 0.00091105123 0.999089] <nil>"}, lines)
	lines = output(t, t.TempDir(), built(t, "host", "test", "-c"))
	require.Equal(t, "PASS", lines[len(lines)-1])
}

func TestPlugInRegisteredTwice(t *testing.T) {
	lines := output(t, t.TempDir(), build(t, "twice"))
	require.Len(t, lines, 3, "%q", lines)
	for _, l := range lines[:2] {
		require.Regexp(t, `^backend "mychip" is registered twice: at .*chip\.go:\d+ and at .*main\.go:\d+; import only one of the packages$`, l)
	}
	require.Regexp(t, `^unknown backend "yourchip": registered are eval, mychip; open one of these, or import the package of the backend`, lines[2])
}

// Another module defines composites: their values, gradients, programs, mistakes and
// documentation.
func TestCompositesOfAnotherModule(t *testing.T) {
	want := strings.TrimSpace(`
[-0.75 0.25 -1.5 1.5] <nil>
[-1.25 1.25 -3 3] <nil>
[true] <nil>
[0] <nil>
%0 = stablehlo.composite "activation.swish" %arg0 {composite_attributes = {beta = 2.000000e+00 : f64}, decomposition = @activation.swish} : (tensor<2x2xf64>) -> tensor<2x2xf64>
%1 = stablehlo.composite "statistics.centred" %arg0, %arg1 {composite_attributes = {axis = 1 : i64}, decomposition = @statistics.centred} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
%40 = stablehlo.composite "activation.swish" %arg2 {composite_attributes = {beta = 2.000000e+00 : f64}, decomposition = @activation.swish} : (tensor<2x2xf64>) -> tensor<2x2xf64>
func.func private @activation.swish(%arg0: tensor<2x2xf64>) -> tensor<2x2xf64> {
func.func private @statistics.centred(%arg0: tensor<2x2xf64>, %arg1: tensor<2x2xf64>) -> tensor<2x2xf64> {
main.go:96: activation.swish(i32[1]): x must be floating point, is i32; convert it with Convert (activation.swish_c1)
main.go:97: activation.swish(f64[2,2]): attribute beta (finite number) is missing
main.go:98: activation.swish(f64[2,2]): attribute beta is string, must be float64 or int
main.go:99: activation.swish(f64[2,2]): there is no attribute "gamma"; the only attribute is beta
main.go:100: activation.swish(f64[2,2], f64[2,2]): the number of operands is 2, must be 1
main.go:101: activation.swish(): the number of operands is 0, must be 1
main.go:102: activation.swish(): operand 0 is nil or the zero Tensor, which is none
main.go:103: statistics.centred(f64[2,2]): axis 2 is out of range: a tensor of shape [2,2] has axes 0 and 1 (statistics.centred_c4)
main.go:104: statistics.centred(f64[2,2], f64[2]): weights must have the shape [2,2] of x, have [2] (statistics.centred_c3)
main.go:105: statistics.centred(f64[2,2], f32[2,2]): dtypes differ: x is f64 and weights is f32; convert one with Convert (statistics.centred_c2)
## statistics.centred
~statistics.centred~ returns x less its mean along the axis, weighted if there are weights.

Attributes: ~axis~ (axis).

- ~statistics.centred_c1~ x is floating point.
- ~statistics.centred_c2~ weights, if given, has the dtype of x.
- ~statistics.centred_c3~ weights have the shape of x.
- ~statistics.centred_c4~ axis is one of the axes of x.
<nil> f64[2]
<nil> 1 2
[-1 1] <nil>
[1 0] <nil>
%0:2 = stablehlo.composite "statistics.extremes" %arg0 {decomposition = @statistics.extremes} : (tensor<2xf64>) -> (tensor<f64>, tensor<f64>)
`)
	got := strings.Join(output(t, t.TempDir(), build(t, "composite")), "\n")
	got = regexp.MustCompile(` loc\(#loc\d+\)`).ReplaceAllString(got, "")
	require.Equal(t, strings.ReplaceAll(want, "~", "\x60"), got)
}

// The README's program runs, in the directory that its readers are in.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root(t), "README.md"))
	require.NoError(t, err)
	_, block, _ := strings.Cut(string(readme), "```go\n")
	block, _, _ = strings.Cut(block, "```")
	program, err := os.ReadFile("testdata/readme/main.go")
	require.NoError(t, err)
	require.Equal(t, string(program), block)

	lines := output(t, root(t), build(t, "readme"))
	require.Len(t, lines, 29)
	first, err := strconv.ParseFloat(lines[0], 64)
	require.NoError(t, err)
	last, err := strconv.ParseFloat(lines[27], 64)
	require.NoError(t, err)
	require.Less(t, last, first/2)
	require.Regexp(t, `^1 compile \(.*\), 27 cached, 28 marks, 0 implicit syncs`, lines[28])
}

// Mistakes with layers name the line of the program that calls the layer, also where the compiler has inlined the
// layer's methods in those of the program.
func TestMistakesOfLayers(t *testing.T) {
	want := strings.TrimSpace(`
main.go:24: b.1: nn.linear(f32[2,4], f32[2,5], f32[2]): the last dimension of x is 4, must be 5, the last one of weight (In of layers.Linear) (nn.linear_c4)
main.go:38: a.2: nn.linear(f32[2,7], f32[4,3], f32[4]): the last dimension of x is 7, must be 3, the last one of weight (In of layers.Linear) (nn.linear_c4)
main.go:39: norm.3: nn.batch_norm_training(f32[2,7], f32[3], f32[3], f32[3], f32[3]): axis 1 of x has dimension 7, a parameter is f32[3] (nn.batch_norm_training_c9)
main.go:40: conv.4: nn.conv(f32[2,7], f32[4,3,3,3], f32[4]): weight must have rank 4, and x 3 or 4 (nn.conv_c4)
main.go:41: self.5: nn.multi_head_attention(f32[2,7], f32[2,7], f32[2,7], f32[24,8], f32[8,8], f32[24], f32[8]): the last dimension of queries is 7, must be 8, the features of in (Features of layers.MultiheadAttention) (nn.heads_c5)
main.go:42: drop.6: dropout(i32[2]): x must be floating point, is i32; convert it with Convert (dropout_c1)
main.go:43: b.8: nn.linear(f32[2,4], f32[2,5], f32[2]): the last dimension of x is 4, must be 5, the last one of weight (In of layers.Linear) (nn.linear_c4)
main.go:45: b.9: nn.linear(f32[2,3], f32[2,5], f32[2]): the last dimension of x is 3, must be 5, the last one of weight (In of layers.Linear) (nn.linear_c4)
`)
	got := strings.Join(output(t, t.TempDir(), build(t, "layers")), "\n")
	require.Equal(t, want, regexp.MustCompile(`(?m)^.*/main\.go`).ReplaceAllString(got, "main.go"))
}
