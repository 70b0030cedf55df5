package ops

import "strings"

// Family is a group of ops for readers: a page of docs/reference/ops, and a topic of
// docs/reference.
type Family string

// The families.
const (
	Arithmetic       Family = "Arithmetic"
	Exponentials     Family = "Exponentials and other functions"
	SpecialFunctions Family = "Bessel functions and polynomials"
	Activations      Family = "Activations"
	Rounding         Family = "Rounding and conversion"
	Comparisons      Family = "Comparisons and choices"
	Bits             Family = "Bits and logic"
	ComplexNumbers   Family = "Complex numbers"
	Making           Family = "Making tensors"
	Views            Family = "Views"
	Joining          Family = "Joining and moving"
	Rows             Family = "Rows and places"
	Reductions       Family = "Reductions"
	Scans            Family = "Scans"
	Order            Family = "Order"
	Products         Family = "Products and convolutions"
	LinearAlgebra    Family = "Linear algebra"
	MatrixFunctions  Family = "Functions of matrices"
	Pooling          Family = "Pooling"
	Layers           Family = "Layers and losses"
	Norms            Family = "Norms"
	Losses           Family = "Losses"
	Distances        Family = "Distances"
	Images           Family = "Images"
	RandomNumbers    Family = "Random numbers"
	Control          Family = "Control flow"
	Functions        Family = "Functions and composites"
)

// Families holds every family, in the order of the index.
var Families = []Family{
	Arithmetic, Exponentials, SpecialFunctions, Activations, Rounding, Comparisons, Bits, ComplexNumbers,
	Making, Views, Joining, Rows,
	Reductions, Scans, Order, Products, LinearAlgebra, MatrixFunctions, Pooling, Layers, Norms, Losses, Distances, Images,
	RandomNumbers, Control, Functions,
}

// Page returns the file of the family in docs/reference/ops.
func (f Family) Page() string {
	return strings.ReplaceAll(strings.ToLower(string(f)), " ", "-") + ".md"
}
