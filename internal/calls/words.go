package calls

import (
	"slices"
	"strings"

	"ltc/ir/ops"
)

// worded are the attributes that are one of a few numbers, with the words for 0, 1 and so on:
// PyTorch's, unless that has one for each number of axes.
var worded = []struct {
	pkg, op, attr string // no op: all of the package
	words         []string
}{
	{"fft", "", "norm", []string{"backward", "ortho", "forward"}},
	{"nn", "KLDivLoss", "reduction", []string{"mean", "sum", "none", "batchmean"}},
	{"nn", "", "reduction", []string{"mean", "sum", "none"}},
	{"nn", "Interpolate", "mode", []string{"nearest", "linear", "cubic", "nearest-exact", "area"}},
	{"nn", "GridSample", "mode", []string{"nearest", "linear", "cubic"}},
	{"nn", "GridSample", "padding", []string{"zeros", "border", "reflection"}},
	{"nn", "Pad", "mode", []string{"constant", "reflect", "replicate", "circular"}},
	{"nn", "EmbeddingBag", "mode", []string{"sum", "mean", "max"}},
	{"nn", "EmbeddingBagOffsets", "mode", []string{"sum", "mean", "max"}},
}

// words returns the words for the values of an attribute; nil if it has none.
func (o *Op) words(a ops.Attr) []string {
	if a.Kind != ops.Int {
		return nil
	}
	for _, w := range worded {
		if w.pkg == o.Package && w.attr == a.Name && (w.op == "" || w.op == o.Name) {
			return w.words
		}
	}
	return nil
}

// parseWord reads one of words, or its number.
func parseWord(words []string, text string) (x any, want string) {
	if i := slices.Index(words, strings.ToLower(text)); i >= 0 {
		return i, ""
	}
	if n, why := parse(ops.Int, text); why == "" {
		return n, ""
	}
	last := len(words) - 1
	return nil, strings.Join(words[:last], ", ") + " or " + words[last]
}
