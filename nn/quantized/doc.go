// Package quantized has layers whose weights stay as a file has them: blocks of codes of few bits
// that share a scale. A product dequantizes blocks in registers, for each row of x; with [Weight.ManyRows] a run
// dequantizes tiles of the weight once. [LoadInto] has the blocks of a GGUF file used in place.
// The central type is [Weight].
//
//	net := &Net{Proj: quantized.Linear{In: 576, Out: 1536, Format: gguf.Q4_1}}
//	err := module.Build(net, dev)
//	err = quantized.LoadInto(net, &file.State, checkpoint.Options{Share: true})
//
// These weights are not trained.
//
// The package imports only ltc/checkpoint, ltc/checkpoint/gguf, ltc/internal/functions,
// ltc/ir/types, ltc/lazy, ltc/nn/module and ltc/soa.
package quantized
