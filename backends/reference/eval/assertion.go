package eval

import (
	"fmt"
	"strings"

	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
)

// shapeAssertion is the target of the custom_call by which JAX checks the sizes
// of a program that leaves them open (jax.export with symbolic dimensions). Its
// first operand says whether they are as they must be. The others are numbers
// for its error_message, in which {0} is the first of them.
const shapeAssertion = "shape_assertion"

// isShapeAssertion reports whether op is one. A host function of that name, as of
// any other, comes first.
func isShapeAssertion(op *mlir.Op) bool {
	return stringAttr(op.Attrs.Get("call_target_name")) == shapeAssertion
}

// prepareShapeAssertion ends the run with the message where the condition is
// false.
func prepareShapeAssertion(b *builder, o *site) error {
	if len(o.in) == 0 || o.in[0].dt != loops.I1 || o.in[0].n != 1 || len(o.out) > 0 {
		return unsupportedf("%s takes a bool and integers, and gives nothing", shapeAssertion)
	}
	for _, in := range o.in[1:] {
		if !in.dt.IsInt() || in.n != 1 {
			return unsupportedf("%s takes integers after the bool, not %v", shapeAssertion, in.tensor)
		}
	}
	message := stringAttr(o.op.Attrs.Get("error_message"))
	b.emitTry(func(f *frame) error {
		if *(*uint8)(f.p[o.in[0].slot]) != 0 {
			return nil
		}
		var numbers []string
		for i, in := range o.in[1:] {
			n, err := readInts(f.p[in.slot], in.tensor)
			if err != nil {
				return err
			}
			numbers = append(numbers, fmt.Sprintf("{%d}", i), fmt.Sprint(n[0]))
		}
		return fmt.Errorf("%s: %s", shapeAssertion, strings.NewReplacer(numbers...).Replace(message))
	})
	return nil
}
