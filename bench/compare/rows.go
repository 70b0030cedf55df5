package main

import (
	"regexp"
	"slices"
	"strings"
)

// row is a workload with what is to be reached.
type row struct {
	name string
	// reach is the most that our time may be of the best peer's; 0: nothing is
	// set.
	reach float64
	// against limits which peers count, by what their names begin with; nil:
	// all do.
	against []string
	// as is the row of peers that it is held against; "": that of its own name.
	as string
	// computes says that arithmetic bounds it: two threads are to be [scaling]
	// times as fast as one.
	computes bool
}

// theirs is the row of peers that r is held against.
func (r row) theirs() string {
	if r.as != "" {
		return r.as
	}
	return r.name
}

// group is the rows of which each side measures all that are wanted in one go,
// before it is the other's turn: peers take longer to start than to measure.
type group struct {
	rows []row
	asks []ask
	// once says that peers are asked in one round and for one thread alone: what
	// they measure is how long they take to record and to compile, again and
	// again already.
	once bool
	// again is how much slower than the fastest a peer may be, to be asked in later rounds;
	// 0: [again].
	again float64
}

// ours is what ./bench is asked to -run.
func (g group) ours() string {
	var names []string
	for _, r := range g.rows {
		names = append(names, r.name)
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// ask is what a peer's script is asked.
type ask struct {
	peer, what string
	rows       []string // the script measures these alone, if it can
	filter     string   // instead, for scripts that name what they measure in another way
	warm       bool     // without page faults of fresh memory
}

// words is what the script is called with.
func (a ask) words() []string {
	w := []string{a.peer, a.what}
	switch {
	case a.filter != "":
		w = append(w, a.filter)
	case len(a.rows) > 0:
		w = append(w, strings.Join(a.rows, ","))
	}
	return w
}

func (a ask) String() string {
	s := strings.Join(a.words(), " ")
	if a.warm {
		s += ", no page faults"
	}
	return s
}

// matching returns the group with the rows whose name re matches, and what
// peers are asked about them; false if there is none. Where a script cannot be
// asked for some rows, the group stays whole.
func (g group) matching(re *regexp.Regexp) (group, bool) {
	if !slices.ContainsFunc(g.rows, func(r row) bool { return re.MatchString(r.name) }) {
		return g, false
	}
	if !slices.ContainsFunc(g.asks, func(a ask) bool { return len(a.rows) > 0 }) {
		return g, true
	}
	g.rows = slices.DeleteFunc(slices.Clone(g.rows), func(r row) bool { return !re.MatchString(r.name) })
	return g.about(func(_ ask, name string) bool { return re.MatchString(name) }), true
}

// about returns the group with what its peers are asked cut down to the rows
// that keep wants of a peer. What names no rows is kept.
func (g group) about(keep func(a ask, name string) bool) group {
	var asks []ask
	for _, a := range g.asks {
		if len(a.rows) > 0 {
			a.rows = slices.DeleteFunc(slices.Clone(a.rows), func(name string) bool { return !keep(a, name) })
			if len(a.rows) == 0 {
				continue
			}
		}
		asks = append(asks, a)
	}
	g.asks = asks
	return g
}

// frameworks are asked for every program; compiled, which takes long to start,
// where it has been the best.
var (
	frameworks = []string{"numpy", "jax", "ort", "iree", "torch_eager"}
	compiled   = regexp.MustCompile(`^(ew_.*_16M|layernorm_.*|sum1_.*|transpose_.*)$`)
	large      = regexp.MustCompile(`^(ew_.*_16M|softmax_.*|layernorm_.*|transpose_.*|matmul_2048)$`)
)

// unfaulted are the large programs that a framework is asked for without page
// faults, too: those in which it has been the best then.
var unfaulted = map[string]*regexp.Regexp{
	"iree":        regexp.MustCompile(`^ew_.*_16M$`),
	"torch_eager": regexp.MustCompile(`^softmax_`),
	"jax":         regexp.MustCompile(`^matmul_2048$`),
}

// programs are the workloads that are one expression. The reach is the ratio of
// what is wanted to what the best peer took on the machine where it was set.
var programs = []row{
	{name: "ew_affine_relu_16M", reach: 4.5 / 4.4},
	{name: "ew_tanh_16M", reach: 6.6 / 6.6, computes: true},
	{name: "ew_gelu_16M", reach: 6.7 / 6.6, computes: true},
	{name: "ew_expgelu_16M", reach: 12 / 11.8, computes: true},
	{name: "ew_fma3_16M", reach: 9.0 / 10},
	{name: "ew_chain20_16M", reach: 7.0 / 7},
	{name: "ew_affine_relu_64K", reach: 8.0 / 13},
	{name: "ew_tanh_64K", reach: 29.0 / 29},
	{name: "ew_gelu_64K", reach: 29.0 / 29},
	{name: "ew_expgelu_64K", reach: 47.0 / 46},
	{name: "ew_fma3_64K", reach: 13.0 / 17},
	{name: "ew_chain20_64K", reach: 20.0 / 21},
	{name: "softmax_4096x1024", reach: 1.4 / 1.39},
	{name: "layernorm_4096x1024", reach: 1.5 / 1.49},
	{name: "sum0_4096", reach: 3.8 / 3.79},
	{name: "sum1_4096", reach: 1.8 / 1.76},
	{name: "sumall_4096"},
	{name: "transpose_4096", reach: 17 / 16.8},
	{name: "matmul_128", reach: 103.0 / 103},
	{name: "matmul_256", computes: true},
	{name: "matmul_512", reach: 110.0 / 111, computes: true},
	{name: "matmul_1024", reach: 109.0 / 109, computes: true},
	{name: "matmul_2048", reach: 103.0 / 107, computes: true},
	{name: "bf16matmul_512", computes: true},
	{name: "bf16matmul_1024", reach: 214.0 / 214, computes: true},
	{name: "bf16matmul_2048", computes: true},
	{name: "matvec_4096"},
	{name: "bmm_96x128x32x128", reach: 0.94 / 0.937, computes: true},
	{name: "bmm_96x128x128x32", reach: 0.94 / 0.937, computes: true},
	{name: "linear_gelu_512x384x1536", reach: 5.7 / 5.72, computes: true},
	{name: "conv3_1x64x56", computes: true},
	{name: "conv3_32x64x56", computes: true},
	{name: "conv7s2_1x3x224", computes: true},
}

// families are programs that are asked for together, by how their names begin
// and end.
var families = []*regexp.Regexp{
	regexp.MustCompile(`^ew_.*_16M$`), regexp.MustCompile(`^ew_.*_64K$`), regexp.MustCompile(`^(softmax|layernorm|sum|transpose)`),
	regexp.MustCompile(`^(matmul|bf16matmul)_`), regexp.MustCompile(`^(matvec|bmm|linear)`), regexp.MustCompile(`^conv`),
}

// groups lists everything there is to compare.
func groups() []group {
	all := workloads()
	for _, p := range wholePrograms {
		all = append(all, p.groups()...)
	}
	return all
}

// machinePeaks is what a machine can do at most.
var machinePeaks = group{rows: []row{{name: "peak_fma_f32"}, {name: "peak_fma_bf16"}, {name: "peak_copy"}, {name: "peak_read"}}}

// workloads lists the groups of all rows but whole programs.
func workloads() []group {
	re := []string{"jax", "mlx", "torch_ltc", "tinygrad"} // those that do not run what they record
	all := []group{
		machinePeaks,
		{
			once: true,
			rows: []row{
				{name: "record_chain1000", against: re},
				{name: "record_mix1000", against: re},
				{name: "step1_add_cached", against: re},
				{name: "step1_add_reused", as: "step1_add_cached", against: re},
				{name: "step100_mix_cached", reach: 60.0 / 24, against: []string{"jax"}},
				{name: "step100_mix_reused", as: "step100_mix_cached", against: re},
				{name: "step1000_mix_cached", against: re},
				{name: "step1000_mix_reused", as: "step1000_mix_cached", reach: 1, against: re},
				{name: "step100_first", against: re},
			},
			asks: []ask{{peer: "jax", what: "trace"}, {peer: "mlx", what: "trace"}, {peer: "torch_ltc", what: "trace"}},
		},
		{
			once: true,
			rows: []row{{name: "compile_ew100"}},
			asks: []ask{{peer: "jax", what: "compile"}, {peer: "torch_ltc", what: "compile"}, {peer: "iree", what: "compile"}},
		},
		{
			rows: []row{
				{name: "train_mlp", reach: 1.7 / 1.72},
				{name: "train_mlp_first", reach: 250.0 / 560, against: []string{"jax"}},
				{name: "train_mlp_first_cached", reach: 20.0 / 38, against: []string{"torch_ltc"}},
			},
			asks: []ask{
				{peer: "jax", what: "train", filter: "mlp"}, {peer: "numpy", what: "train", filter: "mlp"},
				{peer: "torch_eager", what: "train", filter: "mlp"}, {peer: "torch_ltc", what: "train", filter: "mlp"},
			},
		},
		{
			rows: []row{{name: "train_cnn"}},
			asks: []ask{{peer: "jax", what: "train", filter: "cnn"}, {peer: "torch_eager", what: "train", filter: "cnn"}},
		},
	}
	for _, f := range families {
		var g group
		for _, r := range programs {
			if f.MatchString(r.name) {
				g.rows = append(g.rows, r)
			}
		}
		for _, p := range frameworks {
			g.ask(p, false, nil)
			if best := unfaulted[p]; best != nil {
				g.ask(p, true, best)
			}
		}
		g.ask("torch_compile", true, compiled)
		all = append(all, g)
	}
	return all
}

// ask adds a question about the programs of a family that only matches; those
// that are large alone can do without page faults, and torch_compile is asked
// for others with them.
func (g *group) ask(peer string, warm bool, only *regexp.Regexp) {
	var rows, small []string
	for _, r := range g.rows {
		switch {
		case only != nil && !only.MatchString(r.name):
		case warm && !large.MatchString(r.name):
			small = append(small, r.name)
		default:
			rows = append(rows, r.name)
		}
	}
	if len(rows) > 0 {
		g.asks = append(g.asks, ask{peer: peer, what: "ops", rows: rows, warm: warm})
	}
	if len(small) > 0 {
		g.asks = append(g.asks, ask{peer: peer, what: "ops", rows: small})
	}
}
