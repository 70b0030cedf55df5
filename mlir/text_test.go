package mlir

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// Without what prints it the text form is unknown; it is registered once.
func TestTextFormIsRegisteredOnce(t *testing.T) {
	saved := text
	defer func() { text, registered = saved, true }()
	text, registered = unknown, false
	const want = "mlir: the text form is unknown: import package stablehlo, which has it"
	require.Equal(t, "func.return", (&Op{Code: OpReturn}).String())
	require.Equal(t, want, Print(&Module{}))

	form := Text{Print: func(w io.Writer, _ *Module, _ PrintOptions) error {
		_, err := io.WriteString(w, "a module")
		return err
	}}
	RegisterText(form)
	require.Equal(t, "a module", Print(&Module{}))
	require.PanicsWithValue(t, "mlir: the text form is registered a second time", func() { RegisterText(form) })
}
