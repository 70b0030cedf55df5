package sorts_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/ptx"
	"ltc/backends/cuda/ptx/sorts"
	"ltc/backends/kit/kernel"
	"ltc/internal/test/ptxas"
	"ltc/internal/test/ptxsim"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// sortOf compares so many operands, of which the first that differs decides.
func sortOf(keys int, all ...types.DType) *sorts.Sort {
	s := &sorts.Sort{Types: all}
	b := kernel.NewBuilder("less")
	b.Stage()
	load := func(i int, second bool) kernel.ID {
		s.Of = append(s.Of, sorts.Compared{Operand: i, Second: second})
		return b.Load(b.Param(kernel.Param{Name: fmt.Sprint("x", i, second), DType: all[i]}))
	}
	less := b.Int(types.Bool, 0)
	for i := range slices.Backward(all[:keys]) {
		x, y := load(i, false), load(i, true)
		rest := b.Op(kernel.And, types.Bool, b.Op(kernel.CompareEQ, types.Bool, x, y), less)
		less = b.Op(kernel.Or, types.Bool, b.Op(kernel.CompareLT, types.Bool, x, y), rest)
	}
	s.Of = append(s.Of, sorts.Compared{Operand: -1})
	b.Store(b.Param(kernel.Param{Name: "less", DType: types.Bool, Out: true}), less)
	s.Less = b.Kernel()
	return s
}

// sortModule is the module of all entries of a sort, k0 and on.
func sortModule(t testing.TB, s *sorts.Sort) string {
	var all []string
	for v := range 3 {
		if s.Keep > 0 && v == 2 {
			break
		}
		text, err := s.Entry(fmt.Sprint("k", v), v)
		require.NoError(t, err)
		all = append(all, text)
	}
	return ptx.Options{}.Module(all...)
}

// runSort sorts one row of u32s with their places, in the interpreter.
func runSort(t testing.TB, s *sorts.Sort, module string, row []uint32) (keys, places []uint32, err error) {
	m, err := ptxsim.Parse(module)
	require.NoError(t, err)
	var memory ptxsim.Memory
	lengths := []int64{int64(len(row)), int64(len(row)), int64(len(row)), int64(len(row))}
	if s.Keep > 0 {
		lengths[2], lengths[3] = s.Keep, s.Keep
	}
	lengths = append(lengths, s.Places(int64(len(row)), 1)...)
	args, buffers := make([]uint64, len(lengths)), make([][]byte, len(lengths))
	for i := range buffers {
		buffers[i] = make([]byte, 4*lengths[i])
		for j, v := range row {
			switch i {
			case 0:
				binary.LittleEndian.PutUint32(buffers[i][4*j:], v)
			case 1:
				binary.LittleEndian.PutUint32(buffers[i][4*j:], uint32(j))
			}
		}
		args[i] = memory.Alloc(buffers[i])
	}
	for _, l := range s.Launches(int64(len(row)), 1, 1) {
		e, err := m.Entry(fmt.Sprint("k", l.Variant))
		require.NoError(t, err)
		of := slices.Clone(args)
		for _, n := range l.Sizes {
			of = append(of, uint64(n))
		}
		if _, err := e.Run(&memory, ptxsim.Launch{Grid: l.Grid, Block: l.Block, Shared: l.Shared, Args: of, Steps: 1 << 30}); err != nil {
			return nil, nil, err
		}
	}
	for j := range lengths[2] {
		keys = append(keys, binary.LittleEndian.Uint32(buffers[2][4*j:]))
		places = append(places, binary.LittleEndian.Uint32(buffers[3][4*j:]))
	}
	return keys, places, nil
}

// Sorts are stable, of rows about as long as a tile and some of them, and the
// assembler has a row for each.
func TestSort(t *testing.T) {
	s := sortOf(1, types.U32, types.U32)
	module := sortModule(t, s)
	require.NoError(t, ptxas.Name("sort/u32", module))
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range trials.First([]int{7, 4096, 8200}) {
		row := make([]uint32, n)
		for i := range row {
			row[i] = uint32(r.IntN(n/2)) << 16
		}
		keys, places, err := runSort(t, s, module, row)
		require.NoError(t, err)
		want := make([]uint32, n)
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, func(a, b uint32) int { return int(row[a]>>16) - int(row[b]>>16) })
		require.Equal(t, want, places)
		for i, p := range places {
			require.Equal(t, row[p], keys[i])
		}
	}
}

// The first elements of rows are those of a sort, of rows that are one tile and that are
// some hundred, of which tiles keep what tiles select of again.
func TestTop(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	cases := []struct{ n, keep int }{{2, 1}, {100, 50}, {4096, 7}, {4097, 1}, {8200, 100}, {20_000, 1024}}
	if trials.Soaking() {
		cases = append(cases, struct{ n, keep int }{300_000, 64})
	}
	for _, c := range cases {
		s := sortOf(1, types.U32, types.U32)
		s.Keep = int64(c.keep)
		require.NoError(t, s.Check(int64(c.n), 1))
		module := sortModule(t, s)
		require.NoError(t, ptxas.Name("top/u32", module))
		row := make([]uint32, c.n)
		for i := range row {
			row[i] = uint32(r.IntN(c.n/3 + 1))
		}
		_, places, err := runSort(t, s, module, row)
		require.NoError(t, err)
		want := make([]uint32, c.n)
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, func(a, b uint32) int { return int(row[a]) - int(row[b]) })
		require.Equal(t, want[:c.keep], places, "%d of %d", c.keep, c.n)
	}
	require.ErrorContains(t, (&sorts.Sort{Types: []types.DType{types.U32}, Keep: 3}).Check(5, 1), "3 of 5 elements kept")
	require.ErrorContains(t, (&sorts.Sort{Types: []types.DType{types.U32}, Keep: 1025}).Check(1<<20, 1), "1025 of 1048576 elements kept")
}

// Mistakes planted in the text are found: barriers that are missing, runs that meet
// elsewhere than in the mirror image, and tiles that are one element longer.
func TestTopPlanted(t *testing.T) {
	s := sortOf(1, types.U32, types.U32)
	s.Keep = 5
	row := make([]uint32, 300)
	for i := range row {
		row[i] = uint32(i * 7919 % 131)
	}
	module := sortModule(t, s)
	_, places, err := runSort(t, s, module, row)
	require.NoError(t, err)
	at := func(old string, n int) int {
		i := 0
		for range n {
			next := strings.Index(module[i:], old)
			require.GreaterOrEqual(t, next, 0, "%s", module)
			i += next + len(old)
		}
		return i - len(old)
	}
	for _, c := range []struct {
		name     string
		old, new string
		number   int // which of those that are alike
		want     string
	}{
		{"before runs are sorted", "bar.sync 0;", "", 1, "nobody has written"},
		{"before runs meet", "bar.sync 0;", "", 2, "race"},
		{"within a run", "bar.sync 0;", "", 3, "race"},
		{"before results", "bar.sync 0;", "", 4, "race"},
		{"one more element", "setp.lt.u32", "setp.le.u32", 1, "of allocation"},
	} {
		t.Run(c.name, func(t *testing.T) {
			i := at(c.old, c.number)
			_, now, err := runSort(t, s, module[:i]+c.new+module[i+len(c.old):], row)
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.NotEqual(t, places, now)
		})
	}
}

// Of other types and numbers of keys the assembler has rows, too.
func TestSortEntries(t *testing.T) {
	for _, c := range []struct {
		name string
		*sorts.Sort
	}{
		{"i8_u16_f64", sortOf(3, types.I8, types.U16, types.F64)},
		{"bf16_i64", sortOf(1, types.BF16, types.I64)},
		{"f16_bool_i32", sortOf(2, types.F16, types.Bool, types.I32)},
		{"22_f64", sortOf(22, slices.Repeat([]types.DType{types.F64}, 22)...)},
		{"none", sortOf(0, types.U8)},
	} {
		module := sortModule(t, c.Sort)
		_, err := ptxsim.Parse(module)
		require.NoError(t, err)
		require.NoError(t, ptxas.Name("sort/"+c.name, module))
		require.NoError(t, c.Check(1<<20, 1000))
	}
	require.ErrorContains(t, sortOf(24, slices.Repeat([]types.DType{types.F64}, 24)...).Check(1, 1), "comparing elements of 192 bytes")
	require.ErrorContains(t, sortOf(1, types.F64).Check(1<<31, 1), "rows of 2147483648 elements")
	require.ErrorContains(t, sortOf(1, types.F64).Check(1, 1<<40), "not as many blocks")
}

// A sort whose entries would have more parameters than launches take, 4,096 bytes, has
// none; one that is accepted has no entry with more.
func TestSortsOfTooManyParametersAreRefused(t *testing.T) {
	for _, keep := range []int64{0, 3} {
		accepted := 0
		for n := 244; n <= 256; n++ {
			s := sortOf(1, slices.Repeat([]types.DType{types.U32}, n)...)
			s.Keep = keep
			if err := s.Check(10_000, 1); err != nil {
				require.ErrorContains(t, err, fmt.Sprintf("%d operands", n))
				require.ErrorContains(t, err, "an entry has at most 512")
				continue
			}
			require.Equal(t, n-244, accepted, "more operands are refused, too")
			accepted++
			for entry := range strings.SplitSeq(sortModule(t, s), ".visible .entry ") {
				require.LessOrEqual(t, 8*strings.Count(entry, ".param .u64 a"), 4096, "%d operands", n)
			}
			for _, l := range s.Launches(10_000, 1, 1) {
				require.LessOrEqual(t, 8*(2*n+len(s.Places(10_000, 1))+len(l.Sizes)), 4096)
			}
		}
		require.Positive(t, accepted)
		require.Less(t, accepted, 13)
	}
}

// Mistakes planted in the text are found: barriers that are missing, an order that is
// not that of the places, merges that do not begin with the mirror image, and elements
// behind a row's end.
func TestSortPlanted(t *testing.T) {
	s := sortOf(1, types.U32, types.U32)
	row := make([]uint32, 300)
	for i := range row {
		row[i] = uint32(i * 7919 % 13)
	}
	module := sortModule(t, s)
	sorted, places, err := runSort(t, s, module, row)
	require.NoError(t, err)
	for _, c := range []struct{ name, after, old, new, want string }{
		{"first barrier", "", "bar.sync 0;", "", "nobody has written"},
		{"last barrier", "setp.le.u32", "bar.sync 0;", "", "race"},
		{"places", "", "xor.pred", "or.pred", ""},
		{"mirror image", "setp.le.u32", "sub.u32", "shr.u32", ""},
		{"one more element", "bar.sync 0;", "setp.lt.u32", "setp.le.u32", "of allocation 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := strings.Index(module, c.after)
			require.GreaterOrEqual(t, at, 0)
			i := strings.Index(module[at:], c.old)
			require.GreaterOrEqual(t, i, 0)
			keys, now, err := runSort(t, s, module[:at+i]+c.new+module[at+i+len(c.old):], row)
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.False(t, slices.Equal(sorted, keys) && slices.Equal(places, now))
		})
	}
}
