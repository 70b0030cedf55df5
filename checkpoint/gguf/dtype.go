package gguf

import (
	"fmt"

	"ltc/ir/types"
)

// DType is the type of a tensor's elements: ggml's code of it. Elements of a quantized DType
// are in blocks, runs of elements of the last dimension that share scales.
type DType uint32

// The DTypes that [Tensor.Dequantize] takes, by ggml's codes.
const (
	F32  DType = 0
	F16  DType = 1
	Q4_0 DType = 2
	Q4_1 DType = 3
	Q5_0 DType = 6
	Q5_1 DType = 7
	Q8_0 DType = 8
	Q4_K DType = 12
	Q5_K DType = 13
	Q6_K DType = 14
	I8   DType = 24
	I16  DType = 25
	I32  DType = 26
	I64  DType = 27
	F64  DType = 28
	BF16 DType = 30
)

// info is what is known of a DType.
type info struct {
	name  string
	plain types.DType // of elements that are no blocks; else types.Invalid
	block int         // elements a block
	bytes int         // bytes a block
}

var dtypes = map[DType]info{
	F32:  {"F32", types.F32, 1, 4},
	F16:  {"F16", types.F16, 1, 2},
	BF16: {"BF16", types.BF16, 1, 2},
	F64:  {"F64", types.F64, 1, 8},
	I8:   {"I8", types.I8, 1, 1},
	I16:  {"I16", types.I16, 1, 2},
	I32:  {"I32", types.I32, 1, 4},
	I64:  {"I64", types.I64, 1, 8},
	Q4_0: {"Q4_0", types.Invalid, 32, 2 + 16},
	Q4_1: {"Q4_1", types.Invalid, 32, 2 + 2 + 16},
	Q5_0: {"Q5_0", types.Invalid, 32, 2 + 4 + 16},
	Q5_1: {"Q5_1", types.Invalid, 32, 2 + 2 + 4 + 16},
	Q8_0: {"Q8_0", types.Invalid, 32, 2 + 32},
	Q4_K: {"Q4_K", types.Invalid, 256, 2 + 2 + 12 + 128},
	Q5_K: {"Q5_K", types.Invalid, 256, 2 + 2 + 12 + 32 + 128},
	Q6_K: {"Q6_K", types.Invalid, 256, 128 + 64 + 16 + 2},
}

// unread are the names of ggml's other codes, for errors.
var unread = map[DType]string{
	4: "Q4_2", 5: "Q4_3", 9: "Q8_1", 10: "Q2_K", 11: "Q3_K", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S",
	20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S", 23: "IQ4_XS", 29: "IQ1_M", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4",
}

// String returns ggml's name, such as Q4_K.
func (d DType) String() string {
	if i, ok := dtypes[d]; ok {
		return i.name
	}
	if name, ok := unread[d]; ok {
		return name
	}
	return fmt.Sprintf("type %d", uint32(d))
}

// Block returns the number of elements of a block: 1 if the elements are plain numbers, 0 if the
// package does not read the DType.
func (d DType) Block() int { return dtypes[d].block }

// BlockBytes returns the bytes of a block.
func (d DType) BlockBytes() int { return dtypes[d].bytes }

// Plain returns the dtype of elements that are no blocks; [types.Invalid] for quantized ones.
func (d DType) Plain() types.DType { return dtypes[d].plain }
