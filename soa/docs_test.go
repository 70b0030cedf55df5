package soa_test

import (
	"testing"

	"ltc/internal/test/snippets"
)

// Every snippet of docs/soa.md and docs/collections.md is a part of the examples here, or of
// those that run programs on columns. They run: a snippet does what the page says.
func TestDocumentationIsExamples(t *testing.T) {
	snippets.Check(t, "../docs/soa.md", "example*_test.go", "../docs/learn/columns_example_test.go")
	snippets.Check(t, "../docs/collections.md", "example*_test.go", "../docs/learn/columns_example_test.go")
}
