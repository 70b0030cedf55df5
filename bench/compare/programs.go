package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ltc/bench/measure"
)

// askProgram is what a peer is asked about a program of programs.py.
const askProgram = "program"

// exportFolder is where programs.py has exported programs.
type exportFolder struct {
	path string // "" if there is nothing
	peer string // who it is that runs programs.py: jax with its version
}

// interpreter is the Python of the environment that run.sh makes for JAX.
func (r *runner) interpreter() string { return filepath.Join(r.scratch, "jax", "bin", "python") }

// exporter returns the command that runs programs.py.
func (r *runner) exporter(threads int, args ...string) *exec.Cmd {
	c := r.bound(threads, append([]string{r.interpreter(), filepath.Join(r.programs, "programs.py")}, args...)...)
	c.Env = append(os.Environ(), "PEERS="+r.peers)
	return c
}

// export has programs.py write those programs that are wanted and that no earlier run
// has written. A program that cannot be exported is missing.
func (r *runner) export() {
	var names []string
	for _, name := range wholePrograms {
		if r.run.MatchString(programPrefix + name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 || !r.wanted("jax") {
		return
	}
	if err := r.prepareExporter(); err != nil {
		for _, name := range names {
			r.miss(programPrefix+name, err.Error())
		}
		return
	}
	folder := filepath.Join(r.scratch, "programs", r.exports.peer) // another version exports other texts
	r.exports.path = folder
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(folder, name+".out.npz")); err == nil {
			continue
		}
		if out, err := r.exporter(1, "export", folder, name).CombinedOutput(); err != nil {
			r.miss(programPrefix+name, measure.Complaint(string(out), err).Error())
		}
	}
}

// prepareExporter has run.sh install JAX, unless it is there, and asks for its version.
func (r *runner) prepareExporter() error {
	if _, err := os.Stat(filepath.Join(r.programs, "programs.py")); err != nil {
		return err
	}
	for _, c := range []*exec.Cmd{
		exec.CommandContext(r.ctx, r.script(), r.scratch, "1", "jax", "ops", "no_row"),
		exec.CommandContext(r.ctx, r.interpreter(), "-c", "import jax; print(jax.__version__)"),
	} {
		out, err := c.CombinedOutput()
		if err != nil {
			return measure.Complaint(string(out), err)
		}
		r.exports.peer = "jax_" + strings.TrimSpace(string(out))
	}
	return nil
}

// timed gives a figure that programs.py has printed the names of its row and its peer here.
func (x exportFolder) timed(f figure) figure {
	f.W, f.Peer = programPrefix+f.W, x.peer
	return f
}
