package gemm

// Strides are those of a [Problem], each of batch and of what follows in its
// fields.
type Strides struct{ A, B, C [3]int }

// swapped returns those of the problem of the transposed operands.
func (s Strides) swapped() Strides {
	turned := func(s [3]int) [3]int { return [3]int{s[0], s[2], s[1]} }
	return Strides{turned(s.B), turned(s.A), turned(s.C)}
}

// Moved is a product for operands that lie otherwise, but not in another way:
// which strides are 0 or 1 is as it was planned. It is one goroutine's; the product
// that it comes from need not know.
type Moved struct {
	Product
	plan Plan
}

// Move makes m the product r with other strides. It allocates nothing.
func (m *Moved) Move(r *Product, s Strides) {
	m.plan = *r.plan
	m.Product = Product{&m.plan, r.codes}
	q := &m.plan
	q.Problem.StrideA, q.Problem.StrideB, q.Problem.StrideC = s.A, s.B, s.C
	if q.swapped {
		s = s.swapped()
	}
	q.p.StrideA, q.p.StrideB, q.p.StrideC = s.A, s.B, s.C
}
