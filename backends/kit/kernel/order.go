package kernel

// Order says how code of a kernel rounds and in which order it sums floats. Codes of a kernel that
// have the same order and the same functions give the same bits, but for the sign and payload of
// NaNs.
type Order struct {
	// Fused is, by instruction, the product that an addition, a subtraction or a sum is rounded
	// once with; None where there is none. Nothing else uses that product.
	Fused []ID
	// Stages has the order of each stage.
	Stages []StageOrder
}

// StageOrder is the order of a stage.
type StageOrder struct {
	// Vector is the stage's axis along which floats are summed in several sums, as the stage numbers
	// axes. It is -1 if all are summed one after the other, the last axis of the stage fastest.
	Vector int
	// In each iteration Unroll vectors, of Lanes sums each, take the next elements along Vector.
	// Elements after the last whole iteration go to one more vector of sums if Masked is set, else
	// to one scalar sum. The sums run on along the stage's other axes. At the end neighbouring
	// vectors are combined in pairs, down to one, and that with the vector of the remainder. Then
	// the lower half of its lanes is combined with the upper, down to one lane, and that with the
	// scalar sum of the remainder.
	Lanes, Unroll int
	Masked        bool
	// Inverse lists the divisions that are multiplications by the inverse of the divisor, which is
	// the same along the stage's axes. They are where the magnitudes of all these divisors are from
	// 2^-126 to 2^126, for f64 from 2^-1022 to 2^1022; else all of them divide.
	Inverse []ID
}

// Sums reports whether an instruction reduces floats in an order that matters.
func (k *Kernel) Sums(id ID) bool {
	i := &k.Instrs[id]
	return i.Op == Reduce && i.Type.IsFloat() && (Op(i.Aux) == Add || Op(i.Aux) == Multiply)
}
