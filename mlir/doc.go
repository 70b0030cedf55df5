// Package mlir reads and prints MLIR text of any dialect: modules, types and attributes of
// the core language, the generic form of every op, and the pretty forms of builtin and func
// and of the ops that [Register] is told of. Its central type is [Module], a tree of ops as
// the text has them.
//
// imports only ltc/internal/diag, ltc/ir/types, participle and the standard library.
package mlir
