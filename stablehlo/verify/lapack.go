package verify

import (
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
)

// JAX calls LAPACK's functions by names such as lapack_spotrf_ffi, whose second word begins
// with s, d, c or z: f32, f64, or complex numbers of these. Factors of Cholesky and solutions
// of triangular systems are ops of the dialect: [ExpandCalls] puts these in the place of the
// calls. Other functions of LAPACK have no op.

// lapackExpansion is how a call becomes ops.
type lapackExpansion struct {
	form     string // of a call: what it takes and gives
	operands int    // of a call, but for shapes of its results
	params   []lapackParam
	// text has a function of the call's types that does what the call does. It is "" if the
	// types are not those that JAX writes.
	text func(call *mlir.Op, config mlir.Dict) string
}

// lapackParam is an entry of a call's configuration: the code of one of some characters.
type lapackParam struct{ name, chars string }

// lapackExpansions are by the call's name without lapack_s and _ffi.
var lapackExpansions = map[string]lapackExpansion{
	"potrf": {
		form:     "a square matrix, and gives its factor and an i32 for each matrix",
		operands: 1, params: []lapackParam{{"uplo", "LU"}}, text: choleskyCall,
	},
	"trsm": {
		form:     "a triangular matrix and right sides of its type, and gives as many",
		operands: 2, params: []lapackParam{{"side", "LR"}, {"uplo", "LU"}, {"diag", "UN"}, {"trans_x", "NTC"}}, text: triangularCall,
	},
}

// HostLAPACK lists the functions of LAPACK that ltc/integrations/lapack registers for s and d,
// by the call's name without lapack_s and _ffi.
var HostLAPACK = []string{"getrf", "geqrf", "geqp3", "orgqr", "ormqr", "syevd", "gesdd", "gehrd", "sytrd", "gtsv"}

// LAPACKHint says what to do about a call of LAPACK that is neither an op nor a function which
// is registered. It returns "" for other calls.
func LAPACKHint(call *mlir.Op) string {
	letter, function, ok := lapackName(call)
	if !ok {
		return ""
	}
	x, own := lapackExpansions[function]
	switch has := slices.Contains(HostLAPACK, function); {
	case own:
		reason := x.mistake(call)
		if reason == "" {
			reason = fmt.Sprintf("it takes %s: not %v and %v", x.form, mlir.TypesOf(call.Operands), mlir.TypesOf(call.Results))
		}
		return "the compiler has an op for it, but " + reason
	case has && strings.Contains("sd", letter):
		return "import ltc/integrations/lapack, a module of its own, for its effect, or see backends.RegisterHost"
	case has:
		return "ltc/integrations/lapack has functions of real matrices alone; see backends.RegisterHost"
	}
	return fmt.Sprintf("ltc/integrations/lapack does not have %s; see backends.RegisterHost", function)
}

// mistake returns what is wrong with a call's operands or configuration; "" if nothing is.
func (x *lapackExpansion) mistake(call *mlir.Op) string {
	if n := len(operandsOf(call)); n != x.operands {
		return fmt.Sprintf("the call has %s, and should have %d", diag.Count(n, "operand"), x.operands)
	}
	config := stablehlo.BackendConfig(call)
	for _, p := range x.params {
		a := config.Get(p.name)
		if c := char(config, p.name); c != 0 && strings.IndexByte(p.chars, c) >= 0 {
			continue
		}
		is := "missing"
		if a != nil {
			is = fmt.Sprint(a)
		}
		return fmt.Sprintf("the attribute %s is %s, and should be the code of a character of %s", p.name, is, p.chars)
	}
	return ""
}

// lapackName returns the parts of a call's name: the letter of the elements' type, and the
// function. ok is false if the call is none of LAPACK.
func lapackName(call *mlir.Op) (letter, function string, ok bool) {
	name, _ := call.Attrs.Get("call_target_name").(mlir.StringAttr)
	function, is := strings.CutPrefix(string(name), "lapack_")
	function, ffi := strings.CutSuffix(function, "_ffi")
	if !is || !ffi || function == "" || !strings.Contains("sdcz", function[:1]) {
		return "", "", false
	}
	return function[:1], function[1:], true
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
	_, function, _ := lapackName(call)
	x, ok := lapackExpansions[function]
	if !ok || x.mistake(call) != "" {
		return nil
	}
	text := x.text(call, stablehlo.BackendConfig(call))
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
	transpose := map[byte]string{'N': "NO_TRANSPOSE", 'T': "TRANSPOSE", 'C': "ADJOINT"}[char(config, "trans_x")]
	left, lower, unit := char(config, "side") == 'L', char(config, "uplo") == 'L', char(config, "diag") == 'U'
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
