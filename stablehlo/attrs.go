package stablehlo

import (
	"slices"
	"strconv"

	"ltc/mlir"
)

// The readers of attributes. Those of a module that [verify.Module] accepts have the form
// that their ops want. One that is missing reads as zero, nil or false, or as what the
// reader says.

func integer(op *mlir.Op, name string) int64 {
	n, _ := mlir.Int(op.Attrs.Get(name))
	return n
}

func integers(op *mlir.Op, name string) []int64 {
	list, _ := mlir.Ints(op.Attrs.Get(name))
	return list
}

// ones is integers with one for each dimension of op's window, which is 1 where nothing is
// said.
func ones(op *mlir.Op, name string) []int64 {
	list := integers(op, name)
	if list == nil {
		list = slices.Repeat([]int64{1}, windowRank(op))
	}
	return list
}

// paddings is integers with two for each dimension of op's window, which are 0 where
// nothing is said.
func paddings(op *mlir.Op, name string) []int64 {
	list := integers(op, name)
	if list == nil {
		list = make([]int64, 2*windowRank(op))
	}
	return list
}

// windowRank returns how many dimensions the window of an op has.
func windowRank(op *mlir.Op) int {
	t, _ := op.Operands[0].Type.(*mlir.TensorType)
	switch {
	case t == nil:
		return 0
	case op.Code == Convolution || op.Code == DynamicConv:
		return max(len(t.Shape)-2, 0)
	}
	return len(t.Shape)
}

func float(op *mlir.Op, name string) float64 {
	a, _ := op.Attrs.Get(name).(mlir.FloatAttr)
	x, _ := strconv.ParseFloat(a.Text, 64)
	return x
}

func flag(op *mlir.Op, name string) bool { return mlir.Flag(op.Attrs.Get(name)) }

func text(op *mlir.Op, name string) string {
	s, _ := op.Attrs.Get(name).(mlir.StringAttr)
	return string(s)
}

func enum(op *mlir.Op, name string) string { return mlir.Enum(op.Attrs.Get(name)) }

func dense(op *mlir.Op, name string) *mlir.DenseAttr {
	a, _ := op.Attrs.Get(name).(*mlir.DenseAttr)
	return a
}

func dot(op *mlir.Op, name string) DotDims {
	d, _ := ParseDot(op.Attrs.Get(name))
	return d
}

func gather(op *mlir.Op, name string) GatherDims {
	d, _ := ParseGather(op.Attrs.Get(name))
	return d
}

func scatter(op *mlir.Op, name string) ScatterDims {
	d, _ := ParseScatter(op.Attrs.Get(name))
	return d
}

func conv(op *mlir.Op, name string) ConvDims {
	d, _ := ParseConv(op.Attrs.Get(name))
	return d
}

// IsFunction reports whether an op is a mathematical function of one number, whose
// accuracy can be asked for. Parts of a compiler treat all of these alike, so that a row
// of the table is all that most of them need to know a new one.
func IsFunction(c mlir.Code) bool {
	return slices.ContainsFunc(Attrs(c), func(a OpAttr) bool { return a.Name == "result_accuracy" })
}
