package model_test

import (
	"testing"

	"ltc/internal/test/snippets"
)

// Every snippet of docs/model.md is a part of the example, which runs.
func TestDocumentationIsExamples(t *testing.T) {
	snippets.Check(t, "../docs/model.md", "example_test.go")
}
