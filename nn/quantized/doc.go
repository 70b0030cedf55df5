// Package quantized has layers whose weights stay in blocks of a file: codes of few bits
// that share a scale. A product dequantizes blocks in registers, for each row of x; with [Weight.ManyRows] a run
// dequantizes tiles of the weight once. [Build] makes a network whose weights
// have the sizes and the formats of a GGUF file. The central type is [Weight].
//
//	net := &struct{ Proj quantized.Linear }{}
//	err := quantized.Build(net, dev, &file.State, checkpoint.Options{Share: true})
//
// A load copies weights of Q4_0, Q4_1 and Q8_0 into groups of 16 interleaved rows, and gives the file's pages back. The
// backend cpu has code for products of this layout, unless the number of rows of x is open: it reads memory about as fast as
// loops that only read. [Weight.InPlace] keeps a load from copying. With [Weight.ManyRows], in other formats, and where Rows is
// no multiple of 16, nothing is copied. Rows of an [Embedding] are read in the file. One that multiplies nothing needs no
// copy: set InPlace.
//
// These weights are not trained.
//
// The package imports only ltc/checkpoint, ltc/checkpoint/gguf, ltc/internal/functions, ltc/internal/hostmem,
// ltc/ir/ops, ltc/ir/types, ltc/lazy, ltc/nn/module and ltc/soa.
package quantized
