package main

import (
	"archive/zip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ltc/bench/measure"
)

// What peers are asked about whole programs: JAX, whose script has exported the program, and
// others, which run the same on the inputs that it has exported.
const (
	askExporter = "program"
	askOther    = "program elsewhere"
)

// elsewhere is what is missing if no peer but JAX can run whole programs.
const elsewhere = "whole programs in other libraries"

// programPrefix begins the names of rows that are whole programs.
const programPrefix = "program_"

// wholeProgram is a program that JAX exports as text with inputs and XLA's results: ours runs
// the text, and peers have the program in their own words.
type wholeProgram struct {
	name  string
	peers []string // besides JAX
	// model says that models.py has it; else programs.py.
	model bool
	// inputs are the arguments before and behind the weights, which ours also binds. nil: none is
	// a weight.
	inputs *inputs
	// first says that first calls are compared, and the memory that the process holds.
	first bool
	// scan says that a workload of ./bench, which has the program's name, has it by Scan.
	scan bool
}

// inputs are how many arguments before a model's weights and behind them are none.
type inputs struct{ before, behind int }

// The peers of programs that are one op, of those that train and of models.
var (
	arrays   = []string{"numpy", "torch_eager"}
	kernels  = []string{"torch_eager", "torch_compile", "ort", "openvino"}
	trained  = []string{"torch_eager", "torch_compile"}
	sequence = []string{"torch_eager", "torch_compile", "ort", "ort_fused", "openvino"} // of BERT's kind
)

// sentences are tokens and their mask.
var sentences = &inputs{behind: 2}

var wholePrograms = []wholeProgram{
	{name: "minilm_b1", peers: sequence, inputs: sentences, first: true}, {name: "minilm_b8", peers: sequence, inputs: sentences, first: true},
	{name: "effnet_b1", peers: kernels, model: true, inputs: &inputs{behind: 1}, first: true},
	{name: "smollm2_decode", peers: kernels, model: true, inputs: &inputs{before: 60, behind: 2}, first: true},
	{name: "resnet_block_b1", peers: kernels, model: true, inputs: &inputs{behind: 1}},
	{name: "train_mlp"}, {name: "train_cnn", peers: trained},
	{name: "conv3_1x64x56", peers: kernels}, {name: "conv3_32x64x56", peers: kernels}, {name: "conv7s2_1x3x224", peers: kernels}, {name: "conv1d_audio"},
	{name: "lstm_train"}, {name: "decode_step"}, {name: "attention_1k"}, {name: "adamw_update"},
	{name: "sort_1m", peers: arrays}, {name: "topk_rows", peers: slices.Concat(arrays, []string{"ort", "openvino"})},
	{name: "cumsum_rows", peers: slices.Concat(arrays, []string{"ort", "openvino"})}, {name: "segment_sum"},
	{name: "fft_2d", peers: arrays}, {name: "cholesky_solve"}, {name: "while_newton"},
	{name: "lstm_b1_h128", model: true, scan: true}, {name: "lstm_b16_h128", model: true, scan: true}, {name: "lstm_b16_h512", model: true, scan: true},
	{name: "lstm_train_b1_h128", model: true, scan: true}, {name: "lstm_train_b16_h128", model: true, scan: true}, {name: "lstm_train_b16_h512", model: true, scan: true},
}

// row is the name of the program's row.
func (p wholeProgram) row() string { return programPrefix + p.name }

// First calls are rows of ours alone: peers tell theirs with each figure.
func (p wholeProgram) firstRow() string  { return p.row() + firstSuffix }
func (p wholeProgram) tiersRow() string  { return p.row() + firstSuffix + tiersSuffix }
func (p wholeProgram) cachedRow() string { return p.row() + firstSuffix + cachedSuffix }

const firstSuffix, tiersSuffix, cachedSuffix = "_first", "_tiers", "_cached"

// programRow returns the row of the program whose first calls a row has; others as they are.
func programRow(name string) string {
	if strings.HasPrefix(name, programPrefix) {
		name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, cachedSuffix), tiersSuffix), firstSuffix)
	}
	return name
}

// onnx reports whether a peer reads the program in ONNX.
func (p wholeProgram) onnx() bool {
	return slices.Contains(p.peers, "ort") || slices.Contains(p.peers, "openvino")
}

// groups returns what is measured of the program.
func (p wholeProgram) groups() []group {
	g := group{rows: []row{{name: p.row(), reach: 1}}, again: 2}
	g.asks = []ask{{peer: "jax", what: askExporter, rows: []string{p.row()}}}
	for _, peer := range p.peers {
		g.asks = append(g.asks, ask{peer: peer, what: askOther, rows: []string{p.row()}})
	}
	if p.scan {
		g.rows = append(g.rows, row{name: p.name})
	}
	if !p.first {
		return []group{g}
	}
	return []group{g, {rows: []row{{name: p.firstRow()}, {name: p.tiersRow()}, {name: p.cachedRow()}}}}
}

// exportFolder is where JAX's scripts have exported programs.
type exportFolder struct {
	path string // "" if there is nothing
	peer string // who it is that has exported them: jax with its version
}

// asCPU runs a script with a clock that counts processor time, that of children included.
const asCPU = `import os, resource, runpy, sys, time
used = time.process_time
time.perf_counter = lambda: used() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")`

// interpret returns the command that runs a script of an environment that run.sh makes. Scripts find the weights of
// models by variables of their environment.
func (r *runner) interpret(environment string, threads int, script string, args ...string) *exec.Cmd {
	words := []string{filepath.Join(r.scratch, environment, "bin", "python")}
	if r.cpu {
		words = append(words, "-c", asCPU)
	}
	c := r.bound(threads, slices.Concat(words, []string{script}, args)...)
	c.Env = append(os.Environ(), "PEERS="+r.peers, "INPUTS="+r.inputs,
		"MINILM="+filepath.Join(r.weights, "minilm", "model.safetensors"),
		"EFFNET="+filepath.Join(r.weights, "efficientnet", "efficientnet-lite0-57934424.pth"),
		"SMOLLM2="+filepath.Join(r.weights, "smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"),
		fmt.Sprint("OMP_NUM_THREADS=", threads), fmt.Sprint("MKL_NUM_THREADS=", threads), fmt.Sprint("OPENBLAS_NUM_THREADS=", threads))
	return c
}

// exporter returns the command that runs the script that has a program in JAX.
func (r *runner) exporter(p wholeProgram, threads int, args ...string) *exec.Cmd {
	script := filepath.Join(r.programs, "programs.py")
	if p.model {
		script = filepath.Join(r.models, "models.py")
	}
	return r.interpret("jax", threads, script, append(args, p.name)...)
}

// elsewhere returns the command that runs a program in another library.
func (r *runner) elsewhere(peer string, threads int, name string) *exec.Cmd {
	return r.interpret("torch", threads, filepath.Join(r.models, "peers.py"), peer, r.exports.path, fmt.Sprint(threads), name)
}

// asks returns the command that asks about a whole program.
func (r *runner) asks(a ask, threads int) *exec.Cmd {
	name := strings.TrimPrefix(a.rows[0], programPrefix)
	if a.what == askOther {
		return r.elsewhere(a.peer, threads, name)
	}
	i := slices.IndexFunc(wholePrograms, func(p wholeProgram) bool { return p.name == name })
	return r.exporter(wholePrograms[i], threads, "time", r.exports.path, fmt.Sprint(threads))
}

// export has scripts write those programs that are wanted and that no earlier run has
// written. A program that cannot be exported is missing.
func (r *runner) export() {
	var wanted []wholeProgram
	for _, p := range wholePrograms {
		if r.run.MatchString(p.row()) {
			wanted = append(wanted, p)
		}
	}
	if len(wanted) == 0 || !r.wanted("jax") {
		return
	}
	if err := r.prepareExporter(); err != nil {
		for _, p := range wanted {
			r.miss(p.row(), err.Error())
		}
		return
	}
	r.exports.path = filepath.Join(r.scratch, "programs", r.exports.peer) // another version exports other texts
	for _, p := range wanted {
		if !r.exported(p.name + ".out.npz") {
			if out, err := r.ended(r.exporter(p, 1, "export", r.exports.path)); err != nil {
				r.miss(p.row(), measure.Complaint(out, err).Error())
				continue
			}
		}
		if err := p.writeWeights(r.exports.path); err != nil {
			r.miss(p.row(), err.Error())
		}
	}
	r.exportONNX(slices.DeleteFunc(wanted, func(p wholeProgram) bool { return r.missing[p.row()] != "" }))
}

// writeWeights writes NAME.weights beside NAME.npz, which has an array for each argument: the
// first argument that is a weight, and that behind the last.
func (p wholeProgram) writeWeights(folder string) error {
	if p.inputs == nil {
		return nil
	}
	args, err := zip.OpenReader(filepath.Join(folder, p.name+".npz"))
	if err != nil {
		return err
	}
	defer args.Close()
	end := len(args.File) - p.inputs.behind
	return os.WriteFile(filepath.Join(folder, p.name+".weights"), fmt.Appendln(nil, p.inputs.before, end), 0o666)
}

// exportONNX installs the peers that are not JAX, as far as they are wanted, and has
// PyTorch write programs in ONNX.
func (r *runner) exportONNX(programs []wholeProgram) {
	asked := false
	for _, p := range programs {
		asked = asked || slices.ContainsFunc(p.peers, r.wanted)
	}
	if !asked {
		return
	}
	if err := r.preparePeers(); err != nil {
		r.miss(elsewhere, err.Error())
		return
	}
	for _, p := range programs {
		if !p.onnx() || r.exported(p.name+".onnx") {
			continue
		}
		if out, err := r.ended(r.elsewhere("onnx", 1, p.name)); err != nil {
			r.miss(p.row()+" in ONNX", measure.Complaint(out, err).Error())
		}
	}
}

func (r *runner) exported(file string) bool {
	_, err := os.Stat(filepath.Join(r.exports.path, file))
	return err == nil
}

// ended runs a command to its end and returns what it has printed.
func (*runner) ended(c *exec.Cmd) (string, error) {
	out, err := c.CombinedOutput()
	return string(out), err
}

// prepareExporter has run.sh install JAX, unless it is there, and asks for its version.
func (r *runner) prepareExporter() error {
	if _, err := os.Stat(filepath.Join(r.programs, "programs.py")); err != nil {
		return err
	}
	for _, c := range []*exec.Cmd{
		exec.CommandContext(r.ctx, r.script(), r.scratch, "1", "jax", "ops", "no_row"),
		exec.CommandContext(r.ctx, filepath.Join(r.scratch, "jax", "bin", "python"), "-c", "import jax; print(jax.__version__)"),
	} {
		out, err := r.ended(c)
		if err != nil {
			return measure.Complaint(out, err)
		}
		r.exports.peer = "jax_" + strings.TrimSpace(out)
	}
	return nil
}

// preparePeers has run.sh install PyTorch, unless it is there, and puts beside it what else
// peers.py needs, in versions that both lists of requirements name.
func (r *runner) preparePeers() error {
	for _, c := range []*exec.Cmd{
		exec.CommandContext(r.ctx, r.script(), r.scratch, "1", "torch_eager", "ops", "no_row"),
		exec.CommandContext(r.ctx, filepath.Join(r.scratch, "torch", "bin", "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check",
			"-c", filepath.Join(r.peers, "requirements.txt"), "-r", filepath.Join(r.models, "requirements.txt")),
	} {
		if out, err := r.ended(c); err != nil {
			return measure.Complaint(out, err)
		}
	}
	return nil
}

// timed gives a figure of a script the names of its row and its peer here.
func (x exportFolder) timed(f figure) figure {
	f.W = programPrefix + f.W
	if f.Peer == "jax" {
		f.Peer = x.peer
	}
	return f
}
