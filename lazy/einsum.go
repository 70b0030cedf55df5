package lazy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// Einsum returns the sum of products that the equation says, as "ij,jk->ik" is the product of two
// matrices. Each operand has a letter for each of its axes, and "..." for axes that broadcast. Axes of
// one letter run together: a letter that stands twice in one operand takes its diagonal. Letters that
// the result lacks are summed over. Without "->" the result has those that stand once, in the order of
// their codes, behind the axes of "...". Operands are numbers or complex numbers of one dtype, which the
// result has. It is i64 if axes of a single operand of integers are summed, as by [Tensor.Sum]. Operands
// are multiplied from the left to the right.
func Einsum(equation string, xs ...*Tensor) *Tensor {
	const op = "einsum"
	xs, bad := operandsFor(op, xs)
	if bad != nil {
		return bad
	}
	operands, result, why := parseEinsum(equation, xs)
	if why != "" {
		return xs[0].violates(op, "equation", fmt.Sprintf("the equation %q: %s", equation, why), xs...)
	}
	return called(op, func() *Tensor { return einsum(xs, operands, result) }, xs...)
}

// einsum is Einsum of operands whose axes, and those of the result, have these letters.
func einsum(xs []*Tensor, operands [][]rune, result []rune) *Tensor {
	terms := make([]term, len(xs))
	for i, x := range xs {
		terms[i] = term{x, operands[i]}.diagonals()
	}
	y := terms[0]
	for i, next := range terms[1:] {
		y = y.times(next, func(letter rune) bool {
			return slices.Contains(result, letter) || slices.ContainsFunc(terms[i+2:], func(t term) bool { return t.axis(letter) >= 0 })
		})
	}
	return y.only(func(letter rune) bool { return slices.Contains(result, letter) }).inOrder(result).x
}

// parseEinsum returns the letters of the axes of the operands and of the result, or what is wrong. Those
// of "..." are negative numbers, the last of which is -1.
func parseEinsum(equation string, xs []*Tensor) (operands [][]rune, result []rune, why string) {
	left, right, given := strings.Cut(strings.ReplaceAll(equation, " ", ""), "->")
	lists := strings.Split(left, ",")
	if len(lists) != len(xs) {
		return nil, nil, fmt.Sprintf("it has letters for %s, and there are %d", diag.Count(len(lists), "operand"), len(xs))
	}
	type place struct{ operand, axis int }
	counts, first, widest := map[rune]int{}, map[rune]place{}, 0 // first has the axis that says the size of a letter
	for i, list := range lists {
		if _, why := einsumLetters(list, 0); why != "" {
			return nil, nil, why
		}
		bare := strings.Replace(list, "...", "", 1)
		rest := xs[i].Rank() - len(bare)
		if rest < 0 || rest > 0 && bare == list {
			return nil, nil, fmt.Sprintf("it has %s for operand %d, which is %v", diag.Count(len(bare), "letter"), i, xs[i].Type())
		}
		widest = max(widest, rest)
		letters, why := einsumLetters(list, rest)
		if why != "" {
			return nil, nil, why
		}
		for a, letter := range letters {
			here, other := place{i, a}, first[letter]
			twice := slices.Index(letters, letter) < a // which takes a diagonal
			if twice {
				other = place{i, slices.Index(letters, letter)}
			}
			n := xs[i].OpenDim(a)
			switch have := xs[other.operand].OpenDim(other.axis); {
			case !twice && (counts[letter] == 0 || have == 1):
				first[letter] = here
			case n != have && (twice || n != 1):
				return nil, nil, fmt.Sprintf("%s is axis %d of operand %d, of size %s, and axis %d of operand %d, of size %s: give them one size, or letters of their own", letterText(letter), other.axis, other.operand, dims.String(have), a, i, dims.String(n))
			}
			counts[letter]++
		}
		operands = append(operands, letters)
	}
	if given {
		if result, why = einsumLetters(right, widest); why != "" {
			return nil, nil, why
		}
		for i, letter := range result {
			if counts[letter] == 0 {
				return nil, nil, fmt.Sprintf("the result has the letter %q, and no operand has it", letter)
			}
			if slices.Index(result, letter) < i {
				return nil, nil, fmt.Sprintf("the result has the letter %q twice", letter)
			}
		}
		return operands, result, ""
	}
	for letter, n := range counts {
		if n == 1 && letter > 0 {
			result = append(result, letter)
		}
	}
	slices.Sort(result)
	rest, _ := einsumLetters("...", widest)
	return operands, append(rest, result...), ""
}

// einsumLetters returns the letters of a list, in which "..." stands for so many axes.
func einsumLetters(list string, rest int) (letters []rune, why string) {
	before, after, open := strings.Cut(list, "...")
	for _, letter := range before + after {
		if letter > unicode.MaxASCII || !unicode.IsLetter(letter) {
			return nil, fmt.Sprintf("%q is no letter, comma, -> or ...", letter)
		}
	}
	letters = []rune(before)
	if open {
		for a := rest; a > 0; a-- {
			letters = append(letters, rune(-a))
		}
	}
	return append(letters, []rune(after)...), ""
}

// letterText is a letter as the equation has it.
func letterText(letter rune) string {
	if letter < 0 {
		return `"..."`
	}
	return strconv.QuoteRune(letter)
}

// term is a tensor with a letter for each axis.
type term struct {
	x       *Tensor
	letters []rune
}

func (t term) axis(letter rune) int { return slices.Index(t.letters, letter) }

// diagonals has each letter once.
func (t term) diagonals() term {
	for a := 0; a < len(t.letters); a++ {
		if b := slices.Index(t.letters[a+1:], t.letters[a]); b >= 0 {
			letter := t.letters[a]
			rest := slices.Delete(slices.Delete(slices.Clone(t.letters), a+1+b, a+2+b), a, a+1)
			t, a = term{t.x.Diagonal(0, a, a+1+b), append(rest, letter)}, -1
		}
	}
	return t
}

// only sums over the letters that are not kept, integers in the dtype of [Tensor.Sum].
func (t term) only(keep func(rune) bool) term {
	var axes []int
	for a, letter := range t.letters {
		if !keep(letter) {
			axes = append(axes, a)
		}
	}
	if len(axes) == 0 {
		return t
	}
	return term{t.x.Sum(axes...), slices.DeleteFunc(slices.Clone(t.letters), func(letter rune) bool { return !keep(letter) })}
}

// squeezed drops axes of one element whose letters are not kept, which is no sum.
func (t term) squeezed(keep func(rune) bool) term {
	var axes []int
	var letters []rune
	for a, letter := range t.letters {
		if t.x.OpenDim(a) == 1 && !keep(letter) {
			axes = append(axes, a)
		} else {
			letters = append(letters, letter)
		}
	}
	if len(axes) == 0 {
		return t
	}
	return term{t.x.Squeeze(axes...), letters}
}

// inOrder has the axes of all its letters in an order.
func (t term) inOrder(letters []rune) term {
	if slices.Equal(t.letters, letters) {
		return t
	}
	perm := make([]int, len(letters))
	for i, letter := range letters {
		perm[i] = t.axis(letter)
	}
	return term{t.x.Transpose(perm...), letters}
}

// sizes returns the sizes of letters.
func (t term) sizes(letters []rune) []int {
	var sizes []int
	for _, letter := range letters {
		sizes = append(sizes, t.x.OpenDim(t.axis(letter)))
	}
	return sizes
}

// times is the product of two terms, summed over the letters that are not kept.
func (t term) times(u term, keep func(rune) bool) term {
	// An axis of one element runs along none of the other operand.
	narrow := func(t, u term) term {
		stays := func(letter rune) bool {
			a, b := t.axis(letter), u.axis(letter)
			if b < 0 {
				return keep(letter)
			}
			return t.x.OpenDim(a) == u.x.OpenDim(b) || t.x.OpenDim(a) != 1
		}
		return t.squeezed(stays).only(stays)
	}
	t, u = narrow(t, u), narrow(u, t)
	if t.x.DType() != u.x.DType() { // sums of integers in one alone
		t.x, u.x = t.x.AsType(types.I64), u.x.AsType(types.I64)
	}
	var batch, summed, own, others []rune
	for _, letter := range t.letters {
		switch shared := u.axis(letter) >= 0; {
		case !shared:
			own = append(own, letter)
		case keep(letter):
			batch = append(batch, letter)
		default:
			summed = append(summed, letter)
		}
	}
	for _, letter := range u.letters {
		if t.axis(letter) < 0 {
			others = append(others, letter)
		}
	}
	all := slices.Concat(batch, own, others)
	shape := slices.Concat(t.sizes(batch), t.sizes(own), u.sizes(others))
	t, u = t.inOrder(slices.Concat(batch, own, summed)), u.inOrder(slices.Concat(batch, summed, others))
	if len(summed) == 0 {
		x := t.x.Reshape(slices.Concat(t.sizes(batch), t.sizes(own), slices.Repeat([]int{1}, len(others)))...)
		y := u.x.Reshape(slices.Concat(u.sizes(batch), slices.Repeat([]int{1}, len(own)), u.sizes(others))...)
		return term{x.Mul(y), all}
	}
	b, k := elementsOf(t.sizes(batch)), elementsOf(t.sizes(summed))
	x := t.x.Reshape(b, elementsOf(t.sizes(own)), k)
	y := u.x.Reshape(b, k, elementsOf(u.sizes(others)))
	return term{x.MatMul(y).Reshape(shape...), all}
}

func checkOuter(x, y *Tensor) *breach {
	if x.Rank() != 1 || y.Rank() != 1 {
		return breaks(outerVectors, "x has rank %d and y rank %d, each must be a vector; flatten it with Flatten", x.Rank(), y.Rank())
	}
	return nil
}

func computeOuter(x, y *Tensor) *Tensor { return x.Unsqueeze(1).Mul(y) }
