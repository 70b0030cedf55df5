package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ltc/lazy"
)

// workloads holds them all: a new one is a file and a line in one of these
// lists.
var workloads = slices.Concat(peaks, tracing, compiling, byElement, byRow, products, recurrent, training, forDevices)

// workload is something to measure: a program, or what run does.
type workload struct {
	name    string
	doc     string // what a figure is
	program *program
	// small stands for program where a test runs on a device that is not there.
	small *program
	run   func(*env) (result, error)
	// first says that only the first call of a process counts, so that it
	// takes several of them.
	first bool
	// cached says that a process before has left its compiled objects on disk.
	cached bool
}

// call is the doc of a program.
const call = "s per call"

// tracing is what recording and dispatch cost.
var tracing = []workload{
	{name: "record_chain1000", doc: "s per op to record 1000 additions", run: recordChain},
	{name: "record_mix1000", doc: "s per op to record 250 × {add, mul, relu, matmul}", run: recordMix},
	{name: "step1_add_cached", doc: "s per step of one addition, compiled before", run: step1Add},
	{name: "step1_add_reused", doc: "s of the same step with the nodes of the one before", run: step1Reused},
	{name: "step100_mix_cached", doc: "s per step of 25 × {add, mul, relu, matmul}, compiled before", run: step100Mix},
	{name: "step100_mix_reused", doc: "s of the same step with the nodes of the one before", run: step100Reused},
	{name: "step1000_mix_cached", doc: "s per step of 250 × {add, mul, relu, matmul}, compiled before", run: step1000Mix},
	{name: "step1000_mix_reused", doc: "s of the same step with the nodes of the one before", run: step1000Reused},
}

// compiling is what comes before the second step.
var compiling = []workload{
	{name: "step100_first", doc: "s of step100_mix when it is the first of a process", run: step100First, first: true},
	{name: "compile_ew100", doc: "s to the first result of 100 elementwise ops in a warm process", run: compileEW100},
	{name: "train_mlp_first", doc: "s of the first step of train_mlp, nothing compiled before", run: trainMLPFirst, first: true},
	{name: "train_mlp_first_cached", doc: "s of the first step of train_mlp, compiled by another process before", run: trainMLPFirst, first: true, cached: true},
}

const (
	many = 1 << 24
	few  = 1 << 16
)

var byElement = []workload{
	{name: "ew_affine_relu_16M", doc: call + " of relu(0.7x+0.1)+x", program: affineReLU(many)},
	{name: "ew_tanh_16M", doc: call + " of 1.3tanh(0.7x+0.1)+relu(x)", program: tanhChain(many)},
	{name: "ew_gelu_16M", doc: call + " of x/2 (1+erf(x/√2))", program: geluOf(many)},
	{name: "ew_expgelu_16M", doc: call + " of exp(-x²) gelu(x)+x/2", program: expGELU(many)},
	{name: "ew_fma3_16M", doc: call + " of ab+c", program: fma3(many)},
	{name: "ew_chain20_16M", doc: call + " of 10 × {mul, add}", program: chain20(many)},
	{name: "ew_affine_relu_64K", doc: call, program: affineReLU(few)},
	{name: "ew_tanh_64K", doc: call, program: tanhChain(few)},
	{name: "ew_gelu_64K", doc: call, program: geluOf(few)},
	{name: "ew_expgelu_64K", doc: call, program: expGELU(few)},
	{name: "ew_fma3_64K", doc: call, program: fma3(few)},
	{name: "ew_chain20_64K", doc: call, program: chain20(few)},
}

var byRow = []workload{
	{name: "softmax_4096x1024", doc: call, program: softmaxRows(4096, 1024)},
	{name: "layernorm_4096x1024", doc: call, program: layerNormRows(4096, 1024)},
	{name: "sum0_4096", doc: call + ", 4096 by 4096 over axis 0", program: sumColumns(4096, 4096)},
	{name: "sum1_4096", doc: call + ", over axis 1", program: sumRows(4096, 4096)},
	{name: "sumall_4096", doc: call + ", over both", program: sumAll(4096, 4096)},
	{name: "transpose_4096", doc: call, program: transposed(4096, 4096)},
	{name: "copy_1024x4096", doc: call, program: copied(1024, 4096)},
	{name: "cumsum_1024x4096", doc: call + " of the sums of each row up to its elements", program: cumulated(1024, 4096)},
}

var products = []workload{
	{name: "matmul_128", doc: call, program: matMul(128, lazy.F32)},
	{name: "matmul_256", doc: call, program: matMul(256, lazy.F32)},
	{name: "matmul_512", doc: call, program: matMul(512, lazy.F32)},
	{name: "matmul_1024", doc: call, program: matMul(1024, lazy.F32)},
	{name: "matmul_2048", doc: call, program: matMul(2048, lazy.F32)},
	{name: "bf16matmul_512", doc: call + ", bf16 in and out", program: matMul(512, lazy.BF16)},
	{name: "bf16matmul_1024", doc: call + ", bf16 in and out", program: matMul(1024, lazy.BF16)},
	{name: "bf16matmul_2048", doc: call + ", bf16 in and out", program: matMul(2048, lazy.BF16)},
	{name: "matvec_4096", doc: call, program: matVec(4096)},
	{name: "bmm_96x128x32x128", doc: call + " of 96 products", program: bmm(96, 128, 32, 128)},
	{name: "bmm_96x128x128x32", doc: call + " of 96 products", program: bmm(96, 128, 128, 32)},
	{name: "linear_gelu_512x384x1536", doc: call + " of gelu(xw+b)", program: linearGELU(512, 384, 1536)},
	{name: "conv3_1x64x56", doc: call + ", window 3, NCHW and OIHW", program: convolution{1, 56, 64, 64, 3, 1}.program()},
	{name: "conv3_32x64x56", doc: call + ", window 3, NCHW and OIHW", program: convolution{32, 56, 64, 64, 3, 1}.program()},
	{name: "conv7s2_1x3x224", doc: call + ", window 7, stride 2, NCHW and OIHW", program: convolution{1, 224, 3, 64, 7, 2}.program()},
	{name: "encoder_b1_s128", doc: call + " of a transformer layer, width 384, 12 heads", program: encoder{1, 128, 384, 12, 1536}.program()},
	{name: "encoder_b8_s128", doc: call + " of the same, batch 8", program: encoder{8, 128, 384, 12, 1536}.program()},
}

// recurrent runs along a sequence of 128 steps by Scan.
var recurrent = []workload{
	{name: "lstm_b1_h128", doc: call + " of an LSTM, 128 hidden", program: lstm{128, 1, 128}.program()},
	{name: "lstm_b16_h128", doc: call + " of the same, batch 16", program: lstm{128, 16, 128}.program()},
	{name: "lstm_b16_h512", doc: call + " of an LSTM, 512 hidden, batch 16", program: lstm{128, 16, 512}.program()},
	{name: "lstm_train_b1_h128", doc: "s per training step of an LSTM, 128 hidden", run: lstm{128, 1, 128}.train(0.01163279, 0.01147356, 0.01132028, 0.01117262)},
	{name: "lstm_train_b16_h128", doc: "s per training step of the same, batch 16", run: lstm{128, 16, 128}.train(0.00465776, 0.00457752, 0.00450115, 0.00442836)},
	{name: "lstm_train_b16_h512", doc: "s per training step of an LSTM, 512 hidden, batch 16", run: lstm{128, 16, 512}.train(0.00463383, 0.00447579, 0.00433491, 0.00420840)},
}

var training = []workload{
	{name: "train_mlp", doc: "s per training step of an MLP 784-512-256-10, batch 64", run: trainMLP},
	{name: "train_cnn", doc: "s per training step of a CNN of two convolutions and two layers, batch 64", run: trainCNN},
}

// measure runs the workload in this process.
func (w workload) measure(e *env) (result, error) {
	switch {
	case w.program == nil:
		return w.run(e)
	case e.small && w.small != nil:
		return w.small.measure(e)
	case e.small && smaller[w.name] != nil:
		return smaller[w.name].measure(e)
	case e.small:
		return result{}, errors.New("there is no small one")
	}
	return w.program.measure(e)
}

// withPrograms returns all workloads: those of this command and, if dir is not "", the
// programs in that directory.
func withPrograms(dir string) ([]workload, error) {
	if dir == "" {
		return workloads, nil
	}
	programs, err := exportedIn(dir)
	return slices.Concat(workloads, programs), err
}

// named returns the workload of a name.
func named(all []workload, name string) (workload, error) {
	for _, w := range all {
		if w.name == name {
			return w, nil
		}
	}
	return workload{}, fmt.Errorf("no such workload")
}

// matching returns the workloads whose name a regular expression matches, of those
// that a backend is measured by: its device's, or the host's.
func matching(all []workload, run, backend string) []workload {
	re := regexp.MustCompile(run)
	other := forDevices
	if device(backend) {
		other = peaks
	}
	var ws []workload
	for _, w := range all {
		if re.MatchString(w.name) && !slices.ContainsFunc(other, func(o workload) bool { return o.name == w.name }) {
			ws = append(ws, w)
		}
	}
	return ws
}

// withPeaks puts the peaks before workloads that have figures to hold against
// them: programs, and all whose kernels are asked for.
func withPeaks(ws []workload, backend string, kernels bool) []workload {
	has := func(w workload) bool { return w.program != nil || kernels }
	peak := func(w workload) bool { return strings.HasPrefix(w.name, "peak_") }
	if !slices.ContainsFunc(ws, has) || slices.ContainsFunc(ws, peak) {
		return ws
	}
	if device(backend) {
		return slices.Concat(forDevices[:1], ws)
	}
	return slices.Concat(peaks, ws)
}
