package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// acting is set where this test program stands for that of the backend.
const acting = "LTC_GPU_TOOL_TEST"

func act(t *testing.T) {
	if os.Getenv(acting) == "" {
		t.Skip("acts for TestCheck")
	}
}

func TestActsGood(t *testing.T) {
	act(t)
	t.Run("one", func(t *testing.T) {})
	t.Run("two", func(t *testing.T) { t.Skip("why not") })
}

func TestActsBad(t *testing.T) {
	act(t)
	t.Run("right", func(t *testing.T) {})
	t.Run("wrong", func(t *testing.T) { require.Equal(t, 1, 2, "row 3 column 4") })
	t.Run("long", func(t *testing.T) { t.Error(strings.Repeat("a long story\n", 1000)) })
}

// hangs is what a stack is to name.
//
//go:noinline
func hangs() { time.Sleep(time.Hour) }

func TestActsHanging(t *testing.T) {
	act(t)
	t.Run("before", func(t *testing.T) {})
	t.Run("hangs (1 of 2)", func(t *testing.T) { hangs() })
	t.Run("after", func(t *testing.T) {})
}

func TestActsLosing(t *testing.T) {
	act(t)
	gone := false
	for i := range 4 {
		t.Run(fmt.Sprint("kernel ", i), func(t *testing.T) {
			if gone {
				t.Fatal("cuda: the context of device 0 " + lostText)
			}
			if i == 1 {
				gone = true
				t.Fatal("CUDA_ERROR_ILLEGAL_ADDRESS")
			}
		})
	}
}

func TestActsSlow(t *testing.T) {
	act(t)
	time.Sleep(3 * time.Second)
}

func TestActsDying(t *testing.T) {
	act(t)
	panic("out of nowhere")
}

func acted(t *testing.T, args ...string) *options {
	t.Setenv(acting, "1")
	o, err := parse(append([]string{"-sim", "-tests", os.Args[0], "-in", t.TempDir(), "-logs", t.TempDir(), "-limit", "2s"}, args...))
	require.NoError(t, err)
	return o
}

// Every group is run, whatever becomes of others; what hangs or loses the GPU is named,
// and the rest of its group is run without it.
func TestGroup(t *testing.T) {
	o := acted(t)
	for _, c := range []struct {
		test         string
		state        state
		line, detail string
		not          string
	}{
		{"TestActsGood", passed, "1 passed, 1 skipped", "", ""},
		{"TestActsBad", failed, "1 passed, 2 failed", "row 3 column 4", "SIGQUIT"},
		{"TestActsHanging", hung, "2 passed", "-- HUNG TestActsHanging/hangs_(1_of_2)", "before"},
		{"TestActsLosing", lost, "3 passed", "CUDA_ERROR_ILLEGAL_ADDRESS", "was lost before"},
		{"TestActsDying", died, "0 passed", "panic: out of nowhere", ""},
	} {
		t.Run(c.test, func(t *testing.T) {
			r := o.group(t.Context(), group{c.test, 1})
			require.Equal(t, c.state, r.state)
			require.Contains(t, r.line(), c.line)
			d := r.details(2000)
			require.Contains(t, d, c.detail)
			require.LessOrEqual(t, len(d), 2000)
			if c.not != "" {
				require.NotContains(t, d, c.not)
			}
			if c.state == hung {
				require.Contains(t, strings.Join(r.waits, "\n"), "ltc/tools/gpu.hangs", "where it waits")
			}
		})
	}
	require.Equal(t, hung, o.group(t.Context(), group{"TestActsSlow", 1}).state)
	require.Equal(t, passed, o.group(t.Context(), group{"TestActsSlow", 4}).state, "a group that may take longer")
}

func TestReport(t *testing.T) {
	o := acted(t)
	r := &report{head: "cuda cuda:0", left: []string{"TestX"}}
	for _, name := range []string{"TestActsGood", "TestActsBad", "TestActsLosing"} {
		r.groups = append(r.groups, o.group(t.Context(), group{name, 1}))
	}
	for _, chars := range []int{300, 2000, 12000} {
		s := r.text(chars)
		require.LessOrEqual(t, len(s), chars)
		require.Contains(t, s, "1 of 4 groups passed: ActsGood (1 skipped)\nNOT RUN, the time was over: TestX\n")
	}
	require.Contains(t, r.text(2000), "CUDA_ERROR_ILLEGAL_ADDRESS", "a long story leaves others room")
	require.True(t, r.bad())
	require.False(t, (&report{groups: r.groups[:1]}).bad())
}

// What most likely fails comes first, and no test is forgotten or run twice.
func TestOrder(t *testing.T) {
	o := acted(t, "-run", "^TestActs")
	groups, err := o.groups(t.Context())
	require.NoError(t, err)
	require.Equal(t, []group{{"TestActsGood", 1}, {"TestActsBad", 1}, {"TestActsHanging", 1}, {"TestActsLosing", 1}, {"TestActsSlow", 1}, {"TestActsDying", 1}}, groups)
	_, err = acted(t, "-run", "nothing").groups(t.Context())
	require.ErrorContains(t, err, `-run "nothing" matches no test`)
	backend := tests(t, "../../backends/cuda")
	for _, g := range order {
		for _, name := range strings.Split(g.tests, "|") {
			require.Contains(t, backend, "func "+name+"(t *testing.T)", "the order names what is there")
		}
	}
}

// tests reads the files of a package's tests.
func tests(t *testing.T, dir string) string {
	var b strings.Builder
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range files {
		if strings.HasSuffix(f.Name(), "_test.go") {
			text, err := os.ReadFile(dir + "/" + f.Name())
			require.NoError(t, err)
			b.Write(text)
		}
	}
	return b.String()
}

// Of a debugger's words, kernels and instructions are kept.
func TestWhere(t *testing.T) {
	got := where("Reading symbols\n  Kernel Parent Dev\n*  0  -  0  1  0x1  Running  (132,1,1)  (128,1,1)  k3()\n=> 0x7f0 <k3+64>: SYNCS.PHASECHK\n", "goroutine 1 [running]:\nmain.main()\n\ngoroutine 7 [syscall]:\nltc/backends/cuda/driver.(*Stream).Synchronize(0xc000)\n\t/x.go:1\nltc/backends/cuda.(*Queue).Wait(0xc000, {0x1, 0x2})\n\t/y.go:2\n")
	require.Equal(t, []string{
		"cuda-gdb: Kernel Parent Dev",
		"cuda-gdb: *  0  -  0  1  0x1  Running  (132,1,1)  (128,1,1)  k3()",
		"cuda-gdb: => 0x7f0 <k3+64>: SYNCS.PHASECHK",
		"in ltc/backends/cuda/driver.(*Stream).Synchronize < ltc/backends/cuda.(*Queue).Wait",
	}, got)
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ args, want string }{{"x", `unexpected argument "x"`}, {"-run (", "-run: error parsing regexp"}} {
		_, err := parse(strings.Fields(c.args))
		require.ErrorContains(t, err, c.want)
	}
}
