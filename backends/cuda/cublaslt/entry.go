package cublaslt

// Entry is a function of the library.
type Entry struct {
	Name string
	// Args has a letter for each argument, and Result one for what is returned: those
	// of package driver's table, and l for a signed number of 64 bits.
	Args, Result string
}

// Entries lists the functions that this package calls. The caller owns the list.
func Entries() []Entry { return append([]Entry(nil), entries[:]...) }

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
var entries = [count]Entry{
	getVersion: {"cublasLtGetVersion", "", "z"},
	create:     {"cublasLtCreate", "p", "i"},
	destroy:    {"cublasLtDestroy", "h", "i"},

	descCreate:    {"cublasLtMatmulDescCreate", "pii", "i"},
	descDestroy:   {"cublasLtMatmulDescDestroy", "h", "i"},
	descSet:       {"cublasLtMatmulDescSetAttribute", "hipz", "i"},
	layoutCreate:  {"cublasLtMatrixLayoutCreate", "piqql", "i"},
	layoutDestroy: {"cublasLtMatrixLayoutDestroy", "h", "i"},
	layoutSet:     {"cublasLtMatrixLayoutSetAttribute", "hipz", "i"},

	preferenceCreate:  {"cublasLtMatmulPreferenceCreate", "p", "i"},
	preferenceDestroy: {"cublasLtMatmulPreferenceDestroy", "h", "i"},
	preferenceSet:     {"cublasLtMatmulPreferenceSetAttribute", "hipz", "i"},

	getHeuristic: {"cublasLtMatmulAlgoGetHeuristic", "hhhhhhhipp", "i"},
	matmul:       {"cublasLtMatmul", "hhpphphpphphppzh", "i"},
}
