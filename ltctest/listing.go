package ltctest

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/ir"
)

// listing is a program as a lock file has it: an op a line, without the lines of the source.
// Values are called by their op and a number that counts the op, so that a new op renames no
// others but those of its kind. Names of arguments are remarks.
type listing struct {
	lines     []string
	nodes     []*ir.Node // that made the lines; nil for others
	signature string     // shortened
}

// remark begins what is not compared.
const remark = "  // "

// list returns the listing of a program in the text form of the IR.
func list(text string) (*listing, error) {
	g, err := ir.Parse("program", text)
	if err != nil {
		return nil, err
	}
	l := &listing{signature: signature(g)}
	l.graph(g, map[*ir.Graph]string{}, "")
	return l, nil
}

// graph adds a graph, and after it the bodies that it uses which are the program's: regions,
// and composites that are not of this library. Of others it has a fingerprint.
func (l *listing) graph(g *ir.Graph, bodies map[*ir.Graph]string, prefix string) {
	names := make(map[*ir.Node]string, len(g.Nodes))
	counts := map[string]int{}
	var own []*ir.Graph
	for _, n := range g.Order() {
		op := n.Op.String()
		if n.Op == ir.OpComposite {
			op = strings.TrimPrefix(n.Body.Name, "ltc.")
		}
		if n.Op == ir.OpParameter {
			op = "arg"
		}
		counts[op]++
		names[n] = op + "." + strconv.Itoa(counts[op])
		var b strings.Builder
		b.WriteString(prefix + names[n])
		if n.Op != ir.OpParameter {
			b.WriteString(" = " + op)
		}
		for i, x := range n.In {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(" " + names[x])
		}
		if attrs := n.AttrTexts(); len(attrs) > 0 && n.Op != ir.OpParameter {
			b.WriteString(" {" + strings.Join(attrs, ", ") + "}")
		}
		for _, body := range n.Body.Graphs() {
			if _, known := bodies[body]; !known {
				if n.Op == ir.OpComposite && strings.HasPrefix(n.Body.Name, "ltc.") {
					bodies[body] = "body " + bodyFingerprint(body)
				} else {
					bodies[body] = "@" + strconv.Itoa(len(bodies)+1)
					own = append(own, body)
				}
			}
			b.WriteString(" " + bodies[body])
		}
		b.WriteString(" : " + n.TypeText())
		if n.Op == ir.OpParameter && n.ParamName() != "" {
			b.WriteString(remark + strconv.Quote(n.ParamName()))
		}
		l.add(n, b.String())
	}
	var b strings.Builder
	b.WriteString(prefix + "return")
	for i, r := range g.Results {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + names[r])
		if a := g.Alias[i]; a >= 0 {
			b.WriteString(" in the memory of " + names[g.Params[a]])
		}
	}
	l.add(nil, b.String())
	for _, body := range own {
		l.add(nil, prefix+bodies[body])
		l.graph(body, bodies, prefix+"  ")
	}
}

func (l *listing) add(n *ir.Node, line string) {
	l.lines, l.nodes = append(l.lines, line), append(l.nodes, n)
}

// at returns the line of the source that recorded line i; "" if it is unknown.
func (l *listing) at(i int) string {
	if i >= len(l.nodes) || l.nodes[i] == nil {
		return ""
	}
	file, line := l.nodes[i].Loc.Position()
	if file == "" {
		return ""
	}
	at := fmt.Sprintf("%s:%d", file, line)
	if scope := l.nodes[i].Loc.Scope(); scope != "" {
		at += " in " + scope
	}
	return at
}

// bodyFingerprint returns the fingerprint of the body of a composite.
func bodyFingerprint(g *ir.Graph) string {
	var l listing
	l.graph(g, map[*ir.Graph]string{}, "")
	return fingerprint(l.lines)[:8]
}

// fingerprint returns the beginning of the hash of lines without their remarks.
func fingerprint(lines []string) string {
	h := sha256.New()
	for _, line := range lines {
		h.Write([]byte(compared(line) + "\n"))
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// compared returns a line without its remark.
func compared(line string) string {
	line, _, _ = strings.Cut(line, remark)
	return line
}

// shown is how many types of arguments and of results a signature has at most.
const shown = 4

func signature(g *ir.Graph) string { return types(g.Params) + " -> " + types(g.Results) }

func types(nodes []*ir.Node) string {
	var all []string
	for i, n := range nodes {
		if i == shown {
			all = append(all, fmt.Sprintf("%d more", len(nodes)-shown))
			break
		}
		all = append(all, n.TypeText())
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// ops returns how many ops the listing has, arguments among them.
func (l *listing) ops() (n int) {
	for _, x := range l.nodes {
		if x != nil {
			n++
		}
	}
	return n
}

// head returns the first line of a program in a lock file.
func (l *listing) head(name string) string {
	return fmt.Sprintf("program %s %s, %s, %s", strconv.Quote(name), fingerprint(l.lines), diag.Count(l.ops(), "op"), l.signature)
}
