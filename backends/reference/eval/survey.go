package eval

import (
	"fmt"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/chlo"
)

// openFunctions is what a survey finds.
type openFunctions struct {
	is    map[*mlir.Op]bool          // of functions: whether they are open
	dying map[*mlir.Op][]*mlir.Value // by op: values that nothing uses after it
}

// survey notes what the evaluator lacks of what an open function and those it
// calls need. It is all that is known of them before they run.
func (c *compiler) survey(fn *mlir.Op) error {
	name := fn.SymName()
	if slices.Contains(c.open, name) {
		return fmt.Errorf("@%s calls itself, by way of @%s", name, strings.Join(c.open, ", @"))
	}
	body := fn.Body()
	if body == nil || len(body.Ops) == 0 {
		return fmt.Errorf("@%s has no body of one block", name)
	}
	if c.opens.dying[body.Ops[0]] != nil {
		return nil // looked at before
	}
	c.open = append(c.open, name)
	defer func() { c.open = c.open[:len(c.open)-1] }()
	var failed error
	eachBlock(fn, func(bl *mlir.Block) {
		if len(bl.Ops) == 0 {
			failed = fmt.Errorf("%s: a block without ops", c.File)
		}
		c.findDying(bl)
		for i, op := range bl.Ops {
			if i == len(bl.Ops)-1 {
				continue // the terminator
			}
			if err := c.surveyOp(op); err != nil && failed == nil {
				failed = c.errorAt(op, err)
			}
		}
	})
	return failed
}

// findDying finds the last uses of the values that a block defines. Those that
// its terminator hands on do not die in it.
func (c *compiler) findDying(bl *mlir.Block) {
	if c.opens.dying == nil {
		c.opens.dying = map[*mlir.Op][]*mlir.Value{}
	}
	own, seen := map[*mlir.Value]bool{}, map[*mlir.Value]bool{}
	for _, a := range bl.Args {
		own[a] = true
	}
	for _, op := range bl.Ops {
		for _, r := range op.Results {
			own[r] = true
		}
	}
	for i, op := range slices.Backward(bl.Ops) {
		dying := []*mlir.Value{}
		for _, v := range slices.Concat(slices.Collect(op.Uses()), op.Results) {
			if own[v] && !seen[v] {
				seen[v] = true
				dying = append(dying, v)
			}
		}
		if i == len(bl.Ops)-1 {
			dying = dying[:0]
		}
		c.opens.dying[op] = dying
	}
}

func (c *compiler) surveyOp(op *mlir.Op) error {
	if lacks(op.Code) && !(untilSized(op) && chlo.Lowers(op)) {
		c.lack(op, "not an op of this backend")
		return nil
	}
	for i, r := range op.Results {
		for _, t := range leafTypes(r.Type) {
			tt, ok := t.(*mlir.TensorType)
			if !ok {
				continue
			}
			q, _, reason := quantOf(tt.Elem)
			if tt.Unranked || reason != "" || q == nil && loops.OfElement(tt.Elem) == loops.NoType {
				c.lack(op, fmt.Sprintf("result %d: %v", i, t))
				return nil
			}
		}
	}
	if target := stringAttr(op.Attrs.Get("call_target_name")); op.Code == stablehlo.CustomCall && backends.Host(target) == nil && !isShapeAssertion(op) {
		c.lack(op, noHost(op))
	}
	callee := c.Module.Func(op.Callee())
	if callee == nil {
		return nil
	}
	if c.isOpen(callee) {
		return c.survey(callee)
	}
	_, err := c.function(callee.SymName())
	return err
}
