package gemm

import (
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
)

// transpose turns vectors as [vector.Builder.Transpose] does.
func (f *fn) transpose(v []value.Value) []value.Value {
	rows := make([]vector.Value, len(v))
	for i, x := range v {
		rows[i].V = x
	}
	columns := make([]value.Value, len(v))
	for i, x := range f.Transpose(rows) {
		columns[i] = x.V
	}
	return columns
}
