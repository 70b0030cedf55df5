// Package mlir reads, checks and prints MLIR text: the modules, types and
// attributes of the core language and the ops of the StableHLO dialect. Its
// central type is [Module], a tree of ops as the text has them.
//
// imports only ltc/internal/diag, ltc/ir/types, participle and the standard library.
package mlir
