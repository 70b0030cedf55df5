// Package quantized has layers whose weights stay as a file has them: blocks of codes of few bits
// that share a scale. A product dequantizes blocks in registers, for each row of x; with [Weight.ManyRows] a run
// dequantizes tiles of the weight once. [Build] makes a network whose weights
// have the sizes and the formats of a GGUF file, and use its blocks in place. The central type is [Weight].
//
//	net := &struct{ Proj quantized.Linear }{}
//	err := quantized.Build(net, dev, &file.State, checkpoint.Options{Share: true})
//
// These weights are not trained.
//
// The package imports only ltc/checkpoint, ltc/checkpoint/gguf, ltc/internal/functions,
// ltc/ir/types, ltc/lazy, ltc/nn/module and ltc/soa.
package quantized
