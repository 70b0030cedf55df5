package mlir

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// Without what reads and prints it the text form is unknown; it is registered once.
func TestTextFormIsRegisteredOnce(t *testing.T) {
	saved := text
	defer func() { text = saved }()
	text = Text{}
	const want = "mlir: the text form is unknown: import package stablehlo, which has it"
	require.PanicsWithValue(t, want, func() { _ = (&Op{Code: OpReturn}).String() })
	require.PanicsWithValue(t, want, func() { _ = Print(&Module{}) })
	require.PanicsWithValue(t, want, func() { _, _ = Chunk{}.Parse() })

	form := Text{Parse: func(context.Context, Chunk) (*Module, error) { return &Module{}, nil }}
	RegisterText(form)
	m, err := Chunk{}.Parse()
	require.NoError(t, err)
	require.Empty(t, m.Ops)
	require.PanicsWithValue(t, "mlir: the text form is registered a second time", func() { RegisterText(form) })
}
