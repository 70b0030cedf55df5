package ptxsim

import (
	"os"
	"testing"

	"ltc/internal/test/ptxas"
)

// The tests give the interpreter what is no kernel: none of it is kept for the assembler.
func TestMain(m *testing.M) {
	os.Unsetenv(ptxas.Variable)
	m.Run()
}
