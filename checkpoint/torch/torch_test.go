package torch

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

func read(t testing.TB, file string) []byte {
	data, err := os.ReadFile(filepath.Join("../testdata", file))
	require.NoError(t, err)
	return data
}

// entry is one entry of a zip archive.
type entry struct {
	name   string
	data   []byte
	method uint16
}

func entries(t testing.TB, data []byte) (all []entry) {
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	for _, f := range zr.File {
		r, err := f.Open()
		require.NoError(t, err)
		body, err := io.ReadAll(r)
		require.NoError(t, err)
		all = append(all, entry{f.Name, body, f.Method})
	}
	return all
}

func pack(t testing.TB, all []entry) []byte {
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	for _, e := range all {
		w, err := zw.CreateHeader(&zip.FileHeader{Name: e.name, Method: e.method})
		require.NoError(t, err)
		_, err = w.Write(e.data)
		require.NoError(t, err)
	}
	require.NoError(t, zw.Close())
	return b.Bytes()
}

func TestCut(t *testing.T) {
	for _, file := range []string{"shapes.pt", "shapes.legacy.pt", "nested.legacy.pt"} {
		data := read(t, file)
		for n := range len(data) {
			_, err := Decode("cut", soa.Wrap(data[:n]))
			require.Error(t, err, "%s, %d bytes", file, n)
		}
	}
}

// Archives that torch.save does not write.
func TestArchives(t *testing.T) {
	change := func(f func(e *entry)) []byte {
		all := entries(t, read(t, "shapes.pt"))
		for i := range all {
			f(&all[i])
		}
		return pack(t, all)
	}
	bomb := change(func(e *entry) {
		if e.name == "shapes/data/0" {
			e.data, e.method = make([]byte, 1<<20), zip.Deflate
		}
	})
	for want, data := range map[string][]byte{
		"opcode BINPERSID: entry shapes/data/0 is compressed, of 1048576 bytes to 1037 bytes": bomb,
		"m: entry shapes/data.pkl is compressed, of": change(func(e *entry) {
			if e.name == "shapes/data.pkl" {
				e.method = zip.Deflate
			}
		}),
		`m: entry shapes/byteorder says "big": save the file on a little-endian machine`: change(func(e *entry) {
			if e.name == "shapes/byteorder" {
				e.data = []byte("big")
			}
		}),
		"m: a zip archive without an entry data.pkl: no file of torch.save": change(func(e *entry) { e.name += "x" }),
		"m: entry \"shapes/same\" is there twice":                           change(func(e *entry) { e.name = "shapes/same" }),
		"m: entry shapes/data.pkl: byte 143: opcode BINPERSID: storage 0 has no entry shapes/data/0": change(func(e *entry) {
			e.name = strings.Replace(e.name, "data/0", "data/x", 1)
		}),
		"bytes, and the id of storage 0 says 1 of f32": change(func(e *entry) {
			if e.name == "shapes/data/0" {
				e.data = append(e.data, 0)
			}
		}),
		"m: a TorchScript archive of torch.jit.save": change(func(e *entry) { e.name = strings.Replace(e.name, "/version", "/constants.pkl", 1) }),
	} {
		_, err := Decode("m", soa.Wrap(data))
		require.ErrorContains(t, err, want)
	}
	// Files of older versions lack the byte order, and have any name as the folder's.
	f, err := Decode("m", soa.Wrap(change(func(e *entry) { e.name = strings.Replace(e.name, "shapes/byteorder", "shapes/other", 1) })))
	require.NoError(t, err)
	require.Len(t, f.Tensors, 9)
	_, err = Decode("m", soa.Wrap(append(make([]byte, 257), "ustar\x00"...)))
	require.ErrorContains(t, err, "m: a tar archive")

	corrupt := read(t, "shapes.pt")
	corrupt[bytes.Index(corrupt, []byte("scalar"))] ^= 1
	_, err = Decode("m", soa.Wrap(corrupt))
	require.ErrorContains(t, err, "entry shapes/data.pkl is corrupt: its checksum is")
}

// Two storages of one size whose entries in the archive's directory name the same bytes are refused.
func TestOverlappingEntries(t *testing.T) {
	data := read(t, "nested.pt")
	offsets := map[string][]byte{} // of local headers, in the directory
	for rest := data; ; {
		_, after, found := bytes.Cut(rest, []byte("PK\x01\x02"))
		if !found {
			break
		}
		n := int(after[24])
		offsets[string(after[42:42+n])], rest = after[38:42], after
	}
	first, second := offsets["nested/data/0"], offsets["nested/data/6"]
	require.NotNil(t, first)
	require.NotNil(t, second)
	copy(second, first)
	_, err := Decode("m", soa.Wrap(data))
	require.EqualError(t, err, "m: byte 2560: entries nested/data/6 and nested/data/0 overlap")
}

// run interprets a pickle, with storages of 6 elements.
func run(pickle string) (*File, error) {
	b := soa.New(64)
	m := &machine{data: []byte("\x80\x02" + pickle + "."), storage: newTable(b).find}
	value, err := m.run()
	if err != nil {
		return nil, err
	}
	f := &File{Metadata: map[string]any{}, buffer: b}
	n := namer{file: f, taken: map[string]bool{}}
	return f, n.add("", value, 0)
}

// Pickles that are wrong are refused with the opcode and its offset.
func TestPickles(t *testing.T) {
	deep := strings.Repeat("}X\x01\x00\x00\x00a", 100) + "N" + strings.Repeat("s", 100)
	doubled := "}q\x00" // {"a": x, "b": x} of {"a": y, "b": y} of …
	for i := range byte(30) {
		doubled += "}(X\x01\x00\x00\x00ah" + string(rune(i)) + "X\x01\x00\x00\x00bh" + string(rune(i)) + "uq" + string(rune(i+1))
	}
	cycle := "}q\x00X\x01\x00\x00\x00ah\x00s"
	storage := "(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x06tQ"
	tensor := func(rest string) string { return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + rest + "tR" }
	for want, pickle := range map[string]string{
		"byte 2: opcode GLOBAL: os.system: this class or function is not read":                "cos\nsystem\n(X\x01\x00\x00\x00atR",
		"byte 2: opcode GLOBAL: builtins.eval: this class or function":                        "cbuiltins\neval\n",
		"byte 2: opcode GLOBAL: torch.FloatStorage2: this class or function":                  "ctorch\nFloatStorage2\n",
		"byte 2: opcode GLOBAL: the name has no end":                                          "cos\nsystem",
		"byte 2: opcode STACK_GLOBAL: torch.save does not write it":                           "\x93",
		"byte 2: opcode 0xff: torch.save does not write it":                                   "\xff",
		"byte 2: opcode BINGET: nothing was put at 5":                                         "h\x05",
		"byte 2: opcode TUPLE2: the stack is empty":                                           "\x86",
		"byte 3: opcode APPEND: the stack is empty":                                           "Na",
		"byte 4: opcode APPEND: the object is None":                                           "NNa",
		"byte 5: opcode SETITEM: the object is a list":                                        "]NNs",
		"byte 2: opcode TUPLE: there is no mark":                                              "t",
		"byte 4: opcode TUPLE1: the stack is empty":                                           "N(\x85",
		"byte 5: opcode SETITEMS: a key has no value":                                         "}(Nu",
		"byte 5: opcode SETITEM: a key of a dict is a tuple":                                  "})Ns",
		"byte 8: opcode REDUCE: it calls a text with a tuple":                                 "X\x00\x00\x00\x00)R",
		"byte 4: opcode BUILD: it sets a list by None":                                        "]Nb",
		"byte 3: opcode BINPERSID: a persistent id is None: want a tuple":                     "NQ",
		"byte 3: opcode BINPERSID: a persistent id is no storage":                             ")Q",
		"byte 2: opcode LONG1: an integer of 200 bytes: at most 64 are read":                  "\x8a\xc8",
		"byte 2: opcode BINUNICODE: the file is cut short: 1 byte follow, it takes 255":       "X\xff\x00\x00\x00",
		"byte 2: opcode BINUNICODE: a text of 4294967295 bytes":                               "X\xff\xff\xff\xff",
		"the whole is collections.OrderedDict: want tensors, numbers and texts":               "ccollections\nOrderedDict\n",
		"collections.OrderedDict: want no arguments":                                          "ccollections\nOrderedDict\n]\x85R",
		"values are nested deeper than 64":                                                    deep,
		"it has more than 1048576 values":                                                     doubled,
		"a.a.a.a: values are nested deeper than 64":                                           cycle,
		"two values have the name a.b, which joins the keys of dicts by dots":                 "}(X\x03\x00\x00\x00a.bNX\x01\x00\x00\x00a}X\x01\x00\x00\x00bNsu",
		"_rebuild_tensor_v2: 1 argument, want 6":                                              tensor(""),
		"_rebuild_tensor_v2: the offset is no number from 0 on":                               tensor("J\xff\xff\xff\xffK\x01\x85K\x01\x85\x89N"),
		"_rebuild_tensor_v2: 1 size and 2 strides":                                            tensor("K\x00K\x01\x85K\x01K\x01\x86\x89N"),
		"_rebuild_tensor_v2: strides: want numbers from 0 on":                                 tensor("K\x00K\x02\x85J\xff\xff\xff\xff\x85\x89N"),
		"f32[4] with strides [2] from element 0 on reaches outside of its storage 0":          tensor("K\x00K\x04\x85K\x02\x85\x89N"),
		"f32[1] with strides [1] from element 6 on reaches outside of its storage 0":          tensor("K\x06K\x01\x85K\x01\x85\x89N"),
		"_rebuild_tensor_v2: f32[9223372036854775807,2] has more bytes than an int can count": tensor("K\x00\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7fK\x02\x86K\x00K\x00\x86\x89N"),
	} {
		_, err := run(pickle)
		require.ErrorContains(t, err, want, "%q", pickle)
	}
	_, err := run(strings.Repeat("N", maxValues+2))
	require.ErrorContains(t, err, "opcode NONE: the pickle is too large: at most 64.0 MiB and 4194304 values are read")
	f, err := run(tensor("K\x01K\x02K\x02\x86K\x03K\x01\x86\x89N"))
	require.NoError(t, err)
	require.Equal(t, types.Of(types.F32, 2, 2), f.Tensors[0].Type)
}

// An element of a bool tensor that is neither 0 nor 1 is found when the tensor is used.
func TestBools(t *testing.T) {
	data := read(t, "dtypes.legacy.pt")
	f, err := Decode("m", soa.Wrap(data))
	require.NoError(t, err)
	for _, x := range f.Tensors {
		if x.Name == "bool" {
			data[x.Storage.at+2] = 7
			_, err := x.View()
			require.EqualError(t, err, "tensor bool: byte 2 of its storage "+x.Storage.Key+" is 0x07: a bool is 0 or 1")
			return
		}
	}
	require.Fail(t, "no tensor bool")
}

// Storages of an archive are in place; a closed file's tensors cannot be used.
func TestInPlace(t *testing.T) {
	f, err := Map("../testdata/shapes.pt")
	require.NoError(t, err)
	for _, x := range f.Tensors {
		if x.Storage.Bytes > 0 {
			b, at := x.Storage.memory()
			require.Same(t, f.buffer, b, x.Name)
			require.Equal(t, x.Storage.at, at)
		}
	}
	f.Close()
	_, err = f.Tensors[0].View()
	require.ErrorIs(t, err, soa.ErrReleased)
}

var seeds = []string{"dtypes.pt", "dtypes.legacy.pt", "shapes.pt", "shapes.legacy.pt", "nested.pt", "nested.legacy.pt", "tensor.pt", "tensor.legacy.pt",
	"refused_execute.pt", "refused_execute.legacy.pt", "refused_module.pt", "refused_conj.legacy.pt", "refused_sparse.legacy.pt"}

// use reads all tensors of a file.
func use(t *testing.T, f *File) {
	for _, x := range f.Tensors {
		v, err := x.View()
		if err != nil {
			require.ErrorContains(t, err, "a bool is 0 or 1")
			continue
		}
		if v.Type.Bytes() < 1<<20 { // strides of 0 make a large tensor of few bytes
			require.NoError(t, soa.Copy(soa.Make(v.Type), v))
		}
	}
}

// What decodes can be read.
func FuzzDecode(f *testing.F) {
	for _, file := range seeds {
		f.Add(read(f, file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := Decode("fuzz", soa.Wrap(data)); err == nil {
			use(t, m)
		}
	})
}

// FuzzPickle changes pickles within archives, whose checksums would be wrong.
func FuzzPickle(f *testing.F) {
	for _, file := range seeds {
		if data := read(f, file); string(data[:2]) == "PK" {
			for _, e := range entries(f, data) {
				if strings.HasSuffix(e.name, "data.pkl") {
					f.Add(string(e.data[2 : len(e.data)-1]))
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, pickle string) {
		b := soa.New(1 << 12)
		all := newTable(b)
		m := &machine{data: []byte("\x80\x02" + pickle + "."), storage: func(id tuple) (*Storage, error) {
			s, err := all.find(id)
			if err == nil && s.Bytes > len(b.Bytes()) {
				return nil, io.ErrUnexpectedEOF
			} else if err == nil {
				s.at = 0
			}
			return s, err
		}}
		value, err := m.run()
		if err != nil {
			return
		}
		file := &File{Metadata: map[string]any{}, buffer: b}
		n := namer{file: file, taken: map[string]bool{}}
		if n.add("", value, 0) == nil {
			use(t, file)
		}
	})
}
