package lazy_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

// indexOp is an op of a random program with indices and control flow: it appends a tensor i64[3] to those
// that are there.
type indexOp struct {
	kind        string
	a, b, n     int // tensors, and a number
	body, other []indexOp
}

// randomIndices returns ops on env tensors. Tables, the n of gathers, have different sizes, so that errors
// tell the op.
func randomIndices(rng *rand.Rand, env, depth int, tables *int) (ops []indexOp) {
	kinds := []string{"gather", "gather", "add", "convert"}
	if depth > 0 {
		kinds = append(kinds, "for", "forto", "while", "if", "scan", "checkpoint")
	}
	for range 1 + rng.IntN(3) {
		op := indexOp{kind: kinds[rng.IntN(len(kinds))], a: rng.IntN(env), b: rng.IntN(env), n: rng.IntN(4)}
		inner := 0
		switch op.kind {
		case "gather":
			*tables++
			op.n = *tables
		case "add":
			op.n = 2 + rng.IntN(7)
		case "scan":
			op.n++
			inner = 2
		case "for", "forto", "while":
			inner = 2
		case "if", "checkpoint":
			inner = 1
		}
		if inner > 0 {
			op.body, op.other = randomIndices(rng, env+inner, depth-1, tables), nil
			if op.kind == "if" {
				op.other = randomIndices(rng, env+inner, depth-1, tables)
			}
		}
		ops = append(ops, op)
		env++
	}
	return ops
}

// entry is element i of table n, which has n+2.
func entry(n, i int) int64 { return int64((n*7+i*3)%9) - 1 }

type three = [3]int64

// wrongIndex is what the error of a gather is to say.
type wrongIndex struct {
	index      int64
	iterations []int // the innermost first
	when       int   // in the order of time
	in         int   // the op of the program that it is of, or in
}

// model computes what programs do, of which the result is made of all ops: others do not run.
type model struct {
	wrong map[int]wrongIndex // by table: the first
	depth int                // how many bodies are around the op
	in    int                // the op of the program
}

func (m *model) run(ops []indexOp, env []three, loops []int) (sum three) {
	m.depth++
	defer func() { m.depth-- }()
	for i, op := range ops {
		if m.depth == 1 {
			m.in = i
		}
		a, b := env[op.a], env[op.b]
		most := slices.Max(b[:])
		body := func(ops []indexOp, iteration []int, more ...three) three {
			return m.run(ops, slices.Concat(env, more), slices.Concat(iteration, loops))
		}
		y := a
		switch op.kind {
		case "gather":
			low, high := slices.Min(a[:]), slices.Max(a[:])
			if rows := int64(op.n + 2); low < 0 || high >= rows {
				if low >= 0 && low < rows {
					low = high
				}
				if _, is := m.wrong[op.n]; !is {
					m.wrong[op.n] = wrongIndex{low, loops, len(m.wrong), m.in}
				}
			}
			for i, k := range a {
				y[i] = entry(op.n, int(min(max(k, 0), int64(op.n+1))))
			}
		case "add":
			for i := range y {
				y[i] = (a[i] + b[i]) % int64(op.n)
			}
		case "for", "forto":
			n := op.n
			if op.kind == "forto" {
				n = int(min(most, 3))
			}
			for i := range n {
				y = body(op.body, []int{i}, y, three{int64(i), int64(i), int64(i)})
			}
		case "while":
			for i := 0; i < op.n && slices.Max(y[:]) < 4; i++ {
				y = body(op.body, []int{i}, y, three{int64(i), int64(i), int64(i)})
			}
		case "if":
			if most > 1 {
				y = body(op.body, nil, a)
			} else {
				y = body(op.other, nil, a)
			}
		case "scan":
			for i := range op.n {
				row := op.n - 1 - i
				y = body(op.body, []int{i}, y, three{entry(row, 0), entry(row, 1), entry(row, 2)})
			}
		case "checkpoint":
			y = body(op.body, nil, a)
		}
		env = append(env, y)
		for i := range sum {
			sum[i] = (sum[i] + y[i]) % 5
		}
	}
	return sum
}

// record records what [model.run] computes.
func record(tr *lazy.Trace, ops []indexOp, env []*lazy.Tensor) *lazy.Tensor {
	number := func(tr *lazy.Trace, n int) *lazy.Tensor { return lazy.Full(tr, lazy.I64, float64(n)) }
	all := func(i *lazy.Tensor) *lazy.Tensor { return i.Convert(lazy.I64).Expand(3) }
	sum := lazy.Zeros(tr, lazy.I64, 3)
	for _, op := range ops {
		a, b := env[op.a], env[op.b]
		body := func(tr *lazy.Trace, ops []indexOp, more ...*lazy.Tensor) *lazy.Tensor {
			return record(tr, ops, slices.Concat(env, more))
		}
		y := a
		switch op.kind {
		case "gather":
			table := make([]int64, op.n+2)
			for i := range table {
				table[i] = entry(op.n, i)
			}
			y = lazy.From(tr, table).Gather(a)
		case "add":
			y = a.Add(b).Rem(lazy.Full(tr, lazy.I64, float64(op.n), 3))
		case "convert":
			y = computed(a)
		case "for":
			y = lazy.For(op.n, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{body(tr, op.body, s[0], all(i))}
			}, a)[0]
		case "forto":
			y = lazy.For(b.Max().Minimum(number(tr, 3)), func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{body(tr, op.body, s[0], all(i))}
			}, a)[0]
		case "while":
			y = lazy.While(func(tr *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor {
				return s[1].Less(number(tr, op.n)).And(s[0].Max().Less(number(tr, 4)))
			}, func(tr *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{body(tr, op.body, s[0], all(s[1])), s[1].Add(number(tr, 1))}
			}, a, number(tr, 0))[0]
		case "if":
			y = lazy.If(number(tr, 1).Less(b.Max()), func(tr *lazy.Trace) []*lazy.Tensor { return tensors{body(tr, op.body, a)} },
				func(tr *lazy.Trace) []*lazy.Tensor { return tensors{body(tr, op.other, a)} })[0]
		case "scan":
			var rows []int64
			for i := range op.n {
				rows = append(rows, entry(i, 0), entry(i, 1), entry(i, 2))
			}
			carry, _ := lazy.Scan(func(tr *lazy.Trace, s, rows []*lazy.Tensor) (next, ys []*lazy.Tensor) {
				return tensors{body(tr, op.body, s[0], rows[0])}, nil
			}, tensors{a}, tensors{lazy.From(tr, rows, op.n, 3)}, lazy.ScanOptions{Reverse: true})
			y = carry[0]
		case "checkpoint":
			y = lazy.Checkpoint(a, func(x *lazy.Tensor) *lazy.Tensor { return body(tr, op.body, x) })
		}
		env = append(env, y)
		sum = sum.Add(y).Rem(lazy.Full(tr, lazy.I64, 5, 3))
	}
	return sum
}

// Random programs fail where an index does not exist, with the op, the index and the iterations, and else
// give what their ops say. Some assign a variable, which they begin with. Some are for all examples at once.
func TestRandomIndices(t *testing.T) {
	for _, name := range watchers {
		d := open(t, name)
		for seed := range trials.Soak(12, 3000) {
			t.Run(fmt.Sprint(name, "/", seed), func(t *testing.T) {
				rng, tables := rand.New(rand.NewPCG(uint64(seed), 7)), 0
				ops := randomIndices(rng, 3, 2, &tables)
				tr := lazy.NewTrace(d)
				var v *lazy.Tensor
				for range 3 {
					start := three{int64(rng.IntN(6)) - 1, int64(rng.IntN(4)), int64(rng.IntN(4))}
					given := three{int64(rng.IntN(3)), int64(rng.IntN(6)) - 1, int64(rng.IntN(4))}
					m := model{wrong: map[int]wrongIndex{}}
					want := m.run(ops, []three{given, start, {0, 1, 2}}, nil)
					if v == nil {
						v = d.Variable("v", lazy.I64, 3)
					}
					lazy.SetValues(v, start[:])
					y := record(tr, ops, tensors{lazy.From(tr, given[:]), tr.Read(v), lazy.Iota(tr, lazy.I64, 0, 3)})
					if seed%2 == 0 {
						v.Assign(y)
					}
					err := tr.MarkStep(y)
					if err == nil {
						err = tr.Wait(t.Context())
					}
					if len(m.wrong) > 0 {
						require.ErrorIs(t, err, lazy.ErrIndex, "%v of %v, %v: %+v", m.wrong, given, start, ops)
						got, ferr := lazy.ToSlice[int64](v)
						require.NoError(t, ferr)
						require.Equal(t, start[:], got)
						m.requires(t, err, ops)
						continue
					}
					require.NoError(t, err, "%+v", ops)
					got, err := lazy.ToSlice[int64](y)
					require.NoError(t, err)
					require.Equal(t, want[:], got, "%+v", ops)
				}
			})
		}
	}
}

// requires requires that an error is of a gather that has a wrong index, and says which.
func (m *model) requires(t *testing.T, err error, ops []indexOp) {
	t.Helper()
	for n, w := range m.wrong {
		at := fmt.Sprintf(": gather(i64[%d], i64[3]): ", n+2)
		if !strings.Contains(err.Error(), at) {
			continue
		}
		if strings.Contains(err.Error(), "the index at ") { // of an argument, where all iterations have the same
			return
		}
		want := at + fmt.Sprint("an index is ", w.index)
		for _, i := range w.iterations {
			want += fmt.Sprintf(" in iteration %d of the loop at LINE", i)
		}
		require.Contains(t, loopLine.ReplaceAllString(err.Error(), "loop at LINE"), want+", but", "%+v", ops)
		if kind := ops[w.in].kind; kind != "checkpoint" {
			for k, other := range m.wrong {
				require.False(t, other.in == w.in && other.when < w.when, "%v is not the first: that of table %d, %v, is before it in %+v", err, k, other, ops)
			}
		}
		return
	}
	t.Errorf("%v is of none of %v", err, m.wrong)
}

var loopLine = regexp.MustCompile(`loop at \S*:\d+`)
