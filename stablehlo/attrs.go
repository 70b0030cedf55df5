package stablehlo

import (
	"strconv"

	"ltc/mlir"
)

// The readers of attributes. Those of a module that [verify.Module] accepts have the form
// that their ops want. One that is missing reads as zero, nil or false.

func integer(op *mlir.Op, name string) int64 {
	n, _ := mlir.Int(op.Attrs.Get(name))
	return n
}

func integers(op *mlir.Op, name string) []int64 {
	list, _ := mlir.Ints(op.Attrs.Get(name))
	return list
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
