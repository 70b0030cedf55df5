package mlirtext

import (
	"context"
	"strings"

	"ltc/mlir"
)

// Chunk is a part of a file that is a module of its own.
type Chunk struct {
	File string
	// Text is the file's up to the end of the chunk, which starts at Offset,
	// on the given Line.
	Text         string
	Offset, Line int
}

// Split cuts the text of a file at its lines `// -----`. A text without such
// lines is one chunk.
func Split(file, text string) []Chunk {
	const mark = "// -----"
	chunks := []Chunk{{file, text, 0, 1}}
	line := 1
	for i := 0; i < len(text); line++ {
		end := len(text)
		if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
			end = i + n + 1
		}
		if strings.HasPrefix(text[i:end], mark) {
			chunks[len(chunks)-1].Text = text[:i]
			chunks = append(chunks, Chunk{file, text, end, line + 1})
		}
		i = end
	}
	return chunks
}

// Body is the chunk's own text.
func (c Chunk) Body() string { return c.Text[c.Offset:] }

// Parse reads the chunk as package stablehlo's Parse reads a whole text; the lines of
// errors and ops are the file's.
func (c Chunk) Parse() (*mlir.Module, error) { return parse(context.Background(), c) }
