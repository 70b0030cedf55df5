package verify

import (
	"fmt"
	"slices"
	"strings"

	"ltc/mlir"
	"ltc/stablehlo"
)

// JAX calls LAPACK's functions by names such as lapack_spotrf_ffi, whose second word begins
// with s, d, c or z: f32, f64, or complex numbers of these. Factors of Cholesky and solutions
// of triangular systems are ops of the dialect: [ExpandCalls] puts these in the place of the
// calls. Other functions of LAPACK have no op.

// lapackExpansions write what calls do, by the call's name without lapack_s and _ffi. The
// text has a function of the call's types. It is "" for a call that is not as JAX writes it.
var lapackExpansions = map[string]func(call *mlir.Op, config mlir.Dict) string{
	"potrf": choleskyCall,
	"trsm":  triangularCall,
}

// expandLAPACKCalls returns ops with calls of LAPACK replaced.
func expandLAPACKCalls(ops []*mlir.Op) []*mlir.Op {
	for i := 0; i < len(ops); i++ {
		if ops[i].Code != stablehlo.CustomCall {
			continue
		}
		if by := expandLAPACK(ops[i]); by != nil {
			ops = slices.Replace(ops, i, i+1, by...)
			i += len(by) - 1
		}
	}
	return ops
}

// expandLAPACK returns the ops that stand for a call of LAPACK; nil if there are none.
func expandLAPACK(call *mlir.Op) []*mlir.Op {
	name, _ := call.Attrs.Get("call_target_name").(mlir.StringAttr)
	function, ok := strings.CutPrefix(string(name), "lapack_")
	function, ffi := strings.CutSuffix(function, "_ffi")
	if !ok || !ffi || function == "" || !strings.Contains("sdcz", function[:1]) {
		return nil
	}
	of := lapackExpansions[function[1:]]
	if of == nil {
		return nil
	}
	text := of(call, stablehlo.BackendConfig(call))
	if text == "" {
		return nil
	}
	return callText(call, text)
}

// char returns a parameter of LAPACK's, such as U or L for uplo.
func char(config mlir.Dict, name string) byte {
	n, ok := mlir.Int(config.Get(name))
	if !ok || n < 0 || n > 127 {
		return 0
	}
	return byte(n)
}

// operandsOf returns the operands of a call that are no shapes of its results.
func operandsOf(call *mlir.Op) []*mlir.Value {
	return call.Operands[:len(call.Operands)-len(stablehlo.ShapeOperands(call))]
}

// callText returns the ops of the only function of a text. They have the place, the operands
// and the results of a call. It returns nil if the text is not valid, or of other types.
func callText(call *mlir.Op, text string) []*mlir.Op {
	m, err := stablehlo.Parse("", text)
	if err != nil || Module(m) != nil {
		return nil
	}
	f := m.Ops[0]
	if !sameTypes(f.FuncType().Ins, mlir.TypesOf(call.Operands)) || !sameTypes(f.FuncType().Outs, mlir.TypesOf(call.Results)) {
		return nil
	}
	body := f.Body()
	ops, end := body.Ops[:len(body.Ops)-1], body.Ops[len(body.Ops)-1]
	stands := map[*mlir.Value]*mlir.Value{}
	for i, a := range body.Args {
		stands[a] = call.Operands[i]
	}
	for i, v := range end.Operands {
		r := call.Results[i]
		r.Def, r.Index, v.Def.Results[v.Index], stands[v] = v.Def, v.Index, r, r
	}
	m.Walk(func(op *mlir.Op) bool {
		op.Pos, op.Loc, op.Ordinal = call.Pos, call.Loc, call.Ordinal
		for i, v := range op.Operands {
			if by := stands[v]; by != nil {
				op.Operands[i] = by
			}
		}
		return true
	})
	return slices.Clip(ops)
}

// choleskyCall is a call with a matrix, of which it reads the triangle uplo. It returns the
// factor and, for each matrix, the order of the first minor that is not positive, 0 if all
// are. LAPACK leaves the other triangle as it was. In the expansion it is zero.
func choleskyCall(call *mlir.Op, config mlir.Dict) string {
	uplo, shapes := char(config, "uplo"), stablehlo.ShapeOperands(call)
	if len(operandsOf(call)) != 1 || uplo != 'L' && uplo != 'U' {
		return ""
	}
	t, ok := call.Operands[0].Type.(*mlir.TensorType)
	if !ok || len(t.Shape) < 2 {
		return ""
	}
	if shapes != nil {
		return openCholesky(call, t, uplo == 'L')
	}
	if slices.Contains(t.Shape, mlir.Dynamic) {
		return ""
	}
	last := len(t.Shape) - 2
	batch, n := t.Shape[:last], t.Shape[last]
	elem, diagonal, pivots := t.Elem, "d", ""
	if c, ok := elem.(mlir.ComplexType); ok {
		elem, diagonal = c.Elem, "p"
		pivots = fmt.Sprintf("  %%p = stablehlo.real %%d : (%s) -> %s\n", tensorText(t.Elem, batch, n), tensorText(elem, batch, n))
	}
	var all, every strings.Builder
	for _, b := range batch {
		fmt.Fprintf(&all, "0:%d, ", b)
	}
	fmt.Fprintf(&every, "%s0:%d:%d", &all, n*n, n+1)
	return strings.NewReplacer(
		"{A}", t.String(), "{FLAT}", tensorText(t.Elem, batch, n*n), "{D}", tensorText(t.Elem, batch, n), "{R}", tensorText(elem, batch, n),
		"{C}", tensorText(mlir.I32, batch, n), "{B}", tensorText(mlir.IntegerType{Width: 1}, batch, n),
		"{I}", tensorText(mlir.I32, batch), "{T}", tensorText(mlir.IntegerType{Width: 1}, batch),
		"{LOWER}", fmt.Sprint(uplo == 'L'), "{EVERY}", every.String(), "{REAL}", pivots, "{PIVOT}", diagonal,
		"{LAST}", fmt.Sprint(last), "{NONE}", fmt.Sprint(n+1),
	).Replace(choleskyText)
}

// choleskyText finds the first pivot that is not positive: a root of a number that is not
// positive is 0 or NaN.
const choleskyText = `func.func private @potrf(%a: {A}) -> ({A}, {I}) {
  %l = stablehlo.cholesky %a, lower = {LOWER} : {A}
  %flat = stablehlo.reshape %l : ({A}) -> {FLAT}
  %d = stablehlo.slice %flat [{EVERY}] : ({FLAT}) -> {D}
{REAL}  %zero = stablehlo.constant dense<0.0> : {R}
  %positive = stablehlo.compare GT, %{PIVOT}, %zero, FLOAT : ({R}, {R}) -> {B}
  %i = stablehlo.iota dim = {LAST} : {C}
  %one = stablehlo.constant dense<1> : {C}
  %order = stablehlo.add %i, %one : {C}
  %none = stablehlo.constant dense<{NONE}> : {C}
  %bad = stablehlo.select %positive, %none, %order : {B}, {C}
  %most = stablehlo.constant dense<{NONE}> : tensor<i32>
  %first = stablehlo.reduce(%bad init: %most) applies stablehlo.minimum across dimensions = [{LAST}] : ({C}, tensor<i32>) -> {I}
  %end = stablehlo.constant dense<{NONE}> : {I}
  %well = stablehlo.compare EQ, %first, %end, SIGNED : ({I}, {I}) -> {T}
  %fine = stablehlo.constant dense<0> : {I}
  %info = stablehlo.select %well, %fine, %first : {T}, {I}
  return %l, %info : {A}, {I}
}
`

// openCholesky is a call with operands for the shapes of its results.
func openCholesky(call *mlir.Op, t *mlir.TensorType, lower bool) string {
	last := len(t.Shape) - 2
	batch, square := t.Shape[:last], t.Shape[last:]
	elem, pivots, real := t.Elem, "l", ""
	if c, ok := elem.(mlir.ComplexType); ok {
		elem, pivots = c.Elem, "p"
		real = fmt.Sprintf("  %%p = stablehlo.real %%l : (%s) -> %s\n", t, tensorText(elem, batch, square...))
	}
	return strings.NewReplacer(
		"{A}", t.String(), "{R}", tensorText(elem, batch, square...), "{E}", mlir.Tensor(elem).String(),
		"{C}", tensorText(mlir.I32, batch, square...), "{B}", tensorText(mlir.IntegerType{Width: 1}, batch, square...),
		"{I}", tensorText(mlir.I32, batch), "{T}", tensorText(mlir.IntegerType{Width: 1}, batch),
		"{S}", call.Operands[1].Type.String(), "{Z}", call.Operands[2].Type.String(),
		"{LOWER}", fmt.Sprint(lower), "{REAL}", real, "{PIVOT}", pivots, "{ROW}", fmt.Sprint(last), "{COLUMN}", fmt.Sprint(last+1),
	).Replace(openCholeskyText)
}

// openCholeskyText does as choleskyText, where the diagonal has a size that is open.
const openCholeskyText = `func.func private @potrf(%a: {A}, %s: {S}, %z: {Z}) -> ({A}, {I}) {
  %l = stablehlo.cholesky %a, lower = {LOWER} : {A}
{REAL}  %zero = stablehlo.constant dense<0.0> : {E}
  %zeros = stablehlo.dynamic_broadcast_in_dim %zero, %s, dims = [] : ({E}, {S}) -> {R}
  %positive = stablehlo.compare GT, %{PIVOT}, %zeros, FLOAT : ({R}, {R}) -> {B}
  %i = stablehlo.dynamic_iota %s, dim = {ROW} : ({S}) -> {C}
  %j = stablehlo.dynamic_iota %s, dim = {COLUMN} : ({S}) -> {C}
  %beside = stablehlo.compare NE, %i, %j, SIGNED : ({C}, {C}) -> {B}
  %well = stablehlo.or %positive, %beside : {B}
  %most = stablehlo.constant dense<2147483647> : tensor<i32>
  %none = stablehlo.dynamic_broadcast_in_dim %most, %s, dims = [] : (tensor<i32>, {S}) -> {C}
  %bad = stablehlo.select %well, %none, %i : {B}, {C}
  %first = stablehlo.reduce(%bad init: %most) applies stablehlo.minimum across dimensions = [{ROW}, {COLUMN}] : ({C}, tensor<i32>) -> {I}
  %end = stablehlo.dynamic_broadcast_in_dim %most, %z, dims = [] : (tensor<i32>, {Z}) -> {I}
  %all = stablehlo.compare EQ, %first, %end, SIGNED : ({I}, {I}) -> {T}
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %fine = stablehlo.dynamic_broadcast_in_dim %0, %z, dims = [] : (tensor<i32>, {Z}) -> {I}
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %one = stablehlo.dynamic_broadcast_in_dim %1, %z, dims = [] : (tensor<i32>, {Z}) -> {I}
  %order = stablehlo.add %first, %one : {I}
  %info = stablehlo.select %all, %fine, %order : {T}, {I}
  return %l, %info : {A}, {I}
}
`

// tensorText is the type of a tensor of some dimensions, and more.
func tensorText(elem mlir.Type, dims []int64, more ...int64) string {
	return mlir.Tensor(elem, slices.Concat(dims, more)...).String()
}

// triangularCall is a call with a triangular matrix and right sides.
func triangularCall(call *mlir.Op, config mlir.Dict) string {
	one := func(name string, yes, no byte) (is, ok bool) {
		c := char(config, name)
		return c == yes, c == yes || c == no
	}
	left, ok1 := one("side", 'L', 'R')
	lower, ok2 := one("uplo", 'L', 'U')
	unit, ok3 := one("diag", 'U', 'N')
	transpose := map[byte]string{'N': "NO_TRANSPOSE", 'T': "TRANSPOSE", 'C': "ADJOINT"}[char(config, "trans_x")]
	if !ok1 || !ok2 || !ok3 || transpose == "" || len(operandsOf(call)) != 2 {
		return ""
	}
	a, b := call.Operands[0].Type, call.Operands[1].Type
	shape := ""
	if len(call.Operands) > 2 {
		shape = fmt.Sprintf(", %%s: %s", call.Operands[2].Type)
	}
	return fmt.Sprintf(`func.func private @trsm(%%a: %[1]s, %%b: %[2]s%[7]s) -> %[2]s {
  %%x = "stablehlo.triangular_solve"(%%a, %%b) <{left_side = %[3]t, lower = %[4]t, unit_diagonal = %[5]t, transpose_a = #stablehlo<transpose %[6]s>}> : (%[1]s, %[2]s) -> %[2]s
  return %%x : %[2]s
}
`, a, b, left, lower, unit, transpose, shape)
}
