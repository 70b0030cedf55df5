package cublaslt

import (
	"slices"

	"ltc/backends/cuda/libraries"
)

// Entries lists the functions that this package calls. The caller owns the list.
func Entries() []libraries.Entry { return slices.Clone(entries[:]) }

// entry is a place in the table.
type entry int

const (
	getVersion entry = iota
	create
	destroy
	descCreate
	descDestroy
	descSet
	layoutCreate
	layoutDestroy
	layoutSet
	preferenceCreate
	preferenceDestroy
	preferenceSet
	getHeuristic
	matmul
	count
)

// entries is the table. All of it is in the oldest library that will do.
var entries = [count]libraries.Entry{
	getVersion: {Name: "cublasLtGetVersion", Args: "", Result: "z"},
	create:     {Name: "cublasLtCreate", Args: "p", Result: "i"},
	destroy:    {Name: "cublasLtDestroy", Args: "h", Result: "i"},

	descCreate:    {Name: "cublasLtMatmulDescCreate", Args: "pii", Result: "i"},
	descDestroy:   {Name: "cublasLtMatmulDescDestroy", Args: "h", Result: "i"},
	descSet:       {Name: "cublasLtMatmulDescSetAttribute", Args: "hipz", Result: "i"},
	layoutCreate:  {Name: "cublasLtMatrixLayoutCreate", Args: "piqql", Result: "i"},
	layoutDestroy: {Name: "cublasLtMatrixLayoutDestroy", Args: "h", Result: "i"},
	layoutSet:     {Name: "cublasLtMatrixLayoutSetAttribute", Args: "hipz", Result: "i"},

	preferenceCreate:  {Name: "cublasLtMatmulPreferenceCreate", Args: "p", Result: "i"},
	preferenceDestroy: {Name: "cublasLtMatmulPreferenceDestroy", Args: "h", Result: "i"},
	preferenceSet:     {Name: "cublasLtMatmulPreferenceSetAttribute", Args: "hipz", Result: "i"},

	getHeuristic: {Name: "cublasLtMatmulAlgoGetHeuristic", Args: "hhhhhhhipp", Result: "i"},
	matmul:       {Name: "cublasLtMatmul", Args: "hhpphphpphphppzh", Result: "i"},
}
