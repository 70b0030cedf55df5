package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ltc/bench/measure"
	"ltc/soa"
	"ltc/soa/npy"
)

//go:embed simplenet.py
var script string

// kept is what keeps a process from giving memory back, which costs page faults
// when it is taken again.
var kept = []string{"MALLOC_MMAP_MAX_=0", "MALLOC_TRIM_THRESHOLD_=1000000000000", "TAG=+nommap"}

// pytorch measures the network in PyTorch by simplenet.py, on rows that it holds
// already: all at once and in batches, with page faults and without. Asked again
// it measures the quickest of these.
func (t *trial) pytorch() (peerFigures, error) {
	python, err := t.python()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ltc-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "net.npz")
	if err := t.save(file); err != nil {
		return nil, err
	}
	var all []figure
	for _, env := range [][]string{nil, kept} {
		if t.quickest.Peer != "" && t.quickest.faults() != (env == nil) {
			continue
		}
		c := exec.CommandContext(t.ctx, python, append([]string{"-", file}, t.quickest.how()...)...)
		c.Stdin = strings.NewReader(script)
		threads := strconv.Itoa(t.threads)
		c.Env = append(os.Environ(), "T="+threads, "OMP_NUM_THREADS="+threads, "MKL_NUM_THREADS="+threads, "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+t.peers)
		c.Env = append(c.Env, env...)
		if t.used {
			c.Env = append(c.Env, "CLOCK=cpu")
		}
		out, err := output(c)
		if err != nil {
			return nil, err
		}
		some, err := measure.Objects[figure](out)
		if err != nil {
			return nil, fmt.Errorf("a line that is no figure: %w", err)
		}
		all = append(all, some...)
	}
	if len(all) == 0 {
		return nil, errors.New("simplenet.py printed no figures")
	}
	t.quickest = slices.MinFunc(all, func(a, b figure) int { return cmp.Compare(a.Median, b.Median) })
	return peerFigures{pytorch: {Median: t.quickest.Median, Min: t.quickest.Min, Reps: t.quickest.Reps}}, nil
}

// figure is a line that simplenet.py prints.
type figure struct {
	Peer   string  `json:"peer"` // torch_HOW_VERSION, and +nommap without page faults
	Median float64 `json:"med_s"`
	Min    float64 `json:"min_s"`
	Reps   int     `json:"reps"`
}

func (f figure) faults() bool { return !strings.HasSuffix(f.Peer, "+nommap") }

// how is what the script is told to measure; nothing for all.
func (f figure) how() []string {
	if f.Peer == "" {
		return nil
	}
	return strings.Split(f.Peer, "_")[1:2]
}

// python is an interpreter that has PyTorch: the scripts of the peers install
// it when they are asked for a program that they do not know.
func (t *trial) python() (string, error) {
	python := filepath.Join(t.scratch, "torch", "bin", "python")
	if exec.Command(python, "-c", "import torch").Run() == nil {
		return python, nil
	}
	install := filepath.Join(t.peers, "run.sh")
	if _, err := os.Stat(install); err != nil {
		return "", errors.New("no run.sh in the directory that -peers names")
	}
	_, err := output(exec.CommandContext(t.ctx, install, t.scratch, "1", "torch_eager", "ops", "none"))
	return python, err
}

// save writes what the script takes: x, what it should give for the first rows,
// and the weights of the layers in their order.
func (t *trial) save(file string) error {
	x := inRows(newMemory(t.n), t.n, len(t.data))
	if err := x.fill(t.data); err != nil {
		return err
	}
	rows, err := x.tensors[0][0].View()
	if err != nil {
		return err
	}
	var y []float32
	for i := range min(t.n, 100) {
		y = append(y, float32(t.row(i)[0][0]))
	}
	want, err := soa.ColumnOf("y", y).View()
	if err != nil {
		return err
	}
	entries := []npy.Entry{{Name: "x", View: rows}, {Name: "y", View: want}}
	for k, name := range append(t.layers[:len(t.layers):len(t.layers)], t.heads...) {
		entries = append(entries,
			npy.Entry{Name: fmt.Sprint("w", k), View: t.weights[name+".w"]},
			npy.Entry{Name: fmt.Sprint("b", k), View: t.weights[name+".b"]})
	}
	return npy.WriteArchive(file, entries)
}

// output runs a command; its error is the last line that it has said.
func output(c *exec.Cmd) ([]byte, error) {
	var complaint bytes.Buffer
	c.Stderr = &complaint
	out, err := c.Output()
	if err != nil {
		err = measure.Complaint(complaint.String(), err)
	}
	return out, err
}
