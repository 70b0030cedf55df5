package llvm

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
)

const hangingChild = "LLVM_TEST_HANGS"

// Compiling ends with the context although a program in libLLVM's place hangs, when it
// is asked for its version or when it compiles. The program is killed within a second
// after that; one that others wait for has its own time limit.
func TestToolsThatHangEndWithTheContext(t *testing.T) {
	if mark := os.Getenv(hangingChild); mark != "" {
		hanging(t, mark)
		return
	}
	for name, inVersion := range map[string]string{"version": "hang;", "compile": ""} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mark := filepath.Join(dir, "mark")
			text := "#!/bin/sh\nhang() { [ -f " + mark + " ] && exec sleep 1000; }\n" +
				`case "$*" in *--version) ` + inVersion + ` echo "Ubuntu LLVM version 19.1.7"; exit;; esac
while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
hang
printf '\177ELF' >"$out"
`
			for _, tool := range []string{"opt", "llc"} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, tool), []byte(text), 0o700))
			}
			if inVersion != "" {
				require.NoError(t, os.WriteFile(mark, nil, 0o600))
			}
			exe, err := os.Executable()
			require.NoError(t, err)
			cmd := exec.Command(exe, "-test.run=^TestToolsThatHangEndWithTheContext$", "-test.v")
			cmd.Env = append(os.Environ(), "LTC_CACHE=off", "LTC_LIBLLVM="+filepath.Join(dir, "llc"), hangingChild+"="+mark)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}

func hanging(t *testing.T, mark string) {
	_, err := os.Stat(mark)
	opens := err != nil
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	for name, text := range map[string]string{
		"kernel": `func.func @main(%x: tensor<70x65xf32>) -> tensor<70x65xf32> {
  %0 = stablehlo.tanh %x : tensor<70x65xf32>
  return %0 : tensor<70x65xf32>
}`,
		"product": `func.func @main(%x: tensor<70x65xf32>, %y: tensor<65x40xf32>) -> tensor<70x40xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<70x65xf32>, tensor<65x40xf32>) -> tensor<70x40xf32>
  %1 = stablehlo.tanh %0 : tensor<70x40xf32>
  return %1 : tensor<70x40xf32>
}`,
		"few operations": `func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}`,
	} {
		t.Run(name, func(t *testing.T) {
			if opens { // it works until it is opened
				s := &shared{}
				s.once.Do(s.start)
				c, err := s.opened(t.Context())
				require.NoError(t, err)
				require.NotNil(t, c)
				require.NoError(t, os.WriteFile(mark, nil, 0o600))
			}
			const patience = 200 * time.Millisecond
			trials.Soon(t, patience+time.Second, func() {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				_, err := cpu.Compile(ctx, backends.NewModule(text), backends.Options{})
				require.ErrorIs(t, err, context.DeadlineExceeded)
				if opens { // its process would go on for a thousand seconds
					require.Eventually(t, func() bool { return children(t) == 0 }, time.Minute, time.Millisecond)
				}
			})
		})
	}
}

// children counts the processes that this one has started and that have not ended.
func children(t *testing.T) (n int) {
	files, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			n += len(strings.Fields(string(text)))
		}
	}
	return n
}
