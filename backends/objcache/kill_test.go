package objcache

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
)

// writerDir names, in the environment of a child process, the directory that it
// writes objects into until it is killed.
const writerDir = "OBJCACHE_TEST_WRITER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerDir); dir != "" {
		limit, _ := strconv.ParseInt(os.Getenv(writerDir+"_LIMIT"), 10, 64)
		write(dir, limit)
	}
	os.Exit(m.Run())
}

// objects is how many different objects writers write.
const objects = 40

// write puts objects into a cache, all in turn, and says after each that it has.
func write(dir string, limit int64) {
	c := New(Options{Dir: dir, Limit: limit, Warn: func(err error) { fmt.Println("warning:", err); os.Exit(1) }})
	all := make([][]byte, objects)
	start := os.Getpid()
	fmt.Println("-1")
	for i := start; ; i++ {
		n := i % objects
		if all[n] == nil {
			all[n] = content(n)
		}
		c.Put(parts(n), "", all[n])
		fmt.Println(n)
	}
}

// Processes are killed while they write, many times: what they had written
// before is there and right, and so is all else that is found.
func TestKilledWriters(t *testing.T) {
	kills := trials.Soak(200, 1000)
	var want [objects][]byte
	for n := range want {
		want[n] = content(n)
	}
	for _, test := range []struct {
		name  string
		kills int
		limit int64
	}{
		{"all is kept", kills * 7 / 10, 1 << 30},
		{"much is evicted", kills * 3 / 10, 400_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := New(Options{Dir: dir, Limit: test.limit, Warn: func(err error) { t.Error(err) }})
			written := map[int]bool{}
			few := func() bool { return len(written) <= objects/8 } // on a busy machine all are killed early
			for k := 0; k < test.kills || few() && k < 20*test.kills; k++ {
				for _, n := range killWriter(t, dir, test.limit) {
					written[n] = true
				}
				hits := 0
				for n := range objects {
					object, ok := c.Get(parts(n).Key())
					if ok && !bytes.Equal(object, want[n]) {
						t.Fatalf("object %d is another", n)
					}
					if !ok && written[n] && test.limit == 1<<30 {
						t.Fatalf("object %d is lost", n)
					}
					if ok {
						hits++
					}
				}
				if hits == 0 && len(written) > 0 {
					t.Fatal("nothing is left")
				}
			}
			_, damaged, err := c.Verify()
			require.NoError(t, err)
			require.Empty(t, damaged)
			require.False(t, few(), "writers were killed before they wrote")
			_, writing, err := c.files()
			require.NoError(t, err)
			t.Logf("%d kills, %d objects written, %d files left half written", test.kills, len(written), len(writing))
		})
	}
}

// killWriter starts a writer, kills it at a time that changes from call to call, after as
// many writes as that, and returns the objects that it said it had written.
func killWriter(t *testing.T, dir string, limit int64) []int {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), writerDir+"="+dir, fmt.Sprintf("%s_LIMIT=%d", writerDir, limit))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan(), "the writer does not start")
	require.Equal(t, "-1", lines.Text())
	var written []int
	next := func() bool {
		if !lines.Scan() {
			return false
		}
		n, err := strconv.Atoi(lines.Text())
		require.NoError(t, err, "%s", lines.Text())
		written = append(written, n)
		return true
	}
	chance := os.Getpid() + cmd.Process.Pid
	for range chance % 3 { // however slow the machine is, some have written something
		next()
	}
	time.Sleep(time.Duration(chance) % 23 * 131 * time.Microsecond)
	require.NoError(t, cmd.Process.Kill())
	for next() {
		continue
	}
	cmd.Wait() // killed
	return written
}
