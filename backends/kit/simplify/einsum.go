package simplify

import (
	"slices"
	"strings"

	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// einsumTerm is an operand of an einsum and the letters of its dimensions.
type einsumTerm struct {
	*mlir.Value
	letters string
}

func standardEinsum(e *editor, op *mlir.Op) *mlir.Value {
	return e.einsum(op, stablehlo.AsEinsum(op).EinsumConfig())
}

func standardUnaryEinsum(e *editor, op *mlir.Op) *mlir.Value {
	return e.einsum(op, stablehlo.AsUnaryEinsum(op).EinsumConfig())
}

// einsum turns `ij,jk->ik` and `ij->ji` into a product and a transpose. A letter that
// stands twice in an operand takes a diagonal. Where a letter is in one operand alone and not
// in the result, elements are multiplied and then added up: summed before they are
// multiplied, infinite ones would give other sums.
func (e *editor) einsum(op *mlir.Op, config string) *mlir.Value {
	in, out, ok := strings.Cut(config, "->")
	parts := strings.Split(in, ",")
	t := tensorOf(op.Operands[0])
	if !ok || len(parts) != len(op.Operands) || repeats(out) || t.Elem != tensorOf(op.Operands[len(parts)-1]).Elem {
		return nil
	}
	terms := make([]einsumTerm, len(parts))
	for i, letters := range parts {
		terms[i] = einsumTerm{op.Operands[i], letters}
	}
	product := len(terms) == 2 && !sumsAlone(parts, out)
	_, computes := sumElem(t.Elem)
	if !product && (!computes || resultType(op).Elem != t.Elem) {
		return nil
	}
	for i := range terms {
		terms[i].diagonals(e)
	}
	if product {
		return e.einsumProduct(op, terms, out)
	}
	return e.einsumSum(terms, out)
}

// sumsAlone reports whether a letter is in one operand alone and not in the result.
func sumsAlone(parts []string, out string) bool {
	for i, letters := range parts {
		for _, c := range letters {
			if !strings.ContainsRune(out, c) && !strings.ContainsRune(parts[1-i], c) {
				return true
			}
		}
	}
	return false
}

func repeats(term string) bool {
	for i := range term {
		if strings.IndexByte(term[i+1:], term[i]) >= 0 {
			return true
		}
	}
	return false
}

// diagonals takes the diagonal along the dimensions that have one letter.
func (t *einsumTerm) diagonals(e *editor) {
	for i := 0; i < len(t.letters); i++ {
		k := strings.IndexByte(t.letters[i+1:], t.letters[i])
		if k < 0 {
			continue
		}
		k += i + 1
		perm := others(len(t.letters), []int64{int64(k)})
		t.Value = e.transpose(t.Value, slices.Insert(perm, i+1, int64(k)))
		// The two are one dimension now, of which the diagonal is every n+1st element.
		shape := tensorOf(t.Value).Shape
		n := shape[i]
		t.Value = e.reshape(t.Value, slices.Replace(slices.Clone(shape), i, i+2, dims.Mul(n, n)))
		r := full(tensorOf(t.Value).Shape)
		r.stride[i] = dims.Add(n, 1)
		t.Value = e.slice(t.Value, r)
		t.letters = t.letters[:k] + t.letters[k+1:]
		i--
	}
}

// einsumProduct is a dot_general of two terms, transposed as the letters of the result say.
func (e *editor) einsumProduct(op *mlir.Op, terms []einsumTerm, out string) *mlir.Value {
	lhs, rhs := terms[0], terms[1]
	var d stablehlo.DotDims
	batch, m, n := "", "", ""
	for i, c := range lhs.letters {
		j := strings.IndexRune(rhs.letters, c)
		switch kept := strings.ContainsRune(out, c); {
		case j >= 0 && kept:
			d.LHSBatch, d.RHSBatch = append(d.LHSBatch, int64(i)), append(d.RHSBatch, int64(j))
			batch += string(c)
		case j >= 0:
			d.LHSContract, d.RHSContract = append(d.LHSContract, int64(i)), append(d.RHSContract, int64(j))
		default:
			m += string(c)
		}
	}
	for _, c := range rhs.letters {
		if !strings.ContainsRune(lhs.letters, c) {
			n += string(c)
		}
	}
	all := batch + m + n
	shape, perm := make([]int64, len(all)), make([]int64, len(out))
	for i, c := range out {
		k := strings.IndexRune(all, c)
		perm[i] = int64(k)
		shape[k] = resultType(op).Shape[i]
	}
	return e.transpose(e.dot(op, d, lhs.Value, rhs.Value, like(resultType(op), shape)), perm)
}

// einsumSum multiplies the elements of one term or two and adds up over the letters that the
// result lacks.
func (e *editor) einsumSum(terms []einsumTerm, out string) *mlir.Value {
	all, size := out, map[rune]int64{}
	for _, t := range terms {
		for d, c := range t.letters {
			size[c] = tensorOf(t.Value).Shape[d]
			if !strings.ContainsRune(all, c) {
				all += string(c)
			}
		}
	}
	var shape []int64
	for _, c := range all {
		shape = append(shape, size[c])
	}
	elem := tensorOf(terms[0].Value).Elem
	wide, _ := sumElem(elem)
	var product *mlir.Value
	for _, t := range terms {
		to := make([]int64, len(t.letters))
		for d, c := range t.letters {
			to[d] = int64(strings.IndexRune(all, c))
		}
		x := e.converted(t.Value, mlir.Tensor(wide, tensorOf(t.Value).Shape...))
		if len(to) == len(all) {
			x = e.transpose(x, inverse(to))
		} else {
			x = e.broadcast(x, shape, to)
		}
		switch {
		case product == nil:
			product = x
		case elem == mlir.Type(mlir.I1):
			product = e.binary(stablehlo.And, product, x)
		default:
			product = e.binary(stablehlo.Multiply, product, x)
		}
	}
	sum := e.sum(product, others(len(all), nil)[len(out):])
	return e.converted(sum, mlir.Tensor(elem, tensorOf(sum).Shape...))
}

// sumElem returns the type in which elements are added up; false if kernels add none of
// that type.
func sumElem(elem mlir.Type) (mlir.Type, bool) {
	switch t := elem.(type) {
	case mlir.FloatType:
		switch t {
		case mlir.F16, mlir.BF16:
			return mlir.F32, true
		}
		return t, t == mlir.F32 || t == mlir.F64
	case mlir.IntegerType:
		return t, t.Width >= 8 || t == mlir.I1
	}
	_, complex := elem.(mlir.ComplexType)
	return elem, complex
}
