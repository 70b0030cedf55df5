package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/mlirtext"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
)

const (
	fuzzDeadline = 2 * time.Second  // of a program
	fuzzEnd      = 20 * time.Second // after which a program that should have ended has not
	fuzzMemory   = 1 << 30          // what programs may ask for
	fuzzLongest  = 1 << 16          // bytes of a text: longer ones only have longer constants
)

// FuzzExecute checks that whatever program is compiled and run ends with
// results, or with an error, soon after its context. It starts from the tests
// of the dialect, where they are there, with words exchanged by the salt.
func FuzzExecute(f *testing.F) {
	texts := fuzzPrograms(f)
	if trials.Few() { // TestConformance has them all
		texts = texts[:len(texts)/8]
	}
	for _, text := range texts {
		f.Add(text, uint64(0))
		f.Add(text, uint64(len(text)))
	}
	debug.SetMemoryLimit(fuzzMemory)
	f.Fuzz(func(t *testing.T, text string, salt uint64) {
		if salt != 0 {
			text = exchanged(text, salt)
		}
		late := time.AfterFunc(fuzzEnd, func() {
			debug.SetTraceback("all")
			panic(fmt.Sprintf("no end in %v", fuzzEnd))
		})
		defer late.Stop()
		ctx, cancel := context.WithTimeout(context.Background(), fuzzDeadline)
		defer cancel()
		e, err := New().Compile(ctx, backends.NewModule(text), backends.Options{})
		if err != nil || len(e.Signature().Args) > 0 {
			return
		}
		if err := e.Execute(ctx, &backends.Call{}); err != nil {
			require.NotEmpty(t, err.Error())
		}
	})
}

// fuzzPrograms are programs whose first function is main and takes nothing.
func fuzzPrograms(f *testing.F) []string {
	suite := trials.Suite()
	first := regexp.MustCompile(`func\.func( public)? @\w+\(`)
	programs := []string{
		"func.func @main() -> tensor<i32> {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n  %1 = stablehlo.add %0, %0 : tensor<i32>\n  return %1 : tensor<i32>\n}\n",
		strings.Replace(programs.Forever, "private @forever", "@main", 1),
	}
	for _, pattern := range []string{"interpret/*.mlir", "interpret/*/*.mlir", "testdata/*.mlir", "testdata/*/*.mlir"} {
		files, err := filepath.Glob(filepath.Join(suite, pattern))
		require.NoError(f, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(f, err)
			for _, unit := range mlirtext.Split(file, string(text)) {
				body := unit.Body()
				if !strings.Contains(body, "@main(") {
					at := first.FindStringIndex(body)
					if at == nil {
						continue
					}
					body = body[:at[0]] + "func.func @main(" + body[at[1]:]
				}
				if len(body) <= fuzzLongest {
					programs = append(programs, body)
				}
			}
		}
	}
	return programs
}

var fuzzWord = regexp.MustCompile(`\d+|x|[%@#!]?[a-wyzA-Z_][\w.]*|->|[^\s\w]`)

// exchanged puts words of the text, or small numbers, for a few others.
func exchanged(text string, salt uint64) string {
	r := rand.New(rand.NewPCG(salt, 1))
	for range 1 + r.IntN(3) {
		words := fuzzWord.FindAllStringIndex(text, -1)
		if len(words) == 0 {
			break
		}
		a, b := words[r.IntN(len(words))], words[r.IntN(len(words))]
		with := text[b[0]:b[1]]
		if old := text[a[0]:a[1]]; old[0] >= '0' && old[0] <= '9' || r.IntN(4) == 0 {
			with = []string{"0", "1", "2", "3", "7", "64", "-1", "9223372036854775807", "?", "true", "0.0", "1e30"}[r.IntN(12)]
		}
		text = text[:a[0]] + with + text[a[1]:]
	}
	return text
}
