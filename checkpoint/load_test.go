package checkpoint_test

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference" // registers "cpu"
	"ltc/checkpoint"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

func device(t testing.TB) *lazy.Device {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { dev.Close() })
	return dev
}

// state returns a state of f32 vectors.
func state(t testing.TB, tensors map[string][]float32) *checkpoint.State {
	s := &checkpoint.State{}
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		v, err := soa.Borrow(tensors[name], types.Of(types.F32, len(tensors[name])))
		require.NoError(t, err)
		require.NoError(t, s.Add(name, v))
	}
	return s
}

// one is the list of a single variable.
func one(name string, v *lazy.Tensor) iter.Seq2[string, *lazy.Tensor] {
	return maps.All(map[string]*lazy.Tensor{name: v})
}

func values[T soa.Element](t *testing.T, v *lazy.Tensor) []T {
	s, err := lazy.ToSlice[T](v)
	require.NoError(t, err)
	return s
}

// Variables have the elements of strided, shared, converted and quantized tensors.
func TestLoadIntoVariables(t *testing.T) {
	dev := device(t)
	for _, path := range []string{"testdata/shapes.pt", "testdata/shapes.legacy.pt"} {
		vars := map[string]*lazy.Tensor{
			"transposed": dev.Variable("t", lazy.F32, 4, 2, 3), "expanded": dev.Variable("e", lazy.F64, 2, 3),
			"scalar": dev.Variable("s", lazy.F16), "empty": dev.Variable("n", lazy.F32, 0, 3),
		}
		require.NoError(t, checkpoint.LoadInto(maps.All(vars), &open(t, path).State, checkpoint.Options{AllowExtra: true}))
		require.Equal(t, []float32{0, 4, 8, 12, 16, 20, 1, 5}, values[float32](t, vars["transposed"])[:8])
		require.Equal(t, []float64{1, 1, 1, 2, 2, 2}, values[float64](t, vars["expanded"]))
		require.Equal(t, float32(2.5), values[types.Float16](t, vars["scalar"])[0].Float32())
	}
	f := open(t, "testdata/blocks.gguf")
	for _, dtype := range []types.DType{lazy.F32, lazy.F64, lazy.BF16} {
		v := dev.Variable("q", dtype, 1, 256)
		require.NoError(t, checkpoint.LoadInto(one("Q4_K", v), &f.State, checkpoint.Options{AllowExtra: true}))
		x, err := f.Tensor("Q4_K")
		require.NoError(t, err)
		want := make([]float32, 256)
		require.NoError(t, x.Blocks.Dequantize(want))
		switch dtype {
		case lazy.F32:
			require.Equal(t, want, values[float32](t, v))
		case lazy.F64:
			require.Equal(t, float64(want[7]), values[float64](t, v)[7])
		default:
			require.Equal(t, types.ToBFloat16(float64(want[7])), values[types.BFloat16](t, v)[7])
		}
	}
}

// Every pair of dtypes of one kind converts, and a pair of two kinds does not.
func TestConversions(t *testing.T) {
	dev := device(t)
	s := &checkpoint.State{}
	for _, d := range types.AllDTypes() {
		v := soa.Make(types.Of(d, 3))
		tr := lazy.NewTrace(dev)
		x := lazy.From(tr, []float32{0, 1, 96})
		if d == types.Bool {
			x = lazy.From(tr, []float32{0, 1, 1})
		}
		x = x.Convert(d)
		require.NoError(t, tr.MarkStep(x))
		got, err := x.Value()
		require.NoError(t, err)
		require.NoError(t, soa.Copy(v, got))
		require.NoError(t, s.Add(d.String(), v))
	}
	kind := func(d types.DType) string {
		return fmt.Sprint(d.IsFloat() || d.IsFloat8(), d.IsInteger(), d.IsComplex())
	}
	for _, from := range types.AllDTypes() {
		for _, to := range types.AllDTypes() {
			v := dev.Variable("v", to, 3)
			err := checkpoint.LoadInto(one(from.String(), v), s, checkpoint.Options{AllowExtra: true})
			if kind(from) != kind(to) {
				require.ErrorContains(t, err, fmt.Sprintf("%v: the variable is %v, the tensor is %v, which is not converted to %v", from, types.Of(to, 3), types.Of(from, 3), to))
				continue
			}
			require.NoError(t, err)
			got, err := v.Value()
			require.NoError(t, err)
			want, err := s.Tensor(to.String())
			require.NoError(t, err)
			w, err := want.View()
			require.NoError(t, err)
			require.Equal(t, content(t, w), content(t, got), "%v to %v", from, to)
		}
	}
}

// An integer that does not fit is an error, and no variable changes.
func TestNothingIsHalfLoaded(t *testing.T) {
	dev := device(t)
	big, err := soa.Borrow([]int64{1, 300}, types.Of(types.I64, 2))
	require.NoError(t, err)
	s := state(t, map[string][]float32{"a": {1, 2}})
	require.NoError(t, s.Add("b", big))
	a, b := lazy.SetValues(dev.Variable("a", lazy.F32, 2), []float32{7, 8}), dev.Variable("b", lazy.U8, 2)
	vars := maps.All(map[string]*lazy.Tensor{"a": a, "b": b})
	require.EqualError(t, checkpoint.LoadInto(vars, s, checkpoint.Options{}), "load the state: tensor b: element 1 does not fit the variable's u8")
	require.Equal(t, []float32{7, 8}, values[float32](t, a))
	require.Equal(t, []uint8{0, 0}, values[uint8](t, b))
	negative, err := soa.Borrow([]int32{-1}, types.Of(types.I32, 1))
	require.NoError(t, err)
	s = &checkpoint.State{}
	require.NoError(t, s.Add("n", negative))
	require.ErrorContains(t, checkpoint.LoadInto(one("n", dev.Variable("n", lazy.U32, 1)), s, checkpoint.Options{}), "element 0 does not fit")
}

// All that is wrong is in one error.
func TestLoadErrors(t *testing.T) {
	dev := device(t)
	s := state(t, map[string][]float32{"layer.wieght": {1}, "model.bias": {1}, "other": {1, 2}, "shape": {1, 2}})
	kept := lazy.SetValues(dev.Variable("shape", lazy.F32, 1), []float32{5})
	vars := maps.All(map[string]*lazy.Tensor{
		"layer.weight": dev.Variable("w", lazy.F32, 1), "bias": dev.Variable("b", lazy.F32, 1), "nothing.like.it": dev.Variable("n", lazy.F32, 1),
		"shape": kept, "nil": nil, "value": lazy.From(dev, []float32{1}), "bad": dev.Variable("bad", lazy.F32, -1),
	})
	err := checkpoint.LoadInto(vars, s, checkpoint.Options{})
	require.Regexp(t, `^load the state: no variable was changed
missing: 3 variables \(AllowMissing keeps their values\)
	bias; did you mean model.bias\?
	layer.weight; did you mean layer.wieght\?
	nothing.like.it
extra: 3 tensors \(AllowExtra ignores them\)
	layer.wieght f32\[1\]
	model.bias f32\[1\]
	other f32\[2\]
mismatched: 4 variables
	bad: load_test.go:\d+: variable\(\): "bad" of f32\[-1\]: .*
	nil: the variable is nil
	shape: the variable is f32\[1\], the tensor is f32\[2\]
	value: it is not a variable$`, err.Error())
	var list *checkpoint.LoadError
	require.ErrorAs(t, err, &list)
	require.Len(t, list.Missing, 3)
	require.Equal(t, []float32{5}, values[float32](t, kept))
}

func TestLoadOptions(t *testing.T) {
	dev := device(t)
	s := state(t, map[string][]float32{"model.a": {1}, "model.b": {2}, "optimizer.a": {3}})
	a, b := dev.Variable("a", lazy.F32, 1), dev.Variable("b", lazy.F32, 1)
	both := maps.All(map[string]*lazy.Tensor{"a": a, "b": b})
	require.NoError(t, checkpoint.LoadInto(both, s, checkpoint.Options{Prefix: "model."}))
	require.Equal(t, []float32{1}, values[float32](t, a))
	require.Equal(t, []float32{2}, values[float32](t, b))
	swap := func(name string) string { return map[string]string{"model.a": "b", "model.b": "a"}[name] }
	require.NoError(t, checkpoint.LoadInto(both, s, checkpoint.Options{Rename: swap}))
	require.Equal(t, []float32{2}, values[float32](t, a))
	require.NoError(t, checkpoint.LoadInto(one("a", a), s, checkpoint.Options{Prefix: "optimizer."}))
	require.Equal(t, []float32{3}, values[float32](t, a))
	require.ErrorContains(t, checkpoint.LoadInto(one("a", a), s, checkpoint.Options{Prefix: "model."}), "extra: 1 tensor (AllowExtra ignores them)\n\tb f32[1], in the file model.b")
	require.ErrorContains(t, checkpoint.LoadInto(both, s, checkpoint.Options{Prefix: "optimizer."}), "missing: 1 variable (AllowMissing keeps their values)\n\tb")
	require.NoError(t, checkpoint.LoadInto(both, s, checkpoint.Options{Prefix: "optimizer.", AllowMissing: true}))
	same := func(string) string { return "a" }
	require.ErrorContains(t, checkpoint.LoadInto(one("a", a), s, checkpoint.Options{Prefix: "model.", Rename: same}), "have this name")
}

// A variable with two names needs a tensor for one of them.
func TestTiedVariables(t *testing.T) {
	dev := device(t)
	w := dev.Variable("w", lazy.F32, 1)
	tied := maps.All(map[string]*lazy.Tensor{"embedding": w, "head": w})
	require.NoError(t, checkpoint.LoadInto(tied, state(t, map[string][]float32{"head": {4}}), checkpoint.Options{}))
	require.Equal(t, []float32{4}, values[float32](t, w))
	require.ErrorContains(t, checkpoint.LoadInto(tied, state(t, map[string][]float32{"body": {4}}), checkpoint.Options{AllowExtra: true}), "missing: 2 variables")
}

// Tensors of several names of a variable have one dtype: else Share would take another than a copy.
func TestTiedVariableOfTwoDTypes(t *testing.T) {
	dev := device(t)
	w := dev.Variable("w", lazy.F32, 1)
	tied := func(yield func(string, *lazy.Tensor) bool) { _ = yield("a", w) && yield("b", w) }
	s := state(t, map[string][]float32{"a": {1}})
	double := soa.Make(types.Of(types.F64, 1))
	require.NoError(t, s.Add("b", double))
	for _, share := range []bool{false, true} {
		err := checkpoint.LoadInto(tied, s, checkpoint.Options{Share: share})
		require.ErrorContains(t, err, "b: the variable also takes tensor a, whose dtype differs: leave one of the names out")
		require.NoError(t, checkpoint.LoadInto(tied, state(t, map[string][]float32{"a": {2}, "b": {3}}), checkpoint.Options{Share: share}))
		require.Equal(t, []float32{3}, values[float32](t, w))
	}
}

// Variables that share a file's memory have its address, and a step that assigns one leaves the file's.
func TestShare(t *testing.T) {
	dev := device(t)
	s := state(t, map[string][]float32{"a": {1, 2}, "b": {3}})
	path := filepath.Join(t.TempDir(), "m.safetensors")
	require.NoError(t, checkpoint.Save(path, s))
	f := open(t, path)
	a, b := dev.Variable("a", lazy.F32, 2), dev.Variable("b", lazy.F64, 1) // b is converted
	both := maps.All(map[string]*lazy.Tensor{"a": a, "b": b})
	require.NoError(t, checkpoint.LoadInto(both, &f.State, checkpoint.Options{Share: true}))
	x, err := f.Tensor("a")
	require.NoError(t, err)
	view, err := x.View()
	require.NoError(t, err)
	got, err := a.Value()
	require.NoError(t, err)
	require.Equal(t, view.Base(), got.Base())
	require.Equal(t, []float64{3}, values[float64](t, b))
	tr := lazy.NewTrace(dev)
	a.Assign(tr.Read(a).AddScalar(1))
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{2, 3}, values[float32](t, a))
	soa.With(view, func(s []float32) { require.Equal(t, []float32{1, 2}, s) })

	_, err = checkpoint.Load(path, both, checkpoint.Options{Share: true})
	require.NoError(t, err)
	require.Equal(t, []float32{1, 2}, values[float32](t, a), "the file stays open")
	f.Close()
	require.ErrorIs(t, checkpoint.LoadInto(both, &f.State, checkpoint.Options{Share: true}), soa.ErrReleased)
}

// Save and Load: variables, an optimizer's, the number of the step, random numbers, the data's place.
func TestSaveAndLoad(t *testing.T) {
	dev := device(t)
	w, m := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{1, 2}), lazy.SetValues(dev.Variable("m", lazy.BF16, 1), []types.BFloat16{0x3f80})
	rnd := lazy.NewRandom(dev, 7)
	type place struct{ Epoch, Batch int }
	weights, err := checkpoint.StateOf(one("w", w))
	require.NoError(t, err)
	moments, err := checkpoint.StateOf(one("w.velocity", m))
	require.NoError(t, err)
	moments.Metadata = checkpoint.Metadata{"step": 12, "random": rnd.State(), "data": place{3, 4}, "note": "a \"text\""}
	path := filepath.Join(t.TempDir(), "train.safetensors")
	require.NoError(t, checkpoint.Save(path, weights, moments))

	w2, m2 := dev.Variable("w", lazy.F32, 2), dev.Variable("m", lazy.BF16, 1)
	got, err := checkpoint.Load(path, maps.All(map[string]*lazy.Tensor{"w": w2, "w.velocity": m2}), checkpoint.Options{})
	require.NoError(t, err)
	require.Equal(t, []float32{1, 2}, values[float32](t, w2))
	require.Equal(t, []types.BFloat16{0x3f80}, values[types.BFloat16](t, m2))
	var step int
	var random lazy.RandomState
	var at place
	var note string
	require.NoError(t, got.Value("step", &step))
	require.NoError(t, got.Value("random", &random))
	require.NoError(t, got.Value("data", &at))
	require.NoError(t, got.Value("note", &note))
	require.Equal(t, 12, step)
	require.Equal(t, rnd.State(), random)
	require.Equal(t, place{3, 4}, at)
	require.Equal(t, "a \"text\"", note)
	require.EqualError(t, got.Value("stop", &step), "there is no value stop; did you mean step? the values are data, note, random, step")
	require.ErrorContains(t, got.Value("note", &step), `value note: "a \"text\"" for a *int: invalid character 'a'`)

	require.EqualError(t, checkpoint.Save(path, weights, weights), "save "+path+": tensor w is there twice: names differ within a state")
	require.EqualError(t, checkpoint.Save(path, moments, &checkpoint.State{Metadata: checkpoint.Metadata{"step": 1}}), "save "+path+": value step is there twice: names differ within a file")
	require.ErrorContains(t, checkpoint.Save(path, &checkpoint.State{Metadata: checkpoint.Metadata{"f": math.NaN()}}), "value f: json: unsupported value: NaN")
	require.ErrorContains(t, checkpoint.Save(path, &open(t, "testdata/blocks.gguf").State), "tensor Q4_0 has blocks of Q4_0")
	_, err = checkpoint.Load(path, one("w", w2), checkpoint.Options{AllowExtra: true})
	require.NoError(t, err, "what failed left the file as it was")
}

// Shards have at most the given size, and replace one another.
func TestShards(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.safetensors.index.json")
	tensors := map[string][]float32{}
	for i := range 10 {
		tensors[fmt.Sprint("t", i)] = make([]float32, 10)
	}
	tensors["large"] = make([]float32, 100)
	for round := range 3 {
		tensors["t3"][4] = float32(round)
		s := state(t, tensors)
		s.Metadata = checkpoint.Metadata{"step": round}
		require.NoError(t, checkpoint.SaveSharded(path, 100, s))
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			info, err := e.Info()
			require.NoError(t, err)
			require.Less(t, info.Size(), int64(1000), e.Name())
		}
		require.GreaterOrEqual(t, len(entries), 1+1+5)
		require.LessOrEqual(t, len(entries), 1+1+7)
		f := open(t, path)
		require.Len(t, f.Names(), 11)
		var step int
		require.NoError(t, f.Metadata.Value("step", &step))
		require.Equal(t, round, step)
		x, err := f.Tensor("t3")
		require.NoError(t, err)
		v, err := x.View()
		require.NoError(t, err)
		soa.With(v, func(s []float32) { require.Equal(t, float32(round), s[4]) })
	}
	require.NoError(t, checkpoint.SaveSharded(path, 1000, state(t, tensors)))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "one file is enough: the shards are gone")
	require.Len(t, open(t, path).Names(), 11)
	require.ErrorContains(t, checkpoint.SaveSharded(path, 0, state(t, tensors)), "shards of 0 bytes: want more")
}

// A save to one path leaves the shards of every other index of the folder, whatever its name and age.
func TestShardsOfOtherIndexesStay(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	s := state(t, map[string][]float32{"a": make([]float32, 10), "b": make([]float32, 10)})
	age := func() (shards int) {
		all, err := filepath.Glob(at("*-of-*.safetensors"))
		require.NoError(t, err)
		for _, f := range all {
			day := time.Now().Add(-24 * time.Hour)
			require.NoError(t, os.Chtimes(f, day, day))
		}
		return len(all)
	}
	names := []string{"model.safetensors.index.json", "model.index.json", "model.json"}
	for _, name := range names {
		require.NoError(t, checkpoint.SaveSharded(at(name), 40, s))
		age()
	}
	require.NoError(t, checkpoint.Save(at("model.safetensors"), s))
	require.Equal(t, 6, age())
	for _, name := range names {
		_, err := checkpoint.Open(at(name))
		require.NoError(t, err)
	}

	require.NoError(t, os.Rename(at("model.json"), at("best.index.json")))
	require.NoError(t, checkpoint.SaveSharded(at("model.json"), 40, s))
	require.Equal(t, 8, age())
	text, err := os.ReadFile(at("model.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(at("copy.index.json"), text, 0o600))
	require.NoError(t, checkpoint.SaveSharded(at("model.json"), 40, s))
	require.Equal(t, 10, age(), "copy.index.json names the old shards")
	for _, name := range append(names, "best.index.json", "copy.index.json") {
		_, err := checkpoint.Open(at(name))
		require.NoError(t, err)
	}
	require.NoError(t, checkpoint.SaveSharded(at("model.json"), 40, s))
	require.Equal(t, 10, age(), "no other index names the old shards")

	require.NoError(t, os.WriteFile(at("cut.index.json"), []byte("{"), 0o600))
	require.NoError(t, checkpoint.SaveSharded(at("model.json"), 40, s))
	require.Equal(t, 12, age(), "the shards of cut.index.json are not known")
}

func TestIndexErrors(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), read(t, file), 0o600))
	}
	index := string(read(t, "model.safetensors.index.json"))
	path := filepath.Join(dir, "index.json")
	for want, text := range map[string]string{
		"tensor a.bias is not in the index":                        strings.Replace(index, "a.bias", "a.bais", 1),
		`shard "../model-00002-of-00002.safetensors": want a file`: strings.Replace(index, "model-00002", "../model-00002", 1),
		`shard "": want a file of the index's folder`:              strings.Replace(index, "model-00002-of-00002.safetensors", "", 1),
		"no such file or directory":                                strings.Replace(index, "model-00002", "model-00003", 1),
		"tensor a.bias is here, and in model-00002-of-00002":       strings.Replace(index, `"a.bias": "model-00001`, `"a.bias": "model-00002`, 1),
		"tensor c is not in model-00001-of-00002.safetensors":      strings.Replace(index, `"weight_map": {`, `"weight_map": {"c": "model-00001-of-00002.safetensors", `, 1),
		"an index of shards: unexpected end of JSON input":         index[:len(index)-1],
		"a JSON file without a weight_map":                         "{}",
		"cannot unmarshal number into Go struct field index":       `{"weight_map": {"a": 1}}`,
	} {
		require.NotEqual(t, index, text)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := checkpoint.Open(path)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, dir)
	}
}

func TestStates(t *testing.T) {
	s := state(t, map[string][]float32{"weight": {1}})
	require.EqualError(t, s.Add("weight", soa.Make(types.Of(types.F32))), "tensor weight is there twice: names differ within a state")
	require.Error(t, s.Add("zero", soa.View{}))
	_, err := s.Tensor("wieght")
	require.EqualError(t, err, "the state has no tensor wieght; did you mean weight? the only tensor is weight")
	f := open(t, "testdata/dtypes.safetensors")
	x, err := f.Tensor("int64")
	require.NoError(t, err)
	f.Close()
	_, err = x.View()
	require.ErrorIs(t, err, soa.ErrReleased)
}

// Texts that are not UTF-8 are refused: the files have no others, and two of them may become one.
func TestTextsThatAreNotUTF8(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	bad := state(t, map[string][]float32{"a\xff": {1}, "a\xfe": {2}})
	require.ErrorContains(t, checkpoint.Save(path, bad), `": the name is not UTF-8`)
	require.ErrorContains(t, checkpoint.SaveSharded(path, 4, bad), `": the name is not UTF-8`)
	for _, m := range []checkpoint.Metadata{{"note": "\xff"}, {"note\xff": 1}} {
		for _, shard := range []int{4, 100} {
			s := state(t, map[string][]float32{"a": {1}, "b": {2}})
			s.Metadata = m
			require.ErrorContains(t, checkpoint.SaveSharded(path, shard, s), "the name or the text is not UTF-8")
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestNilArguments(t *testing.T) {
	s, path := state(t, nil), filepath.Join(t.TempDir(), "m.safetensors")
	require.EqualError(t, checkpoint.Save(path, s, nil), "save "+path+": state 1 is nil")
	require.EqualError(t, checkpoint.SaveSharded(path, 4, nil), "save "+path+": state 0 is nil")
	require.ErrorContains(t, checkpoint.LoadInto(nil, s, checkpoint.Options{}), "the iterator is nil")
	require.ErrorContains(t, checkpoint.LoadInto(maps.All(map[string]*lazy.Tensor{}), nil, checkpoint.Options{}), "the state is nil")
	_, err := checkpoint.StateOf(nil)
	require.ErrorContains(t, err, "the iterator is nil")
}
