package shapeinfer

import (
	"math"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// inferCase gives the types of each body's results.
func inferCase(in []*ir.Node, _ []ir.Attr, body *ir.Composite) (one types.Type, several []types.Type, b *broken) {
	index := in[0].Type
	if index.Rank() != 0 || index.DType != types.Bool && index.DType != types.I32 {
		return one, nil, because(caseIndex, "index is %v, must be a scalar, bool or i32", index)
	}
	if body == nil || index.DType == types.Bool && len(body.More) != 1 {
		return one, nil, because(caseBodies, "it has not two bodies")
	}
	first := body.Graph.Results
	for k, g := range body.Graphs() {
		if !slices.EqualFunc(g.Params, in[1:], sameType) {
			return one, nil, because(caseBodies, "body %d takes %s, got %s", k, typesOf(g.Params), typesOf(in[1:]))
		}
		if len(first) == 0 || !slices.EqualFunc(first, g.Results, sameType) {
			return one, nil, because(caseResults, "body 0 gives %s, and body %d %s", typesOf(first), k, typesOf(g.Results))
		}
	}
	one, several = typesOfResults(first)
	return one, several, nil
}

// inferWhile gives the types of the second body's results.
func inferWhile(in []*ir.Node, _ []ir.Attr, body *ir.Composite) (one types.Type, several []types.Type, b *broken) {
	if body == nil || len(body.More) != 1 {
		return one, nil, because(whileBodies, "it has not two bodies")
	}
	for k, g := range body.Graphs() {
		if !slices.EqualFunc(g.Params, in, sameType) {
			return one, nil, because(whileBodies, "body %d takes %s, got %s", k, typesOf(g.Params), typesOf(in))
		}
	}
	cond, state := body.Graph.Results, body.More[0].Results
	if len(cond) != 1 || !cond[0].Type.Equal(types.Of(types.Bool)) {
		return one, nil, because(whileCondition, "body 0 gives %s", typesOf(cond))
	}
	if n := len(state); n == 0 || n > len(in) || !slices.EqualFunc(state, in[:n], sameType) {
		return one, nil, because(whileState, "body 1 gives %s, and takes %s", typesOf(state), typesOf(in))
	}
	one, several = typesOfResults(state)
	return one, several, nil
}

// inferScan gives the types of the carries, and those of the rows of all iterations.
func inferScan(in []*ir.Node, attrs []ir.Attr, body *ir.Composite) (one types.Type, several []types.Type, b *broken) {
	iterations, carries, xs := attrs[ir.ScanIterations].Int, attrs[ir.ScanCarries].Int, attrs[ir.ScanXs].Int
	if dims.Less(iterations, 0) || !dims.IsExpr(iterations) && iterations > math.MaxInt32 || carries < 0 || xs < 0 || carries > int64(len(in)) || xs > int64(len(in))-carries {
		return one, nil, because(scanCounts, "iterations is %s, carries %d and xs %d, and the node has %s", dims.String(iterations), carries, xs, diag.Count(len(in), "operand"))
	}
	takes := []types.Type{types.Of(types.I32)}
	for i, x := range in {
		t := x.Type
		if i := int64(i); i >= carries && i < carries+xs {
			if t.Rank() == 0 || int64(t.Shape[0]) != iterations {
				return one, nil, because(scanRows, "operand %d is %v, and there must be %s", i, t, rows(iterations))
			}
			t.Shape = t.Shape[1:]
		}
		takes = append(takes, t)
	}
	if body == nil || len(body.More) != 0 {
		return one, nil, because(scanBody, "it has not one body")
	}
	g := body.Graph
	if !slices.EqualFunc(g.Params, takes, func(p *ir.Node, t types.Type) bool { return p.Type.Equal(t) }) {
		return one, nil, because(scanBody, "the body takes %s", typesOf(g.Params))
	}
	n := int(carries)
	if len(g.Results) == 0 || len(g.Results) < n || !slices.EqualFunc(g.Results[:n], in[:n], sameType) {
		return one, nil, because(scanResults, "the body gives %s", typesOf(g.Results))
	}
	for i, r := range g.Results {
		t := r.Type
		if i >= n {
			t.Shape = slices.Concat(types.Shape{int(iterations)}, t.Shape)
			if err := t.CheckSizes(); err != nil {
				return one, nil, because(scanResults, "row %d of all iterations: %v", i-n, err)
			}
		}
		several = append(several, t)
	}
	if len(several) == 1 {
		return several[0], nil, nil
	}
	return one, several, nil
}

// rows counts rows, whose number may be an expression.
func rows(n int64) string {
	if dims.IsExpr(n) {
		return dims.String(n) + " rows"
	}
	return diag.Count(int(n), "row")
}

// checkStarts returns the reason if starts do not say where a part of x begins.
func checkStarts(x types.Type, starts []*ir.Node) (reason string) {
	if len(starts) != x.Rank() {
		return "x is " + x.String() + ", starts are " + typesOf(starts)
	}
	for _, s := range starts {
		if s.Type.Rank() != 0 || s.Type.DType != starts[0].Type.DType {
			return "starts are " + typesOf(starts)
		}
	}
	return ""
}

func inferDynamicSlice(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x := in[0].Type
	if reason := checkStarts(x, in[1:]); reason != "" {
		return breaks(dynamicSliceStarts, "%s", reason)
	}
	sizes := attrs[ir.DynamicSliceSizes].Ints
	if reason := within(sizes, x.Shape); reason != "" {
		return breaks(dynamicSliceSizes, "sizes are %s", reason)
	}
	return types.Type{DType: x.DType, Shape: types.Shape(sizes)}, nil
}

func inferDynamicUpdateSlice(in []*ir.Node, _ []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x, update := in[0].Type, in[1].Type
	if reason := checkStarts(x, in[2:]); reason != "" {
		return breaks(dynamicUpdateSliceStarts, "%s", reason)
	}
	if reason := within(update.Shape, x.Shape); reason != "" {
		return breaks(dynamicUpdateSliceUpdate, "update has the dimensions %s", reason)
	}
	return x, nil
}

// within returns the reason if sizes are not those of a part of a shape.
func within(sizes []int, shape types.Shape) (reason string) {
	ok := len(sizes) == len(shape)
	for i := 0; ok && i < len(sizes); i++ {
		ok = !dims.Less(sizes[i], 0) && !dims.Less(shape[i], sizes[i])
	}
	if ok {
		return ""
	}
	return types.Shape(sizes).String() + ", x has " + shape.String()
}

func sameType(x, y *ir.Node) bool { return x.Type.Equal(y.Type) }

func typesOf(nodes []*ir.Node) string {
	all := make([]string, len(nodes))
	for i, n := range nodes {
		all[i] = n.Type.String()
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// typesOfResults are the types of a node with a body's results: of one, or of several.
func typesOfResults(results []*ir.Node) (one types.Type, several []types.Type) {
	if len(results) == 1 {
		return results[0].Type, nil
	}
	for _, r := range results {
		several = append(several, r.Type)
	}
	return one, several
}
