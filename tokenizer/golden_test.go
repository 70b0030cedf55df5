package tokenizer

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/inputs"
)

// trained are the tokenizers in testdata, in the order of lines.jsonl.gz.
var trained = []string{"wordpiece", "bpe", "unigram"}

func load(t testing.TB, name string) *Tokenizer {
	tok, err := Load(filepath.Join("testdata", name+".json"))
	require.NoError(t, err)
	return tok
}

// summary is a checksum of the ends of tokens and of the text of the ids, as train.py has it.
func summary(tok *Tokenizer, e *Encoding) uint32 {
	var b strings.Builder
	for _, o := range e.Offsets {
		b.WriteString(strconv.Itoa(o.Start) + " " + strconv.Itoa(o.End) + " ")
	}
	return crc32.ChecksumIEEE([]byte(b.String() + tok.Decode(e.IDs, true)))
}

// Each line has the ids, the offsets and the text that the library tokenizers has.
func TestLinesOfTheLibrary(t *testing.T) {
	data, err := os.ReadFile("testdata/lines.jsonl.gz")
	require.NoError(t, err)
	z, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	var all []*Tokenizer
	for _, name := range trained {
		all = append(all, load(t, name))
	}
	n := 0
	for d := json.NewDecoder(z); d.More(); n++ {
		var line [4]json.RawMessage
		require.NoError(t, d.Decode(&line))
		var text string
		require.NoError(t, json.Unmarshal(line[0], &text))
		for i, tok := range all {
			var ids []int32
			var sum uint32
			require.NoError(t, json.Unmarshal(line[i+1], &[]any{&ids, &sum}))
			e := tok.Encode(text)
			if !slices.Equal(ids, e.IDs) {
				require.Equal(t, ids, e.IDs, "%s: line %d: %q", trained[i], n, text)
			}
			if got := summary(tok, e); got != sum {
				t.Fatalf("%s: line %d: %q: the offsets or the decoded text differ: %v, %q", trained[i], n, text, e.Offsets, tok.Decode(e.IDs, true))
			}
		}
	}
	require.Equal(t, 2000, n)
}

func TestMiniLM(t *testing.T) {
	tok, err := Load(inputs.File(t, "minilm", "tokenizer.json"))
	require.NoError(t, err)
	words, err := Load(inputs.File(t, "minilm", "vocab.txt"))
	require.NoError(t, err)
	var cases []struct {
		Text string
		IDs  []int32
	}
	inputs.Expected(t, "testdata/minilm.json", &cases)
	require.Len(t, cases, 24)
	for _, c := range cases {
		require.Equal(t, c.IDs, tok.Encode(c.Text, NoPadding()).IDs, "%q", c.Text)
		require.Equal(t, c.IDs, words.Encode(c.Text).IDs, "%q", c.Text)
	}
	require.Equal(t, 30522, tok.VocabSize())
	e := tok.Encode("hello")
	require.Equal(t, 128, e.Len())
	require.Equal(t, []int32{101, 7592, 102, 0}, e.IDs[:4])
	require.Equal(t, []int32{1, 1, 1, 0}, e.AttentionMask[:4])
}

// The metadata of a GGUF file give the tokenizer of the model.
func TestSmolLM2(t *testing.T) {
	tok, err := FromGGUF(readMetadata(t, inputs.File(t, "smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")))
	require.NoError(t, err)
	require.Equal(t, 49152, tok.VocabSize())
	var cases []struct {
		Prompt      string
		IDs, Greedy []int32
		Text        string
	}
	inputs.Expected(t, "../examples/smollm/testdata/smollm2.json", &cases)
	require.Len(t, cases, 2)
	for _, c := range cases {
		require.Equal(t, c.IDs, tok.Encode(c.Prompt).IDs, "%q", c.Prompt)
		require.Equal(t, c.Text, tok.Decode(c.Greedy, false))
		var streamed strings.Builder
		for s, ids := tok.Stream(false), c.Greedy; len(ids) > 0; ids = ids[1:] {
			streamed.WriteString(s.Next(ids[0]))
		}
		require.Equal(t, c.Text, streamed.String())
	}
}

// readMetadata reads the metadata of a GGUF file, version 3.
func readMetadata(t testing.TB, path string) map[string]any {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	data := make([]byte, 8<<20)
	n, err := f.Read(data)
	require.NoError(t, err)
	data = data[:n]
	number := func(bytes int) uint64 {
		var b [8]byte
		copy(b[:], data[:bytes])
		data = data[bytes:]
		return binary.LittleEndian.Uint64(b[:])
	}
	str := func() string {
		n := number(8)
		s := string(data[:n])
		data = data[n:]
		return s
	}
	require.Equal(t, "GGUF", string(data[:4]))
	data = data[8:]
	number(8)
	count := number(8)
	var value func(kind uint64) any
	value = func(kind uint64) any {
		switch kind {
		case 0, 1:
			return uint8(number(1))
		case 2, 3:
			return uint16(number(2))
		case 4:
			return uint32(number(4))
		case 5:
			return int32(number(4))
		case 6:
			return math.Float32frombits(uint32(number(4)))
		case 7:
			return number(1) != 0
		case 8:
			return str()
		case 9:
			kind, n := number(4), number(8)
			all := make([]any, n)
			for i := range all {
				all[i] = value(kind)
			}
			return all
		}
		return number(8)
	}
	all := map[string]any{}
	for range count {
		key := str()
		all[key] = value(number(4))
	}
	return all
}
