package checkpoint_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/checkpoint"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// saver names, for a process of this test alone, the file that it saves again and again.
const saver = "LTC_TEST_SAVER"

func TestMain(m *testing.M) {
	if path := os.Getenv(saver); path != "" {
		save(path)
	}
	os.Exit(m.Run())
}

// save saves checkpoints, all of whose elements are the number of the step, and prints the number
// of each after it is saved, until the process is killed.
func save(path string) {
	for step := 1; ; step++ {
		s := &checkpoint.State{Metadata: checkpoint.Metadata{"step": step}}
		for i := range 8 {
			v := soa.Make(types.Of(types.F32, 1<<14))
			for k := range soa.Slice[float32](v) {
				soa.Slice[float32](v)[k] = float32(step)
			}
			if err := s.Add(fmt.Sprint("t", i), v); err != nil {
				panic(err)
			}
		}
		write := func() error { return checkpoint.Save(path, s) }
		if filepath.Ext(path) == ".json" {
			write = func() error { return checkpoint.SaveSharded(path, 1<<17, s) }
		}
		if err := write(); err != nil {
			panic(err)
		}
		fmt.Println(step)
	}
}

// A process that is killed at any moment while it saves leaves a whole checkpoint: the last one
// that it finished, or the one after. With LTC_SOAK=1 500 processes are killed.
func TestKilledProcessesLeaveWholeCheckpoints(t *testing.T) {
	for round := range trials.Soak(10, 500) {
		path := filepath.Join(t.TempDir(), []string{"model.safetensors", "model.safetensors.index.json"}[round%2])
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), saver+"="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		require.True(t, lines.Scan(), "the first checkpoint")
		time.AfterFunc(time.Duration(rand.IntN(30_000))*time.Microsecond, func() { cmd.Process.Kill() })
		finished := lines.Text()
		for lines.Scan() {
			finished = lines.Text()
		}
		require.Error(t, cmd.Wait(), "it was killed")

		last, err := strconv.Atoi(finished)
		require.NoError(t, err)
		f, err := checkpoint.Open(path)
		require.NoError(t, err)
		var step int
		require.NoError(t, f.Metadata.Value("step", &step))
		require.Contains(t, []int{last, last + 1}, step)
		require.Len(t, f.Names(), 8)
		for _, x := range f.All() {
			v, err := x.View()
			require.NoError(t, err)
			soa.With(v, func(s []float32) {
				for _, e := range s {
					if e != float32(step) {
						require.Equal(t, float32(step), e)
					}
				}
			})
		}
		f.Close()
		require.NoError(t, os.RemoveAll(filepath.Dir(path)))
	}
}
