package calls

import (
	"slices"
	"strings"

	"ltc/fft"
	"ltc/ir/ops"
	"ltc/nn"
)

// The words for the constants of packages, by their values: PyTorch's, unless that has one for each
// number of axes.
var (
	norms      = []string{fft.Backward: "backward", fft.Ortho: "ortho", fft.Forward: "forward"}
	ends       = []string{fft.Reflect: "reflect", fft.Zeros: "constant", fft.Replicate: "replicate", fft.Circular: "circular"}
	reductions = []string{nn.ReduceMean: "mean", nn.ReduceSum: "sum", nn.ReduceNone: "none", nn.ReduceBatchMean: "batchmean"}
	modes      = []string{nn.ModeNearest: "nearest", nn.ModeLinear: "linear", nn.ModeCubic: "cubic", nn.ModeNearestExact: "nearest-exact", nn.ModeArea: "area"}
	borders    = []string{nn.GridZeros: "zeros", nn.GridBorder: "border", nn.GridReflect: "reflection"}
	paddings   = []string{nn.PadConstant: "constant", nn.PadReflect: "reflect", nn.PadReplicate: "replicate", nn.PadCircular: "circular"}
	bags       = []string{nn.BagSum: "sum", nn.BagMean: "mean", nn.BagMax: "max"}
)

// worded are the attributes that are such constants.
var worded = []struct {
	pkg, op, attr string // no op: all others of the package
	words         []string
}{
	{"fft", "STFT", "padding", ends},
	{"fft", "", "norm", norms},
	{"nn", "KLDivLoss", "reduction", reductions},
	{"nn", "", "reduction", reductions[:nn.ReduceBatchMean]},
	{"nn", "Interpolate", "mode", modes},
	{"nn", "GridSample", "mode", modes[:nn.ModeNearestExact]},
	{"nn", "GridSample", "padding", borders},
	{"nn", "Pad", "mode", paddings},
	{"nn", "EmbeddingBag", "mode", bags},
	{"nn", "EmbeddingBagOffsets", "mode", bags},
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
