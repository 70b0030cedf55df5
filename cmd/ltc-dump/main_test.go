package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
)

var update = flag.Bool("update", false, "rewrite the sessions in testdata")

// Each archive in testdata is a session: files, and a file "session" whose
// lines "$ …" are commands, run in a fresh directory with those files, each
// followed by what it prints on standard output and then standard error, and
// by its exit status if that is not 0. "< FILE" gives it standard input.
func TestSessions(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			path, err := filepath.Abs(path)
			require.NoError(t, err)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			archive := txtar.Parse(data)
			t.Chdir(t.TempDir())
			var session *txtar.File
			for i, f := range archive.Files {
				if f.Name == "session" {
					session = &archive.Files[i]
					continue
				}
				require.NoError(t, os.MkdirAll(filepath.Dir(f.Name), 0o755))
				require.NoError(t, os.WriteFile(f.Name, f.Data, 0o644))
			}
			require.NotNil(t, session, "no file named session")
			got := play(t, string(session.Data))
			if *update {
				session.Data = []byte(got)
				require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o644))
				return
			}
			require.Equal(t, string(session.Data), got)
		})
	}
}

// play runs the commands of a session and returns it with what they print.
func play(t *testing.T, session string) string {
	var b strings.Builder
	for line := range strings.Lines(session) {
		command, ok := strings.CutPrefix(line, "$")
		if !ok {
			continue
		}
		b.WriteString(line)
		command, file, redirected := strings.Cut(command, "<")
		var stdin []byte
		if redirected {
			var err error
			stdin, err = os.ReadFile(strings.TrimSpace(file))
			require.NoError(t, err)
		}
		var stdout, stderr bytes.Buffer
		status := run(strings.Fields(command), bytes.NewReader(stdin), &stdout, &stderr)
		b.Write(stdout.Bytes())
		b.Write(stderr.Bytes())
		if status != 0 {
			fmt.Fprintf(&b, "[exit status %d]\n", status)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A failure while running is shown where the op stands in the text.
func TestLocated(t *testing.T) {
	text := "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.negate %x : tensor<f32>\n  return %0 : tensor<f32>\n}\n"
	reason := errors.New("out of range")
	err := located(fmt.Errorf("run: %w", &backends.RunError{Op: 1, Reason: reason}), "a.mlir", text)
	require.EqualError(t, err, `a.mlir:2:8: error: stablehlo.negate: out of range
  %0 = stablehlo.negate %x : tensor<f32>
       ^`)
	for _, err := range []error{reason, &backends.RunError{Op: -1, Reason: reason}, &backends.RunError{Op: 9, Reason: reason}} {
		require.Equal(t, err, located(err, "a.mlir", text))
	}
}
