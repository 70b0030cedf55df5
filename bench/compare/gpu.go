package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ltc/bench/measure"
)

// gpuRow is a workload of GPUs with its goals: the most seconds, the least share of the
// bandwidth of a copy, and the largest ratio of our time to the best peer's. 0 is no goal.
type gpuRow struct {
	name    string
	as      string // the workload, if it is another's with other libraries
	env     string // with which our side is run
	seconds float64
	copied  float64
	ratio   float64
	against []string // what names of peers that count begin with; nil: all
}

// gpuRows are in the order in which they are measured: there may not be time for all.
var gpuRows = []gpuRow{
	{name: "peak_device_copy"},
	{name: "graph_costs"},
	{name: "ew_affine_relu_256M", copied: 0.93},
	{name: "softmax_16384x4096_bf16", copied: 0.90, ratio: 1, against: []string{"torch_compile"}},
	{name: "layernorm_16384x4096_bf16", copied: 0.90, ratio: 1, against: []string{"torch_compile"}},
	{name: "bf16matmul_8192", ratio: 1 / 0.98, against: []string{"torch"}},
	{name: "bf16matmul_8192_own", as: "bf16matmul_8192", env: "LTC_LIBCUBLASLT=none", ratio: 1 / 0.8, against: []string{"torch"}},
	{name: "attention_16x8192x128_causal", ratio: 1 / 0.6, against: []string{"torch"}},
	{name: "train_mlp", ratio: 1, against: []string{"torch"}},
	{name: "encoder_b1_s128", ratio: 1, against: []string{"torch"}},
	{name: "encoder_b8_s128", ratio: 1, against: []string{"torch"}},
	{name: "step100_mix_host", seconds: 15e-6},
	{name: "conv3x3_32x28x128_bf16", against: []string{"torch"}},
	{name: "bf16matmul_4096"},
	{name: "matmul_2048"}, {name: "matmul_512"}, {name: "bf16matmul_2048"},
	{name: "softmax_4096x1024"}, {name: "layernorm_4096x1024"}, {name: "transpose_4096"},
	{name: "sum0_4096"}, {name: "sum1_4096"}, {name: "sumall_4096"},
	{name: "matvec_4096"}, {name: "bmm_96x128x32x128"}, {name: "bmm_96x128x128x32"}, {name: "linear_gelu_512x384x1536"},
	{name: "conv3_1x64x56"}, {name: "conv3_32x64x56"}, {name: "conv7s2_1x3x224"},
	{name: "ew_tanh_16M"}, {name: "ew_gelu_16M"}, {name: "ew_expgelu_16M"}, {name: "ew_fma3_16M"}, {name: "ew_chain20_16M"}, {name: "ew_affine_relu_16M"},
	{name: "matmul_128"}, {name: "matmul_256"}, {name: "matmul_1024"}, {name: "bf16matmul_512"}, {name: "bf16matmul_1024"},
	{name: "ew_affine_relu_64K"}, {name: "ew_tanh_64K"}, {name: "ew_gelu_64K"}, {name: "ew_expgelu_64K"}, {name: "ew_fma3_64K"}, {name: "ew_chain20_64K"},
	{name: "step1_add_cached"}, {name: "step100_mix_cached"}, {name: "step1000_mix_cached"}, {name: "compile_ew100"},
}

// ourselves are rows that no peer is asked for.
var ourselves = map[string]bool{
	"peak_device_copy": true, "graph_costs": true, "step1_add_cached": true, "step100_mix_cached": true, "step1000_mix_cached": true, "compile_ew100": true,
	"conv3_1x64x56": true, "conv3_32x64x56": true, "conv7s2_1x3x224": true,
}

// workload is what peers and ./bench call it.
func (g gpuRow) workload() string {
	if g.as != "" {
		return g.as
	}
	return g.name
}

func (g gpuRow) row() row { return row{name: g.name, against: g.against} }

// measureGPU measures all rows, of each all sides by turns: ours, the peers, the peers
// the other way round, ours. Peers are programs that wait for the names of rows, so
// that what they compile and load counts once.
func (o *options) measureGPU(ctx context.Context) (*session, error) {
	r := &runner{ctx: ctx, options: o, missing: map[string]string{}}
	if err := r.prepareGPU(); err != nil {
		return nil, err
	}
	defer r.close()
	deadline := time.Now().Add(o.total)
	var sides []*served
	for _, name := range []string{"torch", "jax"} {
		if r.only == "" || strings.Contains(","+r.only+",", ","+name+",") {
			p := &served{name: name}
			defer p.stop()
			sides = append(sides, p)
		}
	}
	for _, g := range gpuRows {
		if !o.run.MatchString(g.name) {
			continue
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			r.miss(g.name, "the time was over")
			continue
		}
		for round := 1; round <= r.rounds; round++ {
			r.turn(g, sides, round, deadline)
		}
		r.session.printGPU(os.Stdout, g)
	}
	return r.session, nil
}

// errNoGPU is the error of [options.measureGPU] where our side has nothing to run on.
var errNoGPU = errors.New("there is no GPU that the backend can use")

// prepareGPU finds or builds our side. The error wraps [errNoGPU] if its backend
// cannot be opened.
func (r *runner) prepareGPU() error {
	var err error
	if r.scratch, err = filepath.Abs(r.options.scratch); err != nil {
		return err
	}
	if err = os.MkdirAll(r.scratch, 0o777); err != nil {
		return err
	}
	if r.bench = r.options.bench; r.bench == "" {
		if r.bench, err = r.build(); err != nil {
			return err
		}
	}
	if err := r.opens(); err != nil {
		return err
	}
	if err := r.begin(); err != nil {
		return err
	}
	out, err := exec.Command("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader").Output()
	if version, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); err == nil && version != "" {
		r.session.Driver = version
	}
	return nil
}

// opens asks our side, in a process of its own, whether it can open its backend: it
// ends with status 1 if it cannot.
func (r *runner) opens() error {
	var why bytes.Buffer
	c := exec.CommandContext(r.ctx, r.bench, "-device", "-backend", r.backend)
	c.Stderr = &why
	err := c.Run()
	if e := (*exec.ExitError)(nil); errors.As(err, &e) && e.ExitCode() == 1 {
		return fmt.Errorf("%w: %s", errNoGPU, strings.TrimPrefix(oneLine(why.String()), "bench: "))
	}
	if err != nil {
		return fmt.Errorf("%s -device: %w: %s", r.bench, err, oneLine(why.String()))
	}
	return nil
}

// turn is a round of a row: ours is first in every other.
func (r *runner) turn(g gpuRow, sides []*served, round int, deadline time.Time) {
	limit := min(r.limit, time.Until(deadline))
	mine := func() { r.ownGPU(g, round, limit) }
	if round%2 == 1 {
		mine()
	}
	for i := range sides {
		p := sides[i]
		if round%2 == 0 {
			p = sides[len(sides)-1-i]
		}
		if ourselves[g.name] || g.as != "" || r.missing[p.name] != "" || p.cannot[g.name] {
			continue
		}
		limit = min(r.limit, time.Until(deadline))
		figures, err := p.ask(r, g.name, limit)
		if err != nil {
			r.miss(strings.TrimSpace(p.name+" "+p.about), err.Error())
		}
		for _, f := range figures {
			if f.Error != "" {
				r.miss(name(f.Peer)+" "+f.W, f.Error)
			}
			r.note(f, round)
		}
	}
	if round%2 == 0 {
		mine()
	}
}

// ownGPU measures our side of a row.
func (r *runner) ownGPU(g gpuRow, round int, limit time.Duration) {
	ctx, stop := context.WithTimeout(r.ctx, limit)
	defer stop()
	args := []string{"-json", "-backend", r.backend, "-threads", strconv.Itoa(r.goroutines()), "-run", "^" + g.workload() + "$"}
	if r.small {
		args = append(args, "-small")
	}
	c := exec.CommandContext(ctx, r.bench, args...)
	c.WaitDelay = time.Second
	c.Stderr = os.Stderr
	if g.env != "" {
		c.Env = append(os.Environ(), g.env)
	}
	out, err := c.Output()
	all, _ := measure.Objects[figure](out)
	for _, f := range all {
		if f.W == g.workload() {
			f.W = g.name
		}
		r.note(f, round)
	}
	n := len(all)
	switch {
	case ctx.Err() != nil && r.ctx.Err() == nil:
		r.note(figure{Peer: us, W: g.name, Error: fmt.Sprintf("it took longer than %v", limit.Round(time.Second))}, round)
	case n == 0 && err != nil:
		r.note(figure{Peer: us, W: g.name, Error: err.Error()}, round)
	}
}

// goroutines is for how many threads ours is given: one queues, and Go's collector has
// another, as Python's libraries have theirs.
func (r *runner) goroutines() int { return 2 }

// note keeps a figure.
func (r *runner) note(f figure, round int) {
	f.Round, f.Threads = round, 1
	r.session.figures = append(r.session.figures, f)
	_ = json.NewEncoder(r.log).Encode(f)
}

// served is a peer's program, which waits for names of rows.
type served struct {
	name, about string
	cmd         *exec.Cmd
	in          *os.File
	lines       chan string
	cannot      map[string]bool // rows that it has not come back from
}

// starting is how long a peer may take until it is ready.
const starting = 2 * time.Minute

// ask measures a row, and starts the peer if need be. One that takes too long is ended,
// and not asked for that row again.
func (p *served) ask(r *runner, row string, limit time.Duration) ([]figure, error) {
	p.about = ""
	if p.cmd == nil {
		if err := p.start(r); err != nil {
			p.stop()
			return nil, err
		}
	}
	p.about = row
	if _, err := fmt.Fprintln(p.in, row); err != nil {
		p.stop()
		return nil, err
	}
	figures, err := p.read(r.ctx, limit, "done")
	if err != nil {
		if p.cannot == nil {
			p.cannot = map[string]bool{}
		}
		p.cannot[row] = true
		p.stop()
	}
	return figures, err
}

// start starts a peer and waits until it is ready.
func (p *served) start(r *runner) error {
	args := []string{r.scripts, p.name}
	if r.small {
		args = append(args, "--small", "--cpu")
	}
	p.cmd = exec.Command(r.python, args...)
	in, w, err := os.Pipe()
	if err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	file := filepath.Join(r.scratch, p.name+".log")
	complaint, err := os.Create(file)
	if err != nil {
		return err
	}
	defer complaint.Close()
	p.cmd.Stdin, p.in, p.cmd.Stderr = in, w, complaint
	err = p.cmd.Start()
	_ = in.Close()
	if err != nil {
		p.cmd = nil
		return err
	}
	p.lines = make(chan string, 64)
	go forward(out, p.lines)
	_, err = p.read(r.ctx, starting, "ready")
	if errors.Is(err, errEnded) {
		said, _ := os.ReadFile(file)
		err = measure.Complaint(string(said), err)
	}
	return err
}

var errEnded = errors.New("the program has ended")

// read takes figures up to a line with the key last.
func (p *served) read(ctx context.Context, limit time.Duration, last string) ([]figure, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var all []figure
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				return all, errEnded
			}
			if strings.HasPrefix(line, `{"`+last+`"`) {
				return all, nil
			}
			var f figure
			if json.Unmarshal([]byte(line), &f) == nil && f.Peer != "" { // libraries print, too
				all = append(all, f)
			}
		case <-timer.C:
			return all, fmt.Errorf("it took longer than %v", limit.Round(time.Second))
		case <-ctx.Done():
			return all, ctx.Err()
		}
	}
}

// forward sends a program's lines on.
func forward(out io.Reader, to chan<- string) {
	defer close(to)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		to <- lines.Text()
	}
}

// stop ends the program.
func (p *served) stop() {
	if p.in != nil {
		_ = p.in.Close()
	}
	if p.cmd != nil && p.cmd.Process != nil {
		_ = p.cmd.Process.Kill()
		go p.cmd.Wait()
	}
	p.cmd, p.in = nil, nil
}
