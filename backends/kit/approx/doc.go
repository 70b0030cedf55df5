// Package approx has the polynomials and tables by which code that backends make
// computes functions such as exp and sin, those of all targets: what is off by how
// much stands with each. Most are for f32, with coefficients that are f32s, or for
// f64, as their names end; rows of a table are coefficients of one power.
//
// The package imports only the standard library.
package approx

//go:generate go run ./gen
