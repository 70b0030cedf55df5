package explain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/callsite"
	"ltc/ir"
)

// Every kind has a row with a name of its own, what has happened and what to do.
func TestKindsHaveRows(t *testing.T) {
	names := map[string]bool{}
	for k, row := range Kinds {
		require.NotEmpty(t, row.Name, k)
		require.NotEmpty(t, row.Cause, row.Name)
		require.NotEmpty(t, row.Do, row.Name)
		require.False(t, names[row.Name], row.Name)
		names[row.Name] = true
		require.Equal(t, row.Name, Kind(k).String())
	}
	require.Equal(t, "unknown", NumKinds.String())
	require.Equal(t, "unknown", Kind(-1).String())
}

func differ(was, now *ir.Graph) *Difference { return Compare(Of(was), Of(now)).Difference() }

func labels(text string) []Op {
	var all []Op
	for _, c := range text {
		all = append(all, Op{Label: uint64(c)})
	}
	return all
}

// longest is the length of the longest common subsequence, by the book.
func longest(a, b []Op) int {
	above := make([]int, len(b)+1)
	for i := range a {
		row := make([]int, len(b)+1)
		for j := range b {
			if row[j+1] = max(row[j], above[j+1]); a[i].Label == b[j].Label {
				row[j+1] = max(row[j+1], above[j]+1)
			}
		}
		above = row
	}
	return above[len(b)]
}

// Pairs are in order and of one label, and there are as many as there can be.
func TestAlignmentIsTheLongest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteByte(byte('a' + r.IntN(3)))
		}
		return b.String()
	}
	for range 3000 {
		a, b := labels(text()), labels(text())
		for i := range a {
			a[i].Type = uint64(r.IntN(2)) // runs are moved
		}
		mate := align(a, b)
		last, n := int32(-1), 0
		for i, j := range mate {
			if j < 0 {
				continue
			}
			n++
			if j <= last || a[i].Label != b[j].Label {
				require.Fail(t, "pairs cross, or are of two labels", "%v", mate)
			}
			last = j
		}
		if n != longest(a, b) {
			require.Equal(t, longest(a, b), n, "%v %v", a, b)
		}
	}
}

// Where programs have too little in common, the beginning and the end are aligned.
func TestAlignmentIsBounded(t *testing.T) {
	many := strings.Repeat("xy", 10*mostEdits)
	mate := align(labels("abc"+many+"de"), labels("abc"+strings.Repeat("uv", 10*mostEdits)+"de"))
	require.Equal(t, []int32{0, 1, 2, -1}, mate[:4])
	require.NotContains(t, mate[len(mate)-2:], int32(-1))
	require.Equal(t, int32(-1), mate[len(mate)-3])
}

// chain is the text of a program of so many ops, with lines. Edit may change the lines of
// the text.
func chain(n int, edit func(lines []string) []string) string {
	ops := []string{"exp", "neg", "sin", "tanh"}
	lines := []string{`%0 = parameter {index = 0, name = "x"} : f32[4] loc("x.go":1)`}
	for i := 1; i < n; i++ {
		if i%5 == 4 {
			lines = append(lines, fmt.Sprintf(`%%%d = add %%%d, %%%d : f32[4] loc("x.go":%d)`, i, i-1, i-3, i+1))
			continue
		}
		lines = append(lines, fmt.Sprintf(`%%%d = %s %%%d : f32[4] loc("x.go":%d)`, i, ops[i%len(ops)], i-1, i+1))
	}
	if edit != nil {
		lines = edit(lines)
	}
	return "graph \"\" {\n  " + strings.Join(lines, "\n  ") + fmt.Sprintf("\n  return %%%d\n}\n", len(lines)-1)
}

func parse(t testing.TB, text string) *ir.Graph {
	g, err := ir.Parse("x.ltcir", text)
	require.NoError(t, err, text)
	return g
}

// insert inserts an op after op at, on which what used that one depends.
func insert(at int, op string) func(lines []string) []string {
	return func(lines []string) []string {
		shift := func(s string) string {
			for k := len(lines); k >= at; k-- {
				s = strings.ReplaceAll(s, fmt.Sprintf("%%%d ", k), fmt.Sprintf("%%%d ", k+1))
				s = strings.ReplaceAll(s, fmt.Sprintf("%%%d,", k), fmt.Sprintf("%%%d,", k+1))
			}
			return s
		}
		rest := slices.Clone(lines[at+1:])
		for i := range rest {
			rest[i] = shift(rest[i])
		}
		return slices.Concat(lines[:at+1], []string{fmt.Sprintf(`%%%d = %s %%%d : f32[4] loc("x.go":9999)`, at+1, op, at)}, rest)
	}
}

// An op that is inserted anywhere is the one that is named, and one that is gone, too.
func TestExtraOpIsFoundAnywhere(t *testing.T) {
	was := parse(t, chain(60, nil))
	for at := range 59 {
		for _, op := range []string{"exp", "sin", "log"} {
			now := parse(t, chain(60, insert(at, op)))
			d := differ(was, now)
			require.Equal(t, ExtraOp, d.Kind, "%d %s: %v", at, op, d)
			require.Equal(t, "x.go:9999", d.Now.String(), "%d %s: %v", at, op, d)
			require.Equal(t, 1, d.Ops)
			d = differ(now, was)
			require.Equal(t, MissingOp, d.Kind)
			require.Equal(t, "x.go:9999", d.Was.String())
		}
	}
	d := differ(was, parse(t, chain(60, nil)))
	require.Equal(t, Equal, d.Kind)
	require.True(t, d.Alike)
	require.Zero(t, d.Ops)
}

// What differs in graphs that ops run is named, and each pair of graphs is compared once:
// there would be no end otherwise where composites call each other twice, level by level.
func TestBodiesAreComparedOnce(t *testing.T) {
	const levels = 100
	nested := func(op string) *ir.Graph {
		var b strings.Builder
		fmt.Fprintf(&b, "graph \"test.body0\" @0 {\n  %%0 = parameter {index = 0, name = \"\"} : f32[4]\n  %%1 = %s %%0 : f32[4] loc(\"x.go\":7)\n  return %%1\n}\n", op)
		for i := 1; i < levels; i++ {
			fmt.Fprintf(&b, "graph \"test.body%d\" @%d {\n  %%0 = parameter {index = 0, name = \"\"} : f32[4]\n  %%1 = composite %%0 @%d \"test.body%d\" : f32[4]\n  %%2 = composite %%1 @%d \"test.body%d\" : f32[4]\n  return %%2\n}\n", i, i, i-1, i-1, i-1, i-1)
		}
		fmt.Fprintf(&b, "graph \"many\" {\n  %%0 = parameter {index = 0, name = \"\"} : f32[4]\n  %%1 = composite %%0 @%d \"test.body%d\" : f32[4]\n  return %%1\n}\n", levels-1, levels-1)
		return parse(t, b.String())
	}
	d := differ(nested("exp"), nested("log"))
	require.Equal(t, OtherOp, d.Kind)
	require.Equal(t, "x.go:7: log f32[4], was exp f32[4]; "+sameOps, d.String())
	require.False(t, d.Alike)
	require.Equal(t, Equal, differ(nested("exp"), nested("exp")).Kind)
}

// An op more in each of many layers is found to be that.
func TestExtraOpOfEachLayer(t *testing.T) {
	const n, every, layers = 1000, 10, 100
	edit := func(lines []string) []string {
		var all []string
		at := make([]int, len(lines)) // where each op is now
		for i, line := range lines {
			name, rest, _ := strings.Cut(line, " = ")
			require.Equal(t, fmt.Sprintf("%%%d", i), name)
			op, in, _ := strings.Cut(rest, " ")
			if i > 0 {
				var x, y int
				if _, err := fmt.Sscanf(in, "%%%d, %%%d :", &x, &y); err == nil {
					rest = strings.Replace(rest, in[:strings.Index(in, " :")], fmt.Sprintf("%%%d, %%%d", at[x], at[y]), 1)
				} else {
					_, err := fmt.Sscanf(in, "%%%d :", &x)
					require.NoError(t, err)
					rest = fmt.Sprintf("%s %%%d%s", op, at[x], in[strings.Index(in, " :"):])
				}
			}
			at[i] = len(all)
			all = append(all, fmt.Sprintf("%%%d = %s", at[i], rest))
			if i%every == every-1 {
				at[i] = len(all)
				all = append(all, fmt.Sprintf("%%%d = log %%%d : f32[4] loc(\"x.go\":%d)", at[i], at[i]-1, 9000+i))
			}
		}
		return all
	}
	d := differ(parse(t, chain(n, nil)), parse(t, chain(n, edit)))
	require.Equal(t, "x.go:9009: log f32[4] is new; "+sameOps, d.String())
	require.Equal(t, layers, d.Ops)
}

// The sketches of programs never promise more differences than there are.
func TestSketchesAreBounds(t *testing.T) {
	for n := 10; n < 60; n += 7 {
		for at := range n - 1 {
			a, b := parse(t, chain(n, nil)), parse(t, chain(n, insert(at, "log")))
			x, y := SketchOf(a), SketchOf(b)
			require.LessOrEqual(t, x.Least(&y), Compare(Of(a), Of(b)).Ops)
			require.Positive(t, x.Least(&y))
			require.Zero(t, x.Least(&x))
		}
	}
}

// BenchmarkCompare compares programs of 10,000 nodes that differ in one op amid.
func BenchmarkCompare(b *testing.B) {
	const n = 10_000
	was := parse(b, chain(n, nil))
	amid := func(lines []string) []string {
		lines[n/2] = strings.Replace(lines[n/2], "exp", "log", 1)
		return lines
	}
	for name, edit := range map[string]func([]string) []string{"equal": nil, "op": amid, "shape": func(lines []string) []string {
		for i := range lines {
			lines[i] = strings.Replace(lines[i], "f32[4]", "f32[5]", 1)
		}
		return lines
	}} {
		now := parse(b, chain(n, edit))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				differ(was, now)
			}
		})
	}
}

// random returns a small program, or one that differs from p in a place or two.
func random(r *rand.Rand, p *Program) *Program {
	var all []Op
	var results, alias []int32
	if p != nil {
		all, results, alias = slices.Clone(p.ops), slices.Clone(p.results), slices.Clone(p.alias)
		for range r.IntN(3) {
			o := &all[r.IntN(len(all))]
			switch r.IntN(6) {
			case 0:
				o.Label, o.Role = uint64(2+r.IntN(4)), Computed
			case 1:
				o.Type++
			case 2:
				o.Attrs++
			case 3:
				o.Role = Role(r.IntN(6))
			case 4:
				results, alias = append(results, int32(r.IntN(len(all)))), append(alias, -1)
			case 5:
				if len(o.In) > 0 {
					o.In = slices.Clone(o.In)
					slices.Reverse(o.In)
				}
			}
		}
	} else {
		for i := range 1 + r.IntN(12) {
			o := Op{Label: uint64(1 + r.IntN(5)), Type: uint64(r.IntN(2)), Attrs: uint64(r.IntN(2)), At: callsite.At("r.go", 1+r.IntN(5)), Role: Role(r.IntN(6))}
			for range min(i, r.IntN(3)) {
				o.In = append(o.In, int32(r.IntN(i)))
			}
			all = append(all, o)
		}
		for range r.IntN(4) {
			a := int32(-1)
			if r.IntN(3) == 0 {
				a = int32(r.IntN(len(all)))
			}
			results, alias = append(results, int32(r.IntN(len(all)))), append(alias, a)
		}
	}
	return New(all, results, alias, func(i int) Text {
		return Text{Name: fmt.Sprintf("op%d", all[i].Label), Type: fmt.Sprintf("type%d", all[i].Type), Attrs: []string{fmt.Sprint("a = ", all[i].Attrs)}}
	}, nil)
}

// Whatever two programs are, they are compared, and called equal if and only if they are. Roles
// are drawn, too, so that they need not fit the labels.
func TestAnyProgramsAreCompared(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	equal := 0
	for range 30_000 {
		p := random(r, nil)
		q := random(r, p)
		if r.IntN(3) == 0 {
			q = random(r, nil)
		}
		same := slices.EqualFunc(p.ops, q.ops, func(x, y Op) bool {
			return x.Label == y.Label && x.Type == y.Type && x.Attrs == y.Attrs && slices.Equal(x.In, y.In)
		}) && slices.Equal(p.results, q.results) && slices.Equal(p.alias, q.alias)
		d := Compare(p, q).Difference()
		if d.Kind == Equal && !same {
			require.Fail(t, "programs that differ are called equal", "%+v\n%+v", p, q)
		}
		if same && d.Kind == Equal {
			equal++
		}
		if d.What == "" || d.Do == "" {
			require.Fail(t, "nothing is said", "%v\n%+v\n%+v", d.Kind, p, q)
		}
	}
	require.Greater(t, equal, 1000)
}
