package kernel

// Order says how code of a kernel rounds and in which order it sums floats. Two codes of one kernel
// that have the same order, and the same functions, give the same bits, but for those of a NaN.
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
	// Unroll is how many vectors, and Lanes of how many sums each, take the elements along Vector
	// in turns. What remains after whole turns goes to one more vector of sums if Masked is set,
	// else to one sum. All run on through the stage's other axes. At last vectors combine in
	// neighbouring pairs, then with the vector of what remained, then the halves of the lanes, then
	// with the sum of what remained.
	Lanes, Unroll int
	Masked        bool
	// Inverse is the divisions that are multiplications with the inverses of their divisors, which are
	// the same along the stage's axes. That holds where the sizes of all of these are from 2^-126 to
	// 2^126, for f64 from 2^-1022 to 2^1022.
	Inverse []ID
}

// Sums reports whether an instruction reduces floats in an order that matters.
func (k *Kernel) Sums(id ID) bool {
	i := &k.Instrs[id]
	return i.Op == Reduce && i.Type.IsFloat() && (Op(i.Aux) == Add || Op(i.Aux) == Multiply)
}
