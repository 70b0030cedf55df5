package mlir

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// FuzzParse checks that no text makes the package panic, hang or take memory
// out of proportion, and that what is read prints to a text that reads back to
// the same. It starts from the goldens and, where they are there, from the
// dialect's own tests. With a salt, tokens of the text are moved about first:
// changes of bytes seldom get past the lexer.
func FuzzParse(f *testing.F) {
	for _, text := range fuzzSeeds(f) {
		f.Add(text, uint64(0))
		f.Add(text, uint64(len(text)))
	}
	f.Fuzz(func(t *testing.T, text string, salt uint64) {
		if salt != 0 {
			text = shuffled(text, salt)
		}
		late := time.AfterFunc(fuzzTime, func() {
			debug.SetTraceback("all")
			panic("no end in " + fuzzTime.String())
		})
		defer late.Stop()
		if m := boundedly(text); m != nil {
			requireStable(t, m)
		}
	})
}

func fuzzSeeds(f testing.TB) []string {
	archives, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatal("no golden archives to start from: ", err)
	}
	var seeds []string
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, x := range a.Files {
			if strings.HasSuffix(x.Name, ".mlir") {
				seeds = append(seeds, string(x.Data))
			}
		}
	}
	for _, pattern := range suiteFiles {
		files, err := filepath.Glob(filepath.Join(suite, pattern))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			for _, unit := range Split(file, string(text)) {
				seeds = append(seeds, unit.Body())
			}
		}
	}
	return seeds
}

const (
	// fuzzTime is what all of the work on a text may take on a busy machine: the
	// longest of the dialect's tests take 20 ms.
	fuzzTime = 10 * time.Second
	// fuzzBytes is what reading and verifying a text may take, beside what each
	// of its bytes may.
	fuzzBytes = 8 << 20
	// Most for a byte are empty regions and entries of dictionaries.
	fuzzBytesEach = 1000
)

// boundedly is the module of a text, nil if it is none. It panics where that
// takes too much memory: for the fuzzer to keep the text.
func boundedly(text string) *Module {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := Parse("fuzz", text)
	if err == nil {
		err = Verify(m)
	}
	if err != nil {
		_ = err.Error()
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > fuzzBytes+fuzzBytesEach*uint64(len(text)) {
		panic("too much memory for a text of this length")
	}
	return m
}

// shuffled moves, repeats and drops tokens of a text, or exchanges one for a
// token from the vocabulary.
func shuffled(text string, salt uint64) string {
	r := rand.New(rand.NewPCG(salt, 0))
	s := scanner{text: text, line: 1, inner: r.IntN(2) == 0}
	var spans [][2]int
	for {
		s.count = 0 // an inner scanner takes its first token apart: each is the first
		t := s.next()
		if t.EOF() || t.Type == tokBad {
			break
		}
		spans = append(spans, [2]int{s.off - len(t.Value), s.off})
	}
	if len(spans) == 0 {
		return text
	}
	for range 1 + r.IntN(4) {
		a, b := spans[r.IntN(len(spans))], spans[r.IntN(len(spans))]
		if b[1] > len(text) || a[1] > len(text) {
			continue // the text has become shorter
		}
		with := text[b[0]:b[1]]
		switch r.IntN(5) {
		case 0:
			with = ""
		case 1:
			with = fuzzWords[r.IntN(len(fuzzWords))]
		case 2: // all between two tokens
			with = text[min(a[0], b[0]):max(a[1], b[1])]
			a[1] = a[0]
		}
		text = text[:a[0]] + " " + with + " " + text[a[1]:]
	}
	return text
}

var fuzzWords = []string{
	"{", "}", "(", ")", "[", "]", "<", ">", ",", ":", "=", "->", "?", "-1", "0", "1", "9223372036854775807", "1.5", "0x7F",
	"tensor<2x?xf32>", "tensor<f32>", "tensor<*xi1>", "tensor<0x3xi32>", "tensor<2xcomplex<f32>>", "tuple<>", "tuple<tensor<i1>>",
	"!stablehlo.token", "tensor<2x!quant.uniform<i8:f32, 0.5:1>>", "tensor<2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>",
	"tensor<2x!quant.uniform<i8:f32:{0:1}, {1.0, 2.0}>>", "tensor<?xi32, #stablehlo.bounds<4>>", "index", "f4E2M1FN", "none", "() -> ()",
	"dense<1> : tensor<2xi64>", "dense<[]> : tensor<0xi1>", "dense<> : tensor<0xf32>", `dense<"0x00"> : tensor<i8>`, "dense<(1,2)> : tensor<complex<f64>>",
	"array<i64>", "array<i64: 1, 2>", "array<i1: true>", "unit", "true", "@f", `"a b"`, "^bb0", "%0", "%0#1", "%0:2 =", "#a", "!a", "#a = 1 : i64\n",
	"stablehlo.return", "stablehlo.add", `"stablehlo.add"`, "func.func", "return", "module", "loc(unknown)", `loc("f":1:2)`, `loc(#a)`, "attributes", "({})", "({^bb0(%z: f32):})",
	"#stablehlo.gather<offset_dims = [0]>", "#stablehlo.conv<[b, f]x[i, o]->[b, f]>", "#stablehlo<comparison_direction LT>", "{-# #-}", "// c\n", "\n",
}
