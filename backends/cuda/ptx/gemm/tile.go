package gemm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/ir/types"
)

// tile is how blocks share out the products: each has rows·columns
// sums at a time, its warps parts of it beside each other, and a pipeline.
// A stage of it has a strip of the factors, of [asm.StripBytes] along K.
type tile struct {
	rows, columns int
	warps         [2]int // along rows and columns
	stages        int    // of the pipeline: copies to all but one may be under way
	groups        bool   // whether warpgroups multiply, four warps together: of sm_90a alone
	own           [2]int // if set, of how many rows and columns each thread adds up the sums itself, of f32
	why           string
	maps          bool // whether a warpgroup more copies the factors by tensor maps
	// flat is of how many axes of M rows are, one after the other; 0: of the last alone.
	flat int
}

// The tiles that entries are written for, by which [Schedule.Launch] chooses.
const (
	largeTile = iota
	smallTile
	fewRows
	fewColumns
	widestTile // of those for sm_90a
)

// tileTable returns them for elements of a type.
func tileTable(t types.DType, tf32, hopper bool) []tile {
	all := []tile{
		largeTile:  {rows: 128, columns: 128, warps: [2]int{2, 2}, stages: 3, why: "large products: each element that a warp reads takes part in 64 products, and two blocks fit a multiprocessor of H100; of others see paired"},
		smallTile:  {rows: 64, columns: 64, warps: [2]int{2, 2}, stages: 4, why: "products too small to give each multiprocessor a large tile"},
		fewRows:    {rows: 16, columns: 128, warps: [2]int{1, 4}, stages: 4, why: "few rows, such as the tokens of a decoding step: none is computed in vain, and the other factor is read once"},
		fewColumns: {rows: 128, columns: 16, warps: [2]int{4, 1}, stages: 4, why: "few columns"},
	}
	switch {
	case t == types.F32 && !tf32:
		all[largeTile] = tile{rows: 128, columns: 128, warps: [2]int{4, 2}, stages: 3, own: [2]int{8, 8}, why: "large products: sixteen loads for 256 fma"}
		all[smallTile].own = [2]int{8, 4}
		all[fewRows].own = [2]int{4, 4}
		all[fewColumns].own = [2]int{4, 4}
	case t == types.F32:
		all[largeTile] = tile{rows: 128, columns: 64, warps: [2]int{2, 2}, stages: 4, why: "fragments that are rounded, and read one by one, leave registers for no more sums"}
	case hopper:
		all[largeTile] = tile{rows: 128, columns: 128, warps: [2]int{8, 1}, stages: 5, groups: true, why: "products that are large, but for a few of the widest"}
		all = append(all, tile{rows: 128, columns: 256, warps: [2]int{8, 1}, stages: 4, groups: true, why: "large products: two warpgroups, each with as many sums as it has registers for, share what they read of the columns"})
	}
	return all
}

// mapTiles are tiles of those sizes whose factors tensor maps describe, for which
// [Schedule.MapLaunch] exchanges them.
var mapTiles = []tile{
	{rows: 128, columns: 128, warps: [2]int{8, 1}, stages: 6, groups: true, maps: true, why: "no thread that multiplies computes an address"},
	{rows: 128, columns: 256, warps: [2]int{8, 1}, stages: 4, groups: true, maps: true, why: "no thread that multiplies computes an address"},
}

// tileNames names the tiles, those of warpgroups with a star, those by tensor maps with two.
func tileNames(all []tile) string {
	var names []string
	for _, t := range all {
		name := fmt.Sprintf("%dx%d", t.rows, t.columns)
		switch {
		case t.maps:
			name += "**"
		case t.groups:
			name += "*"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

const (
	// sumPad is how many sums lie between rows in the block's memory: pairs of the
	// threads of half a warp then meet each bank once.
	sumPad = 8
	// group is how many rows of tiles are run through together, so that the blocks
	// that run at a time share what they read.
	group = 8
)

// strip is how many elements of K a strip has.
func strip(t types.DType) int { return asm.StripBytes / t.Size() }

func (t *tile) threads() int {
	if t.maps {
		return t.multipliers() + asm.GroupThreads
	}
	return t.multipliers()
}

func (t *tile) stageBytes() int { return (t.rows + t.columns) * asm.StripBytes }

// shared is the memory that a block takes, of the ring and later of the sums.
func (t *tile) shared() int {
	if t.maps {
		return t.mapShared()
	}
	return t.rowsAt() + t.rows*t.rowBytes()
}

// paired returns the tile with as many stages as let two blocks share a multiprocessor of
// so much memory. Where two stages are too many for that, a block has it alone, and of
// tensor cores' tiles twice the warps, so that each scheduler has two.
func (t tile) paired(memory int) tile {
	if t.groups {
		return t
	}
	most := t.stages
	pairs := func() bool { return t.shared() <= min(memory/2-reservedShared, asm.MostShared) }
	for t.stages > 2 && !pairs() {
		t.stages--
	}
	if pairs() {
		return t
	}
	for t.stages = most; t.shared() > asm.MostShared; {
		t.stages--
	}
	if t.own[0] == 0 {
		t.warps[1] *= 2
	}
	return t
}

// reservedShared is what of a multiprocessor's memory each block takes beside its own.
const reservedShared = 1 << 10

// rowsAt is where in it is said which rows a flat tile has: behind the ring and the sums.
func (t *tile) rowsAt() int {
	return max(t.stages*t.stageBytes(), t.rows*(t.columns+sumPad)*4)
}

// count is how many tiles have so many rows and columns.
func (t *tile) count(rows, columns int64) int64 {
	return asm.Ceil(rows, int64(t.rows)) * asm.Ceil(columns, int64(t.columns))
}

// tileFor returns the number of the tile for so many rows, columns and products, where
// so many tiles keep all multiprocessors busy.
func tileFor(all []tile, rows, columns, products, enough int64) int {
	switch {
	case rows <= int64(all[fewRows].rows):
		return fewRows
	case columns <= int64(all[fewColumns].columns):
		return fewColumns
	case min(rows, columns) <= int64(all[smallTile].rows):
		return smallTile
	case all[largeTile].groups && !inWords(rows, columns, products, all[largeTile].count(rows, columns)):
		return smallTile
	case len(all) > widestTile && columns > int64(all[largeTile].columns) && all[widestTile].count(rows, columns)*products >= enough:
		return widestTile
	case all[largeTile].count(rows, columns)*products >= enough:
		return largeTile
	}
	return smallTile
}

// inWords reports whether numbers are below 2^31, see [asm.Writer.Narrows].
func inWords(all ...int64) bool {
	return !slices.ContainsFunc(all, func(n int64) bool { return n > math.MaxInt32 })
}
