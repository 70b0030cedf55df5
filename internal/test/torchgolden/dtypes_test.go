package torchgolden

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/calls"
	"ltc/internal/test/golden"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// compared are the dtypes that goldens are of: of u16, u32 and u64 PyTorch computes next to nothing.
var compared = []types.DType{types.Bool, types.U8, types.I8, types.I16, types.I32, types.I64, types.F16, types.BF16, types.F32, types.F64, types.C64, types.C128}

// leftOut are dtypes that an op takes and that have no golden.
type leftOut struct {
	dtypes []types.DType
	reason string
}

var (
	complexes = []types.DType{types.C64, types.C128}
	bools     = []types.DType{types.Bool}
	vectors   = leftOut{complexes, "values have no order, or vectors no phase of their own: package linalg compares what their product is"}
	numbers   = leftOut{bools, "PyTorch makes an i64 of a bool and a number, which docs/pytorch.md lists"}
)

// refused has them by op.
var refused = map[string]leftOut{
	"ARange":                 {slices.Concat(bools, complexes), "PyTorch has no such ranges"},
	"LinSpace":               {bools, "PyTorch has no such ranges"},
	"LogSpace":               {bools, "PyTorch has no such ranges"},
	"SumPool":                {complexes, "PyTorch has no such pools"},
	"AndScalar":              numbers,
	"OrScalar":               numbers,
	"XorScalar":              numbers,
	"linalg.CholeskyInverse": {complexes, "the diagonal of a factor is real, and what there is of others is not defined"},
	"linalg.Eig":             vectors,
	"linalg.Eigh":            vectors,
	"linalg.Eigvals":         vectors,
	"linalg.SVD":             vectors,
	"linalg.VecDot":          {[]types.DType{types.U8, types.I8, types.I16, types.I32, types.I64}, "PyTorch takes floating point alone; sums of integers are i64 here as those of Sum"},
}

// of returns the dtype of the operand that says which dtype a case is of, and its place: the first of
// floating point, or the first. A case without operands is of its attribute dtype.
func (c *Case) of() (d types.DType, operand int) {
	i := slices.IndexFunc(c.Inputs, func(a Array) bool {
		d, _ := types.ParseDType(a.DType)
		return d.Continuous()
	})
	text, i := c.Attrs["dtype"], max(i, 0)
	if len(c.Inputs) > 0 {
		text = c.Inputs[i].DType
	}
	d, _ = types.ParseDType(text)
	return d, i
}

// takes reports whether the op takes the case with another dtype. That the row allows the dtype counts, not
// that its operands are converted to one. A number v is 2 then.
func (c *Case) takes(t *testing.T, dev, strict *lazy.Device, d types.DType) bool {
	own, operand := c.of()
	attrs := maps.Clone(c.Attrs)
	if len(c.Inputs) == 0 {
		attrs["dtype"] = d.String()
	}
	if _, ok := attrs["v"]; ok {
		attrs["v"] = "2"
	}
	op, err := calls.Find(c.Op)
	require.NoError(t, err)
	values, err := op.Parse(attrs)
	require.NoError(t, err)
	if last := len(op.Operands) - 1; last >= 0 && !op.Operands[min(operand, last)].Is.Allows(d) {
		return false
	}
	if op.ByHand && op.Package == "" { // it says nothing of dtypes
		dev = strict
	}
	call := &calls.Call{Trace: lazy.NewTrace(dev), Values: values}
	for _, a := range c.Inputs {
		of, _ := types.ParseDType(a.DType)
		if of == own {
			of = d
		}
		call.X = append(call.X, lazy.FromView(call.Trace, soa.Make(types.Of(of, a.Shape...))))
	}
	_, err = op.Record(call)
	return err == nil
}

// Every op has a golden of each dtype that it takes. The list of dtypes is what tools/goldens reads.
func TestEveryDTypeHasAGolden(t *testing.T) {
	open := func(o ...lazy.Option) *lazy.Device {
		dev, err := lazy.Open("eval", o...)
		require.NoError(t, err)
		t.Cleanup(func() { dev.Close() })
		return dev
	}
	dev, strict := open(), open(lazy.StrictTypes())
	var list strings.Builder
	for _, path := range files(t, dir) {
		cases, err := Read(path)
		require.NoError(t, err)
		op := cases[0].Op
		base := max(slices.IndexFunc(cases, func(c Case) bool {
			d, _ := c.of()
			return d.Continuous()
		}), 0)
		_, operand := cases[base].of()
		has := map[types.DType]bool{}
		for _, c := range cases {
			text := c.Attrs["dtype"]
			if operand < len(c.Inputs) {
				text = c.Inputs[operand].DType
			}
			d, _ := types.ParseDType(text)
			has[d] = true
		}
		fmt.Fprint(&list, op)
		for _, d := range compared {
			if !cases[base].takes(t, dev, strict, d) {
				continue
			}
			if slices.Contains(refused[op].dtypes, d) {
				require.False(t, has[d], "%s has a golden of %v, and a reason for which it has none: %s", op, d, refused[op].reason)
				continue
			}
			fmt.Fprint(&list, " ", d)
			if !has[d] {
				t.Errorf("%s takes %v, of which it has no golden: run tools/goldens/goldens.py %s", op, d, op)
			}
		}
		list.WriteString("\n")
	}
	golden.Is(t, filepath.Join(dir, "dtypes.txt"), list.String())
}
