package mlir

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// Without what reads and prints it the text form is unknown; it is registered once.
func TestTextFormIsRegisteredOnce(t *testing.T) {
	saved := text
	defer func() { text, registered = saved, true }()
	text, registered = unknown, false
	const want = "mlir: the text form is unknown: import package stablehlo, which has it"
	require.Equal(t, "func.return", (&Op{Code: OpReturn}).String())
	require.Equal(t, want, Print(&Module{}))
	_, err := Chunk{}.Parse()
	require.EqualError(t, err, want)

	form := Text{Parse: func(context.Context, Chunk) (*Module, error) { return &Module{}, nil }}
	RegisterText(form)
	m, err := Chunk{}.Parse()
	require.NoError(t, err)
	require.Empty(t, m.Ops)
	require.PanicsWithValue(t, "mlir: the text form is registered a second time", func() { RegisterText(form) })
}
