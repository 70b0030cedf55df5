package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"ltc/bench/measure"
)

// figure is a line that ./bench or a peer's script prints.
type figure struct {
	Peer      string  `json:"peer"`
	W         string  `json:"w"`
	Threads   int     `json:"threads"`
	Median    float64 `json:"med_s"`
	Min       float64 `json:"min_s"`
	Reps      int     `json:"reps"`
	Load1     float64 `json:"load1"`
	PeakRSS   int     `json:"peak_rss_mib,omitempty"`
	Flops     float64 `json:"flops,omitempty"` // of a whole program: operations and bytes of a call, at least
	Bytes     float64 `json:"bytes,omitempty"`
	Written   float64 `json:"written,omitempty"` // of Bytes
	GFlops    float64 `json:"gflops,omitempty"`
	GBps      float64 `json:"gbps,omitempty"`
	Queued    float64 `json:"queued_s,omitempty"` // a call of many that are queued; on GPUs
	Costs     []cost  `json:"costs,omitempty"`    // what graph_costs has found
	Fresh     float64 `json:"fresh_s,omitempty"`  // ours: a call whose result is a new tensor
	Bound     float64 `json:"bound_s,omitempty"`  // ours: a call whose weights are bound
	FirstCall float64 `json:"first_call_s,omitempty"`
	Share     float64 `json:"share,omitempty"`
	Error     string  `json:"error,omitempty"`

	Backend string `json:"backend,omitempty"` // ours
	Runs    string `json:"runs,omitempty"`    // what that tells of its device
	Round   int    `json:"round,omitempty"`
	Turn    int    `json:"turn,omitempty"` // of one thread and two; 0: in a round
}

// cost is something that costs the host, in words.
type cost struct{ What, Value string }

// noFaults is what scripts put behind the names of peers that have been spared
// page faults.
const noFaults = "+nommap"

func (f figure) ours() bool { return f.Peer == us }

// us is the peer of our own figures.
const us = "ltc"

// session is all that was measured, and where.
type session struct {
	Machine measure.Machine   `json:"machine"`
	Missing map[string]string `json:"missing"`          // by peer or question: why
	CPU     bool              `json:"cpu,omitempty"`    // processor time was measured
	AVX2    bool              `json:"avx2,omitempty"`   // AVX-512 was switched off
	Driver  string            `json:"driver,omitempty"` // NVIDIA's
	figures []figure
}

// readSession reads a file of figures and of lines that hold the rest of the
// session, the last of which counts.
func readSession(file string) (*session, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := &session{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := lines.Bytes()
		if strings.HasPrefix(string(line), `{"machine"`) {
			err = json.Unmarshal(line, s)
		} else {
			var g figure
			err = json.Unmarshal(line, &g)
			s.figures = append(s.figures, g)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return s, lines.Err()
}

// measured returns whether anything was, for so many threads.
func (s *session) measured(threads int) bool {
	return slices.ContainsFunc(s.figures, func(f figure) bool { return f.Threads == threads && f.ours() })
}

// someOurs reports whether any workload was measured on our side.
func (s *session) someOurs() bool {
	return slices.ContainsFunc(s.figures, func(f figure) bool { return f.ours() && f.Error == "" && f.main() > 0 })
}

// ours returns our figure of a workload, that of the lowest median.
func (s *session) ours(w string, threads int) (figure, bool) {
	return s.lowest(func(f figure) bool { return f.W == w && f.Threads == threads && f.ours() && f.Turn == 0 })
}

// turns returns our figures of the turns of a workload, in their order, for so many
// threads.
func (s *session) turns(w string, threads int) (all []figure) {
	for _, f := range s.figures {
		if f.W == w && f.Threads == threads && f.ours() && f.Turn > 0 && f.Median > 0 {
			all = append(all, f)
		}
	}
	return all
}

// best returns the fastest peer in a row, with page faults or without.
func (s *session) best(r row, threads int, faults bool) (figure, bool) {
	return s.lowest(func(f figure) bool {
		return f.W == r.theirs() && f.Threads == threads && !f.ours() &&
			strings.HasSuffix(f.Peer, noFaults) != faults && r.counts(f.Peer)
	})
}

// counts reports whether a peer is one that the row is held against.
func (r row) counts(peer string) bool {
	return r.against == nil || slices.ContainsFunc(r.against, func(p string) bool { return strings.HasPrefix(peer, p) })
}

func (s *session) lowest(of func(figure) bool) (best figure, ok bool) {
	for _, f := range s.figures {
		if of(f) && f.Error == "" && f.Median > 0 && (!ok || f.Median < best.Median) {
			best, ok = f, true
		}
	}
	return best, ok
}

// settled gives PyTorch's lazy tensor core one name: a script calls it as we
// call ourselves.
func settled(f figure) figure {
	if rest, ok := strings.CutPrefix(f.Peer, us+"_"); ok {
		f.Peer = "torch_ltc_" + rest
	}
	return f
}

// firstCalls gives the first calls of a training script rows of their own,
// named like ours.
func firstCalls(f figure) []figure {
	if f.W != "train_mlp" || f.FirstCall == 0 || f.ours() {
		return []figure{f}
	}
	first := f
	first.Median, first.Min, first.Reps, first.GFlops = f.FirstCall, f.FirstCall, 1, 0
	a, b := first, first
	a.W, b.W = "train_mlp_first", "train_mlp_first_cached"
	return []figure{f, a, b}
}
