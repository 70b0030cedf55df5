package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// The ops with index arithmetic against the specification's formulas, taken
// literally: one index at a time, on random shapes and attributes.

// array is a tensor of i32 for naive loops.
type array struct {
	shape []int
	data  []int32
}

func newArray(shape ...int) array {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return array{shape, make([]int32, n)}
}

func randomArray(r *rand.Rand, below int, shape ...int) array {
	a := newArray(shape...)
	for i := range a.data {
		a.data[i] = int32(r.IntN(below))
	}
	return a
}

func (a array) at(index ...int) *int32 {
	k := 0
	for i, x := range index {
		k = k*a.shape[i] + x
	}
	return &a.data[k]
}

func (a array) text() string {
	return "tensor<" + strings.Join(append(words(a.shape), "i32"), "x") + ">"
}

func words(v []int) []string {
	s := make([]string, len(v))
	for i, x := range v {
		s[i] = fmt.Sprint(x)
	}
	return s
}

func list(v []int) string { return strings.Join(words(v), ", ") }

// each calls f with every index of a shape.
func each(shape []int, f func(index []int)) {
	if slices.Contains(shape, 0) {
		return
	}
	for c := (odometer{shape, make([]int, len(shape))}); ; {
		f(c.at)
		if !c.next() {
			return
		}
	}
}

// check runs one op, $A and $R standing for its operands and types, on args.
func check(t *testing.T, want array, op string, args ...array) {
	t.Helper()
	var params, names, ins []string
	call := &backends.Call{}
	for i, a := range args {
		params = append(params, fmt.Sprintf("%%a%d: %s", i, a.text()))
		names, ins = append(names, fmt.Sprintf("%%a%d", i)), append(ins, a.text())
		v, err := soa.Borrow(a.data, types.Of(types.I32, a.shape...))
		require.NoError(t, err)
		call.Args = append(call.Args, v)
	}
	op = strings.NewReplacer("$A", strings.Join(names, ", "), "$T", "("+strings.Join(ins, ", ")+") -> "+want.text()).Replace(op)
	text := fmt.Sprintf("func.func public @main(%s) -> %s {\n  %%r = %s\n  return %%r : %s\n}\n", strings.Join(params, ", "), want.text(), op, want.text())
	require.NoError(t, compile(t, text).Execute(context.Background(), call))
	require.Equal(t, want.data, soa.Slice[int32](call.Results[0]), text)
}

func randomShape(r *rand.Rand, rank, most int) []int {
	s := make([]int, rank)
	for i := range s {
		s[i] = 1 + r.IntN(most)
	}
	return s
}

// subset returns some of 0 … n-1 in order, and the others.
func subset(r *rand.Rand, n int) (in, out []int) {
	for i := range n {
		if r.IntN(2) == 0 {
			in = append(in, i)
		} else {
			out = append(out, i)
		}
	}
	return in, out
}

func seeds(t *testing.T, n int, f func(t *testing.T, r *rand.Rand)) {
	for seed := range n {
		f(t, rand.New(rand.NewPCG(uint64(seed), 7)))
	}
}

func TestDotNaive(t *testing.T) {
	seeds(t, 200, func(t *testing.T, r *rand.Rand) {
		// Dimensions in the order batch, free, contracted; then shuffled.
		nb, nc, nl, nr := r.IntN(3), r.IntN(3), r.IntN(3), r.IntN(3)
		batch, contract, left, right := randomShape(r, nb, 3), randomShape(r, nc, 9), randomShape(r, nl, 9), randomShape(r, nr, 9)
		lp, rp := r.Perm(nb+nl+nc), r.Perm(nb+nr+nc)
		slices.Sort(lp[nb : nb+nl]) // free dimensions keep their order
		slices.Sort(rp[nb : nb+nr])
		permute := func(perm []int, parts ...[]int) []int {
			all := slices.Concat(parts...)
			out := make([]int, len(all))
			for i, p := range perm {
				out[p] = all[i]
			}
			return out
		}
		l := randomArray(r, 9, permute(lp, batch, left, contract)...)
		rr := randomArray(r, 9, permute(rp, batch, right, contract)...)
		want := newArray(slices.Concat(batch, left, right)...)
		each(want.shape, func(i []int) {
			each(contract, func(k []int) {
				b, f, g := i[:nb], i[nb:nb+nl], i[nb+nl:]
				*want.at(i...) += *l.at(permute(lp, b, f, k)...) * *rr.at(permute(rp, b, g, k)...)
			})
		})
		op := fmt.Sprintf(`"stablehlo.dot_general"($A) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [%s], rhs_batching_dimensions = [%s], lhs_contracting_dimensions = [%s], rhs_contracting_dimensions = [%s]>} : $T`,
			list(lp[:nb]), list(rp[:nb]), list(lp[nb+nl:]), list(rp[nb+nr:]))
		check(t, want, op, l, rr)
	})
}

func TestReduceNaive(t *testing.T) {
	seeds(t, 200, func(t *testing.T, r *rand.Rand) {
		a := randomArray(r, 1000, randomShape(r, r.IntN(5), 5)...)
		dims, kept := subset(r, len(a.shape))
		init := randomArray(r, 1000)
		for _, op := range []string{"add", "maximum", "minimum"} {
			want := newArray(pick(a.shape, kept)...)
			for i := range want.data {
				want.data[i] = init.data[0]
			}
			each(a.shape, func(i []int) {
				p := want.at(pick(i, kept)...)
				switch x := *a.at(i...); op {
				case "add":
					*p += x
				case "maximum":
					*p = max(*p, x)
				case "minimum":
					*p = min(*p, x)
				}
			})
			text := "stablehlo.reduce(%a0 init: %a1) applies stablehlo." + op + " across dimensions = [" + list(dims) + "] : $T"
			check(t, want, text, a, init)
		}
	})
}

func TestPadNaive(t *testing.T) {
	seeds(t, 300, func(t *testing.T, r *rand.Rand) {
		rank := r.IntN(4)
		a, v := randomArray(r, 1000, randomShape(r, rank, 4)...), randomArray(r, 1000)
		low, high, interior, shape := make([]int, rank), make([]int, rank), make([]int, rank), make([]int, rank)
		for i, n := range a.shape {
			low[i], high[i], interior[i] = r.IntN(8)-4, r.IntN(8)-4, r.IntN(3)
			shape[i] = low[i] + high[i] + n + (n-1)*interior[i]
			if shape[i] < 0 {
				high[i], shape[i] = high[i]-shape[i], 0
			}
		}
		want := newArray(shape...)
		for i := range want.data {
			want.data[i] = v.data[0]
		}
		each(a.shape, func(j []int) {
			i := make([]int, rank)
			for d := range i {
				if i[d] = low[d] + j[d]*(interior[d]+1); i[d] < 0 || i[d] >= shape[d] {
					return
				}
			}
			*want.at(i...) = *a.at(j...)
		})
		check(t, want, fmt.Sprintf("stablehlo.pad $A, low = [%s], high = [%s], interior = [%s] : $T", list(low), list(high), list(interior)), a, v)
	})
}

// windows is a random set of dimension numbers of gather or scatter.
type windows struct {
	shape, sizes       []int // of the operand and of the window in it
	collapsed, offset  []int // operand dimensions without and with a window dimension
	starts             []int // operand dimension of each index entry
	batch, index       []int // shape of the batch and of the index tensor
	vector             int
	other, windowDims  []int // shape of the result or updates, and its window dimensions
	batching, batchDim []int // operand dimensions paired with dimensions of the index tensor
}

func randomWindows(r *rand.Rand) windows {
	var w windows
	rank := 1 + r.IntN(3)
	w.shape = randomShape(r, rank, 5)
	w.sizes = make([]int, rank)
	w.batch = randomShape(r, r.IntN(3), 4)
	w.vector = r.IntN(len(w.batch) + 1)
	var free []int
	for d, n := range w.shape {
		pairable := len(w.batch) > 0 && len(w.batching) == 0 && r.IntN(3) == 0
		switch {
		case pairable:
			k := r.IntN(len(w.batch))
			w.batch[k] = n
			if k >= w.vector {
				k++
			}
			w.sizes[d], w.batching, w.batchDim = 1, append(w.batching, d), append(w.batchDim, k)
		case r.IntN(2) == 0:
			w.sizes[d], w.collapsed = 1, append(w.collapsed, d)
			free = append(free, d)
		default:
			w.sizes[d], w.offset = 1+r.IntN(n), append(w.offset, d)
			free = append(free, d)
		}
	}
	r.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	w.starts = free[:r.IntN(len(free)+1)]
	w.index = slices.Insert(slices.Clone(w.batch), w.vector, len(w.starts))
	w.windowDims = r.Perm(len(w.batch) + len(w.offset))[:len(w.offset)]
	slices.Sort(w.windowDims)
	rest := w.batch
	for i := range len(w.batch) + len(w.offset) {
		if k := slices.Index(w.windowDims, i); k >= 0 {
			w.other = append(w.other, w.sizes[w.offset[k]])
		} else {
			w.other, rest = append(w.other, rest[0]), rest[1:]
		}
	}
	return w
}

// start and inner split an index of the other tensor as the specification does.
func (w *windows) place(idx array, i []int) (start, inner []int) {
	start, inner = make([]int, len(w.shape)), make([]int, len(w.shape))
	var batch []int
	for d, x := range i {
		if k := slices.Index(w.windowDims, d); k >= 0 {
			inner[w.offset[k]] = x
		} else {
			batch = append(batch, x)
		}
	}
	for k, d := range w.starts {
		start[d] = int(*idx.at(slices.Insert(slices.Clone(batch), w.vector, k)...))
	}
	for k, d := range w.batching {
		b := w.batchDim[k]
		if b > w.vector {
			b--
		}
		start[d] = batch[b]
	}
	return start, inner
}

func (w *windows) indices(r *rand.Rand) array {
	idx := randomArray(r, 9, w.index...)
	for i := range idx.data {
		idx.data[i] -= 2
	}
	return idx
}

func TestGatherNaive(t *testing.T) {
	seeds(t, 400, func(t *testing.T, r *rand.Rand) {
		w := randomWindows(r)
		a, idx, want := randomArray(r, 1000, w.shape...), w.indices(r), newArray(w.other...)
		each(w.other, func(i []int) {
			start, inner := w.place(idx, i)
			for d := range start {
				start[d] = min(max(start[d], 0), w.shape[d]-w.sizes[d]) + inner[d]
			}
			*want.at(i...) = *a.at(start...)
		})
		check(t, want, fmt.Sprintf(`"stablehlo.gather"($A) {dimension_numbers = #stablehlo.gather<offset_dims = [%s], collapsed_slice_dims = [%s], operand_batching_dims = [%s], start_indices_batching_dims = [%s], start_index_map = [%s], index_vector_dim = %d>, slice_sizes = array<i64: %s>, indices_are_sorted = false} : $T`,
			list(w.windowDims), list(w.collapsed), list(w.batching), list(w.batchDim), list(w.starts), w.vector, list(w.sizes)), a, idx)
	})
}

func TestScatterNaive(t *testing.T) {
	trials.Sequential(t)
	seeds(t, 400, func(t *testing.T, r *rand.Rand) {
		w := randomWindows(r)
		a, idx, updates := randomArray(r, 1000, w.shape...), w.indices(r), randomArray(r, 1000, w.other...)
		for _, body := range []string{"add", "subtract", "second"} {
			want := array{a.shape, slices.Clone(a.data)}
			// The specification leaves the order of updates open; ours is that of
			// the batch, then of the window.
			order := make([][]int, 0, len(updates.data))
			each(w.other, func(i []int) { order = append(order, slices.Clone(i)) })
			key := func(i []int) (k []int) {
				for _, inWindow := range []bool{false, true} {
					for d, x := range i {
						if slices.Contains(w.windowDims, d) == inWindow {
							k = append(k, x)
						}
					}
				}
				return k
			}
			slices.SortStableFunc(order, func(i, j []int) int { return slices.Compare(key(i), key(j)) })
			for _, i := range order {
				start, inner := w.place(idx, i)
				outside := false
				for d := range start {
					start[d] += inner[d]
					outside = outside || start[d] < 0 || start[d] >= w.shape[d]
				}
				if outside {
					continue
				}
				switch p, u := want.at(start...), *updates.at(i...); body {
				case "add":
					*p += u
				case "subtract":
					*p -= u
				case "second":
					*p = u
				}
			}
			lines := "    stablehlo.return %y : tensor<i32>"
			if body != "second" {
				lines = "    %z = stablehlo." + body + " %x, %y : tensor<i32>\n    stablehlo.return %z : tensor<i32>"
			}
			check(t, want, fmt.Sprintf(`"stablehlo.scatter"($A) ({
  ^bb0(%%x: tensor<i32>, %%y: tensor<i32>):
%s
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [%s], inserted_window_dims = [%s], input_batching_dims = [%s], scatter_indices_batching_dims = [%s], scatter_dims_to_operand_dims = [%s], index_vector_dim = %d>, indices_are_sorted = false, unique_indices = false} : $T`,
				lines, list(w.windowDims), list(w.collapsed), list(w.batching), list(w.batchDim), list(w.starts), w.vector), a, idx, updates)
		}
	})
}
