package mlir

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQuantOf(t *testing.T) {
	for text, want := range map[string]QuantType{
		"quant.uniform<i8:f32, 0.5:-20>":                      {Storage: IntegerType{Width: 8}, Min: -128, Max: 127, Expressed: F32, Axis: -1, Scales: []float64{0.5}, ZeroPoints: []int64{-20}},
		"quant.uniform<ui4:bf16, 2.0>":                        {Storage: IntegerType{Width: 4, Sign: Unsigned}, Min: 0, Max: 15, Expressed: BF16, Axis: -1, Scales: []float64{2}, ZeroPoints: []int64{0}},
		"quant.uniform<i8<-127:127>:f64:1, {1.0e-1:-30,0.5}>": {Storage: IntegerType{Width: 8}, Min: -127, Max: 127, Expressed: F64, Axis: 1, Scales: []float64{0.1, 0.5}, ZeroPoints: []int64{-30, 0}},
	} {
		q, err := QuantOf(DialectType{text})
		require.NoError(t, err, text)
		require.Equal(t, &want, q, text)
	}
	q, err := QuantOf(F32)
	require.NoError(t, err)
	require.Nil(t, q)
	for text, want := range map[string]string{
		"quant.uniform<i8:f32>":                "!quant.uniform<i8:f32>: want a storage type, an expressed type and scales",
		"quant.uniform<f8:f32, 1.0>":           "!quant.uniform<f8:f32, 1.0>: storage type f8 is no integer of up to 32 bits",
		"quant.uniform<i8:i32, 1.0>":           `!quant.uniform<i8:i32, 1.0>: expressed type "i32" is no float`,
		"quant.uniform<i8<-129:127>:f32, 1.0>": "!quant.uniform<i8<-129:127>:f32, 1.0>: storage bounds -129:127 are not an ascending pair within -128:127 (quant_c3)",
		"quant.uniform<i8:f32, -1.0>":          "!quant.uniform<i8:f32, -1.0>: scale 0 is -1, want more than 0 (quant_c5)",
		"quant.uniform<i8:f16, 1.0e+06>":       "!quant.uniform<i8:f16, 1.0e+06>: scale 0 is 1e+06, which is not finite and above 0 in f16 (quant_c6)",
		"quant.uniform<i8:f32, 1.0:-129>":      "!quant.uniform<i8:f32, 1.0:-129>: zero point 0 is -129, outside of the storage's -128:127 (quant_c7)",
		"quant.uniform<i8:f32, {1.0}>":         "!quant.uniform<i8:f32, {1.0}>: a list of scales in braces needs a quantization dimension, one scale none (quant_c10)",
		"quant.uniform<i8:f32:-1, {1.0}>":      "!quant.uniform<i8:f32:-1, {1.0}>: quantization dimension -1 is negative (quant_c11)",
	} {
		_, err := QuantOf(DialectType{text})
		require.EqualError(t, err, want)
	}
}
