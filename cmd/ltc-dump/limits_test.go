package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
)

// full takes no output.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestLostOutputFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.mlir")
	require.NoError(t, os.WriteFile(file, []byte("func.func @main() -> tensor<f32> {\n  %0 = stablehlo.constant dense<1.0> : tensor<f32>\n  return %0 : tensor<f32>\n}\n"), 0o600))
	for _, args := range [][]string{{"run", "-backend", "eval", file}, {"show", file}, {"verify", file}, {"check", file}, {"ops"}, {"help"}, {"devices"}, {"run", "-h"}} {
		var stderr bytes.Buffer
		require.Equal(t, 1, run(args, strings.NewReader(""), full{}, &stderr), args)
		require.Contains(t, stderr.String(), "no space left on device", args)
	}
}

// A command ends with its time, whatever it does.
func TestTimeoutReachesWhatIsRead(t *testing.T) {
	for _, args := range [][]string{{"run", "-backend", "eval"}, {"show"}, {"show", "-stage", "fused"}} {
		r, w, err := os.Pipe() // which nobody writes to
		require.NoError(t, err)
		trials.Soon(t, 50*time.Millisecond+time.Second, func() {
			var stderr bytes.Buffer
			require.Equal(t, 1, run(append(args, "-timeout", "50ms", "-"), r, &bytes.Buffer{}, &stderr), args)
			require.Contains(t, stderr.String(), "stopped after -timeout 50ms", args)
		})
		w.Close()
	}
}

// A program that goes on is stopped when its time is up, and the error says where it was.
// If the time is up before it begins, as on a busy machine, there is no such place.
func TestTimeoutStopsProgramsWhereTheyAre(t *testing.T) {
	file := filepath.Join(t.TempDir(), "endless.mlir")
	require.NoError(t, os.WriteFile(file, []byte(`func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%a = %x) : tensor<i32>
  cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    stablehlo.return %a : tensor<i32>
  }
  return %0 : tensor<i32>
}
`), 0o600))
	for after := 50 * time.Millisecond; ; after *= 4 {
		var stdout, stderr bytes.Buffer
		require.Equal(t, 1, run([]string{"run", file, "-backend", "eval", "-input", "zeros", "-timeout", after.String()}, nil, &stdout, &stderr))
		require.Empty(t, stdout.String())
		want := fmt.Sprintf("%s:2:8: error: stablehlo.while: stopped after -timeout %v\n", file, after)
		if after < 10*time.Second && !strings.HasPrefix(stderr.String(), want) {
			require.Contains(t, stderr.String(), fmt.Sprintf("stopped after -timeout %v", after))
			continue
		}
		require.Equal(t, want+"  %0 = stablehlo.while(%a = %x) : tensor<i32>\n       ^\n", stderr.String())
		return
	}
}

func TestLimitedReturnsItsOwnError(t *testing.T) {
	require.EqualError(t, limited(time.Minute, func(context.Context) error { return errors.New("wrong") }), "wrong")
	require.EqualError(t, limited(time.Millisecond, func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }), "stopped after -timeout 1ms")
}

// When the time is up an error of compiling is what it is, and that of a run has its
// place all the same.
func TestErrorsOfEndedContexts(t *testing.T) {
	p := &program{file: "a.mlir", function: "main", source: "func.func @other() -> tensor<f32> {\n  %0 = stablehlo.constant dense<1.0> : tensor<f32>\n  return %0 : tensor<f32>\n}\n"}
	p.text = p.source
	ctx, cancel := context.WithCancel(t.Context())
	stopped := errors.New("stopped")
	require.ErrorContains(t, p.refused(ctx, stopped), "has no function main")
	cancel()
	require.Equal(t, stopped, p.refused(ctx, stopped), "the text was read again")
	require.ErrorContains(t, p.located(ctx, &backends.RunError{Op: 1, Reason: stopped}), "a.mlir:2")
}
