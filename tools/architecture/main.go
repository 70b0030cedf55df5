// Architecture draws the packages of this module and what they import, as an SVG:
//
//	go run ./tools/architecture >docs/architecture.svg
//
// A package is below all that import it. Lines are imports, but for those that others
// imply. What is below a package that is drawn as one is a part of it; packages below
// internal, commands, tools and examples are left out.
package main

//go:generate sh -c "go run . >../../docs/architecture.svg"

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// whole are packages that are drawn with what is below them as one.
var whole = []string{"backends/cuda", "backends/kit/kernel", "backends/reference/llvm", "soa"}

// excluded are the folders that the picture leaves out.
var excluded = []string{"internal", "cmd", "tools", "docs", "examples", "bench"}

// box is a package.
type box struct {
	name    string
	imports map[string]bool
	row     int     // from the bottom
	at      float64 // place in its row, from the left
}

func main() {
	log.SetFlags(0)
	boxes, err := read()
	if err != nil {
		log.Fatal("architecture: ", err)
	}
	reduce(boxes)
	if _, err := os.Stdout.WriteString(draw(place(boxes))); err != nil {
		log.Fatal("architecture: ", err)
	}
}

// read returns the packages with all that they import.
func read() (map[string]*box, error) {
	mod, err := list("-m", "-f={{.Dir}}") // go generate and tests run this in its folder
	if err != nil {
		return nil, err
	}
	out, err := list("-C="+strings.TrimSpace(mod), "-json=ImportPath,Imports,Module", "./...")
	if err != nil {
		return nil, err
	}
	boxes := map[string]*box{}
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Imports    []string
			Module     struct{ Path string }
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return boxes, nil
		} else if err != nil {
			return nil, err
		}
		name := drawn(p.ImportPath, p.Module.Path)
		if name == "" {
			continue
		}
		if boxes[name] == nil {
			boxes[name] = &box{name: name, imports: map[string]bool{}}
		}
		for _, i := range p.Imports {
			if of := drawn(i, p.Module.Path); of != "" && of != name {
				boxes[name].imports[of] = true
			}
		}
	}
}

// list returns what go list says.
func list(args ...string) (string, error) {
	c := exec.Command("go", append([]string{"list"}, args...)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	return string(out), err
}

// drawn returns the name of the box that a package is in; empty if it is in none.
func drawn(path, module string) string {
	name, ours := strings.CutPrefix(path, module+"/")
	if !ours || strings.HasSuffix(name, "/gen") || strings.HasSuffix(name, "/buildid") || strings.Contains(name, "/internal/") {
		return ""
	}
	first, _, _ := strings.Cut(name, "/")
	if slices.Contains(excluded, first) || strings.HasSuffix(name, "test") {
		return ""
	}
	for _, w := range whole {
		if name == w || strings.HasPrefix(name, w+"/") {
			return w
		}
	}
	return name
}

// reduce drops imports that others imply, after it has found the rows.
func reduce(boxes map[string]*box) {
	reach := map[string]map[string]bool{} // by package, all that it needs
	var visit func(name string) map[string]bool
	visit = func(name string) map[string]bool {
		if r, done := reach[name]; done {
			return r
		}
		all, b := map[string]bool{}, boxes[name]
		reach[name] = all
		for i := range b.imports {
			all[i] = true
			for far := range visit(i) {
				all[far] = true
			}
			b.row = max(b.row, boxes[i].row+1)
		}
		return all
	}
	for name := range boxes {
		visit(name)
	}
	for _, b := range boxes {
		for far := range b.imports {
			for near := range b.imports {
				if near != far && reach[near][far] {
					delete(b.imports, far)
				}
			}
		}
	}
}

// sweeps is how often rows are put in order by what their packages are joined to.
const sweeps = 12

// place returns the rows, from the bottom, in an order in which few lines cross.
func place(boxes map[string]*box) [][]*box {
	var rows [][]*box
	for _, b := range boxes {
		for len(rows) <= b.row {
			rows = append(rows, nil)
		}
		rows[b.row] = append(rows[b.row], b)
	}
	for _, row := range rows {
		slices.SortFunc(row, func(a, b *box) int { return strings.Compare(a.name, b.name) })
		spread(row)
	}
	near := map[*box][]*box{}
	for _, row := range rows {
		for _, b := range row {
			for _, name := range slices.Sorted(keys(b.imports)) {
				near[b], near[boxes[name]] = append(near[b], boxes[name]), append(near[boxes[name]], b)
			}
		}
	}
	for range sweeps {
		for _, row := range rows {
			want := map[*box]float64{}
			for _, b := range row {
				want[b] = b.at
				for _, n := range near[b] {
					want[b] += n.at
				}
				want[b] /= float64(len(near[b]) + 1)
			}
			slices.SortStableFunc(row, func(a, b *box) int {
				switch {
				case want[a] < want[b]:
					return -1
				case want[a] > want[b]:
					return 1
				}
				return 0
			})
			spread(row)
		}
	}
	return rows
}

func keys(m map[string]bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// spread has the boxes of a row equally far apart, in their order.
func spread(row []*box) {
	for i, b := range row {
		b.at = (float64(i) + 0.5) / float64(len(row))
	}
}

// Sizes in the picture, in its units.
const (
	width  = 1180
	high   = 26 // height of a box
	apart  = 78 // from one row to the next
	margin = 20
	letter = 6.7 // width of a letter
)

// draw returns the picture.
func draw(rows [][]*box) string {
	var b strings.Builder
	height := margin*2 + (len(rows)-1)*apart + high
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="monospace" font-size="11">
<title>Packages and what they import</title>
<rect width="%d" height="%d" fill="#fff"/>
`, width, height, width, height)
	x := func(p *box) float64 { return margin + p.at*(width-2*margin) }
	y := func(p *box) int { return height - margin - high - p.row*apart }
	of := map[string]*box{}
	for _, row := range rows {
		for _, p := range row {
			of[p.name] = p
		}
	}
	for _, row := range rows {
		for _, p := range row {
			for _, name := range slices.Sorted(keys(p.imports)) {
				q := of[name]
				from, to := y(p)+high, y(q)
				fmt.Fprintf(&b, "<path d=\"M%.0f %dC%.0f %d %.0f %d %.0f %d\" fill=\"none\" stroke=\"#9ab\"/>\n",
					x(p), from, x(p), from+apart/3, x(q), to-apart/3, x(q), to)
			}
		}
	}
	for _, row := range rows {
		for _, p := range row {
			w := letter*float64(len(p.name)) + 14
			fmt.Fprintf(&b, "<rect x=\"%.0f\" y=\"%d\" width=\"%.0f\" height=\"%d\" rx=\"4\" fill=\"%s\" stroke=\"#456\"/>\n<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
				x(p)-w/2, y(p), w, high, fill(p.name), x(p), y(p)+17, p.name)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// fill is the colour of a package: docs/architecture.md says what each stands for.
func fill(name string) string {
	switch first, rest, _ := strings.Cut(name, "/"); {
	case first == "backends" && strings.HasPrefix(rest, "kit"):
		return "#d5ecd4"
	case first == "backends" && rest != "" && rest != "objcache":
		return "#f7dcc4"
	case slices.Contains([]string{"mlir", "stablehlo", "lift", "lower", "backends"}, first):
		return "#fbf3c0"
	case slices.Contains([]string{"ir", "shapeinfer", "autodiff", "batching", "soa"}, first):
		return "#d6e4f5"
	}
	return "#eadff0"
}
