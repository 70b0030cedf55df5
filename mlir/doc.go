// Package mlir reads and prints MLIR text of any dialect: modules, types and attributes of
// the core language, and every op in its generic form. It knows the pretty forms of builtin
// and func, and those that [Register] is told of. Its central type is [Module], a tree of
// ops as the text has them.
//
// imports only ltc/internal/diag, ltc/ir/types and the standard library.
package mlir
