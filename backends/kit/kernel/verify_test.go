package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// mistaken is a kernel in which a test makes one mistake.
const mistaken = `kernel k(x: f32[n0, n1] strides [*, 1], out y: f32[n0, n1] strides [*, 1]) {
  for i < n0
  local row: f32[n1]
  stage j < n1 {
    %0 = load x[i, j]
    store row[j], %0
    %2 = reduce add %0
  }
  stage j < n1 {
    %3 = load row[j]
    %4 = divide %3, %2 : f32
    store y[i, j], %4
  }
}
`

func TestVerify(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"axes alike", "stage j < n1 {\n    %0 = load x[i, j]", "stage j < n1 j < n1 {\n    %0 = load x[i, j]", "kernel k: axis j: two have the name j (kernel_names)"},
		{"unused size", "out y: f32[n0, n1]", "out y: f32[n0, n3]", "kernel k: sizes: n2 is not used (kernel_sizes)"},
		{"strides", "strides [*, 1], out", "strides [*], out", "kernel k: operand x: 1 stride for 2 dimensions (kernel_operands)"},
		{"not stored", "store y[i, j], %4", "store row[j], %4", "kernel k: operand y: nothing is stored to it (kernel_operands)"},
		{"store to operand", "store y[i, j], %4", "store x[i, j], %4", "kernel k: %5 store: operand x is not Out (kernel_store)"},
		{"rank", "load x[i, j]", "load x[i]", "kernel k: %0 load: 1 index of x, which has 2 dimensions (kernel_access)"},
		{"other stage", "divide %3, %2", "divide %3, %0", "kernel k: %4 divide: argument 1, %0, is of an earlier stage and differs along its axes (kernel_use)"},
		{"same stage", "store row[j], %0\n    %2 = reduce add %0", "%2 = reduce add %0\n    store row[j], %2", "kernel k: %2 store: argument 0, %1, is a reduction of the same stage (kernel_reduce)"},
		{"arity", "divide %3, %2", "divide %3", "kernel k: %4 divide: 1 argument, want 2 (kernel_arity)"},
		{"type", "%3, %2 : f32", "%3, %2 : f64", "kernel k: %4 divide: %3 is a value of f32, want f64 (kernel_types)"},
		{"class", "divide %3, %2 : f32", "and %3, %2 : f32", "kernel k: %4 and: it does not take f32 to give f32 (kernel_types)"},
		{"predicate", "divide %3, %2 : f32", "is_finite %3 : f32", "kernel k: %4 is_finite: it does not take f32 to f32 (kernel_types)"},
		{"bits", "divide %3, %2 : f32", "bitcast_convert %3 : i64", "kernel k: %4 bitcast_convert: it does not take f32 to i64 (kernel_types)"},
		{"complex", "divide %3, %2 : f32", "convert %3 : c64", "kernel k: %4 convert: it does not take f32 to give c64 (kernel_types)"},
		{"bits of complex", "%3 = load row[j]", "%3 = bitcast_convert %2 : c64", "kernel k: %3 bitcast_convert: it does not take f32 to give c64 (kernel_types)"},
		{"complex operand", "out y: f32", "out y: c64", "kernel k: operand y: it has elements of c64 (kernel_operands)"},
		{"complex local", "row: f32", "row: c64", "kernel k: local row: it has elements of c64 (kernel_operands)"},
		{"comparison", "divide %3, %2 : f32", "compare_lt %3, %2 : f32", "kernel k: %4 compare_lt: a comparison is a bool, not a value of f32 (kernel_types)"},
		{"select", "divide %3, %2 : f32", "select %3, %3, %2 : f32", "kernel k: %4 select: it does not take f32 to give f32 (kernel_types)"},
		{"stored type", "%4 = divide %3, %2 : f32", "%4 = convert %2 : bf16", "kernel k: %5 store: %4 is a value of bf16, y has elements of f32 (kernel_types)"},
		{"index type", "store y[i, j], %4", "store y[%4, j], %4", "kernel k: %5 store: index 0: %4 is a value of f32, want an integer (kernel_index)"},
		{"terms", "load x[i, j]", "load x[i + i, j]", "kernel k: %0 load: index 0: its terms are not in the order of the axes, or one has no factor (kernel_index)"},
		{"factor", "load x[i, j]", "load x[0*i, j]", "kernel k: %0 load: index 0: its terms are not in the order of the axes, or one has no factor (kernel_index)"},
		{"reduce op", "reduce add", "reduce subtract", "kernel k: %2 reduce: values of f32 cannot be combined with subtract (kernel_reduce)"},
		{"reduce class", "reduce add", "reduce xor", "kernel k: %2 reduce: values of f32 cannot be combined with xor (kernel_reduce)"},
		{"reduce nothing", "stage j < n1 {\n    %0 = load x[i, j]\n    store row[j]", "stage {\n    %0 = load x[i, 0]\n    store row[0]", "kernel k: %2 reduce: its stage has no axes (kernel_reduce)"},
		{"scan of the kernel", "for i < n0", "for scan i < n0", "kernel k: axis i: axis i of the kernel is scanned: only those of stages are (kernel_scan)"},
		{"scan without axis", "reduce add %0", "scan add %0", "kernel k: %2 scan: its stage has no axis that is scanned (kernel_scan)"},
		{"scan and reduce", "stage j < n1 {\n    %0", "stage scan j < n1 {\n    %0", "kernel k: %2 reduce: its stage scans along its axis (kernel_scan)"},
		{"scan of two axes", "stage j < n1 {\n    %0", "stage scan reverse j < n1 l < n1 {\n    %0", "kernel k: axis l: axis j is scanned: a stage that scans has no other axis (kernel_scan)"},
		{"scan op", "stage j < n1 {\n    %3 = load row[j]\n    %4 = divide %3, %2 : f32", "stage scan j < n1 {\n    %3 = load row[j]\n    %4 = scan xor exclusive %3", "kernel k: %4 scan: values of f32 cannot be combined with xor (kernel_scan)"},
		{"scan", "stage j < n1 {\n    %3 = load row[j]\n    %4 = divide %3, %2 : f32", "stage scan j < n1 {\n    %3 = load row[j]\n    %4 = scan add exclusive %3", ""},
		{"combine", "store y", "store subtract y", "kernel k: %5 store: values of f32 cannot be combined with subtract (kernel_combine)"},
		{"combine local", "store row", "store add row", "kernel k: %1 store: only stores to operands combine (kernel_combine)"},
		{"local", "store row[j], %0", "%1 = load row[j]", "kernel k: %1 load: local row is stored to in no earlier stage (kernel_locals)"},
		{"neighbours", "load row[j]", "load row[j]\n    store row[j + 1], %3", "kernel k: local row: %3 is at other indices than %4 of the same stage (kernel_in_place)"},
		{"in place", "load row[j]", "load y[i, j]", ""},
		{"in place, one", "load row[j]", "load row[0]\n    store row[0], %3", "kernel k: local row: it is loaded from, but %4 stores to it at the same place for different points of j (kernel_in_place)"},
		{"carried", "stage j < n1 {\n    %3 = load row[j]", "stage scan j < n1 {\n    %3 = load row[0]\n    store row[0], %3", ""},
		{"carried, again", "stage j < n1 {\n    %3 = load row[j]", "stage scan j < n1 {\n    %3 = load row[0]\n    store row[0], %3\n    %5 = load row[0]", "kernel k: local row: %5 loads what was stored before in its stage (kernel_in_place)"},
		{"carried, operand", "stage j < n1 {\n    %3 = load row[j]", "stage scan j < n1 {\n    %3 = load y[i, 0]\n    store y[i, 0], %3", "kernel k: operand y: it is loaded from, but %4 stores to it at the same place for different points of j (kernel_in_place)"},
		{"in place, neighbours", "load row[j]", "load y[i, j + 1]", "kernel k: operand y: %3 is at other indices than %5 of the same stage (kernel_in_place)"},
		{"in place, other rows", "load row[j]", "load y[i + 1, j]", "kernel k: operand y: index 0, which keeps points of i apart, is another in %3 (kernel_in_place)"},
		{"in place, one row", "%3 = load row[j]\n    %4 = divide %3, %2 : f32\n    store y[i, j], %4", "%3 = load y[0, j]\n    %4 = divide %3, %2 : f32\n    store y[0, j], %4", "kernel k: operand y: it is loaded from, but %5 stores to it at the same place for different points of i (kernel_in_place)"},
		{"in place, again", "store y[i, j], %4", "store y[i, j], %4\n    %6 = load y[i, j]", "kernel k: operand y: %6 loads what was stored before in its stage (kernel_in_place)"},
		{"in place, by stages", "store row[j], %0", "store row[j], %0\n    store y[i, 2*j + 1], %0", ""},
		{"loaded later", "store y[i, j], %4\n  }\n", "store y[i, j], %4\n  }\n  stage j < n1 {\n    %6 = load y[i, j + 1]\n    store row[j], %6\n  }\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, mistaken, c.old)
			err := kernel.Verify(parse(t, replace(mistaken, c.old, c.new)))
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.want)
		})
	}
}

// Mistakes that no text has.
func TestVerifyStructure(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(k *kernel.Kernel)
		want string
	}{
		{"name", func(k *kernel.Kernel) { k.Name = "a b" }, `kernel a b: signature: "a b" is not a name (kernel_names)`},
		{"operands", func(k *kernel.Kernel) { k.Params[1].Name = "x" }, "kernel k: operand x: two have the name x (kernel_names)"},
		{"local", func(k *kernel.Kernel) { k.Locals[0].Name = "0row" }, `kernel k: local 0row: "0row" is not a name (kernel_names)`},
		{"dtype", func(k *kernel.Kernel) { k.Params[0].DType = 99 }, "kernel k: operand x: it has elements of dtype(99) (kernel_operands)"},
		{"stride", func(k *kernel.Kernel) { k.Params[0].Strides[0] = 4 }, "kernel k: operand x: 4 is not a class of strides (kernel_operands)"},
		{"size", func(k *kernel.Kernel) { k.Axes[0].Size = kernel.Sym(2) }, "kernel k: axis i: there is no size n2 (kernel_sizes)"},
		{"sizes", func(k *kernel.Kernel) { k.Sizes = 1 << 40 }, "kernel k: sizes: n2 is not used (kernel_sizes)"},
		{"gap", func(k *kernel.Kernel) { k.Stages[1].Begin++ }, "kernel k: stage 1: it has the instructions 4 to 6, want the first to be 3 (kernel_stages)"},
		{"rest", func(k *kernel.Kernel) { k.Stages = k.Stages[:1] }, "kernel k: stages: they hold 3 of 6 instructions (kernel_stages)"},
		{"op", func(k *kernel.Kernel) { k.Instrs[0].Op = 200 }, "kernel k: %0: 200 is not an op (kernel_arity)"},
		{"value", func(k *kernel.Kernel) { k.Instrs[4].Args[0] = 4 }, "kernel k: %4 divide: argument 0, %4, is not before it (kernel_use)"},
		{"none", func(k *kernel.Kernel) { k.Instrs[4].Args[0] = kernel.None }, "kernel k: %4 divide: argument 0, %-1, is not before it (kernel_use)"},
		{"store as value", func(k *kernel.Kernel) { k.Instrs[2].Args[0] = 1 }, "kernel k: %2 reduce: argument 0, %1, is a store (kernel_use)"},
		{"memory", func(k *kernel.Kernel) { k.Instrs[4].Mem = k.Instrs[0].Mem }, "kernel k: %4 divide: it accesses memory, or should (kernel_arity)"},
		{"no memory", func(k *kernel.Kernel) { k.Instrs[0].Mem = nil }, "kernel k: %0 load: it accesses memory, or should (kernel_arity)"},
		{"operand", func(k *kernel.Kernel) { k.Instrs[0].Mem.Param = 2 }, "kernel k: %0 load: there is no operand or local 2 (kernel_access)"},
		{"axis", func(k *kernel.Kernel) { k.Instrs[0].Mem.Index[0].Terms[0].Axis = 2 }, "kernel k: %0 load: index 0: there is no axis 2 (kernel_axes)"},
		{"guard", func(k *kernel.Kernel) { k.Instrs[3].Mem.Guard = true }, "kernel k: %3 load: 0 arguments, want the value that stands for elements outside (kernel_guard)"},
		{"no guard", func(k *kernel.Kernel) { k.Instrs[3].Args = []kernel.ID{2} }, "kernel k: %3 load: it has an argument and no guard (kernel_guard)"},
		{"reduction", func(k *kernel.Kernel) { k.Instrs[2].Aux = -1 }, "kernel k: %2 reduce: there is no such op to combine with (kernel_reduce)"},
		{"auxiliary", func(k *kernel.Kernel) { k.Instrs[4].Aux = 1 }, "kernel k: %4 divide: it takes nothing besides its arguments, but has 1 (kernel_arity)"},
		{"constant", func(k *kernel.Kernel) {
			k.Instrs[3] = kernel.Instr{Op: kernel.Constant, Type: types.F32, Aux: -1}
		}, "kernel k: %3 constant: 0xffffffffffffffff has more bits than a value of f32 (kernel_constants)"},
		{"bool", func(k *kernel.Kernel) {
			k.Instrs[3] = kernel.Instr{Op: kernel.Constant, Type: types.Bool, Aux: 2}
		}, "kernel k: %3 constant: 0x2 has more bits than a value of bool (kernel_constants)"},
		{"iota", func(k *kernel.Kernel) {
			k.Instrs[3] = kernel.Instr{Op: kernel.Iota, Type: types.F32, Aux: 2}
		}, "kernel k: %3 iota: there is no axis 2 (kernel_axes)"},
		{"size of", func(k *kernel.Kernel) {
			k.Instrs[3] = kernel.Instr{Op: kernel.SizeOf, Type: types.I32, Aux: 2}
		}, "kernel k: %3 size: a size is an i64, not a value of i32 (kernel_types)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := parse(t, mistaken)
			require.NoError(t, kernel.Verify(k))
			c.make(k)
			require.EqualError(t, kernel.Verify(k), c.want)
		})
	}
}
