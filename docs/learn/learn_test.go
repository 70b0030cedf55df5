package learn_test

import (
	"io"
	"log"
	"os"
	"testing"

	"ltc/internal/test/snippets"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // the examples say how far they are
	os.Exit(m.Run())
}

// What the pages show are parts of the examples here.
func TestPagesAreExamples(t *testing.T) {
	for page, sources := range map[string]string{
		"first-model.md":  "*example_test.go",
		"from-pytorch.md": "*example_test.go",
	} {
		t.Run(page, func(t *testing.T) { snippets.Check(t, page, sources) })
	}
}
