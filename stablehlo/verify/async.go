package verify

import (
	"slices"
	"strconv"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
	"ltc/mlir"
	"ltc/stablehlo"
)

func verifyAsyncStart(v *verifier, op *mlir.Op) {
	b := op.Regions[0].Blocks[0]
	if len(b.Ops) != 2 {
		v.stop(op, "C1", "the body has %s, but should have one and a return", diag.Count(len(b.Ops), "op"))
	}
	inner := b.Ops[0]
	if !inner.Code.Info().Traits.Has(mlir.Async) {
		v.stop(op, "C2", "the body runs %s, but only collectives and slices can run on their own", inner.Name())
	}
	if got, want := mlir.TypesOf(b.Args), mlir.TypesOf(op.Operands); !sameTypes(got, want) || !slices.Equal(inner.Operands, b.Args) {
		v.stop(op, "C3", "operands are (%s) but the body has (%s), which its op should take in this order", joinTypes(want), joinTypes(got))
	}
	if len(op.Results) != 1 {
		v.stop(op, "C4", "has %s, but gives one future", diag.Count(len(op.Results), "result"))
	}
	got, ok := stablehlo.FutureElems(op.Results[0].Type)
	if want := mlir.TypesOf(returns(op.Regions[0]).Operands); !ok || !sameTypes(got, want) {
		v.fail(op, "C4", "the body returns (%s) but the result is %s", joinTypes(want), op.Results[0].Type)
	}
}

func verifyAsyncDone(v *verifier, op *mlir.Op) {
	if len(op.Operands) != 1 {
		v.stop(op, "", "has %s, but takes one future", diag.Count(len(op.Operands), "operand"))
	}
	elems, ok := stablehlo.FutureElems(op.Operands[0].Type)
	if !ok {
		v.stop(op, "I1", "operand 0 has type %s, but a future is expected", op.Operands[0].Type)
	}
	if got := mlir.TypesOf(op.Results); !v.likeTypes(elems, got) {
		v.fail(op, "C1", "the operand holds (%s) but the results are (%s)", joinTypes(elems), joinTypes(got))
	}
}

// The types of a channel, by the numbers of #stablehlo.channel_handle.
const (
	deviceToDevice = 1
	deviceToHost   = 2
	hostToDevice   = 3
)

// transfer checks what send and recv share: pairs and the kind of channel,
// which to the host is host, else between devices.
func (v *verifier) transfer(op *mlir.Op, host int64) {
	v.sourceTargets(op, false)
	s := attr[mlir.StructAttr](v, op, "channel_handle", "#stablehlo.channel_handle<…>")
	want := int64(deviceToDevice)
	if mlir.Flag(op.Attrs.Get("is_host_transfer")) {
		want = host
	}
	if kind, _ := mlir.Int(s.Fields.Get("type")); kind != want {
		v.stop(op, "C5", "the channel has type %d, but should have %d (1: between devices, 2: to the host, 3: from the host)", kind, want)
	}
}

func verifySend(v *verifier, op *mlir.Op) {
	n := len(op.Operands) - 1
	if n < 0 {
		v.stop(op, "I2", "has no operands, but takes a token")
	}
	v.token(op, "I2", "operand", n, op.Operands[n])
	for i, x := range op.Operands[:n] {
		v.tensor(op, "I1", "operand", i, x, of(kAny))
	}
	v.transfer(op, deviceToHost)
	v.oneToken(op)
}

func verifyRecv(v *verifier, op *mlir.Op) {
	v.received(op, "", "", "")
	v.transfer(op, hostToDevice)
}

// received checks an op that takes a token and gives tensors and a token.
func (v *verifier) received(op *mlir.Op, some, tensors, last string) {
	if len(op.Operands) != 1 {
		v.stop(op, "I1", "has %s, but takes a token", diag.Count(len(op.Operands), "operand"))
	}
	n := len(op.Results) - 1
	if n < 0 {
		v.stop(op, some, "has no results, but gives a token at least")
	}
	for i, x := range op.Results[:n] {
		t := v.tensor(op, tensors, "result", i, x, of(kAny))
		if !t.Static() {
			v.stop(op, tensors, "result %d is %s, but its dimensions should be known", i, t)
		}
	}
	v.token(op, "I1", "operand", 0, op.Operands[0])
	v.token(op, last, "result", n, op.Results[n])
}

func verifyOutfeed(v *verifier, op *mlir.Op) {
	n := len(op.Operands) - 1
	if n < 0 {
		v.stop(op, "I2", "has no operands, but takes a token")
	}
	for i, x := range op.Operands[:n] {
		v.tensor(op, "I1", "operand", i, x, of(kAny))
	}
	v.token(op, "I2", "operand", n, op.Operands[n])
	v.oneToken(op)
}

// verifyInfeed checks results and, where there is one, the layout: a list of
// numbers for each result but the token.
func verifyInfeed(v *verifier, op *mlir.Op) {
	v.received(op, "C1", "C2", "C3")
	a := op.Attrs.Get("layout")
	if a == nil {
		return
	}
	list, ok := a.(mlir.ArrayAttr)
	if n := len(op.Results) - 1; !ok || len(list) != n {
		v.stop(op, "", "layout is %s, but should have %s, one for each result but the token", lexeme.Clip(a.String()), diag.Count(n, "entry"))
	}
	for i, e := range list {
		if _, ok := mlir.Ints(e); !ok {
			v.stop(op, "", "entry %s of layout is %s, but should be a list of integers", strconv.Itoa(i), lexeme.Clip(e.String()))
		}
	}
}

// verifyRunParallel checks interpreter.run_parallel: the programs and the
// queue that infeed reads from are functions.
func verifyRunParallel(v *verifier, op *mlir.Op) {
	var queue, programs mlir.ArrayAttr
	queue, _ = op.Attrs.Get("infeed").(mlir.ArrayAttr)
	programs, ok := op.Attrs.Get("programs").(mlir.ArrayAttr)
	if !ok || len(programs) == 0 {
		v.missing(op, "programs", "a list of lists of functions", op.Attrs.Get("programs"))
	}
	for _, e := range queue {
		f := v.named(op, e)
		if f == nil {
			return
		}
		if ft := f.FuncType(); len(ft.Ins) > 0 || len(ft.Outs) != 1 || !isTensor(ft.Outs[0]) {
			v.stop(op, "", "@%s is %s, but should take nothing and give a tensor", f.SymName(), ft)
		}
	}
	ins, outs := 0, 0
	for _, row := range programs {
		list, ok := row.(mlir.ArrayAttr)
		if !ok || len(list) != len(programs[0].(mlir.ArrayAttr)) {
			v.stop(op, "", "programs should be lists of one length, one for each replica")
		}
		for _, e := range list {
			f := v.named(op, e)
			if f == nil {
				return
			}
			ins, outs = ins+len(f.FuncType().Ins), outs+len(f.FuncType().Outs)
		}
	}
	if ins != len(op.Operands) || outs != len(op.Results) {
		v.fail(op, "", "has %s and %s, but the programs take %d and give %d", diag.Count(len(op.Operands), "operand"), diag.Count(len(op.Results), "result"), ins, outs)
	}
}

func isTensor(t mlir.Type) bool { _, ok := t.(*mlir.TensorType); return ok }

// named returns the function of the module that the symbol names.
func (v *verifier) named(op *mlir.Op, a mlir.Attribute) *mlir.Op {
	s, ok := a.(mlir.SymbolAttr)
	if !ok {
		v.stop(op, "", "%s is not the name of a function", lexeme.Clip(a.String()))
	}
	f := v.funcs[string(s)]
	if f == nil || f.FuncType() == nil {
		v.stop(op, "", "%s is not a function of this module", s)
	}
	return f
}
