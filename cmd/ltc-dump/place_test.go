package main

import (
	"bytes"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
)

// fed runs a command on a text as its standard input and returns what it
// prints.
func fed(text string, args ...string) (string, int) {
	var stdout, stderr bytes.Buffer
	status := run(args, strings.NewReader(text), &stdout, &stderr)
	return stdout.String() + stderr.String(), status
}

// What no memory holds ends with an error, not with the process.
func TestTooLarge(t *testing.T) {
	trials.Sequential(t)
	const argument = `func.func @main(%xs: tensor<2xf32>,
    %x: tensor<1000000x1000000xf32>) -> tensor<f32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}`
	for _, source := range []string{"zeros", "iota", "rand:1"} {
		out, status := fed(argument, "run", "-", "-input", source, "-input", source)
		require.Equal(t, 1, status)
		require.Regexp(t, `^<stdin>:2:5: error: argument 1 \(%x\), f32\[1000000,1000000\]: not enough memory: 3\.6 TiB are needed, there are .*
    %x: tensor<1000000x1000000xf32>\) -> tensor<f32> {
    \^
$`, out)
	}
	const result = `func.func @main() -> tensor<1000000x1000000xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<1000000x1000000xf32>
  return %0 : tensor<1000000x1000000xf32>
}`
	for _, backend := range []string{"cpu", "null"} {
		out, status := fed(result, "run", "-", "-backend", backend)
		require.Equal(t, 1, status)
		require.Contains(t, out, "not enough memory: 3.6 TiB are needed")
	}
}

// Arguments that fit one by one may be too much together.
func TestTooMuchTogether(t *testing.T) {
	trials.Sequential(t)
	old := debug.SetMemoryLimit(1 << 30)
	t.Cleanup(func() { debug.SetMemoryLimit(old) })
	const text = `func.func @main(%a: tensor<200000000xf32>, %b: tensor<200000000xf32>) -> tensor<f32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}`
	out, status := fed(text, "run", "-", "-input", "zeros", "-input", "zeros")
	require.Equal(t, 1, status)
	require.Contains(t, out, "<stdin>:1:44: error: argument 1 (%b), f32[200000000]: not enough memory: 1.5 GiB are needed, there are 1.0 GiB")
}

func TestByteOrderMark(t *testing.T) {
	trials.Sequential(t)
	const text = "func.func @main() -> tensor<f32> {\n  %0 = stablehlo.constant dense<2.0> : tensor<f32>\n  return %0 : tensor<f32>\n}\n"
	out, status := fed("\ufeff"+text, "run", "-")
	require.Zero(t, status, out)
	require.Equal(t, "result 0: f32[]\n2\n", out)
}

// A terminal must not obey what an error quotes, and the caret stays in place.
func TestErrorsArePrintable(t *testing.T) {
	out, status := fed("func.func @main() {\n  \x1b[31m\x7f\u202ereturn }", "verify", "-")
	require.Equal(t, 1, status)
	require.Equal(t, "<stdin>:2:3: error: unexpected character '\\x1b' outside a string\n  ␛[31m␡�return }\n  ^\n", out)
	require.Equal(t, "a\tb é␀\n", printable("a\tb é\x00\n"))
}

func TestWordIndex(t *testing.T) {
	require.Equal(t, 9, wordIndex("%xs, %x1 %x: %x", "%x"))
	require.Equal(t, 3, wordIndex("%x.%x", "%x"))
	require.Equal(t, -1, wordIndex("%x_ %x$ %x-", "%x"))
}
