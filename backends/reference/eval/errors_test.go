package eval

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/programs"
	"ltc/soa"
)

func compileError(text string) error {
	_, err := New().Compile(context.Background(), backends.NewModule(text), backends.Options{Name: "m.mlir"})
	return err
}

// Options and modules that nobody can run are refused.
func TestNothingToCompile(t *testing.T) {
	_, err := New().Compile(context.Background(), backends.NewModule(programs.Chain(1)), backends.Options{Threads: -1})
	require.EqualError(t, err, "compile: Threads is -1: give a number of threads, or 0 for the default")
	require.EqualError(t, compileError("module {}"), "m.mlir: error: the module has no function @main with a body of one block")
}

// What is right but lacking is listed, each op once and in the text's order,
// also behind a call; functions that nothing calls do not count.
func TestUnsupported(t *testing.T) {
	err := compileError(`func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf128>) -> tensor<2xf32> {
  %1 = call @f(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @f(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = "test.none"(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @ltc.none(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @unused(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @ltc.none(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}`)
	require.EqualError(t, err, `backend eval cannot run 3 of the program's ops:
m.mlir:1:1: func.func: argument 1 of @main: a caller cannot hold elements of type f128
  func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf128>) -> tensor<2xf32> {
m.mlir:4:8: test.none: not an op of this backend
  %3 = "test.none"(%2) : (tensor<2xf32>) -> tensor<2xf32>
m.mlir:8:8: stablehlo.custom_call: no host function "ltc.none" is registered: see backends.RegisterHost
  %0 = stablehlo.custom_call @ltc.none(%x) : (tensor<2xf32>) -> tensor<2xf32>`)
}

// A call of LAPACK that is not of the form for which there is an op says what the form is.
func TestUnsupportedLAPACK(t *testing.T) {
	require.EqualError(t, compileError(`func.func public @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>)
  %1 = stablehlo.custom_call @lapack_strsm_ffi(%a, %a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.custom_call @lapack_zgetrf_ffi(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}`), `backend eval cannot run 4 of the program's ops:
m.mlir:2:10: stablehlo.custom_call: no host function "lapack_spotrf_ffi" is registered: the compiler has an op for it, but it takes a square matrix, and gives its factor and an i32 for each matrix: not [tensor<2x3xf32>] and [tensor<2x3xf32> tensor<i32>]
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>)
m.mlir:3:8: stablehlo.custom_call: no host function "lapack_strsm_ffi" is registered: the compiler has an op for it, but the attribute side is missing, and should be the code of a character of LR
  %1 = stablehlo.custom_call @lapack_strsm_ffi(%a, %a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
m.mlir:4:8: stablehlo.custom_call: no host function "lapack_sgetrf_ffi" is registered: import ltc/integrations/lapack, a module of its own, for its effect, or see backends.RegisterHost
  %2 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
m.mlir:5:8: stablehlo.custom_call: no host function "lapack_zgetrf_ffi" is registered: ltc/integrations/lapack has functions of real matrices alone; see backends.RegisterHost
  %3 = stablehlo.custom_call @lapack_zgetrf_ffi(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>`)
}

// A call of LAPACK that cannot run says what to import, or what is wrong with it.
func TestLAPACKHints(t *testing.T) {
	for _, c := range []struct{ call, want string }{
		{`@lapack_sgetrf_ffi(%a) {mhlo.backend_config = {}}`, "import ltc/integrations/lapack, a module of its own, for its effect, or see backends.RegisterHost"},
		{`@lapack_cgetrf_ffi(%a) {mhlo.backend_config = {}}`, "ltc/integrations/lapack has functions of real matrices alone; see backends.RegisterHost"},
		{`@lapack_sgeev_ffi(%a) {mhlo.backend_config = {}}`, "ltc/integrations/lapack does not have geev; see backends.RegisterHost"},
		{`@lapack_sgetrf(%a)`, "see backends.RegisterHost"},
		{`@lapack_spotrf_ffi(%a) {mhlo.backend_config = {}}`, "the compiler has an op for it, but the attribute uplo is missing, and should be the code of a character of LU"},
		{`@lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 65 : ui8}}`, "the compiler has an op for it, but the attribute uplo is 65 : ui8, and should be the code of a character of LU"},
		{`@lapack_strsm_ffi(%a, %a) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, uplo = 76 : ui8}}`, "the compiler has an op for it, but the attribute trans_x is missing, and should be the code of a character of NTC"},
		{`@lapack_strsm_ffi(%a) {mhlo.backend_config = {}}`, "the compiler has an op for it, but the call has 1 operand, and should have 2"},
		{`@lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}}`, "the compiler has an op for it, but it takes a square matrix, and gives its factor and an i32 for each matrix: not [tensor<2x2xf32>] and [tensor<2x2xf32>]"},
	} {
		operands := strings.Repeat(", tensor<2x2xf32>", strings.Count(c.call, "%a"))[2:]
		require.ErrorContains(t, compileError(`func.func public @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.custom_call `+c.call+` : (`+operands+`) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}`), " is registered: "+c.want, c.call)
	}
}

func TestRecursion(t *testing.T) {
	require.ErrorContains(t, compileError(`func.func public @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @f(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @f(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @main(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}`), "m.mlir:6:8: error: func.call: @main calls itself, by way of @main, @f")
}

// A program that needs more memory than there is does not compile.
func TestMemory(t *testing.T) {
	err := compileError(`func.func public @main() -> tensor<1000000000000xf64> {
  %0 = stablehlo.iota dim = 0 : tensor<1000000000000xf64>
  return %0 : tensor<1000000000000xf64>
}`)
	require.ErrorContains(t, err, "m.mlir:2:8: stablehlo.iota: result 0: tensor<1000000000000xf64>: "+soa.ErrMemory.Error())
}
