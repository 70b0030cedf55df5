package checkpoint_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/checkpoint"
)

// What a PyTorch file may not have is refused by name, and nothing is executed.
func TestFilesThatAreRefused(t *testing.T) {
	for file, want := range map[string]string{
		"refused_execute.pt":         "entry refused_execute/data.pkl: byte 169: opcode GLOBAL: posix.system: this class or function is not read, and nothing is executed: save a state_dict of tensors, numbers and texts",
		"refused_execute.legacy.pt":  "opcode GLOBAL: posix.system: this class or function is not read",
		"refused_module.pt":          "opcode GLOBAL: torch.nn.modules.linear.Linear: this class or function is not read",
		"refused_conj.legacy.pt":     "opcode REDUCE: torch._utils._rebuild_tensor_v2: a tensor with the lazy property conj: call its resolve_conj() before torch.save",
		"refused_float8.legacy.pt":   "tensor w has elements of torch.float8_e4m3fnuz, which are not read: convert it",
		"refused_sparse.legacy.pt":   "opcode GLOBAL: torch._utils._rebuild_sparse_tensor: this class or function is not read",
		"refused_protocol.legacy.pt": "opcode PROTO: a pickle of protocol 4: protocol 2 is read",
		"refused_big_endian.gguf":    "byte 4: a big-endian file of version 3: convert it to little-endian",
		"make.py":                    `it begins with "\"\"\"Writes th": want a file of safetensors, an index of such files, a file of torch.save, or GGUF`,
		"expected.json":              "a JSON file without a weight_map: no index of shards",
		"none":                       "no such file or directory",
		"../testdata":                "is not a regular file",
	} {
		_, err := checkpoint.Open(filepath.Join("testdata", file))
		require.ErrorContains(t, err, want, file)
		require.ErrorContains(t, err, filepath.Join("testdata", file))
	}
	_, err := os.Stat("testdata/executed")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func read(t testing.TB, file string) []byte {
	data, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	return data
}

// openBytes opens a file with the given content.
func openBytes(t testing.TB, data []byte) error {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	f, err := checkpoint.Open(path)
	if err == nil {
		f.Close()
		return nil
	}
	require.ErrorContains(t, err, path)
	return err
}

// A file that is cut is refused.
func TestFilesThatAreCut(t *testing.T) {
	for _, file := range []string{"dtypes.pt", "shapes.legacy.pt", "dtypes.safetensors", "blocks.gguf"} {
		data := read(t, file)
		for _, n := range []int{0, 1, 9, 100, len(data) / 2, len(data) - 64} {
			require.Error(t, openBytes(t, data[:n]), "%s, %d bytes", file, n)
		}
	}
}

// edit returns data with one occurrence of old replaced.
func edit(t *testing.T, data []byte, old, new string) []byte {
	require.Positive(t, bytes.Count(data, []byte(old)), "%q", old)
	return bytes.Replace(bytes.Clone(data), []byte(old), []byte(new), 1)
}

func TestTamperedGGUF(t *testing.T) {
	data := read(t, "blocks.gguf")
	le := binary.LittleEndian
	put := func(at int, x uint64) []byte {
		b := bytes.Clone(data)
		le.PutUint64(b[at:], x)
		return b
	}
	q4 := bytes.Index(data, []byte("Q4_1")) // then the rank, two dimensions, the type and the offset
	entry := q4 + 4
	for want, bad := range map[string][]byte{
		"byte 4: version 1: versions 2 and 3 are read":                                           edit(t, data, "GGUF\x03", "GGUF\x01"),
		"byte 8: the number of tensors is 18446744073709551615":                                  put(8, 1<<64-1),
		"byte 16: the number of metadata entries is 1099511627776":                               put(16, 1<<40),
		"byte 32: the file is cut short: a metadata key has 9223372036854775807 bytes":           put(24, 1<<63-1),
		"tensor Q4_1 has 4294967295 dimensions, at most 8 are read":                              edit(t, data, "Q4_1\x02\x00\x00\x00", "Q4_1\xff\xff\xff\xff"),
		"tensor Q4_1: its rows have 65 elements, no multiple of the 32 of a block of Q4_1":       put(entry+4, 65),
		"tensor Q4_1: its dimensions are too large":                                              put(entry+4, 1<<62),
		"the file is cut short: tensor Q4_1, Q4_1[2,4294967296], has 5368709120 bytes from byte": put(entry+4, 1<<32),
		"tensor Q4_1 has elements of Q2_K, which is not read":                                    put(entry+20, le.Uint64(data[entry+20:])&^0xffffffff|10),
		"tensor Q4_1 begins at byte 33 of the elements, no multiple of the alignment 32":         put(entry+24, 33),
		"tensors Q4_0 and Q4_1 overlap":                                                          put(entry+24, 0),
		"tensor Q4_1 begins at byte 1099511627776 of the elements":                               put(entry+24, 1<<40),
		"tensor Q4_0 is there twice":                                                             edit(t, data, "Q4_1\x02", "Q4_0\x02"),
		`metadata key "i32" is there twice`:                                                      edit(t, data, "\x00u32", "\x00i32"),
		`metadata "flag" is the byte 0x02: a bool is 0 or 1`:                                     edit(t, data, "flag\x07\x00\x00\x00\x01", "flag\x07\x00\x00\x00\x02"),
		`metadata "u8" has the type 13`:                                                          edit(t, data, "u8\x00", "u8\x0d"),
		`the length of metadata "scores" is 4294967298`:                                          edit(t, data, "scores\x09\x00\x00\x00\x06\x00\x00\x00\x02\x00\x00\x00\x00", "scores\x09\x00\x00\x00\x06\x00\x00\x00\x02\x00\x00\x00\x01"),
	} {
		err := openBytes(t, bad)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "byte ")
	}
	require.NoError(t, openBytes(t, edit(t, data, "GGUF\x03", "GGUF\x02")), "version 2 differs in nothing else")

	nested := le.AppendUint64(le.AppendUint64([]byte("GGUF\x03\x00\x00\x00"), 0), 1)
	nested = append(le.AppendUint64(nested, 1), 'a', 9, 0, 0, 0)
	for range 6 {
		nested = le.AppendUint64(append(nested, 9, 0, 0, 0), 1)
	}
	require.ErrorContains(t, openBytes(t, nested), `metadata "a": arrays are nested deeper than 4`)
}

func TestTamperedLegacy(t *testing.T) {
	data := read(t, "shapes.legacy.pt")
	little := bytes.Index(data, []byte("little_endian"))
	for want, bad := range map[string][]byte{
		"the pickle of the system does not say little_endian":                append(bytes.Clone(data[:little]), bytes.Replace(data[little:], []byte{0x88}, []byte{0x89}, 1)...),
		"the first pickle is not the magic number of torch.save":             edit(t, data, "\x8a\x0a\x6c", "\x8a\x0a\x6d"),
		"version 1002 of the legacy format: want 1001":                       edit(t, data, "M\xe9\x03", "M\xea\x03"),
		"4 bytes behind the last storage":                                    append(bytes.Clone(data), 0, 0, 0, 0),
		"reaches outside of its storage":                                     edit(t, data, "K\x02K\x03K\x04\x87", "K\x02K\x03K\x05\x87"),
		"opcode GLOBAL: collections.UserDict: this class":                    edit(t, data, "ccollections\nOrderedDict", "ccollections\nUserDict"),
		"opcode INST: torch.save does not write it in pickles of protocol 2": edit(t, data, "ccollections\nOrderedDict", "icollections\nOrderedDict"),
	} {
		require.ErrorContains(t, openBytes(t, bad), want)
	}
}
