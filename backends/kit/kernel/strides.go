package kernel

// StrideTable returns a table of the strides of all operands, in elements. Entry [p][d] is the
// stride of dimension d of operand p. Strides has the run-time strides, in the order of
// [Kernel.StrideArgs]. Rows of the argument `to` are reused where they are long enough.
func (k *Kernel) StrideTable(to [][]int64, strides []int64) [][]int64 {
	for len(to) < len(k.Params) {
		to = append(to, nil)
	}
	for p := range k.Params {
		row := to[p][:0]
		for _, class := range k.Params[p].Strides {
			switch class {
			case UnitStride, TableStride:
				row = append(row, 1)
			case ZeroStride:
				row = append(row, 0)
			default:
				row, strides = append(row, strides[0]), strides[1:]
			}
		}
		to[p] = row
	}
	return to[:len(k.Params)]
}
