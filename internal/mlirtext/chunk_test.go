package mlirtext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/mlirtext"
	"ltc/mlir"
)

func TestSplit(t *testing.T) {
	const text = "module {}\n// -----\n\n\"t.a\"() : () -> ()\n // ----- no mark\n// ----- a mark\n  \"t.b\"(%x) : () -> ()\n#a = \xff\n// -----"
	chunks := mlirtext.Split("f.mlir", text)
	require.Len(t, chunks, 4)
	require.Equal(t, "\n\"t.a\"() : () -> ()\n // ----- no mark\n", chunks[1].Body())
	require.Empty(t, chunks[3].Body())
	m, err := chunks[1].Parse()
	require.NoError(t, err)
	require.Equal(t, mlir.Pos{Line: 4, Col: 1}, m.Ops[0].Pos)
	_, err = chunks[2].Parse()
	require.EqualError(t, err, "f.mlir:8:6: error: byte 0xff is not UTF-8\n#a = ?\n     ^")
	_, err = mlirtext.Split("f.mlir", text[:len(text)-len("#a = \xff\n// -----")])[2].Parse()
	require.EqualError(t, err, "f.mlir:7:15: error: t.b has 1 operand but 0 operand types\n  \"t.b\"(%x) : () -> ()\n              ^")
	require.Equal(t, []mlirtext.Chunk{{File: "e", Line: 1}}, mlirtext.Split("e", ""))
}
