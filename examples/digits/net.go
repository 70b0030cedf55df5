package main

import "ltc/nn/layers"

// newNet returns a multilayer perceptron with ReLU between its layers, whose widths
// are given, the first of them that of the input.
func newNet(widths ...int) layers.Sequential {
	var n layers.Sequential
	for i, out := range widths[1:] {
		if i > 0 {
			n = append(n, layers.ReLU())
		}
		n = append(n, &layers.Linear{In: widths[i], Out: out})
	}
	return n
}
