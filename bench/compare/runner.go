package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ltc/bench/measure"
)

// runner measures both sides.
type runner struct {
	*options
	ctx     context.Context // ends what is being measured
	scratch string
	bench   string // our program
	pinned  bool   // taskset is there
	exports exportFolder
	missing map[string]string
	session *session
	log     *os.File // every figure, as it comes
}

// prepare builds our side and looks for the other.
func (r *runner) prepare() error {
	var err error
	if r.bench, err = r.build(); err != nil {
		return err
	}
	if _, err := exec.LookPath("taskset"); err == nil {
		r.pinned = true
	} else {
		r.miss("taskset", "neither side is bound to processors")
	}
	if _, err := os.Stat(r.script()); err != nil {
		r.miss("peers", "no run.sh in the directory that -peers names")
	}
	r.export()
	return r.begin()
}

// build builds our side.
func (r *runner) build() (string, error) {
	bench, err := filepath.Abs(filepath.Join(r.scratch, "ltc-bench"))
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", bench, ".")
	build.Dir, build.Stderr = "bench", os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("building ./bench: %w", err)
	}
	return bench, nil
}

// begin begins the file of figures.
func (r *runner) begin() error {
	log, err := os.Create(filepath.Join(r.scratch, "figures.jsonl"))
	r.log = log
	r.session = &session{Machine: measure.Describe(), Missing: r.missing, CPU: r.cpu, AVX2: r.avx2}
	if err != nil {
		return err
	}
	return json.NewEncoder(r.log).Encode(r.session) // for whoever reads it before the end
}

// close ends the file of figures with what else is known.
func (r *runner) close() {
	_ = json.NewEncoder(r.log).Encode(r.session)
	_ = r.log.Close()
}

func (r *runner) script() string { return filepath.Join(r.peers, "run.sh") }

// miss notes, and says once, that something is not there.
func (r *runner) miss(what, why string) {
	if _, known := r.missing[what]; !known {
		r.missing[what] = why
		fmt.Fprintf(os.Stderr, "missing: %s: %s\n", what, why)
	}
}

// moment is when something is measured: with how many threads, and in which round, or in
// which turn of one thread and two.
type moment struct{ threads, round, turn int }

// turns is how often one thread and two are measured by turns, and turning the loop that
// finds the machine's peak, which is measured so, too.
const (
	turns   = 7
	turning = "peak_fma_f32"
)

// again is how much slower than the fastest of a row a peer may be, to be asked
// in later rounds, and worth how much, to be asked with more threads.
const (
	again = 1.15
	worth = 3
)

// group measures a group in rounds: all peers in the first, the fastest in the
// others. Ours comes first in every other round.
func (r *runner) group(g group, threads int) error {
	g.rows = slices.DeleteFunc(slices.Clone(g.rows), func(row row) bool { return r.missing[programRow(row.name)] != "" })
	if len(g.rows) == 0 {
		return nil
	}
	g.asks = slices.DeleteFunc(slices.Clone(g.asks), func(a ask) bool {
		return !r.wanted(a.peer) || a.what == askOther && r.missing[elsewhere] != ""
	})
	if r.session.measured(1) && threads > 1 {
		if g.once {
			return nil
		}
		g = r.near(g, 1, worth)
	}
	for round := 1; round <= r.rounds; round++ {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		now := moment{threads: threads, round: round}
		if round%2 == 1 {
			r.own(g, now)
		}
		for _, a := range g.asks {
			if round == 1 || !g.once {
				r.other(a, now)
			}
		}
		if round%2 == 0 {
			r.own(g, now)
		}
		if round == 1 {
			g = r.near(g, threads, cmp.Or(g.again, again))
		}
	}
	if r.session.measured(1) && threads > 1 {
		r.scale(g, threads)
	}
	for _, row := range g.rows {
		r.session.printRow(os.Stdout, row, threads)
	}
	return nil
}

// scale measures rows that arithmetic bounds with one thread and with several, one row at
// a time and by turns: what others use of the machine changes within seconds, and the
// rounds are minutes apart.
func (r *runner) scale(g group, threads int) {
	for i, row := range g.rows {
		if !row.computes && row.name != turning {
			continue
		}
		alone := group{rows: g.rows[i : i+1]}
		for turn := range turns {
			order := [2]int{1, threads}
			if turn%2 == 1 {
				order[0], order[1] = order[1], order[0]
			}
			for _, n := range order {
				r.own(alone, moment{threads: n, turn: turn + 1})
			}
		}
	}
}

// near leaves of what peers are asked the rows in which they came within a
// factor of the fastest, and of questions that name no rows those that did in
// any.
func (r *runner) near(g group, threads int, factor float64) group {
	close := func(a ask, name string) bool {
		i := slices.IndexFunc(g.rows, func(r row) bool { return r.name == name })
		if i < 0 {
			return false
		}
		counted := func(f figure) bool {
			return f.W == g.rows[i].theirs() && f.Threads == threads && g.rows[i].counts(f.Peer) && !f.ours()
		}
		best, some := r.session.lowest(counted)
		theirs, ok := r.session.lowest(func(f figure) bool { return counted(f) && a.answered(f.Peer) })
		return !some || ok && theirs.Median <= factor*best.Median
	}
	g = g.about(close)
	g.asks = slices.DeleteFunc(g.asks, func(a ask) bool {
		return len(a.rows) == 0 && !slices.ContainsFunc(g.rows, func(row row) bool { return close(a, row.name) })
	})
	return g
}

// wanted reports whether a peer is one that was asked for, and not missing.
func (r *runner) wanted(peer string) bool {
	if r.missing["peers"] != "" || r.missing[peer] != "" {
		return false
	}
	return r.only == "" || slices.Contains(strings.Split(r.only, ","), peer)
}

// answered reports whether the figures of a peer are those of a question: names
// end in a version.
func (a ask) answered(peer string) bool {
	called := strings.Replace(a.peer, "ort", "onnxruntime", 1)
	return strings.ReplaceAll(name(peer), " ", "_") == called && strings.HasSuffix(peer, noFaults) == a.warm
}

// own measures our side of a group.
func (r *runner) own(g group, now moment) {
	words := []string{r.bench, "-json", "-backend", r.backend, "-threads", strconv.Itoa(now.threads), "-run", g.ours(), "-programs", r.exports.path}
	if r.cpu {
		words = append(words, "-cpu")
	}
	c := r.bound(now.threads, words...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if r.take(out, now, settled) == 0 && err != nil && r.ctx.Err() == nil {
		r.miss("ltc "+g.ours(), err.Error())
	}
}

// bound returns a command that is bound to as many processors as it has threads.
func (r *runner) bound(threads int, args ...string) *exec.Cmd {
	if r.pinned {
		cpus := "0"
		if threads > 1 {
			cpus = "0-" + strconv.Itoa(threads-1)
		}
		args = append([]string{"taskset", "-c", cpus}, args...)
	}
	return exec.CommandContext(r.ctx, args[0], args[1:]...)
}

// other asks a peer. A script that gives nothing at all and fails is not asked
// again: something that it needs is missing.
func (r *runner) other(a ask, now moment) {
	if r.missing[a.peer] != "" {
		return
	}
	c := exec.CommandContext(r.ctx, r.script(), append([]string{r.scratch, strconv.Itoa(now.threads)}, a.words()...)...)
	c.Env = os.Environ()
	whole := a.what == askExporter || a.what == askOther
	if whole {
		c = r.asks(a, now.threads)
	}
	if a.warm {
		c.Env = append(c.Env, "NOMMAP=1")
	}
	c.WaitDelay = time.Second // what the script has started may hold its output for longer
	var complaint bytes.Buffer
	c.Stderr = &complaint
	out, err := c.Output()
	as := settled
	if whole {
		as = r.exports.timed
	}
	some := r.take(out, now, as) > 0
	if r.ctx.Err() != nil {
		return
	}
	if whole {
		if !some && err != nil {
			r.miss(a.peer+" "+a.rows[0], measure.Complaint(complaint.String(), err).Error())
		}
		return
	}
	failures := linesWith(complaint.String(), "FAIL ")
	for _, f := range failures { // "FAIL peer_1.2 row why"
		row := ""
		if words := strings.Fields(f); len(words) > 2 {
			row = words[2]
		}
		of := a
		of.rows, of.filter = nil, row
		r.miss(of.String(), f)
	}
	if !some && err != nil && len(failures) == 0 {
		r.miss(a.peer, measure.Complaint(complaint.String(), err).Error())
	}
}

// take notes the figures in out, as a function names them, and returns how many there
// are.
func (r *runner) take(out []byte, now moment, as func(figure) figure) int {
	all, err := measure.Objects[figure](out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare: a line that is no figure:", err)
	}
	for _, f := range all {
		f.Threads, f.Round, f.Turn = now.threads, now.round, now.turn
		for _, f := range firstCalls(as(f)) {
			r.session.figures = append(r.session.figures, f)
			_ = json.NewEncoder(r.log).Encode(f)
		}
	}
	return len(all)
}

func linesWith(said, word string) []string {
	var all []string
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, word) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}
