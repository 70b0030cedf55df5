package kernel

// StrideTable writes the stride, in elements, of each dimension of each
// operand to to, which it returns: for operand p, to[p][d]. The run-time
// strides are those of [Kernel.StrideArgs]. Rows that are long enough are used
// again.
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
