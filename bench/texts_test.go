package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda"
	"ltc/bench/measure"
	"ltc/internal/test/golden"
	"ltc/internal/test/gputext"
	"ltc/internal/test/ptxas"
	"ltc/lazy"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// texts is where the programs of the workloads lie for those who compile them.
const texts = "../backends/kit/testdata/workloads"

// recorded is a step that stands before its mark-step: the trace and the roots.
type recorded func(t *testing.T, dev *lazy.Device) (*lazy.Trace, []*lazy.Tensor)

// small has the workloads, and what else networks are made of, in sizes that a
// reader can follow and that leave remainders behind vectors and tiles.
var small = map[string]recorded{
	"ew_affine_relu":     affineReLU(100).forward,
	"ew_tanh":            tanhChain(100).forward,
	"ew_gelu":            geluOf(100).forward,
	"ew_gelu_grad":       geluOf(100).backward,
	"ew_expgelu":         expGELU(100).forward,
	"ew_fma3":            fma3(100).forward,
	"ew_chain20":         chain20(100).forward,
	"softmax":            softmaxRows(6, 20).forward,
	"softmax_grad":       softmaxRows(6, 20).backward,
	"log_softmax":        logSoftmaxRows(6, 20).forward,
	"log_softmax_grad":   logSoftmaxRows(6, 20).backward,
	"layernorm":          layerNormRows(6, 20).forward,
	"layernorm_grad":     layerNormRows(6, 20).backward,
	"cross_entropy":      crossEntropy(false),
	"cross_entropy_grad": crossEntropy(true),
	"sum0":               sumColumns(6, 20).forward,
	"sum1":               sumRows(6, 20).forward,
	"sumall":             sumAll(6, 20).forward,
	"transpose":          transposed(6, 20).forward,
	"matmul":             matMul(20, lazy.F32).forward,
	"matmul_grad":        matMul(20, lazy.F32).backward,
	"bf16matmul":         matMul(20, lazy.BF16).forward,
	"matvec":             matVec(20).forward,
	"bmm_scores":         bmm(3, 10, 4, 10).forward,
	"bmm_values":         bmm(3, 10, 10, 4).forward,
	"linear_gelu":        linearGELU(10, 12, 20).forward,
	"linear_gelu_grad":   linearGELU(10, 12, 20).backward,
	"train_mlp":          smallMLP,
	"train_cnn":          cnnStep(smallCNN),
	"conv3":              convolution{2, 5, 3, 4, 3, 1}.program().forward,
	"conv3_grad":         convolution{2, 5, 3, 4, 3, 1}.program().backward,
	"step100_mix":        smallMix,
	"compile_ew100":      ew100(6, 20).forward,
	"encoder":            smallEncoder.program().forward,
	"encoder_grad":       smallEncoder.program().backward,
}

var smallEncoder = encoder{batch: 2, length: 5, width: 12, heads: 3, hidden: 24}

// TestTexts holds the programs that the workloads lower to, without locations,
// against those that the tests of backends start from.
func TestTexts(t *testing.T) {
	require.NoError(t, os.MkdirAll(texts, 0o777))
	dev, err := lazy.Open("null")
	require.NoError(t, err)
	for name, record := range small {
		t.Run(name, func(t *testing.T) {
			tr, roots := record(t, dev)
			text, err := tr.Dump(lazy.FormatStableHLO, roots...)
			require.NoError(t, err)
			m, err := stablehlo.Parse(name, text)
			require.NoError(t, err)
			require.NoError(t, verify.Module(m))
			var b strings.Builder
			require.NoError(t, m.Print(&b, mlir.PrintOptions{}))
			golden.Is(t, filepath.Join(texts, name+".mlir"), b.String())
		})
	}
	files, err := filepath.Glob(texts + "/*.mlir")
	require.NoError(t, err)
	require.Len(t, files, len(small), "a file there is no workload's")
}

func (p *program) forward(t *testing.T, dev *lazy.Device) (*lazy.Trace, []*lazy.Tensor) {
	tr, x := p.start(t, dev)
	return tr, []*lazy.Tensor{p.fn(x...)}
}

// backward takes the gradients of the result's product with data of its type,
// with respect to all operands.
func (p *program) backward(t *testing.T, dev *lazy.Device) (*lazy.Trace, []*lazy.Tensor) {
	tr, x := p.start(t, dev)
	y := p.fn(x...)
	ct := lazy.From(tr, measure.Gen(9, y.Shape()...), y.Shape()...)
	return tr, lazy.Grad(y.Mul(ct).Sum(), x...)
}

func (p *program) start(t *testing.T, dev *lazy.Device) (*lazy.Trace, []*lazy.Tensor) {
	tr := lazy.NewTrace(dev)
	x, err := p.tensors(tr, p.data())
	require.NoError(t, err)
	return tr, x
}

func logSoftmaxRows(rows, cols int) *program {
	return &program{
		operands: []operand{random(1, rows, cols)},
		fn:       func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].LogSoftmax(-1) },
	}
}

// crossEntropy is the loss of logits, and its gradient with it if that is asked
// for.
func crossEntropy(gradient bool) recorded {
	return func(t *testing.T, dev *lazy.Device) (*lazy.Trace, []*lazy.Tensor) {
		tr := lazy.NewTrace(dev)
		x := lazy.From(tr, measure.Gen(1, 8, 10), 8, 10)
		loss := x.CrossEntropy(lazy.From(tr, labels(8, 10), 8))
		if gradient {
			return tr, []*lazy.Tensor{loss, lazy.Grad(loss, x)[0]}
		}
		return tr, []*lazy.Tensor{loss}
	}
}

func smallMLP(t *testing.T, dev *lazy.Device) (*lazy.Trace, []*lazy.Tensor) {
	m := newMLP(dev, 8, 12, 20, 10)
	m.record()
	return m.tr, []*lazy.Tensor{m.loss}
}

func cnnStep(c cnn) recorded {
	return func(t *testing.T, dev *lazy.Device) (*lazy.Trace, []*lazy.Tensor) {
		m := c.trainer(dev)
		m.record()
		return m.tr, []*lazy.Tensor{m.loss}
	}
}

func smallMix(t *testing.T, dev *lazy.Device) (*lazy.Trace, []*lazy.Tensor) {
	tr := lazy.NewTrace(dev)
	x, y := mixData(tr)
	return tr, []*lazy.Tensor{mix100(x, y)}
}

// Workloads in the sizes that are measured have kernels for GPUs, without a step of the
// host. make ptxas has the assembler look at them, by the name of the target where GPUs of
// that target have other kernels.
func TestTextsForGPUs(t *testing.T) {
	b, err := backends.Open("gputext")
	require.NoError(t, err)
	dev, err := lazy.Open("null")
	require.NoError(t, err)
	for name, record := range forGPUs() {
		t.Run(name, func(t *testing.T) {
			m := moduleOf(t, dev, record)
			require.NoError(t, b.(*gputext.Backend).Text(t.Context(), m, backends.Options{}))
			oldest := kernels(t, m, cuda.Listing)
			require.NoError(t, ptxas.Name("bench/"+name, oldest))
			if text := kernels(t, m, cuda.HopperListing); text != oldest {
				require.NoError(t, ptxas.Name("bench/"+name+"/"+hopper, text))
			}
		})
	}
}

// hopper is the target of an H200.
const hopper = "sm_90a"

// kernels returns the module of all kernels of a program, of which the host runs no step.
func kernels(t *testing.T, m backends.Module, list func(context.Context, backends.Module, backends.Options) (string, error)) string {
	listing, err := list(t.Context(), m, backends.Options{})
	require.NoError(t, err)
	require.NotContains(t, listing, "run by the host")
	_, ptx, ok := strings.Cut(listing, ".version") // what is before are comments on steps
	require.True(t, ok)
	return ".version" + ptx
}

// forGPUs are the steps that GPUs are measured by, in the sizes that are.
func forGPUs() map[string]recorded {
	all := map[string]recorded{
		"train_mlp": func(t *testing.T, dev *lazy.Device) (*lazy.Trace, []*lazy.Tensor) {
			m := newMLP(dev, mlpBatch, mlpWidths...)
			m.record()
			return m.tr, []*lazy.Tensor{m.loss}
		},
		"train_cnn":   cnnStep(measuredCNN),
		"step100_mix": smallMix, // which is as large as the one that is measured
	}
	for _, w := range workloads {
		if w.program != nil {
			all[w.name] = w.program.undefined
		}
	}
	return all
}

// moduleOf returns the program that a step lowers to.
func moduleOf(t *testing.T, dev *lazy.Device, record recorded) backends.Module {
	tr, roots := record(t, dev)
	text, err := tr.Dump(lazy.FormatStableHLO, roots...)
	require.NoError(t, err)
	return backends.NewModule(text)
}

// undefined is forward with operands that have no data.
func (p *program) undefined(t *testing.T, dev *lazy.Device) (*lazy.Trace, []*lazy.Tensor) {
	tr := lazy.NewTrace(dev)
	var xs []*lazy.Tensor
	for i, o := range p.operands {
		d := o.dtype
		if d == 0 {
			d = lazy.F32
		}
		xs = append(xs, tr.Read(dev.Variable(fmt.Sprintf("x%d", i), d, o.dims...)))
	}
	return tr, []*lazy.Tensor{p.fn(xs...)}
}
