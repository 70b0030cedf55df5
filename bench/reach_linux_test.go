package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda"
	"ltc/backends/cuda/cublaslt"
	"ltc/internal/test/cudafake"
	"ltc/internal/test/golden"
	"ltc/lazy"
	"ltc/soa"
)

// Where what can be shown without a GPU stands, which TestReach writes with -update.
const (
	reachPage  = "../docs/gpu-tests.md"
	reachBegin = "<!-- go -C bench test . -run TestReach -update writes this -->\n"
	reachEnd   = "<!-- to here -->\n"
	assembled  = "../backends/cuda/ptx/testdata/ptxas.tsv"
)

// What an H200 has, and each of its multiprocessors.
const (
	processors      = 132
	threadsOf       = 2048
	registersOf     = 65536
	sharedOf        = 228 << 10
	sharedOfABlock  = 1 << 10 // that each block takes besides
	registersAtOnce = 256     // that a warp gets
)

// The page says which goals can be shown without a GPU. They are taken from the text that
// an H200 would get, from what NVIDIA's assembler said of that, and from runs on a driver
// that queues nothing.
func TestReach(t *testing.T) {
	dev, err := lazy.Open("null")
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString(reachBegin)
	b.WriteString("| workload | loads an element, by operand | least | stores | at a time | registers | on a multiprocessor |\n|---|---|---|---|---|---|---|\n")
	for _, name := range []string{"ew_affine_relu_256M", "softmax_16384x4096_bf16", "layernorm_16384x4096_bf16"} {
		b.WriteString(listed(t, dev, name).throughMemory(t, name))
	}
	b.WriteString("\n| workload | `wgmma.mma_async` | copies of boxes | mbarriers | a block's memory | registers | on a multiprocessor |\n|---|---|---|---|---|---|---|\n")
	for _, name := range []string{"bf16matmul_8192", "attention_16x8192x128_causal"} {
		b.WriteString(listed(t, dev, name).multiplied(t, name))
	}
	b.WriteString("\n| step | kernels | a run queues | with cuBLASLt | products of fewer blocks than multiprocessors | with K in parts |\n|---|---|---|---|---|---|\n")
	for _, name := range []string{"train_mlp", "encoder_b1_s128", "encoder_b8_s128"} {
		b.WriteString(listed(t, dev, name).step(t, name))
	}
	b.WriteString(reachEnd)

	page, err := os.ReadFile(reachPage)
	require.NoError(t, err)
	before, rest, begins := strings.Cut(string(page), reachBegin)
	_, after, ends := strings.Cut(rest, reachEnd)
	require.True(t, begins && ends)
	t.Log(b.String())
	golden.Is(t, reachPage, before+b.String()+after)
}

// listing is what a workload is for an H200.
type listing struct {
	module backends.Module
	text   string
}

func listed(t *testing.T, dev *lazy.Device, name string) *listing {
	m := moduleOf(t, dev, forGPUs()[name])
	text, err := cuda.HopperListing(t.Context(), m, backends.Options{})
	require.NoError(t, err)
	return &listing{m, text}
}

// launch is how the only step of a program is: that where tensor maps reach its operands,
// if there is one.
type launch struct {
	entry           string
	threads, shared int
}

var (
	boxedLaunch = regexp.MustCompile(`(?m)^// step 0: .* tensor maps reach its operands (k\d+), grid \[[\d ]+\] of blocks \[(\d+) 1 1\] with (\d+) bytes`)
	onlyLaunch  = regexp.MustCompile(`(?m)^// step 0: (k\d+): .*, grid \[[\d ]+\] of blocks \[(\d+) 1 1\](?: with (\d+) bytes)?`)
)

func (l *listing) launch(t *testing.T) launch {
	require.NotContains(t, l.text, "\n// step 1: ")
	found := boxedLaunch.FindStringSubmatch(l.text)
	if found == nil {
		found = onlyLaunch.FindStringSubmatch(l.text)
	}
	require.NotNil(t, found, l.text)
	threads, err := strconv.Atoi(found[2])
	require.NoError(t, err)
	shared := 0
	if found[3] != "" {
		shared, err = strconv.Atoi(found[3])
		require.NoError(t, err)
	}
	return launch{found[1], threads, shared}
}

// entry returns the text of an entry.
func (l *listing) entry(t *testing.T, name string) string {
	_, text, ok := strings.Cut(l.text, ".visible .entry "+name+"(")
	require.True(t, ok)
	text, _, ok = strings.Cut(text, "\n}\n")
	require.True(t, ok)
	return text
}

// registers returns how many registers a thread of an entry has by the table of what
// the assembler said: kernels that spill are not in it.
func (l *listing) registers(t *testing.T, workload, entry string) int {
	table, err := os.ReadFile(assembled)
	require.NoError(t, err)
	row := "bench/" + workload
	if strings.Contains(l.text, "\n.target "+hopper+"\n") {
		row += "/" + hopper
	}
	if strings.Count(l.text, ".visible .entry ") > 1 {
		row += "/" + entry
	}
	_, columns, ok := strings.Cut(string(table), "\n"+row+"\t")
	require.True(t, ok, "%s has no row %s: make ptxas PTXASFLAGS=-update writes it", assembled, row)
	n, err := strconv.Atoi(strings.Split(columns, "\t")[2])
	require.NoError(t, err)
	return n
}

// resident says how many blocks share a multiprocessor.
func (l launch) resident(registers int) string {
	warps := l.threads / 32
	ofWarp := (registers*32 + registersAtOnce - 1) / registersAtOnce * registersAtOnce
	blocks := registersOf / 4 / ofWarp * 4 / warps // each of four schedulers has a quarter
	blocks = min(blocks, threadsOf/l.threads, sharedOf/(l.shared+sharedOfABlock))
	return fmt.Sprintf("%d × %d threads", blocks, l.threads)
}

var (
	vectors   = regexp.MustCompile(`(ld|st)\.global\.v(\d)\.[fub](\d+) .*\[(%rd\d+)\]`)
	addresses = regexp.MustCompile(`(?m)^\tadd\.s64 (%rd\d+), %rd\d+, (%rd\d+);$`)
	bases     = regexp.MustCompile(`(?m)^\tld\.param\.u64 (%rd\d+), \[a(\d+)\];$`)
)

// throughMemory is the row of a kernel that takes as long as its bytes do: what a thread
// loads and stores by vectors in one pass, which is once.
func (l *listing) throughMemory(t *testing.T, name string) string {
	at := l.launch(t)
	entry := l.entry(t, at.entry)
	operand, base := map[string]string{}, map[string]string{}
	for _, m := range bases.FindAllStringSubmatch(entry, -1) {
		operand[m[1]] = m[2]
	}
	for _, m := range addresses.FindAllStringSubmatch(entry, -1) {
		base[m[1]] = operand[m[2]]
	}
	p, err := backends.Load(t.Context(), l.module, backends.Options{})
	require.NoError(t, err)
	args, result := p.Signature.Args, p.Signature.Results[0].Type
	loads, stores, width := make([]int, len(args)), 0, map[int]bool{}
	for _, m := range vectors.FindAllStringSubmatch(entry, -1) {
		var n, bits, of int
		_, err := fmt.Sscan(m[2]+" "+m[3]+" "+base[m[4]], &n, &bits, &of)
		require.NoError(t, err, m[0])
		width[n*bits/8] = true
		if m[1] == "st" {
			require.Equal(t, len(args), of, "operands are the arguments, then the result")
			stores += n * bits / 8
		} else {
			loads[of] += n * bits / 8
		}
	}
	require.Equal(t, map[int]bool{16: true}, width)
	elements := stores / result.DType.Size() // of a thread's pass
	if rows := result.Shape; len(rows) > 1 {
		require.Equal(t, rows[len(rows)-1], elements*at.threads, "a block's pass is a row")
	}
	var each []string
	least := 0.0
	for i, a := range args {
		require.Zero(t, loads[i]%elements)
		each = append(each, fmt.Sprint(loads[i]/elements))
		least += float64(a.Type.Bytes()) / float64(result.Elements())
	}
	n := l.registers(t, name, at.entry)
	return fmt.Sprintf("| `%s` | %s bytes | %.3g | %d of %d | 16 bytes | %d | %s |\n", name, strings.Join(each, " + "), least,
		stores/elements, result.DType.Size(), n, at.resident(n))
}

// multiplied is the row of a kernel whose warpgroups multiply.
func (l *listing) multiplied(t *testing.T, name string) string {
	at := l.launch(t)
	entry := l.entry(t, at.entry)
	products, copies, bars := strings.Count(entry, "wgmma.mma_async"), strings.Count(entry, "cp.async.bulk.tensor"), strings.Count(entry, "mbarrier.init")
	require.Positive(t, products)
	require.Positive(t, copies)
	n := l.registers(t, name, at.entry)
	return fmt.Sprintf("| `%s` | %d | %d | %d | %d bytes | %d | %s |\n", name, products, copies, bars, at.shared, n, at.resident(n))
}

var (
	stepLine    = regexp.MustCompile(`(?m)^// step \d+: `)
	partsOfK    = regexp.MustCompile(`(?m)^// step \d+: .*, K in \d+ parts`)
	productLine = regexp.MustCompile(`(?m)^// step \d+: k\d+: .*matmul .*, grid \[(\d+) (\d+) (\d+)\]`)
)

// step is the row of a step of many kernels. The listing says the same of graphs.
func (l *listing) step(t *testing.T, name string) string {
	own, with := l.queued(t, false), l.queued(t, true)
	steps := len(stepLine.FindAllString(l.text, -1))
	if own == (cuda.Launches{Graphs: 1}) {
		require.Contains(t, l.text, fmt.Sprintf("// steps 0 to %d: queued as one graph, but in the first run", steps-1))
	}
	require.Equal(t, own != with, strings.Contains(l.text, "where libraries compute what they would"))
	few, all, fewest := 0, 0, int64(1)<<40
	for _, m := range productLine.FindAllStringSubmatch(l.text, -1) {
		var x, y, z int64
		_, err := fmt.Sscan(m[1]+" "+m[2]+" "+m[3], &x, &y, &z)
		require.NoError(t, err)
		all++
		fewest = min(fewest, x*y*z)
		if x*y*z < processors {
			few++
		}
	}
	return fmt.Sprintf("| `%s` | %d | %s | %s | %d of %d; the smallest has %d | %d |\n", name, steps, said(own), said(with), few, all, fewest,
		len(partsOfK.FindAllString(l.text, -1)))
}

// said says what a run has queued.
func said(n cuda.Launches) string {
	var all []string
	for _, c := range []struct {
		n    int64
		what string
	}{{n.Graphs, "graph"}, {n.Kernels, "kernel"}, {n.Products, "product"}} {
		switch {
		case c.n == 1:
			all = append(all, "1 "+c.what)
		case c.n > 1:
			all = append(all, fmt.Sprintf("%d %ss", c.n, c.what))
		}
	}
	return strings.Join(all, ", ")
}

// queued returns what a run queues that has the arguments of the one before, on a driver
// that runs nothing, with cuBLASLt or without.
func (l *listing) queued(t *testing.T, library bool) cuda.Launches {
	f := cudafake.New(cudafake.Options{Major: 9, Processors: processors, Memory: 8 << 30})
	d, leave, err := f.Stubbed("cuLaunchKernel", "cuGraphLaunch", "cuGraphExecKernelNodeSetParams_v2")
	require.NoError(t, err)
	defer leave()
	dev, err := cuda.Use(d, 0)
	require.NoError(t, err)
	if library {
		stub, err := cudafake.Stub()
		require.NoError(t, err)
		lib, err := cublaslt.Use(func(name string) uintptr {
			if name == "cublasLtMatmul" {
				return stub
			}
			return f.Lookup(name)
		}, 13)
		require.NoError(t, err)
		dev.UseLibrary(lib)
	}
	b := cuda.On(dev)
	x, err := b.Compile(t.Context(), l.module, backends.Options{})
	require.NoError(t, err)
	e := x.(interface {
		backends.Executable
		Launches() cuda.Launches
	})
	sig := e.Signature()
	c := &backends.Call{Resident: true}
	for _, a := range sig.Args {
		v, err := b.Make(a.Type)
		require.NoError(t, err)
		c.Args = append(c.Args, v)
	}
	results := make([]soa.View, len(sig.Results))
	for i, r := range sig.Results {
		if r.Alias < 0 {
			results[i], err = b.Make(r.Type)
			require.NoError(t, err)
		}
	}
	var before, after cuda.Launches
	for range 4 {
		c.Results = append([]soa.View(nil), results...)
		before = e.Launches()
		require.NoError(t, e.Execute(t.Context(), c))
		after = e.Launches()
	}
	return cuda.Launches{Kernels: after.Kernels - before.Kernels, Graphs: after.Graphs - before.Graphs, Updates: after.Updates - before.Updates,
		Products: after.Products - before.Products, Views: after.Views - before.Views}
}
