// Package quantized has layers whose weights stay in blocks of a file: codes of few bits
// that share a scale. A product dequantizes blocks in registers, for each row of x; with [Weight.ManyRows] a run
// dequantizes tiles of the weight once. [Build] makes a network whose weights
// have the sizes and the formats of a GGUF file. The central type is [Weight].
//
//	net := &struct{ Proj quantized.Linear }{}
//	err := quantized.Build(net, dev, &file.State, checkpoint.Options{Share: true})
//
// Weights of Q4_0, Q4_1 and Q8_0 are copied as they are loaded, 16 rows side by side, which are read two to three times as fast. The
// file's pages are given back: the process holds the weight once. Rows of an [Embedding], and weights of other formats, are
// read in place.
//
// These weights are not trained.
//
// The package imports only ltc/checkpoint, ltc/checkpoint/gguf, ltc/internal/functions, ltc/internal/hostmem,
// ltc/ir/ops, ltc/ir/types, ltc/lazy, ltc/nn/module and ltc/soa.
package quantized
