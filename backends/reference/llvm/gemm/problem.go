package gemm

import (
	"fmt"

	"ltc/ir/types"
)

// Problem is a product of batches of matrices,
//
//	C[b,m,n] = Epilogue(Σ_k A[b,m,k]·B[b,k,n]),
//
// with sums of dtype Acc. Strides are in elements and may be anything, 0 for
// what is repeated included; elements of C do not overlap.
type Problem struct {
	A, B, Acc, C types.DType
	// Signed says which of A's and B's elements of dtype u8 are two's complement.
	Signed  [2]bool
	Batch   int
	M, N, K int
	StrideA [3]int // of batch, m and k
	StrideB [3]int // of batch, k and n
	StrideC [3]int // of batch, m and n

	// PrologueA and PrologueB are applied to elements of A and B, Epilogue to
	// sums. Without an Epilogue sums are converted to C's dtype. An operand that
	// has a prologue is packed, where it is not one row or has one to meet.
	PrologueA, PrologueB Fused[Prologue]
	Epilogue             Fused[Epilogue]
	// Overlap says that what Epilogue loads may lie in C's memory, at the place
	// at hand.
	Overlap bool
	// GatherA and GatherB locate elements instead of the strides of m, k and n, if
	// they are not nil. There is no prologue then.
	GatherA, GatherB *Gather
	// BorderB says that B is part of an image which has 0 around it, if it is not nil. Offsets of
	// GatherB are those of the padded image, which is not in memory. A plan must read the image
	// then: see [Plan.ReadsImage].
	BorderB *Border
	// Block says that the product is a block of a larger one: the sums of a single row have the
	// order of a matrix's sums then.
	Block bool
	// FewRows is the number of rows of the product that this is a block of, if that is one of few
	// rows: see [Plan.OfFewRows]. Else it is 0.
	FewRows int
	// PackedB says that B will be there packed, by [Product.Pack].
	PackedB bool
}

// Fused is code that is emitted into a product's kernels. Name tells it from
// all other code; it is made of letters, digits and _.
type Fused[F Prologue | Epilogue] struct {
	Name string
	Emit F
	// Type is the dtype that a prologue gives. An epilogue gives C's.
	Type types.DType
}

func (f Fused[F]) set() bool { return f.Name != "" }

// oneB reports whether all products of a batch have the same B. A prologue may
// compute another one for each from the same elements.
func (p *Problem) oneB() bool { return p.StrideB[0] == 0 && !p.PrologueB.set() }

// elements returns the dtypes of A and B after their prologues.
func (p *Problem) elements() (a, b types.DType) {
	a, b = p.A, p.B
	if p.PrologueA.set() {
		a = p.PrologueA.Type
	}
	if p.PrologueB.set() {
		b = p.PrologueB.Type
	}
	return a, b
}

// String returns the product's types and sizes.
func (p Problem) String() string {
	return fmt.Sprintf("%v[%d,%d,%d] = %v[%d,%d,%d] x %v[%d,%d,%d] in %v", p.C, p.Batch, p.M, p.N, p.A, p.Batch, p.M, p.K,
		p.B, p.Batch, p.K, p.N, p.Acc)
}

// Dense returns a problem of row-major operands, without their strides' being said.
func Dense(a, b, acc, c types.DType, batch, m, n, k int) Problem {
	return Problem{A: a, B: b, Acc: acc, C: c, Batch: batch, M: m, N: n, K: k,
		StrideA: [3]int{m * k, k, 1}, StrideB: [3]int{k * n, n, 1}, StrideC: [3]int{m * n, n, 1}}
}

// Same reports whether q differs from p in nothing, of problems without fused code.
func (p *Problem) Same(q Problem) bool {
	return p.A == q.A && p.B == q.B && p.Acc == q.Acc && p.C == q.C && p.Batch == q.Batch && p.M == q.M && p.N == q.N && p.K == q.K &&
		p.Block == q.Block && p.FewRows == q.FewRows && p.StrideA == q.StrideA && p.StrideB == q.StrideB && p.StrideC == q.StrideC
}

// swapped returns the problem of the transposed operands: Cᵀ = Bᵀ·Aᵀ.
func (p Problem) swapped() Problem {
	q := p
	q.A, q.B, q.M, q.N = p.B, p.A, p.N, p.M
	q.Signed = [2]bool{p.Signed[1], p.Signed[0]}
	s := Strides{p.StrideA, p.StrideB, p.StrideC}.swapped()
	q.StrideA, q.StrideB, q.StrideC = s.A, s.B, s.C
	q.PrologueA, q.PrologueB = p.PrologueB, p.PrologueA
	return q
}

// orderOf says how elements lie whose neighbours along k are k apart, and those
// along the other dimension, of n elements, other.
func orderOf(k, other int) Order {
	switch {
	case k == 1:
		return AlongK
	case other == 1:
		return AcrossK
	}
	return Anyhow
}
