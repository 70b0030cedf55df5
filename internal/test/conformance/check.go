package conformance

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
)

// check is one comparison of a test.
type check struct {
	op       string // expect_close
	pos      mlir.Pos
	rule     rule
	actual   *mlir.Value
	expected *mlir.Value // nil: literal
	literal  *mlir.DenseAttr
	count    *mlir.Value // how often the probe ran whose value is expected; nil: often enough
	probe    string
	iter     int64
}

// rule is how much two values may differ.
type rule struct {
	kind     ruleKind
	abs      float64 // approximately
	min, max uint64  // ulps
}

type ruleKind uint8

const (
	exactly       ruleKind = iota // as numbers: -0 is 0 and no NaN is another
	bitwise                       // as they are in memory
	approximately                 // an absolute difference
	ulps                          // a number of representable values apart
)

// The tolerances that StableHLO's interpreter has for a check in its dialect's
// form and, as its runner of test files defines them, for a custom_call.
const (
	almostDialect  = 1e-4
	almostCall     = 1e-3
	equalCall      = 1e-4
	closeDialect   = 1
	closeCall      = 3
	serializedName = "expect_serialized_eq"
)

// checkName returns what follows check. in the name of a check, and whether it
// is a custom_call; "" for other ops.
func checkName(op *mlir.Op) (name string, call bool) {
	full := op.Name()
	if op.Code == stablehlo.CustomCall {
		target, _ := op.Attrs.Get("call_target_name").(mlir.StringAttr)
		full, call = string(target), true
	}
	name, ok := strings.CutPrefix(full, "check.")
	if !ok {
		return "", false
	}
	return name, call
}

// readCheck reads a check. seen is what probes have seen before it.
func readCheck(op *mlir.Op, seen probes) (*check, error) {
	name, call := checkName(op)
	c := &check{op: name, pos: op.Pos}
	base, isConst := strings.CutSuffix(name, "_const")
	operands := 2
	if isConst || name == serializedName {
		operands = 1
	}
	if len(op.Operands) != operands {
		return nil, fmt.Errorf("%s, want %d", diag.Count(len(op.Operands), "operand"), operands)
	}
	c.actual = op.Operands[0]
	var err error
	switch {
	case isConst:
		c.literal, _ = op.Attrs.Get("value").(*mlir.DenseAttr)
		if c.literal == nil {
			return nil, errors.New("no dense value")
		}
	case name == serializedName:
		c.probe, c.iter = serialized(op)
		if c.expected, c.count, err = seen.find(c.probe, c.iter); err != nil {
			return nil, err
		}
	default:
		c.expected = op.Operands[1]
	}
	if name == "eq" { // the one that names what is expected first
		c.actual, c.expected = c.expected, c.actual
	}
	c.rule, err = ruleOf(op, base, call, c.actual.Type)
	return c, err
}

func ruleOf(op *mlir.Op, base string, call bool, t mlir.Type) (rule, error) {
	switch {
	case base == "expect_eq":
		return rule{kind: exactly}, nil
	case base == serializedName:
		return rule{kind: bitwise}, nil
	case base == "expect_almost_eq":
		tolerance := almostDialect
		if call {
			tolerance = almostCall
		}
		r := rule{kind: approximately, abs: tolerance}
		if a, ok := op.Attrs.Get("tolerance").(mlir.FloatAttr); ok {
			var err error
			if r.abs, err = strconv.ParseFloat(a.Text, 64); err != nil {
				return r, fmt.Errorf("tolerance %s: %w", a.Text, err)
			}
		}
		return r, nil
	case base == "expect_close":
		r := rule{kind: ulps, max: closeDialect}
		if call {
			r.max = closeCall
		}
		if n, ok := mlir.Int(op.Attrs.Get("max_ulp_difference")); ok {
			r.max = uint64(n)
		}
		if n, ok := mlir.Int(op.Attrs.Get("min_ulp_difference")); ok {
			r.min = uint64(n)
		}
		return r, nil
	case base == "eq" && call:
		if tt, ok := t.(*mlir.TensorType); ok {
			if _, whole := tt.Elem.(mlir.IntegerType); whole {
				return rule{kind: exactly}, nil
			}
		}
		return rule{kind: approximately, abs: equalCall}, nil
	}
	return rule{}, fmt.Errorf("unknown check %s", base)
}
