// Package scalarmath has functions of real and complex numbers within a unit in the last
// place of the exact value, over all their domain. It computes them in numbers
// of about 106 bits, type dd.
//
// The package imports only ltc/internal/bigfloat.
package scalarmath
