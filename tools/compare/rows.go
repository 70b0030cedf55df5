package main

import (
	"fmt"
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
}

// group is the rows that are measured in one process of each side.
type group struct {
	ours string // what ./bench is asked to -run
	rows []row
	asks []ask
}

// ask is what a peer's script is asked.
type ask struct {
	peer, what, filter string
	warm               bool // without page faults of fresh memory
}

func (a ask) String() string {
	s := strings.TrimSpace(fmt.Sprintf("%s %s %s", a.peer, a.what, a.filter))
	if a.warm {
		s += ", no page faults"
	}
	return s
}

func (g group) matches(re *regexp.Regexp) bool {
	return slices.ContainsFunc(g.rows, func(r row) bool { return re.MatchString(r.name) })
}

// frameworks are asked for every program; compiled, which takes long to start,
// where it has been the best.
var (
	frameworks = []string{"numpy", "jax", "ort", "iree", "torch_eager"}
	compiled   = regexp.MustCompile(`^(ew_.*_16M|layernorm_.*|sum1_.*|transpose_.*)$`)
	large      = regexp.MustCompile(`^(ew_.*_16M|softmax_.*|layernorm_.*|transpose_.*|matmul_2048)$`)
)

// programs are the workloads that are one expression. The reach is the ratio of
// what is wanted to what the best peer took on the machine where it was set.
var programs = []row{
	{name: "ew_affine_relu_16M", reach: 4.5 / 4.4},
	{name: "ew_tanh_16M", reach: 6.6 / 6.6},
	{name: "ew_gelu_16M", reach: 6.7 / 6.6},
	{name: "ew_expgelu_16M", reach: 12 / 11.8},
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
	{name: "matmul_256"},
	{name: "matmul_512", reach: 110.0 / 111},
	{name: "matmul_1024", reach: 109.0 / 109},
	{name: "matmul_2048", reach: 103.0 / 107},
	{name: "bf16matmul_512"},
	{name: "bf16matmul_1024", reach: 214.0 / 214},
	{name: "bf16matmul_2048"},
	{name: "matvec_4096"},
	{name: "bmm_96x128x32x128", reach: 0.94 / 0.937},
	{name: "bmm_96x128x128x32", reach: 0.94 / 0.937},
	{name: "linear_gelu_512x384x1536", reach: 5.7 / 5.72},
}

// groups lists everything there is to compare.
func groups() []group {
	re := []string{"jax", "mlx", "torch_ltc", "tinygrad"} // those that do not run what they record
	all := []group{
		{ours: "^peak_", rows: []row{{name: "peak_fma_f32"}, {name: "peak_fma_bf16"}, {name: "peak_copy"}}},
		{
			ours: "^(record|step)",
			rows: []row{
				{name: "record_chain1000", against: re},
				{name: "record_mix1000", against: re},
				{name: "step1_add_cached", against: re},
				{name: "step100_mix_cached", reach: 60.0 / 24, against: []string{"jax"}},
				{name: "step1000_mix_cached", against: re},
				{name: "step100_first", against: re},
			},
			asks: []ask{{peer: "jax", what: "trace"}, {peer: "mlx", what: "trace"}, {peer: "torch_ltc", what: "trace"}},
		},
		{
			ours: "^compile_ew100$",
			rows: []row{{name: "compile_ew100"}},
			asks: []ask{{peer: "jax", what: "compile"}, {peer: "torch_ltc", what: "compile"}, {peer: "iree", what: "compile"}},
		},
		{
			ours: "^train_mlp",
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
	}
	for _, r := range programs {
		g := group{ours: "^" + r.name + "$", rows: []row{r}}
		for _, p := range frameworks {
			g.ask(p, r.name)
		}
		if compiled.MatchString(r.name) {
			g.ask("torch_compile", r.name)
		}
		all = append(all, g)
	}
	return all
}

// ask adds a question about a program; a large one is asked without page
// faults, too.
func (g *group) ask(peer, name string) {
	g.asks = append(g.asks, ask{peer: peer, what: "ops", filter: name})
	if large.MatchString(name) {
		g.asks = append(g.asks, ask{peer: peer, what: "ops", filter: name, warm: true})
	}
}
