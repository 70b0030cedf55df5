package dims

import "strconv"

// Strides, offsets and limits of programs whose sizes are numbers can be any int64. Of two numbers
// the functions here do what Go's operators do, whatever these numbers are.

// isName reports whether d is the name of an expression, or a size that is too large.
func isName[N Int](d N) bool {
	return int64(d) < -Largest && int64(d) != Unknown && (int64(d) == tooLarge || table.at(int64(d)) != nil)
}

func numbers[N Int](a, b N) bool { return !isName(a) && !isName(b) }

// GoAdd returns a + b, which wraps if both are numbers.
func GoAdd[N Int](a, b N) N {
	if numbers(a, b) {
		return a + b
	}
	return Add(a, b)
}

// GoSub returns a - b, which wraps if both are numbers.
func GoSub[N Int](a, b N) N {
	if numbers(a, b) {
		return a - b
	}
	return Sub(a, b)
}

// GoMul returns a·b, which wraps if both are numbers.
func GoMul[N Int](a, b N) N {
	if numbers(a, b) {
		return a * b
	}
	return Mul(a, b)
}

// GoSteps returns how many steps from 0 on, by so many, are less than n: ceil(n / by) of a positive
// n.
func GoSteps[N Int](n, by N) N {
	if numbers(n, by) {
		return (n-1)/by + 1
	}
	return CeilDiv(n, by)
}

// GoAtMost is [AtMost] of any numbers.
func GoAtMost[N Int](a, b N) bool {
	if numbers(a, b) {
		return a <= b
	}
	return AtMost(a, b)
}

// GoIsExpr reports whether d is the name of an expression, where it may be any number otherwise.
func GoIsExpr[N Int](d N) bool { return isName(d) }

// GoString is [String] of any number.
func GoString[N Int](d N) string {
	if isName(d) {
		return String(d)
	}
	return strconv.FormatInt(int64(d), 10)
}
