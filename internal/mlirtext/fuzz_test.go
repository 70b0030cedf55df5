package mlirtext_test

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

	"ltc/internal/mlirtext"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
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
	rules, err := filepath.Glob("../../stablehlo/verify/testdata/*.txtar")
	if err != nil || len(rules) == 0 {
		f.Fatal("no golden archives of rules to start from: ", err)
	}
	archives = append(archives, rules...)
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
			for _, unit := range mlirtext.Split(file, string(text)) {
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
func boundedly(text string) *mlir.Module {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := stablehlo.Parse("fuzz", text)
	if err == nil {
		err = verify.Module(m)
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

// shuffled changes a few places of a text: most often one token to another of
// its kind, or wherever it stands, so that what comes out can be read.
func shuffled(text string, salt uint64) string {
	r := rand.New(rand.NewPCG(salt, 0))
	for range 1 + r.IntN(2) {
		list := mlirtext.TokensOf(text, r.IntN(2) == 0)
		if len(list) == 0 {
			break
		}
		a, b := list[r.IntN(len(list))], list[r.IntN(len(list))]
		for range 20 { // punctuation says little
			if a.Kind != mlirtext.PunctToken {
				break
			}
			a = list[r.IntN(len(list))]
		}
		old, word := text[a.From:a.To], fuzzWords[r.IntN(len(fuzzWords))]
		switch r.IntN(8) {
		case 0, 1, 2, 3, 4:
			with := likeToken(r, text, list, a)
			if len(old) > 3 && r.IntN(2) == 0 { // a type, wherever it stands
				text = strings.ReplaceAll(text, old, with)
			} else {
				text = text[:a.From] + with + text[a.To:]
			}
		case 5: // one line more, or one less
			from := strings.LastIndexByte(text[:a.From], '\n') + 1
			to := a.To + strings.IndexByte(text[a.To:]+"\n", '\n')
			text = text[:from] + strings.Repeat(text[from:to]+"\n", 2*r.IntN(2)) + text[min(to+1, len(text)):]
		case 6:
			text = text[:a.From] + " " + []string{"", word}[r.IntN(2)] + " " + text[a.To:]
		default: // all between two tokens
			with := text[min(a.From, b.From):max(a.To, b.To)]
			text = text[:a.From] + " " + with + " " + text[a.From:]
		}
	}
	return text
}

// likeToken is another token of the kind of a, from the text or the vocabulary.
func likeToken(r *rand.Rand, text string, list []mlirtext.FuzzToken, a mlirtext.FuzzToken) string {
	if a.Kind == mlirtext.IntToken || a.Kind == mlirtext.FloatToken {
		if n := r.IntN(2 * len(fuzzNumbers)); n < len(fuzzNumbers) {
			return fuzzNumbers[n]
		}
	}
	if r.IntN(2) == 0 {
		for range 20 {
			word := fuzzWords[r.IntN(len(fuzzWords))]
			if t := mlirtext.TokensOf(word, false); len(t) == 1 && t[0].Kind == a.Kind {
				return word
			}
		}
	}
	for range 50 {
		if b := list[r.IntN(len(list))]; b.Kind == a.Kind && text[b.From:b.To] != text[a.From:a.To] {
			return text[b.From:b.To]
		}
	}
	return text[a.From:a.To]
}

var fuzzNumbers = []string{"0", "1", "2", "3", "-1", "7", "64", "9223372036854775807", "-9223372036854775808", "18446744073709551615", "0x7F", "1.5", "-0.0", "1.0e400"}

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
