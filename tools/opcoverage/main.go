// Opcoverage writes docs/op-coverage.md and the pages below docs/op-coverage: what each of
// PyTorch's operators is here. table.tsv has them, a line each; the totals stand in the
// README, too. names.tsv has other functions that users of PyTorch write:
//
//	go run ./tools/opcoverage
//
// A Go name of the table that does not exist is an error.
package main

//go:generate go run .

import (
	_ "embed"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ltc/internal/diag"
)

//go:embed table.tsv
var table string

//go:embed names.tsv
var functions string

// row is an operator of PyTorch.
type row struct {
	name   string // with its overload
	family string
	state  state
	names  []string // Go names, of those that it is made of
	note   string
}

// state is what an operator is here.
type state string

// The states, in the order of the pages.
const (
	direct   state = "yes"      // one call
	composed state = "few"      // a few calls
	gradient state = "gradient" // comes through Grad
	excluded state = "no"       // left out by design
	absent   state = "absent"   // not there yet
)

var states = []struct {
	state       state
	short, what string
}{
	{direct, "one call", "one call of the function or method named"},
	{composed, "a few calls", "a few calls, named with how they go together where that is not obvious"},
	{gradient, "gradient", "a backward op: `lazy.Grad` and `Backward` record it for the forward op that is named"},
	{excluded, "left out", "left out by design, with the reason"},
	{absent, "not yet", "not there yet"},
}

// page is a page of families.
type page struct {
	file, title string
	families    []string
}

var pages = []page{
	{"elementwise.md", "Elementwise ops", []string{"elementwise", "comparison and logic", "complex"}},
	{"shape.md", "Shapes and views", []string{"shape, views"}},
	{"indexing.md", "Indexing, scatters and sorting", []string{"indexing", "scatter, gather", "sorting"}},
	{"reductions.md", "Reductions and scans", []string{"reductions", "scans (cum*)"}},
	{"making.md", "Making and copying tensors", []string{"factories", "random", "copy, transfer", "ltc-internal"}},
	{"networks.md", "Activations, norms, losses and optimizers", []string{"activations", "norms", "loss", "rnn", "optim, foreach, amp"}},
	{"windows.md", "Convolutions, pools and resampling", []string{"conv", "pooling", "image resampling"}},
	{"linalg.md", "Linear algebra, Fourier transforms and quantization", []string{"matmul, linalg", "linalg decompositions", "fft", "quantized"}},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("opcoverage: ")
	if err := write(filepath.Join("..", "..")); err != nil {
		log.Fatal(err)
	}
}

// write writes all files below the module's root.
func write(root string) error {
	files, err := generate(root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(root, "docs", "op-coverage"), 0o777); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the files by their names.
func generate(root string) (map[string]string, error) {
	rows, err := parse(table)
	if err != nil {
		return nil, err
	}
	others, err := parseFunctions(functions)
	if err != nil {
		return nil, err
	}
	if err := newNames(root).check(slices.Concat(rows, others)); err != nil {
		return nil, err
	}
	files := map[string]string{"docs/op-coverage.md": index(rows), "docs/op-coverage/" + functionsFile: functionsPage(others)}
	for _, p := range pages {
		files["docs/op-coverage/"+p.file] = p.text(rows)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		return nil, err
	}
	files["README.md"], err = withTotals(string(readme), rows)
	return files, err
}

// parse reads the table.
func parse(table string) ([]row, error) {
	var rows []row
	for i, line := range strings.Split(strings.TrimRight(table, "\n"), "\n") {
		if i == 0 {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 5 {
			return nil, fmt.Errorf("table.tsv:%d: %s: want name, family, state, Go names, note", i+1, diag.Count(len(f), "column"))
		}
		r := row{f[0], f[1], state(f[2]), strings.Fields(f[3]), f[4]}
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("table.tsv:%d: %s: %w", i+1, r.name, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// functionsFile is the page of other functions.
const functionsFile = "functions.md"

// parseFunctions reads the table of other functions.
func parseFunctions(table string) ([]row, error) {
	var rows []row
	for i, line := range strings.Split(strings.TrimRight(table, "\n"), "\n")[1:] {
		f := strings.Split(line, "\t")
		if len(f) != 3 || f[1] == "" {
			return nil, fmt.Errorf("names.tsv:%d: %s: want name, Go names, note", i+2, diag.Count(len(f), "column"))
		}
		rows = append(rows, row{name: f[0], names: strings.Fields(f[1]), note: f[2]})
	}
	return rows, nil
}

// functionsPage is the page of other functions.
func functionsPage(rows []row) string {
	var b strings.Builder
	b.WriteString("# Other functions of PyTorch\nFunctions and methods that users write, and that are none of the [operators](../op-coverage.md): variants of them, and those of `torch.linalg`, `torch.fft`, `torch.special` and `F`, which is `torch.nn.functional`.\n\n| PyTorch | here | note |\n|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", r.name, strings.Join(r.names, "`, `"), r.note)
	}
	return b.String()
}

// check reports what a row lacks.
func (r row) check() error {
	known := slices.ContainsFunc(pages, func(p page) bool { return slices.Contains(p.families, r.family) })
	switch r.state {
	case direct:
		if len(r.names) == 0 {
			return fmt.Errorf("state %s without a Go name", r.state)
		}
	case composed:
		if len(r.names) == 0 || len(r.names) == 1 && r.note == "" {
			return fmt.Errorf("state %s without the Go names, or a note of how one is called", r.state)
		}
	case excluded:
		if r.note == "" {
			return fmt.Errorf("state %s without a reason", r.state)
		}
	case gradient, absent:
	default:
		return fmt.Errorf("unknown state %q", r.state)
	}
	if !known {
		return fmt.Errorf("family %q is on no page", r.family)
	}
	return nil
}

// totals counts the rows of each state.
func totals(rows []row) map[state]int {
	n := map[state]int{}
	for _, r := range rows {
		n[r.state]++
	}
	return n
}

func index(rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# PyTorch's operators\nThese pages say what each of %s of PyTorch is here: those that its lazy tensor core generates or torch_xla supports, and a few that go with them. `tools/opcoverage` writes them from its table, and fails on a Go name that does not exist.\n\n", diag.Count(len(rows), "operator"))
	b.WriteString("| state | operators | what it says |\n|---|---|---|\n")
	n := totals(rows)
	for _, s := range states {
		if n[s.state] > 0 {
			fmt.Fprintf(&b, "| %s | %d | %s |\n", s.short, n[s.state], s.what)
		}
	}
	b.WriteString("\n| page |")
	for _, s := range states {
		if n[s.state] > 0 {
			fmt.Fprintf(&b, " %s |", s.short)
		}
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(n)) + "\n")
	for _, p := range pages {
		fmt.Fprintf(&b, "| [%s](op-coverage/%s) |", p.title, p.file)
		of := totals(p.rows(rows))
		for _, s := range states {
			if n[s.state] > 0 {
				fmt.Fprintf(&b, " %d |", of[s.state])
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\n[Other functions](op-coverage/%s) has what users write besides, such as `torch.unique` and `torch.median`.\n", functionsFile)
	b.WriteString("\nA name without a package is a method of a tensor: `MatMul`. Out variants (`add.out`) are left out of the count: in-place methods (`Add_`) write the receiver, and `lazy.Into` and `IntoView` have a step write a result to memory of the caller. Sparse, nested and named tensors are left out by design: a tensor is dense, and its axes are numbers.\n")
	return b.String()
}

func (p page) rows(rows []row) []row {
	var all []row
	for _, r := range rows {
		if slices.Contains(p.families, r.family) {
			all = append(all, r)
		}
	}
	return all
}

func (p page) text(rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\nOperators of PyTorch and what they are here; [the index](../op-coverage.md) explains the states.\n", p.title)
	for _, family := range p.families {
		fmt.Fprintf(&b, "\n## %s\n| operator | state | here | note |\n|---|---|---|---|\n", strings.ToUpper(family[:1])+family[1:])
		for _, r := range rows {
			if r.family == family {
				b.WriteString(r.line())
			}
		}
	}
	return b.String()
}

func (r row) line() string {
	short := ""
	for _, s := range states {
		if s.state == r.state {
			short = s.short
		}
	}
	here := ""
	if len(r.names) > 0 {
		here = "`" + strings.Join(r.names, "`, `") + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s |\n", r.name, short, here, r.note)
}

var total = regexp.MustCompile(`(?m)^\| PyTorch's operators \|.*\n`)

// withTotals returns the README with its line on the totals.
func withTotals(readme string, rows []row) (string, error) {
	if len(total.FindAllString(readme, -1)) != 1 {
		return "", fmt.Errorf("README.md has not one line that begins with | PyTorch's operators |")
	}
	n := totals(rows)
	line := fmt.Sprintf("| PyTorch's operators | of %d, %d are one call here, %d a few, %d come through gradients; %d are left out by design", len(rows), n[direct], n[composed], n[gradient], n[excluded])
	if n[absent] > 0 {
		line += fmt.Sprintf(", and %d not there yet", n[absent])
	}
	return total.ReplaceAllLiteralString(readme, line+" | [each of them](docs/op-coverage.md) |\n"), nil
}
