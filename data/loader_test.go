package data

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image/png"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
	"ltc/soa/npy"
)

// Rows are held out by their numbers in the data set, also of loaders that Map and Holdout made.
func TestLoaderHoldout(t *testing.T) {
	rows := func(l *Loader[Batch]) (all []int) {
		for _, b := range rest(t, l) {
			all = append(all, b.Rows...)
		}
		return all
	}
	for _, workers := range []int{0, 2} {
		l := numbered(Batches{Rows: 11, Size: 4, Seed: 1, DropLast: true}, workers)
		kept, held := l.Holdout(3)
		require.Equal(t, []int{2, 5, 8}, rows(held))
		require.Equal(t, 2, kept.Len()) // 8 rows
		first := rows(kept)
		require.ElementsMatch(t, []int{0, 1, 3, 4, 6, 7, 9, 10}, first)
		require.NotEqual(t, first, rows(kept)) // of the next epoch
		mapped := Map(kept, func(b Batch, x Batch) (Batch, error) { require.Equal(t, b, x); return x, nil })
		require.NoError(t, mapped.Seek(Position{}))
		require.Equal(t, first, rows(mapped))
		again, others := kept.Holdout(4)
		require.Equal(t, []int{4, 10}, rows(others))
		trained := rows(again)
		require.Len(t, trained, 4)
		require.Subset(t, []int{0, 1, 3, 6, 7, 9}, trained)
		for _, part := range []*Loader[Batch]{kept, held} {
			n := part.Rows
			part.Rows = 11
			want := fmt.Sprintf("data: Rows is 11, and Holdout gave this loader %d", n)
			require.EqualError(t, part.Err(), want)
			require.EqualError(t, firstError(part), want)
			part.Rows = 1
			require.NoError(t, part.Err())
		}
		_, none := l.Holdout(0)
		none.Rows = 1
		require.EqualError(t, firstError(none), "data: Rows is 1, and Holdout gave this loader 0")
	}
	kept, held := (&Loader[Batch]{}).Holdout(3)
	for _, l := range []*Loader[Batch]{kept, held} {
		require.ErrorContains(t, l.Err(), "Load is nil")
		require.ErrorContains(t, firstError(l), "Load is nil")
	}
}

// numbered is a loader whose batches are their descriptions.
func numbered(b Batches, workers int) *Loader[Batch] {
	return &Loader[Batch]{Batches: b, Workers: workers, Load: func(b Batch) (Batch, error) { return b, nil }}
}

func rest[T any](t *testing.T, l *Loader[T]) (all []T) {
	for x, err := range l.Rest() {
		require.NoError(t, err)
		all = append(all, x)
	}
	return all
}

func TestLoader(t *testing.T) {
	b := Batches{Rows: 10, Size: 4, Seed: 3}
	for _, workers := range []int{0, 1, 3} {
		l := numbered(b, workers)
		for epoch := range 3 {
			require.Equal(t, Position{Epoch: epoch}, l.Position())
			all := rest(t, l)
			require.Len(t, all, 3)
			for i, rows := range b.Epoch(epoch) {
				require.Equal(t, Batch{epoch, i, rows, 3}, all[i])
			}
		}
	}
	in := b
	in.InOrder = true
	require.Equal(t, []int{4, 5, 6, 7}, rest(t, numbered(in, 2))[1].Rows)
	l := numbered(Batches{}, 2)
	require.Empty(t, rest(t, l))
	require.Equal(t, Position{Epoch: 1}, l.Position())
}

// A loader that goes on from a saved position makes the batches, and the random numbers, that it would have made.
func TestLoaderGoesOn(t *testing.T) {
	draw := func(l *Loader[Batch]) *Loader[float64] {
		return Map(l, func(b Batch, _ Batch) (x float64, err error) {
			for i := range b.Rows {
				x = 2*x + b.Random(i).Float64()
			}
			return x, nil
		})
	}
	b := Batches{Rows: 23, Size: 4, Seed: 5}
	whole := draw(numbered(b, 0))
	want := append(rest(t, whole), rest(t, whole)...)
	for cut := range 2*whole.Len() - 1 {
		l := draw(numbered(b, 2))
		var got []float64
		for len(got) <= cut {
			for x, err := range l.Rest() {
				require.NoError(t, err)
				if got = append(got, x); len(got) == cut+1 {
					break
				}
			}
		}
		text, err := json.Marshal(l.Position())
		require.NoError(t, err)
		var at Position
		require.NoError(t, json.Unmarshal(text, &at))
		again := draw(numbered(b, 3))
		require.NoError(t, again.Seek(at))
		for again.Position().Epoch < 2 {
			got = append(got, rest(t, again)...)
		}
		require.Equal(t, want, got, "%+v", at)
	}
	require.EqualError(t, whole.Seek(Position{Epoch: 1, Batch: 6}), "data: seek epoch 1, batch 6: an epoch has 6 batches")
}

func TestShortLast(t *testing.T) {
	for _, c := range []struct {
		b     Batches
		short bool
	}{
		{Batches{Rows: 10, Size: 4}, true},
		{Batches{Rows: 12, Size: 4}, false},
		{Batches{Rows: 10, Size: 4, DropLast: true}, false},
		{Batches{Rows: 3, Size: 4}, false}, // the only batch
		{Batches{Rows: 3}, false},
		{Batches{Size: 4}, false},
	} {
		require.Equal(t, c.short, c.b.ShortLast(), "%+v", c.b)
	}
}

// What is drawn for a row does not depend on the batch that it is in.
func TestRandomOfRow(t *testing.T) {
	of := func(size int) map[int]uint64 {
		all := map[int]uint64{}
		for _, b := range rest(t, numbered(Batches{Rows: 9, Size: size, Seed: 1}, 0)) {
			for i, r := range b.Rows {
				all[r] = b.Random(i).Uint64()
			}
		}
		return all
	}
	require.Equal(t, of(2), of(5))
	distinct := map[uint64]bool{}
	for _, x := range of(9) {
		distinct[x] = true
	}
	require.Len(t, distinct, 9)
}

func TestLoaderErrors(t *testing.T) {
	broken := errors.New("disk is gone")
	for _, workers := range []int{0, 2} {
		l := numbered(Batches{Rows: 10, Size: 2, InOrder: true}, workers)
		l.Load = func(b Batch) (Batch, error) {
			if b.Index == 2 {
				return b, broken
			}
			return b, nil
		}
		n := 0
		for _, err := range l.Rest() {
			if n++; n < 3 {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, broken)
			require.EqualError(t, err, "data: epoch 0, batch 2: disk is gone")
		}
		require.Equal(t, 3, n)
		require.Equal(t, Position{Batch: 2}, l.Position())
	}
}

func firstError[T any](l *Loader[T]) error {
	for _, err := range l.Rest() {
		if err != nil {
			return err
		}
	}
	return nil
}

// A Load that panics in a worker, or ends its goroutine, fails its batch, and a loader without Load fails at once.
func TestLoadThatEnds(t *testing.T) {
	for _, workers := range []int{1, 3} {
		l := numbered(Batches{Rows: 10, Size: 2, InOrder: true}, workers)
		l.Load = func(b Batch) (Batch, error) { b.Rows[b.Index-1]++; return b, nil }
		require.ErrorContains(t, firstError(l), "data: epoch 0, batch 0: Load panicked at ")
		require.Regexp(t, `loader_test\.go:\d+: runtime error: index out of range \[-1\]$`, firstError(l).Error())
		require.Equal(t, Position{}, l.Position())
		l.Load = func(b Batch) (Batch, error) {
			if b.Index == 2 {
				runtime.Goexit()
			}
			return b, nil
		}
		require.EqualError(t, firstError(l), "data: epoch 0, batch 2: Load ended its goroutine (runtime.Goexit): return an error")
		require.Equal(t, Position{Batch: 2}, l.Position())
	}
	var none *Loader[Batch]
	require.EqualError(t, firstError(none), "data: the loader is nil")
	require.EqualError(t, none.Seek(Position{}), "data: the loader is nil")
	require.Zero(t, none.Position())
	require.EqualError(t, firstError(&Loader[Batch]{Batches: Batches{Rows: 3}}), "data: Load is nil: give the function that makes a batch")
	same := func(_ Batch, x Batch) (Batch, error) { return x, nil }
	require.EqualError(t, firstError(Map(none, same)), "data: the loader is nil")
	require.EqualError(t, firstError(Map[Batch, Batch](numbered(Batches{Rows: 3}, 0), nil)), "data: map batches: the function is nil")
	most := numbered(Batches{Rows: 3, Size: math.MaxInt}, math.MaxInt)
	most.Ahead = math.MaxInt
	require.Len(t, rest(t, most), 1)
	for _, a := range []Arrays{{soa.Make(types.Of(types.I32))}, {soa.View{}}} {
		require.EqualError(t, firstError(a.Loader(Batches{})), a.Check().Error())
	}
}

// Workers are ahead of the loop by so many batches, and have ended when the loop has.
func TestAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := numbered(Batches{Rows: 100, Size: 1}, 1)
		l.Ahead = 3
		var loaded []int
		l.Load = func(b Batch) (Batch, error) { loaded = append(loaded, b.Index); return b, nil }
		for range l.Rest() {
			synctest.Wait()
			require.Len(t, loaded, 1+l.Ahead)
			break
		}
	}) // which fails if a goroutine is left
}

func TestArrays(t *testing.T) {
	x, err := ArrayOf([]float32{0, 1, 2, 3, 4, 5}, 3, 2)
	require.NoError(t, err)
	y, err := ArrayOf([]uint8{7, 8, 9})
	require.NoError(t, err)
	a := Arrays{x, y}
	require.Equal(t, 3, a.Len())
	some, err := a.Select([]int{2, 0})
	require.NoError(t, err)
	require.Equal(t, []float32{4, 5, 0, 1}, soa.Slice[float32](some[0]))
	require.Equal(t, []uint8{9, 7}, soa.Slice[uint8](some[1]))
	require.Equal(t, "f32[2,2]", some[0].Type.String())

	turned, err := soa.Strided([]float32{0, 1, 2, 3, 4, 5}, types.Of(types.F32, 2, 3), 0, []int{1, 2})
	require.NoError(t, err)
	some, err = Arrays{turned}.Select([]int{1})
	require.NoError(t, err)
	require.Equal(t, []float32{1, 3, 5}, soa.Slice[float32](some[0]))
	all := rest(t, Arrays{turned}.Loader(Batches{Size: 2, InOrder: true}))
	require.Len(t, all, 1)
	require.Equal(t, []float32{0, 2, 4, 1, 3, 5}, soa.Slice[float32](all[0][0]))

	_, err = a.Select([]int{0, 3})
	require.EqualError(t, err, "data: select row 3 (rows[1]) of 3 rows")
	short, err := ArrayOf([]uint8{7, 8})
	require.NoError(t, err)
	unequal := Arrays{x, short}.Loader(Batches{})
	for _, err := range []error{unequal.Err(), firstError(unequal)} {
		require.ErrorContains(t, err, "array 1 is u8[2], and array 0 f32[3,2]: their first axes must have one size")
	}
	_, err = ArrayOf([]float32{1}, 2)
	require.Error(t, err)

	require.NoError(t, CheckLabels(y, 10))
	require.EqualError(t, CheckLabels(y, 9), "data: label 9 of row 2 is none of 9 classes, 0 to 8")
	minus, err := ArrayOf([]int64{0, -1})
	require.NoError(t, err)
	require.EqualError(t, CheckLabels(minus, 9), "data: label -1 of row 1 is none of 9 classes, 0 to 8")
	require.EqualError(t, CheckLabels(x, 9), "data: labels are f32[3,2]: they must be integers")
	require.EqualError(t, CheckLabels(soa.Make(types.Of(types.I32)), 9), "data: labels are i32[]: their first axis must be the examples")
	require.NoError(t, CheckLabels(soa.Make(types.Of(types.I32, 0)), 9))
}

func TestColumns(t *testing.T) {
	table := &Table{Rows: 2, Cols: 3, Values: []float32{1, 2, 3, 4, 5, 6}}
	x, y := Columns[float32](table, 0, 2), Columns[int32](table, 2, 3)
	require.Equal(t, "f32[2,2] i32[2]", x.Type.String()+" "+y.Type.String())
	require.Equal(t, []float32{1, 2, 4, 5}, soa.Slice[float32](x))
	require.Equal(t, []int32{3, 6}, soa.Slice[int32](y))
	require.Equal(t, "u8[0,2]", Columns[uint8](&Table{Cols: 3}, 0, 2).Type.String())
	require.Panics(t, func() { Columns[uint8](table, 0, 4) })
}

func TestReadArrays(t *testing.T) {
	dir := t.TempDir()
	x, err := ArrayOf([]float32{0, 1, 2, 3, 4, 5}, 3, 2)
	require.NoError(t, err)
	require.NoError(t, npy.WriteFile(filepath.Join(dir, "x.npy"), x))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "y.idx"), []byte(idx(0x08, "\x07\x08\x09", 3)), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "short.idx"), []byte(idx(0x08, "\x07", 1)), 0o644))
	a, err := ReadArrays(filepath.Join(dir, "x.npy"), filepath.Join(dir, "y.idx"))
	require.NoError(t, err)
	kept, held, err := a.Holdout(3)
	require.NoError(t, err)
	require.Equal(t, []float32{0, 1, 2, 3}, soa.Slice[float32](kept[0]))
	require.Equal(t, []uint8{9}, soa.Slice[uint8](held[1]))
	_, err = ReadArrays(filepath.Join(dir, "x.npy"), filepath.Join(dir, "short.idx"))
	require.ErrorContains(t, err, "array 1 is u8[1], and array 0 f32[3,2]")
	_, err = ReadArrays(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestReadIDXArray(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{idx(0x08, "\x00\x01\x02\xff", 2, 2), "u8[2,2] [0 1 2 255]"},
		{gzipped(t, idx(0x0b, "\xff\xfe\x01\x00", 2)), "i16[2] [-2 256]"},
		{idx(0x0d, "\x3f\xc0\x00\x00", 1, 1), "f32[1,1] [1.5]"},
		{idx(0x0e, "\xbf\xf8\x00\x00\x00\x00\x00\x00", 1), "f64[1] [-1.5]"},
		{idx(0x08, "", 0, 28), "u8[0,28] []"},
	} {
		v, err := ReadIDXArray("a.idx", strings.NewReader(c.text))
		require.NoError(t, err)
		require.Equal(t, c.want, v.Type.String()+" "+elementsOf(v))
	}
	for _, c := range []struct{ text, want string }{
		{"1,2,", "a.idx: no IDX file: its first bytes are 31 2c 32 2c, and two zeros are wanted"},
		{idx(0x08, "123", 2, 2), "a.idx: truncated: it has 3 bytes, and 4 by its header"},
		{idx(0x08, "", 1<<30, 1<<29), "a.idx: truncated: it has 0 bytes, and 576460752303423488 by its header"}, // takes no memory
	} {
		_, err := ReadIDXArray("a.idx", strings.NewReader(c.text))
		require.EqualError(t, err, c.want)
	}
	_, err := ReadIDXArray("a.idx", nil)
	require.EqualError(t, err, "a.idx: the reader is nil")
	_, err = ReadIDXArrayFile("none.idx")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func FuzzReadIDXArray(f *testing.F) {
	f.Add([]byte(idx(0x08, "1234", 2, 2)))
	f.Add([]byte(gzipped(f, idx(0x0d, "1234", 1))))
	f.Fuzz(func(t *testing.T, file []byte) {
		v, err := ReadIDXArray("fuzz.idx", bytes.NewReader(file))
		if err == nil {
			require.NoError(t, v.Check())
		}
	})
}

func TestImages(t *testing.T) {
	p := Picture{3, 2, 2, []float32{0, 1, 0.5, 0, 0.25, 0, 0, 1, 1, 0, 0, 0}}
	path := filepath.Join(t.TempDir(), "a.png")
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, p.Image()))
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o644))
	got, err := ReadImageFile(path, 3)
	require.NoError(t, err)
	require.Equal(t, 3, got.Channels)
	require.InDeltaSlice(t, p.Values, got.Values, 1./500)
	gray, err := ReadImageFile(path, 1)
	require.NoError(t, err)
	require.Len(t, gray.Values, 4)
	require.InDelta(t, 0.299, gray.Values[1], 1./300) // red

	_, err = ReadImage("a.png", bytes.NewReader(file.Bytes()[:40]), 3)
	require.ErrorContains(t, err, "a.png: ")
	_, err = ReadImage("a.png", nil, 3)
	require.ErrorContains(t, err, "a.png: give a reader, and 1 or 3 channels, not 3")
	_, err = ReadImage("a.png", (*os.File)(nil), 3)
	require.ErrorContains(t, err, "a.png: give a reader, and 1 or 3 channels, not 3")
	for _, size := range [][2]uint32{{1 << 15, 1 << 14}, {1<<28 - 1, 1}} {
		large := slices.Clone(file.Bytes())
		binary.BigEndian.PutUint32(large[16:], size[0])
		binary.BigEndian.PutUint32(large[20:], size[1])
		binary.BigEndian.PutUint32(large[29:], crc32.ChecksumIEEE(large[12:29]))
		_, err = ReadImage("a.png", bytes.NewReader(large), 3)
		require.ErrorContains(t, err, fmt.Sprintf("a.png: its size is %d×%d: a png of at most 67108864 pixels is read", size[0], size[1]))
	}
	require.Zero(t, FromImage(nil, 3))
	require.True(t, Picture{1, 2, 2, nil}.Image().Bounds().Empty())
}

func FuzzReadImage(f *testing.F) {
	var file bytes.Buffer
	require.NoError(f, png.Encode(&file, Picture{1, 1, 2, []float32{0, 1}}.Image()))
	f.Add(file.Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := ReadImage("fuzz.png", bytes.NewReader(file), 3)
		if err == nil {
			require.NoError(t, p.check())
		}
	})
}

func TestTransforms(t *testing.T) {
	p := Picture{1, 2, 3, []float32{1, 2, 3, 4, 5, 6}}
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name string
		t    Transform
		want Picture
	}{
		{"normalize", Normalize([]float32{1}, []float32{2}), Picture{1, 2, 3, []float32{0, 0.5, 1, 1.5, 2, 2.5}}},
		{"flip", Flip(1), Picture{1, 2, 3, []float32{3, 2, 1, 6, 5, 4}}},
		{"no flip", Flip(0), p},
		{"center", CenterCrop(2, 1), Picture{1, 2, 1, []float32{2, 5}}},
		{"larger", CenterCrop(4, 3), Picture{1, 4, 3, []float32{0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0}}},
		{"whole", RandomCrop(2, 3, 0), p},
		{"same size", Resize(2, 3), p},
		// torch.nn.functional.interpolate(x, size=(3, 2), mode="bilinear")
		{"resize", Resize(3, 2), Picture{1, 3, 2, []float32{1.25, 2.75, 2.75, 4.25, 4.25, 5.75}}},
		{"enlarge", Resize(2, 6), Picture{1, 2, 6, []float32{1, 1.25, 1.75, 2.25, 2.75, 3, 4, 4.25, 4.75, 5.25, 5.75, 6}}},
	} {
		q, err := c.t(p, random)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, q, c.name)
	}
	seen := map[float32]bool{}
	for range 200 {
		q, err := RandomCrop(1, 1, 1)(p, random)
		require.NoError(t, err)
		seen[q.Values[0]] = true
	}
	require.Len(t, seen, 7) // every pixel, and the padding
	for want, bad := range map[string]Transform{
		"crop 9×9 of 2×3 with a padding of 1":                          RandomCrop(9, 9, 1),
		"crop to 0×1: sizes must be positive":                          CenterCrop(0, 1),
		"resize to 0×1: sizes must be positive":                        Resize(0, 1),
		"normalize channel 0 by a deviation of 0: it must be positive": Normalize([]float32{0}, []float32{0}),
		"flip with a probability of NaN: it must be from 0 to 1":       Flip(math.NaN()),
		"normalize 1 channel by 0 means and 0 deviations":              Normalize(nil, nil),
	} {
		_, err := bad(p, random)
		require.EqualError(t, err, want)
	}
	for _, large := range []Transform{Resize(1<<30, 1<<30), Resize(1<<40, 1), CenterCrop(1<<40, 4)} {
		_, err := large(p, random)
		require.ErrorIs(t, err, soa.ErrMemory)
	}
}

func TestApplyTransforms(t *testing.T) {
	x, err := ArrayOf([]uint8{0, 255, 51, 102}, 2, 1, 2)
	require.NoError(t, err)
	b := Batch{Rows: []int{4, 7}}
	y, err := ApplyTransforms(x, b, Flip(1), CenterCrop(1, 1))
	require.NoError(t, err)
	require.Equal(t, "f32[2,1,1,1]", y.Type.String())
	require.Equal(t, []float32{1, 0.4}, soa.Slice[float32](y))
	_, err = ApplyTransforms(x, Batch{Rows: []int{1}})
	require.ErrorContains(t, err, "want u8 or f32 [1, channels, height, width], an image for each row of the batch")
	_, err = ApplyTransforms(x, b, Normalize(nil, nil))
	require.EqualError(t, err, "data: row 4: normalize 1 channel by 0 means and 0 deviations")
}

// Images without pixels and transforms that are nil are refused.
func TestTransformsOfNothing(t *testing.T) {
	b := Batch{Rows: []int{0, 1}}
	_, err := ApplyTransforms(soa.Make(types.Of(types.F32, 2, 1, 0, 4)), b, Resize(2, 2))
	require.EqualError(t, err, "data: transform f32[2,1,0,4]: the images have no pixels")
	_, err = ApplyTransforms(soa.Make(types.Of(types.F32, 2, 1, 4, 4)), b, Flip(0), nil)
	require.EqualError(t, err, "data: transform 1 is nil")
	var none *Alphabet
	require.Zero(t, none.Len())
	require.Equal(t, "\ufffd", none.Decode([]int32{0}))
	_, err = none.Encode("a")
	require.EqualError(t, err, `data: byte 0: 'a' is none of the 0 characters`)
	_, err = ReadIDXArray("a.idx", (*os.File)(nil))
	require.EqualError(t, err, "a.idx: the reader is nil")
}

func TestText(t *testing.T) {
	a, numbers := AlphabetOf("hello, wörld")
	require.Equal(t, 10, a.Len())
	require.Equal(t, "hello, wörld", a.Decode(numbers))
	ids, err := a.Encode("ölle")
	require.NoError(t, err)
	require.Equal(t, "ölle", a.Decode(ids))
	require.Equal(t, "\ufffd\ufffd", a.Decode([]int32{-1, 99}))
	_, err = a.Encode("hex")
	require.EqualError(t, err, `data: byte 2: 'x' is none of the 10 characters`)

	path := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "b.txt"), []byte("second"), 0o644))
	require.NoError(t, os.WriteFile(path, []byte("ab\xffc"), 0o644))
	text, err := ReadText(filepath.Join(filepath.Dir(path), "*"))
	require.NoError(t, err)
	require.Equal(t, "ab\ufffdcsecond", text)
	_, err = ReadText(filepath.Join(t.TempDir(), "*.txt"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "*.txt")
	text, err = ReadText(path, path)
	require.NoError(t, err)
	require.Equal(t, "ab\ufffdcab\ufffdc", text)
	_, err = ReadText()
	require.EqualError(t, err, "read text: there are no files")
	_, err = ReadText("none.txt")
	require.ErrorIs(t, err, os.ErrNotExist)

	windows := NextTokens([]uint8("abcdefgh"), 3, Batches{InOrder: true})
	require.NoError(t, windows.Err())
	w := rest(t, windows)[0]
	require.Equal(t, "abcdef", string(soa.Slice[uint8](w[0])))
	require.Equal(t, "bcdefg", string(soa.Slice[uint8](w[1])))
	require.Equal(t, 2, w.Len())
	short := NextTokens([]uint8("abc"), 3, Batches{})
	kept, held := short.Holdout(2)
	for _, l := range []*Loader[Arrays]{short, kept, held} {
		require.EqualError(t, l.Err(), "data: windows of 3 tokens, and one after them, of 3 tokens")
	}
}

// elementsOf prints the elements of an array.
func elementsOf(v soa.View) string {
	switch v.Type.DType {
	case types.U8:
		return fmt.Sprint(soa.Slice[uint8](v))
	case types.I16:
		return fmt.Sprint(soa.Slice[int16](v))
	case types.F32:
		return fmt.Sprint(soa.Slice[float32](v))
	}
	return fmt.Sprint(soa.Slice[float64](v))
}
