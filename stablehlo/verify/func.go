package verify

import (
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
	"ltc/mlir"
	"ltc/stablehlo"
)

func verifyFunc(v *verifier, op *mlir.Op) {
	ft := op.FuncType()
	switch {
	case op.SymName() == "":
		v.stop(op, "", "has no name")
	case ft == nil:
		v.missing(op, "function_type", "a function type", op.Attrs.Get("function_type"))
	case len(op.Regions) != 1:
		v.stop(op, "", "has %s, but takes one", diag.Count(len(op.Regions), "region"))
	}
	if vis := op.Attrs.Get("sym_visibility"); vis != nil && !slices.Contains([]string{`"public"`, `"private"`, `"nested"`}, vis.String()) {
		v.fail(op, "", "sym_visibility is %s, but should be one of public, private, nested", vis)
	}
	v.argAttrs(op, "arg_attrs", len(ft.Ins))
	v.argAttrs(op, "res_attrs", len(ft.Outs))
	blocks := op.Regions[0].Blocks
	if len(blocks) == 0 {
		if mlir.Attribute(mlir.StringAttr("private")) != op.Attrs.Get("sym_visibility") {
			v.fail(op, "", "@%s has no body, so it must be private", op.SymName())
		}
		return
	}
	if got := mlir.TypesOf(blocks[0].Args); !sameTypes(got, ft.Ins) {
		v.fail(op, "", "@%s takes (%s) but its body has (%s)", op.SymName(), joinTypes(ft.Ins), joinTypes(got))
	}
	for _, b := range blocks {
		ret := b.Ops[len(b.Ops)-1]
		// The dialect's own texts end functions with either, and drop values where
		// the function gives none.
		if ret.Code != mlir.OpReturn && (ret.Code != stablehlo.Return || len(ft.Outs) == 0) {
			continue
		}
		if got := mlir.TypesOf(ret.Operands); !sameTypes(got, ft.Outs) {
			v.fail(ret, "", "returns (%s), but @%s gives (%s)", joinTypes(got), op.SymName(), joinTypes(ft.Outs))
		}
	}
}

// verifyModule checks that attributes of a module begin with a dialect.
func verifyModule(v *verifier, op *mlir.Op) {
	for _, a := range op.Attrs {
		if a.Name != "sym_name" && a.Name != "sym_visibility" && !strings.Contains(a.Name, ".") {
			v.fail(op, "", "has the attribute %s, but names of attributes of modules begin with a dialect, as in ltc.version", a.Name)
		}
	}
	sizes, _ := op.Attrs.Get("ltc.dims").(mlir.DictAttr)
	for _, d := range sizes {
		bounds, _ := d.Value.(mlir.ArrayAttr)
		if len(bounds) != 2 {
			continue
		}
		least, ok := bounds[0].(mlir.IntegerAttr)
		most, too := bounds[1].(mlir.IntegerAttr)
		if ok && too && (least.Value < 0 || least.Value > most.Value) {
			v.fail(op, "", "ltc.dims has %s from %d to %d, where no size is: give the least size, not negative, and the greatest", d.Name, least.Value, most.Value)
		}
	}
}

// aliasing is the attribute of an argument whose memory a result takes over.
const aliasing = "tf.aliasing_output"

func (v *verifier) argAttrs(op *mlir.Op, name string, n int) {
	a := op.Attrs.Get(name)
	if a == nil {
		return
	}
	list, ok := a.(mlir.ArrayAttr)
	for i, e := range list {
		d, dict := e.(mlir.DictAttr)
		ok = ok && dict
		if at := slices.IndexFunc(d, func(a mlir.NamedAttr) bool { return !strings.Contains(a.Name, ".") }); at >= 0 {
			v.fail(op, "", "entry %d of %s of @%s has %s, but names of attributes there begin with a dialect, as in ltc.name", i, name, op.SymName(), d[at].Name)
		}
		if alias := mlir.Dict(d).Get(aliasing); alias != nil && name == "arg_attrs" {
			if _, number := alias.(mlir.IntegerAttr); !number {
				v.fail(op, "", "argument %d of @%s: %s = %s should be the number of a result", i, op.SymName(), aliasing, lexeme.Clip(alias.String()))
			}
		}
	}
	if !ok || len(list) != n {
		v.fail(op, "", "%s should be %s", name, diag.Count(n, "dictionary"))
	}
}

// callee finds the function that an attribute names.
func (v *verifier) callee(op *mlir.Op, name, label string) (*mlir.Op, *mlir.FunctionType) {
	s := attr[mlir.SymbolAttr](v, op, name, "a symbol")
	f := v.funcs[string(s)]
	if f == nil || f.FuncType() == nil {
		v.stop(op, label, "%s is not a function of this module", s)
	}
	return f, f.FuncType()
}

func verifyCall(v *verifier, op *mlir.Op) {
	f, ft := v.callee(op, "callee", "")
	if f == nil {
		return
	}
	if got := mlir.TypesOf(op.Operands); !sameTypes(got, ft.Ins) {
		v.fail(op, "", "@%s is called with (%s) but takes (%s)", f.SymName(), joinTypes(got), joinTypes(ft.Ins))
	}
	if got := mlir.TypesOf(op.Results); !sameTypes(got, ft.Outs) {
		v.fail(op, "", "@%s is called for (%s) but gives (%s)", f.SymName(), joinTypes(got), joinTypes(ft.Outs))
	}
}

func verifyComposite(v *verifier, op *mlir.Op) {
	name, _ := op.Attrs.Get("name").(mlir.StringAttr)
	if ns, rest, ok := strings.Cut(string(name), "."); !ok || ns == "" || rest == "" || !lexeme.BareName(string(name)) {
		v.fail(op, "C1", "the name %q should be one with a namespace, such as ltc.softmax", string(name))
	}
	if a := op.Attrs.Get("composite_attributes"); a != nil {
		if _, ok := a.(mlir.DictAttr); !ok {
			v.try(func() { v.missing(op, "composite_attributes", "a dictionary", a) })
		}
	}
	f, ft := v.callee(op, "decomposition", "C2")
	if f == nil {
		return
	}
	if got := mlir.TypesOf(op.Operands); !sameTypes(got, ft.Ins) {
		v.fail(op, "C3", "operands are (%s) but @%s takes (%s)", joinTypes(got), f.SymName(), joinTypes(ft.Ins))
	}
	if got := mlir.TypesOf(op.Results); !sameTypes(got, ft.Outs) {
		v.fail(op, "C4", "results are (%s) but @%s gives (%s)", joinTypes(got), f.SymName(), joinTypes(ft.Outs))
	}
}
