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
	for _, page := range []string{"first-model.md", "../from-pytorch/programs.md", "data.md", "saving.md", "serving.md"} {
		t.Run(page, func(t *testing.T) { snippets.Check(t, page, "*_example_test.go") })
	}
}

// What the page on ops shows is how the ops are that it names.
func TestOpsOfPage(t *testing.T) {
	snippets.Quotes(t, "../adding-an-op.md",
		"../../ir/ops/table.go", "../../ir/ops/composites.go", "../../ir/ops/nn.go", "../../nn/activations.go", "../../lower/ops.go", "../../autodiff/elementwise.go",
		"../../lazy/layers.go", "../../lazy/grad_test.go", "../../internal/test/optest/elementwise.go")
}
