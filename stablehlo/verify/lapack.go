package verify

import (
	"fmt"
	"math"
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
	t, ok := call.Operands[0].Type.(*mlir.TensorType)
	if !ok || len(t.Shape) < 2 {
		return ""
	}
	last := len(t.Shape) - 2
	batch, n := t.Shape[:last], t.Shape[last]
	p := pivots{factor: t, name: "d", dims: []int64{n}, none: n + 1, across: fmt.Sprint(last)}
	if stablehlo.ShapeOperands(call) != nil {
		p = pivots{factor: t, name: "l", dims: t.Shape[last:], none: math.MaxInt32, across: fmt.Sprintf("%d, %d", last, last+1),
			square: call.Operands[1].Type, batch: call.Operands[2].Type}
	} else if slices.Contains(t.Shape, mlir.Dynamic) {
		return ""
	}
	params := ""
	if p.open() {
		params = fmt.Sprintf(", %%s: %s, %%z: %s", p.square, p.batch)
	}
	info := tensorText(mlir.I32, batch)
	return fmt.Sprintf(`func.func private @potrf(%%a: %[1]s%[2]s) -> (%[1]s, %[3]s) {
  %%l = stablehlo.cholesky %%a, lower = %[4]t : %[1]s
%[5]s  return %%l, %%info : %[1]s, %[3]s
}
`, t, params, info, char(config, "uplo") == 'L', p.diagonal()+p.first())
}

// pivots are the numbers of a factor that are compared with zero: its diagonal, or all of it
// where the diagonal has a size that is open.
type pivots struct {
	factor *mlir.TensorType // the type of %l
	name   string           // of the pivots
	dims   []int64          // of the pivots, behind those of the batch
	none   int64            // more than the order of any minor
	across string           // dimensions of the pivots of one matrix
	// square and batch are the types of %s and %z, which have the shapes of %l and %info where
	// sizes are open; else nil.
	square, batch mlir.Type
}

func (p *pivots) open() bool { return p.square != nil }

// diagonal is the text that computes the diagonal of %l, %d; "" if sizes are open.
func (p *pivots) diagonal() string {
	if p.open() {
		return ""
	}
	t, n := p.factor, p.dims[0]
	batch := t.Shape[:len(t.Shape)-2]
	var every strings.Builder
	for _, b := range batch {
		fmt.Fprintf(&every, "0:%d, ", b)
	}
	return fmt.Sprintf(`  %%flat = stablehlo.reshape %%l : (%[1]s) -> %[2]s
  %%d = stablehlo.slice %%flat [%[3]s0:%[4]d:%[5]d] : (%[2]s) -> %[6]s
`, t, tensorText(t.Elem, batch, n*n), &every, n*n, n+1, tensorText(t.Elem, batch, n))
}

// first is the text that computes %info, the order of the first pivot that is not positive, 0 if
// all are. A root of a number that is not positive is 0 or NaN.
func (p *pivots) first() string {
	batch := p.factor.Shape[:len(p.factor.Shape)-2]
	elem, real := p.factor.Elem, ""
	name := p.name
	if c, ok := elem.(mlir.ComplexType); ok {
		real = fmt.Sprintf("  %%p = stablehlo.real %%%s : (%s) -> %s\n", name, tensorText(elem, batch, p.dims...), tensorText(c.Elem, batch, p.dims...))
		elem, name = c.Elem, "p"
	}
	of := func(e mlir.Type) string { return tensorText(e, batch, p.dims...) }
	pivot, order, info := of(elem), of(mlir.I32), tensorText(mlir.I32, batch)
	iota, beside, passed := fmt.Sprintf("stablehlo.iota dim = %d : %s", len(batch), order), "", "positive"
	if p.open() {
		iota = fmt.Sprintf("stablehlo.dynamic_iota %%s, dim = %d : (%s) -> %s", len(batch), p.square, order)
		beside, passed = fmt.Sprintf(`  %%j = stablehlo.dynamic_iota %%s, dim = %[1]d : (%[2]s) -> %[3]s
  %%beside = stablehlo.compare NE, %%i, %%j, SIGNED : (%[3]s, %[3]s) -> %[4]s
  %%passed = stablehlo.or %%positive, %%beside : %[4]s
`, len(batch)+1, p.square, order, of(mlir.I1)), "passed"
	}
	none := fmt.Sprint(p.none)
	return strings.NewReplacer(
		"{REAL}", real, "{PIVOT}", name, "{R}", pivot, "{B}", of(mlir.I1), "{C}", order, "{I}", info, "{T}", tensorText(mlir.I1, batch),
		"{IOTA}", iota, "{BESIDE}", beside, "{PASSED}", passed, "{MOST}", none, "{ACROSS}", p.across,
		"{ZERO}", splatText("zero", "0.0", elem, pivot, "s", p.square), "{ONE}", splatText("one", "1", mlir.I32, order, "s", p.square),
		"{NONE}", splatText("none", none, mlir.I32, order, "s", p.square), "{END}", splatText("end", none, mlir.I32, info, "z", p.batch),
		"{FINE}", splatText("fine", "0", mlir.I32, info, "z", p.batch),
	).Replace(firstPivotText)
}

// splatText is a value of a type whose elements all are one. Sizes that are open come from the
// operand shape, of type of.
func splatText(name, element string, elem mlir.Type, t, shape string, of mlir.Type) string {
	if of == nil {
		return fmt.Sprintf("  %%%s = stablehlo.constant dense<%s> : %s\n", name, element, t)
	}
	scalar := mlir.Tensor(elem)
	return fmt.Sprintf("  %%%[1]s_0 = stablehlo.constant dense<%[2]s> : %[3]s\n  %%%[1]s = stablehlo.dynamic_broadcast_in_dim %%%[1]s_0, %%%[4]s, dims = [] : (%[3]s, %[5]s) -> %[6]s\n",
		name, element, scalar, shape, of, t)
}

const firstPivotText = `{REAL}{ZERO}  %positive = stablehlo.compare GT, %{PIVOT}, %zero, FLOAT : ({R}, {R}) -> {B}
  %i = {IOTA}
{BESIDE}{ONE}  %order = stablehlo.add %i, %one : {C}
{NONE}  %bad = stablehlo.select %{PASSED}, %none, %order : {B}, {C}
  %most = stablehlo.constant dense<{MOST}> : tensor<i32>
  %first = stablehlo.reduce(%bad init: %most) applies stablehlo.minimum across dimensions = [{ACROSS}] : ({C}, tensor<i32>) -> {I}
{END}  %well = stablehlo.compare EQ, %first, %end, SIGNED : ({I}, {I}) -> {T}
{FINE}  %info = stablehlo.select %well, %fine, %first : {T}, {I}
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
