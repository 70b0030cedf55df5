package lazy_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
)

// outOfRange has the ways in which a step of x f32[4,3] comes to an index: at is the index, which is
// bad for 4 and, if it does not count from the end, for -1.
var outOfRange = []struct {
	want string // of 4
	f    func(x, at *lazy.Tensor) *lazy.Tensor
	from bool // -1 is the last
}{
	// Arguments.
	{"gather(f32[4,3], i64[1]): the index at [0] is 4, but there are 4 to choose from, 0 to 3", func(x, at *lazy.Tensor) *lazy.Tensor { return x.Gather(at) }, false},
	{"index(f32[4,3], i64[1]): the index at [0] is 4, but there are 4 to choose from, -4 to 3", func(x, at *lazy.Tensor) *lazy.Tensor { return x.Index(at) }, true},
	{"index(f32[4,3], i64[1], i64[1]): the index at [0] is 4", func(x, at *lazy.Tensor) *lazy.Tensor { return x.Index(at, at.MulScalar(0)) }, true},
	{"index_put(f32[4,3], f32[1,3], i64[1]): the index at [0] is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return x.IndexPut(lazy.Zeros(x.Trace(), lazy.F32, 1, 3), false, at)
	}, true},
	{"one_hot(i64[1]): the index at [0] is 4", func(x, at *lazy.Tensor) *lazy.Tensor { return at.OneHot(4, lazy.F32) }, false},
	{"cross_entropy(f32[1,4], i64[1]): the label at [0] is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return x.Transpose().Narrow(0, 0, 1).CrossEntropy(at)
	}, false},
	{"gather(f32[4,3], i64[1]): the index at [0] is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return lazy.Grad(x.Gather(at).Sum(), x)[0] // which alone is a root
	}, false},
	{"gather(f32[4,3], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return x.Gather(lazy.Concatenate(0, at, at.AddScalar(50)).Narrow(0, 0, 1)) // what a slice leaves out is free
	}, false},
	{"gather(f32[4,3], i64[1]): the index at [0] is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return lazy.Checkpoint(x, func(x *lazy.Tensor) *lazy.Tensor { return x.Gather(at) })
	}, false},
	// Computed.
	{"gather(f32[4,3], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor { return x.Gather(at.MulScalar(1).AddScalar(0)) }, false},
	{"gather(f32[4,3], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor { return x.Gather(computed(at)) }, false},
	{"index(f32[4,3], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor { return x.Index(computed(at)) }, true},
	{"index_select(f32[4,3], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor { return x.IndexSelect(computed(at), 0) }, false},
	{"scatter_add(f32[4,3], i64[1], f32[1,3]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return x.ScatterAdd(computed(at), lazy.Ones(x.Trace(), lazy.F32, 1, 3))
	}, false},
	{"one_hot(i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor { return computed(at).OneHot(4, lazy.F32) }, false},
	{"cross_entropy(f32[1,4], i64[1]): a label is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return x.Transpose().Narrow(0, 0, 1).CrossEntropy(computed(at))
	}, false},
	{"gather(f32[4,3], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return lazy.Grad(x.Gather(computed(at)).Sum(), x)[0]
	}, false},
	{"gather(f32[4,3], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return lazy.Checkpoint(x, func(x *lazy.Tensor) *lazy.Tensor { return x.Gather(computed(at)) })
	}, false},
	{"gather(f32[1,4], i64[1,1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return lazy.Vmap(func(_ *lazy.Trace, a []*lazy.Tensor) []*lazy.Tensor { return tensors{a[0].Gather(computed(a[1]))} },
			tensors{x.Narrow(1, 0, 1).Transpose(), at.Unsqueeze(1)}, lazy.VmapOptions{})[0]
	}, false},
	// Computed, and then without use.
	{"gather(f32[4], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return lazy.Zeros(x.Trace(), lazy.F32, 4).Gather(computed(at))
	}, false},
	{"gather(i32[4], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return x.Narrow(1, 0, 1).Reshape(4).Convert(lazy.I32).Gather(computed(at)).MulScalar(0)
	}, false},
	// Within closures.
	{"gather(f32[4,3], i64[1]): the index at [0] is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return lazy.For(3, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{s[0].Add(x.Gather(at))}
		}, x.Narrow(0, 0, 1))[0]
	}, false},
	{"gather(f32[4,3], i64[]): the index at [0] is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return lazy.Map(func(_ *lazy.Trace, rows []*lazy.Tensor) []*lazy.Tensor { return tensors{x.Gather(rows[0])} }, at)[0]
	}, false},
	{"gather(f32[4,3], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return lazy.If(x.Sum().Greater(lazy.Full(x.Trace(), lazy.F32, 1)), func(*lazy.Trace) []*lazy.Tensor { return tensors{x.Gather(at)} },
			func(tr *lazy.Trace) []*lazy.Tensor { return tensors{lazy.Zeros(tr, lazy.F32, 1, 3)} })[0]
	}, false},
	{"one_hot(i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		none := func(tr *lazy.Trace) []*lazy.Tensor { return tensors{lazy.Zeros(tr, lazy.F32, 1, 4), x} }
		return lazy.Case(lazy.Full(x.Trace(), lazy.I64, 1), none, func(*lazy.Trace) []*lazy.Tensor { return tensors{computed(at).OneHot(4, lazy.F32), x} }, none)[0]
	}, false},
	{"index(f32[4,3], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return lazy.For(3, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{s[0].Add(x.Index(s[1])), computed(s[1])}
		}, x.Narrow(0, 0, 1), at)[0]
	}, true},
	{"gather(f32[4,3], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		n := at.Abs().Max() // 4 for 4: the last iteration
		return lazy.For(n.AddScalar(1), func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{s[0].Add(x.Gather(i.Mul(at.Sign().Max()).Reshape(1)))}
		}, x.Narrow(0, 0, 1))[0]
	}, false},
	{"gather(f32[4,3], i64[]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		_, ys := lazy.Scan(func(_ *lazy.Trace, carry, rows []*lazy.Tensor) (next, ys []*lazy.Tensor) {
			return tensors{carry[0].Add(rows[0])}, tensors{x.Gather(computed(carry[0]))}
		}, tensors{at.Reshape()}, tensors{lazy.Zeros(x.Trace(), lazy.I64, 2)}, lazy.ScanOptions{})
		return ys[0]
	}, false},
	{"scatter_add(f32[4,3], i64[1], f32[1,3]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return lazy.For(2, func(tr *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return lazy.For(2, func(tr *lazy.Trace, j *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return lazy.If(j.Equal(lazy.Full(tr, lazy.I32, 1)), func(tr *lazy.Trace) []*lazy.Tensor {
					return tensors{s[0].ScatterAdd(computed(at), lazy.Ones(tr, lazy.F32, 1, 3))}
				}, func(*lazy.Trace) []*lazy.Tensor { return s })
			}, s...)
		}, x)[0]
	}, false},
	{"gather(f32[4,3], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return lazy.For(3, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{s[0].Add(lazy.Checkpoint(x, func(x *lazy.Tensor) *lazy.Tensor { return x.Gather(computed(at)) }))}
		}, x.Narrow(0, 0, 1))[0]
	}, false},
	{"gather(f32[4,3], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return lazy.Checkpoint(x, func(x *lazy.Tensor) *lazy.Tensor {
			return lazy.For(3, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(x.Gather(computed(at)))}
			}, x.Narrow(0, 0, 1))[0]
		})
	}, false},
	{"gather(f32[4,3], i64[1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		y := lazy.For(3, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{s[0].Mul(x.Gather(computed(at)))}
		}, x.Narrow(0, 0, 1))[0]
		return y.Add(lazy.Grad(y.Sum(), x)[0].Narrow(0, 0, 1))
	}, false},
	{"gather(f32[1,4], i64[1,1]): an index is 4", func(x, at *lazy.Tensor) *lazy.Tensor {
		return lazy.Vmap(func(_ *lazy.Trace, a []*lazy.Tensor) []*lazy.Tensor {
			return lazy.For(2, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(a[0].Gather(computed(a[1])))}
			}, a[0].Narrow(0, 0, 1))
		}, tensors{x.Narrow(1, 0, 1).Transpose(), at.Unsqueeze(1)}, lazy.VmapOptions{})[0]
	}, false},
}

// computed is at, as the program computes it of all its elements.
func computed(at *lazy.Tensor) *lazy.Tensor { return at.Convert(lazy.F32).Convert(lazy.I64) }

// A step fails by default for an index that does not exist, wherever it comes from: with the op, the
// line, the index and the bound, and with variables as they were. Steps that follow it are found, too.
func TestIndicesOutOfRangeByDefault(t *testing.T) {
	for _, name := range watchers {
		d, free := open(t, name), open(t, name, lazy.CheckIndices(false))
		tr, loose := lazy.NewTrace(d), lazy.NewTrace(free)
		w := lazy.SetValues(d.Variable("w", lazy.F32, 2), []float32{1, 2})
		for i, c := range outOfRange {
			t.Run(fmt.Sprint(name, "/", i), func(t *testing.T) {
				step := func(tr *lazy.Trace, at int64) error {
					y := c.f(lazy.Iota(tr, lazy.F32, 0, 12).Reshape(4, 3), lazy.From(tr, []int64{at}))
					if tr.Device() == d {
						w.Assign(tr.Read(w).AddScalar(1))
					}
					if err := tr.MarkStep(y); err != nil {
						return err
					}
					return tr.Wait(t.Context())
				}
				for range 3 {
					require.NoError(t, step(tr, 3))
					before := floats(t, w)
					err := step(tr, 4)
					require.ErrorIs(t, err, lazy.ErrIndex)
					require.ErrorContains(t, err, "indices_test.go:")
					require.ErrorContains(t, err, c.want)
					require.Equal(t, before, floats(t, w))
					if err = step(tr, -1); c.from {
						require.NoError(t, err)
					} else {
						require.ErrorIs(t, err, lazy.ErrIndex)
					}
					require.NoError(t, step(loose, 4))
				}
			})
		}
	}
}

// Indices of loops that are in range whatever the arguments are cost nothing: the program has no call of
// the host.
func TestIndicesOfLoopsInRange(t *testing.T) {
	one := func(tr *lazy.Trace) *lazy.Tensor { return lazy.Full(tr, lazy.I32, 1) }
	for name, c := range map[string]struct {
		looks bool
		f     func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor
	}{
		"number of the iteration": {false, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.For(4, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(x.Gather(i))}
			}, x.Max())[0]
		}},
		"one iteration more": {true, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.For(5, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(x.Gather(i))}
			}, x.Max())[0]
		}},
		"computed number of iterations": {false, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			n := at.Max().Minimum(lazy.Full(tr, lazy.I64, 4))
			return lazy.For(n, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(x.Gather(i))}
			}, x.Max())[0]
		}},
		"any number of iterations": {true, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.For(at.Max(), func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(x.Gather(i))}
			}, x.Max())[0]
		}},
		"counter of a while": {false, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.While(func(tr *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor {
				return s[1].Less(lazy.Full(tr, lazy.I32, 4)).And(s[0].Less(lazy.Full(tr, lazy.F32, 100)))
			}, func(tr *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(x.Gather(s[1])), s[1].Add(one(tr))}
			}, x.Max(), lazy.Full(tr, lazy.I32, 0))[0]
		}},
		"counter after a while": {false, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return x.Gather(lazy.While(func(tr *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor {
				return s[0].Less(lazy.Full(tr, lazy.I32, 2))
			}, func(tr *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(lazy.Full(tr, lazy.I32, 3))}
			}, lazy.Full(tr, lazy.I32, 0))[0])
		}},
		"counter that is too large after a while": {true, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return x.Gather(lazy.While(func(tr *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor {
				return s[0].Less(lazy.Full(tr, lazy.I32, 2))
			}, func(tr *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(lazy.Full(tr, lazy.I32, 4))}
			}, lazy.Full(tr, lazy.I32, 0))[0])
		}},
		"counter down": {false, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.While(func(tr *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor {
				return lazy.Full(tr, lazy.I32, 0).LessEqual(s[1])
			}, func(tr *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(x.Gather(s[1])), s[1].Sub(one(tr))}
			}, x.Max(), lazy.Full(tr, lazy.I32, 3))[0]
		}},
		"counter of a scan": {false, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			carry, _ := lazy.Scan(func(tr *lazy.Trace, s, rows []*lazy.Tensor) (next, ys []*lazy.Tensor) {
				return tensors{s[0].Add(x.Gather(s[1])), s[1].Add(one(tr))}, nil
			}, tensors{x.Max(), lazy.Full(tr, lazy.I32, 1)}, tensors{x.Narrow(0, 0, 3)}, lazy.ScanOptions{})
			return carry[0]
		}},
		"counter of a scan that passes": {true, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			carry, _ := lazy.Scan(func(tr *lazy.Trace, s, rows []*lazy.Tensor) (next, ys []*lazy.Tensor) {
				return tensors{s[0].Add(x.Gather(s[1])), s[1].Add(one(tr))}, nil
			}, tensors{x.Max(), lazy.Full(tr, lazy.I32, 1)}, tensors{x}, lazy.ScanOptions{})
			return carry[0]
		}},
		"label of the model": {false, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.For(9, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{x.Gather(s[1]).Mul(x).Max().Add(s[0]), x.Mul(s[0]).ArgMax(0)}
			}, x.Max(), lazy.Full(tr, lazy.I64, 2))[0]
		}},
		"remainder": {false, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.For(9, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{x.Gather(s[1]).Add(s[0]), s[1].AddScalar(3).Remainder(lazy.Full(tr, lazy.I64, 4))}
			}, x.Max(), lazy.Full(tr, lazy.I64, 2))[0]
		}},
		"nested loops": {false, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return lazy.For(2, func(tr *lazy.Trace, j *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
					return tensors{s[0].Add(x.Gather(i.Add(i).Add(j)))}
				}, s...)
			}, x.Max())[0]
		}},
		"branches": {false, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			i := lazy.If(x.Max().Greater(lazy.Full(tr, lazy.F32, 1)), func(tr *lazy.Trace) []*lazy.Tensor { return tensors{x.ArgMax(0)} },
				func(tr *lazy.Trace) []*lazy.Tensor { return tensors{lazy.Full(tr, lazy.I64, 3)} })
			return x.Gather(i[0])
		}},
		"row of an argument": {false, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.Map(func(tr *lazy.Trace, rows []*lazy.Tensor) []*lazy.Tensor { return tensors{x.Gather(rows[0])} }, at)[0].Max()
		}},
		"gradient": {false, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			y := lazy.For(4, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Mul(x.Gather(i))}
			}, x.Max())[0]
			return lazy.Grad(y, x)[0].Max()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			tr := lazy.NewTrace(open(t, "cpu"))
			y := c.f(tr, lazy.Iota(tr, lazy.F32, 0, 4), lazy.From(tr, []int64{0, 3}))
			if err := tr.MarkStep(y); !c.looks {
				require.NoError(t, err)
				require.NoError(t, tr.Wait(t.Context()))
			}
			text := tr.Program(lazy.FormatStableHLO)
			require.NotEmpty(t, text)
			require.Equal(t, c.looks, strings.Contains(text, "ltc.check_index"), text)
		})
	}
}

// A function for all sizes looks at the indices that it computes, also where the number of rows is open.
func TestIndicesOfOpenInputs(t *testing.T) {
	rows := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	d := open(t, "cpu")
	for i, c := range []struct {
		want string // for 3 and 4; "" if no index is looked at
		f    func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor
	}{
		{"gather(f32[4,3], i64[2]): an index is 4, but there are 4 to choose from, 0 to 3", func(tr *lazy.Trace, _, at *lazy.Tensor) *lazy.Tensor {
			return lazy.From(tr, rows, 4, 3).Gather(computed(at))
		}},
		{"gather(f32[4,3], i64[2]): an index is 4, but there are 4 to choose from, 0 to 3", func(_ *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor { return x.Gather(computed(at)) }},
		{"gather(f32[4,3], i64[2]): the index at [1] is 4", func(_ *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor { return x.Gather(at) }},
		{"one_hot(i64[2]): an index is 4", func(_ *lazy.Trace, _, at *lazy.Tensor) *lazy.Tensor { return computed(at).OneHot(4, lazy.F32) }},
		{"gather(f32[4,3], i64[2]): an index is 4", func(_ *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.For(2, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(x.Gather(computed(at)).Sum())}
			}, x.Sum())[0]
		}},
		{"", func(_ *lazy.Trace, x, _ *lazy.Tensor) *lazy.Tensor { return x.Gather(x.ArgMax(0)) }},
		{"", func(_ *lazy.Trace, x, _ *lazy.Tensor) *lazy.Tensor { return x.Gather(x.ArgSort(0).Narrow(0, 0, 1)) }},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			f := lazy.Func(d, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor { return c.f(tr, x, at) })
			require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("rows", 1, 8), 3)},
				lazy.Input{Name: "at", Type: types.Of(lazy.I64, lazy.Dim("n", 1, 8))}))
			call := func(at ...int64) error {
				y, err := f.Call(t.Context(), lazy.From(d, rows, 4, 3), lazy.From(d, at))
				if err == nil {
					_, err = y.Value()
				}
				return err
			}
			before := counter(d, "UncachedCompile")
			require.NoError(t, call(0, 3, 2))
			require.Equal(t, strings.Contains(c.want, "an index"), strings.Contains(f.Program(lazy.FormatStableHLO), "ltc.check_index"))
			if err := call(3, 4); c.want != "" {
				require.ErrorIs(t, err, lazy.ErrIndex)
				require.ErrorContains(t, err, c.want)
			}
			require.NoError(t, call(3))
			require.EqualValues(t, before+1, counter(d, "UncachedCompile"))
		})
	}
}

// Indices that large sizes show to be in range, and small ones do not, are looked at for all sizes by one program.
func TestIndicesOfOpenInputsBySize(t *testing.T) {
	for name, c := range map[string]struct {
		op   string
		low  int // the least size
		want bool
		f    func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor
	}{
		"number": {"gather", 0, true, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Gather(lazy.Const(tr, lazy.I32, 3)) }},
		"iota":   {"gather", 0, true, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Gather(lazy.Iota(tr, lazy.I32, 0, 4)) }},
		"computed": {"gather", 0, true, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			return x.Gather(lazy.Iota(tr, lazy.I32, 0, 3).AddScalar(1))
		}},
		"full": {"gather", 0, true, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Gather(lazy.Full(tr, lazy.I32, 3, 2)) }},
		"scatter": {"scatter_add", 0, true, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			return x.ScatterAdd(lazy.Iota(tr, lazy.I32, 0, 4), lazy.Ones(tr, lazy.F32, 4))
		}},
		"class": {"one_hot", 0, true, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			return lazy.Const(tr, lazy.I32, 5).OneHot(x.OpenDim(0), lazy.F32).Mul(x)
		}},
		"iteration": {"gather", 0, true, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			return lazy.For(4, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(x.Gather(i))}
			}, lazy.Const(tr, lazy.F32, 0))[0]
		}},
		"in range of all sizes": {"gather", 4, false, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Gather(lazy.Const(tr, lazy.I32, 3)) }},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, "cpu")
			f := lazy.Func(d, c.f)
			require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", c.low, 100))}))
			call := func(n int) error {
				y, err := f.Call(t.Context(), lazy.From(d, make([]float32, n)))
				if err == nil {
					_, err = y.Value()
				}
				return err
			}
			for _, n := range []int{8, 7, 99} {
				require.NoError(t, call(n))
			}
			require.Equal(t, c.want, strings.Contains(f.Program(lazy.FormatStableHLO), "ltc.check_index"))
			if err := call(3); c.want {
				require.ErrorIs(t, err, lazy.ErrIndex)
				require.ErrorContains(t, err, "indices_test.go:")
				require.ErrorContains(t, err, c.op+"(")
				require.ErrorContains(t, err, "but there are 3 to choose from")
			}
			require.EqualValues(t, 1, counter(d, "UncachedCompile"))
		})
	}
}

// A size below those that the function is recorded for may show an index to be out of range.
func TestIndicesOfOpenInputsOfLeastSize(t *testing.T) {
	d := open(t, "cpu")
	f := lazy.Func(d, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Gather(lazy.Const(tr, lazy.I32, 1)) })
	require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 0, 100))}))
	for _, n := range []int{8, 2, 1} {
		_, err := f.Call(t.Context(), lazy.From(d, make([]float32, n)))
		require.Equal(t, n == 1, errors.Is(err, lazy.ErrIndex), "%d: %v", n, err)
	}
}

// A loop and the one of its gradient, which saves what that needs, are one loop with checks, too.
func TestChecksOfIndicesAddNoLoop(t *testing.T) {
	whiles := func(d *lazy.Device, nested bool) int {
		tr := lazy.NewTrace(d)
		x, at := lazy.Iota(tr, lazy.F32, 0, 4), lazy.From(tr, []int64{3})
		body := func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{s[0].Mul(x.Gather(computed(at))).Sin()}
		}
		outer := body
		if nested {
			outer = func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return lazy.For(3, body, s...) }
		}
		y := lazy.For(2, outer, x.Narrow(0, 1, 1))[0]
		require.NoError(t, tr.MarkStep(y, lazy.Grad(y.Sum(), x)[0]))
		require.NoError(t, tr.Wait(t.Context()))
		return strings.Count(tr.Program(lazy.FormatStableHLO), "stablehlo.while")
	}
	for _, nested := range []bool{false, true} {
		require.Equal(t, whiles(open(t, "cpu", lazy.CheckIndices(false)), nested), whiles(open(t, "cpu"), nested))
	}
}

// What does not run is not looked at: a branch that is not taken, and a loop without iterations.
func TestIndicesOfClosuresThatDoNotRun(t *testing.T) {
	for _, name := range watchers {
		tr := lazy.NewTrace(open(t, name))
		x, at := lazy.Iota(tr, lazy.F32, 0, 4), lazy.From(tr, []int64{9})
		y := lazy.If(x.Sum().Less(lazy.Full(tr, lazy.F32, 1)), func(*lazy.Trace) []*lazy.Tensor { return tensors{x.Gather(at)} },
			func(*lazy.Trace) []*lazy.Tensor { return tensors{x.Gather(computed(at).SubScalar(8))} })[0]
		for _, n := range []int{0, 1} {
			z := lazy.For(lazy.From(tr, []int32{int32(n)}).Reshape(), func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(x.Gather(at))}
			}, y)[0]
			err := tr.MarkStep(z)
			if err == nil {
				err = tr.Wait(t.Context())
			}
			if n == 0 {
				require.NoError(t, err)
				require.Equal(t, []float32{1}, floats(t, z))
				y, at = lazy.Ones(tr, lazy.F32, 1), lazy.From(tr, []int64{9})
				x = lazy.Iota(tr, lazy.F32, 0, 4)
				continue
			}
			require.ErrorIs(t, err, lazy.ErrIndex)
		}
	}
}

// No index of u64 counts from the end, however large it is. An index of a program that a gradient runs
// again is the user's in the error.
func TestIndicesThatDoNotCountFromTheEnd(t *testing.T) {
	for _, name := range watchers {
		d := open(t, name)
		for i, c := range []struct {
			want string
			f    func(tr *lazy.Trace) *lazy.Tensor
		}{
			{"index(f32[4], u64[1]): the index at [0] is 18446744073709551615, but there are 4 to choose from, 0 to 3", func(tr *lazy.Trace) *lazy.Tensor {
				return lazy.Iota(tr, lazy.F32, 0, 4).Index(lazy.From(tr, []uint64{1<<64 - 1}))
			}},
			{"index(f32[4], u64[1]): an index is 18446744073709551615", func(tr *lazy.Trace) *lazy.Tensor {
				return lazy.Iota(tr, lazy.F32, 0, 4).Index(lazy.From(tr, []uint64{1<<64 - 2}).AddScalar(1))
			}},
			{"index(f32[4], u64[1]): the index at [1] is 18446744073709551615", func(tr *lazy.Trace) *lazy.Tensor {
				return lazy.Vmap(func(_ *lazy.Trace, a []*lazy.Tensor) []*lazy.Tensor { return tensors{a[0].Index(a[1])} },
					tensors{lazy.Iota(tr, lazy.F32, 0, 8).Reshape(2, 4), lazy.From(tr, []uint64{0, 1<<64 - 1}).Reshape(2, 1)}, lazy.VmapOptions{})[0]
			}},
			{"gather(f32[4], i64[1]): an index is -1", func(tr *lazy.Trace) *lazy.Tensor {
				at := lazy.From(tr, []uint64{1<<64 - 1}).Convert(lazy.I64)
				return lazy.Iota(tr, lazy.F32, 0, 4).Gather(at.Minimum(lazy.Full(tr, lazy.I64, 3, 1)))
			}},
			{"index(f32[4], i64[1]): an index is -5, but there are 4 to choose from, -4 to 3", func(tr *lazy.Trace) *lazy.Tensor {
				x, at := lazy.Iota(tr, lazy.F32, 0, 4), lazy.From(tr, []int64{-5})
				return lazy.Grad(lazy.Checkpoint(x, func(x *lazy.Tensor) *lazy.Tensor { return x.Index(computed(at)).Square() }).Sum(), x)[0]
			}},
		} {
			t.Run(fmt.Sprint(name, "/", i), func(t *testing.T) {
				tr := lazy.NewTrace(d)
				err := tr.MarkStep(c.f(tr))
				if err == nil {
					err = tr.Wait(t.Context())
				}
				require.ErrorIs(t, err, lazy.ErrIndex)
				require.ErrorContains(t, err, c.want)
			})
		}
	}
}

// A program that looks at indices of its own is one for all sizes, and finds what is out of range of each.
func TestIndicesOfAllSizesAreOneCompile(t *testing.T) {
	d := open(t, "cpu")
	tr := lazy.NewTrace(d)
	line := 0
	step := func(at ...int64) error {
		ids := lazy.From(tr, at)
		_, _, line, _ = runtime.Caller(0)
		rows := lazy.Iota(tr, lazy.F32, 0, 12).Reshape(4, 3).Gather(computed(ids))
		if err := tr.MarkStep(rows.Index(computed(ids.MulScalar(0)).SubScalar(1))); err != nil {
			return err
		}
		return tr.Wait(t.Context())
	}
	for _, n := range []int{2, 3, 5, 6, 7, 8} { // 4 is the number of rows, too, which is one op fewer
		at := make([]int64, n)
		require.NoError(t, step(at...))
		at[n-1] = 4
		err := step(at...)
		require.ErrorIs(t, err, lazy.ErrIndex)
		require.ErrorContains(t, err, fmt.Sprintf("indices_test.go:%d: gather(f32[4,3], i64[%d]): an index is 4", line+1, n))
	}
	require.EqualValues(t, 2, counter(d, "UncachedCompile"), "the second serves all sizes")
}

// The error of an index within loops has the first that is out of range, with the iterations of the loops,
// on all kinds of loops: what comes later does not count.
func TestErrorsOfIndicesNameTheIteration(t *testing.T) {
	zero := func(tr *lazy.Trace) *lazy.Tensor { return lazy.Zeros(tr, lazy.F32) }
	one := func(tr *lazy.Trace) *lazy.Tensor { return lazy.Full(tr, lazy.I32, 1) }
	below := func(i *lazy.Tensor, n float64) *lazy.Tensor { return i.Less(lazy.Full(i.Trace(), lazy.I32, n)) }
	for name, c := range map[string]struct {
		want string
		f    func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor // at has 8 indices of 4 rows
	}{
		"for": {"an index is -1 in iteration 3 of the loop at LINE, but there are 4", func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.For(8, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(x.Gather(computed(at.Gather(i))))}
			}, zero(tr))[0]
		}},
		"two ops, the second first": {"gather(f32[6], i64[]): an index is -7 in iteration 0 of the loop at LINE, but there are 6", func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.For(8, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				y := s[0].Add(x.Gather(computed(at.Gather(i)))) // iteration 3
				return tensors{y.Add(lazy.Iota(tr, lazy.F32, 0, 6).Gather(computed(at.Gather(lazy.Full(tr, lazy.I32, 7).Sub(i)))))}
			}, zero(tr))[0]
		}},
		"two ops of an iteration": {"gather(f32[4], i64[]): an index is 9 in iteration 5 of the loop at LINE, but there are 4", func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.While(func(tr *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor { return below(s[0], 8) }, func(tr *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
				k := computed(at.Gather(s[0])).Maximum(lazy.Zeros(tr, lazy.I64))
				y := s[1].Add(x.Gather(k))
				return tensors{s[0].Add(one(tr)), y.Add(lazy.Iota(tr, lazy.F32, 0, 6).Gather(k))}
			}, one(tr).Sub(one(tr)), zero(tr))[1]
		}},
		"op behind an inner loop": {"gather(f32[4], i64[]): an index is -1 in iteration 1 of the loop at LINE in iteration 1 of the loop at LINE, but", func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.For(at.Narrow(0, 1, 1).Sum().AddScalar(3), func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				k := i.Convert(lazy.I32).MulScalar(2)
				y := lazy.For(2, func(tr *lazy.Trace, j *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
					return tensors{s[0].Add(x.Gather(computed(at.Gather(k.Add(j)))))}
				}, s...)[0]
				return tensors{y.Add(lazy.Iota(tr, lazy.F32, 0, 6).Gather(computed(at.Gather(k.AddScalar(1)))))}
			}, zero(tr))[0]
		}},
		"op before an inner loop": {"gather(f32[6], i64[]): an index is -1 in iteration 1 of the loop at LINE, but", func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.For(at.Narrow(0, 1, 1).Sum().AddScalar(3), func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				k := i.Convert(lazy.I32).MulScalar(2)
				y := s[0].Add(lazy.Iota(tr, lazy.F32, 0, 6).Gather(computed(at.Gather(k.AddScalar(1)))))
				return lazy.For(2, func(tr *lazy.Trace, j *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
					return tensors{s[0].Add(x.Gather(computed(at.Gather(k.Add(j)))))}
				}, y)
			}, zero(tr))[0]
		}},
		"reversed scan": {"an index is -7 in iteration 0 of the loop at LINE, but", func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			carry, _ := lazy.Scan(func(tr *lazy.Trace, s, rows []*lazy.Tensor) (next, ys []*lazy.Tensor) {
				return tensors{s[0].Add(x.Gather(computed(rows[0])))}, nil
			}, tensors{zero(tr)}, tensors{at}, lazy.ScanOptions{Reverse: true})
			return carry[0]
		}},
		"several at once": {"an index is 9 in iteration 1 of the loop at LINE, but", func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.For(2, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				rows := computed(at.Reshape(2, 4).Gather(i)).Maximum(lazy.Zeros(tr, lazy.I64, 4))
				return tensors{s[0].Add(x.Gather(rows).Sum())}
			}, zero(tr))[0]
		}},
		"u64": {"an index is 18446744073709551615 in iteration 3 of the loop at LINE, but there are 4 to choose from, 0 to 3", func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			u := at.Convert(lazy.U64)
			return lazy.For(8, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(x.Index(u.Gather(i).Mul(lazy.Full(tr, lazy.U64, 1))))}
			}, zero(tr))[0]
		}},
		"from the end": {"an index is 9 in iteration 5 of the loop at LINE, but there are 4 to choose from, -4 to 3", func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.For(8, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(x.Index(computed(at.Gather(i))))}
			}, zero(tr))[0]
		}},
		"while": {"an index is -1 in iteration 2 of the loop at LINE, but", func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.While(func(tr *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor { return below(s[0], 8) }, func(tr *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(one(tr)), s[1].Add(x.Gather(computed(at.Gather(s[0]))))}
			}, one(tr), zero(tr))[1]
		}},
		"condition": {"an index is -1 in iteration 3 of the loop at LINE, but", func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.While(func(tr *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor {
				return below(s[0], 3).And(x.Gather(computed(at.Gather(s[0].Minimum(lazy.Full(tr, lazy.I32, 7))))).Less(lazy.Full(tr, lazy.F32, 99)))
			}, func(tr *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor { return tensors{s[0].Add(one(tr))} }, one(tr).Sub(one(tr)))[0]
		}},
		"nested": {"an index is -1 in iteration 1 of the loop at LINE in iteration 1 of the loop at LINE, but", func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			n := at.Narrow(0, 1, 1).Sum().Add(at.Narrow(0, 2, 1).Sum()) // 3
			return lazy.For(n, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return lazy.For(2, func(tr *lazy.Trace, j *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
					k := i.Convert(lazy.I32).MulScalar(2).Add(j).Minimum(lazy.Full(tr, lazy.I32, 7))
					return lazy.If(below(k, 1), func(*lazy.Trace) []*lazy.Tensor { return s }, func(*lazy.Trace) []*lazy.Tensor {
						return tensors{s[0].Add(x.Gather(computed(at.Gather(k.Maximum(lazy.Full(tr, lazy.I32, 0))))))}
					})
				}, s...)
			}, zero(tr))[0]
		}},
		"checkpoint": {"an index is -1 in iteration 1 of the loop at LINE in iteration 1 of the loop at LINE, but", func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			return lazy.For(4, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Add(lazy.Checkpoint(x, func(x *lazy.Tensor) *lazy.Tensor {
					return lazy.For(2, func(tr *lazy.Trace, j *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
						return tensors{s[0].Add(x.Gather(computed(at.Gather(i.MulScalar(2).Add(j)))))}
					}, zero(tr))[0]
				}))}
			}, zero(tr))[0]
		}},
		"gradient": {"an index is -1 in iteration 3 of the loop at LINE, but", func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
			y := lazy.For(8, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Mul(x.Gather(computed(at.Gather(i))))}
			}, x.Sum())[0]
			return y.Add(lazy.Grad(y, x)[0].Sum())
		}},
	} {
		for _, backend := range watchers {
			t.Run(name+"/"+backend, func(t *testing.T) {
				tr := lazy.NewTrace(open(t, backend))
				step := func(at ...int64) error {
					if err := tr.MarkStep(c.f(tr, lazy.Iota(tr, lazy.F32, 0, 4), lazy.From(tr, at))); err != nil {
						return err
					}
					return tr.Wait(t.Context())
				}
				require.NoError(t, step(0, 1, 2, 0, 3, 3, 0, 1))
				err := step(0, 1, 2, -1, 3, 9, 0, -7)
				require.ErrorIs(t, err, lazy.ErrIndex)
				want := strings.ReplaceAll(regexp.QuoteMeta(c.want), "LINE", `\S*indices_test\.go:\d+`)
				require.Regexp(t, want, err.Error())
			})
		}
	}
}

// An exported text has no call of the host. In one that is imported an index out of range is no error: the
// text defines that a gather takes an existing row, and that a scatter drops the update.
func TestIndicesOfImportedTexts(t *testing.T) {
	for _, name := range watchers {
		d := open(t, name)
		for i, c := range []struct {
			want, gradient []float32
			f              func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor
		}{
			{[]float32{3, 0}, []float32{1, 0, 0, 1}, func(_ *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor { return x.Gather(computed(at)) }},
			{[]float32{0, 1, 2, 3}, []float32{1, 1, 1, 1}, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
				return x.ScatterAdd(computed(at), lazy.Ones(tr, lazy.F32, 2))
			}},
			{[]float32{0, 1, 2, 3}, []float32{1, 1, 1, 1}, func(tr *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
				return x.Reshape(2, 2).ScatterAddAlong(computed(at).Reshape(1, 2), lazy.Ones(tr, lazy.F32, 1, 2), 0).Reshape(4)
			}},
			{[]float32{6, 0}, []float32{2, 0, 0, 2}, func(_ *lazy.Trace, x, at *lazy.Tensor) *lazy.Tensor {
				return lazy.For(2, func(tr *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
					return tensors{s[0].Add(x.Gather(computed(at)))}
				}, x.Narrow(0, 0, 2).MulScalar(0))[0]
			}},
		} {
			t.Run(fmt.Sprint(name, "/", i), func(t *testing.T) {
				e, err := lazy.Func(d, c.f).Export([]lazy.Input{{Name: "x", Type: types.Of(lazy.F32, 4)}, {Name: "at", Type: types.Of(lazy.I64, 2)}})
				require.NoError(t, err)
				require.NotContains(t, e.Text, "check_index")
				f, err := lazy.Import("f.mlir", e.Text)
				require.NoError(t, err)
				tr := lazy.NewTrace(d)
				x := lazy.Iota(tr, lazy.F32, 0, 4)
				y := f.Call(x, lazy.From(tr, []int64{9, -1}))
				dx := lazy.Grad(y.Sum(), x)[0]
				require.NoError(t, tr.MarkStep(y, dx))
				require.Equal(t, c.want, floats(t, y))
				require.Equal(t, c.gradient, floats(t, dx))
			})
		}
	}
}

// Indices of all examples of Vmap are looked at, and those of branches that no example takes are not.
func TestIndicesOfExamples(t *testing.T) {
	for _, name := range watchers {
		d := open(t, name)
		for seed := range trials.Soak(6, 1000) {
			seed += 40 // 44 has a branch that no example takes, in a loop
			rng, tables := rand.New(rand.NewPCG(uint64(seed), 9)), 0
			ops := randomIndices(rng, 3, 2, &tables)
			m := model{wrong: map[int]wrongIndex{}}
			var given []int64
			var want [][]int64
			for range 2 {
				at := three{int64(rng.IntN(4)), int64(rng.IntN(4)), int64(rng.IntN(4))}
				y := m.run(ops, []three{at, at, {0, 1, 2}}, nil)
				given, want = append(given, at[:]...), append(want, y[:])
			}
			tr := lazy.NewTrace(d)
			y := lazy.Vmap(func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
				return tensors{record(tr, ops, tensors{xs[0], xs[0], lazy.Iota(tr, lazy.I64, 0, 3)})}
			}, tensors{lazy.From(tr, given, 2, 3)}, lazy.VmapOptions{})[0]
			err := tr.MarkStep(y)
			if err == nil {
				err = tr.Wait(t.Context())
			}
			if len(m.wrong) > 0 {
				require.ErrorIs(t, err, lazy.ErrIndex, "%d: %+v", seed, m.wrong)
				continue
			}
			require.NoError(t, err, "%d: %+v", seed, ops)
			got, err := lazy.ToSlice[int64](y)
			require.NoError(t, err)
			require.Equal(t, slices.Concat(want...), got)
		}
	}
}

// A step looks at the indices that it runs with: Set changes a scalar for later steps, while the step
// waits for the one before.
func TestIndicesOfScalarsThatAreSetLater(t *testing.T) {
	d, g := openGated(t)
	tr := lazy.NewTrace(d)
	w := lazy.SetValues(d.Variable("w", lazy.F32), []float32{0})
	step := func(marked, later float64, f func(x, at *lazy.Tensor) *lazy.Tensor) ([]float32, error) {
		at := lazy.NewScalar(d, "at", lazy.I64, marked)
		before := lazy.Iota(tr, lazy.F32, 0, bigSize).AddScalar(1)
		require.NoError(t, tr.MarkStep(before))
		<-g.began
		y := f(lazy.Iota(tr, lazy.F32, 0, 4), at)
		require.NoError(t, tr.MarkStep(y))
		require.NoError(t, at.Set(later))
		done := make(chan struct{})
		defer close(done)
		go func() {
			for {
				select {
				case g.let <- nil:
				case <-done:
					return
				}
			}
		}()
		err := tr.Wait(t.Context())
		for len(g.began) > 0 {
			<-g.began
		}
		if err != nil {
			return nil, err
		}
		return lazy.ToSlice[float32](y)
	}
	gather := func(x, at *lazy.Tensor) *lazy.Tensor { return x.Gather(at) }
	loop := func(x, at *lazy.Tensor) *lazy.Tensor {
		s := lazy.For(2, func(tr *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{s[0].Add(x.Gather(s[1])), s[1].AddScalar(3).Remainder(lazy.Full(tr, lazy.I64, 4))}
		}, tr.Read(w), at)
		w.Assign(s[0])
		return s[0].MulScalar(1)
	}
	for range 2 {
		got, err := step(3, 99, gather)
		require.NoError(t, err)
		require.Equal(t, []float32{3}, got)
		_, err = step(99, 3, gather)
		require.ErrorIs(t, err, lazy.ErrIndex)
		require.ErrorContains(t, err, "is 99")

		_, err = step(99, 3, loop)
		require.ErrorIs(t, err, lazy.ErrIndex)
		require.ErrorContains(t, err, "is 99")
	}
}
