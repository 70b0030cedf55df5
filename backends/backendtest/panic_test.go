package backendtest

import (
	"context"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/soa"
)

const panickingChild = "BACKENDTEST_PANICKING_CHILD"

// A backend that panics fails the tests that meet the panic, each with its stack, in
// goroutines of the tests as well. All tests run, and the score is told.
func TestPanicFailsOneTest(t *testing.T) {
	if os.Getenv(panickingChild) != "" {
		contract = []contractTest{{"strided_arguments", testStrided}, {"parse_errors_have_positions", testParseErrors}}
		Run(t, func(string) (backends.Backend, error) { return &panicking{}, nil })
		new(Group).run(t, "in_goroutines", func(t *testing.T) { testGoroutines(t, &panicking{after: 32}) })
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestPanicFailsOneTest$", "-test.v")
	c.Env = append(os.Environ(), panickingChild+"=1")
	out, err := c.CombinedOutput()
	require.Error(t, err, "the tests fail")
	text := string(out)
	for _, want := range []string{
		"--- FAIL: TestPanicFailsOneTest/contract/strided_arguments",
		"--- PASS: TestPanicFailsOneTest/contract/parse_errors_have_positions",
		"--- FAIL: TestPanicFailsOneTest/in_goroutines",
		"panic: the backend is at fault",
		"backendtest.(*panickingExecutable).Execute(",
		"score of backend panicking\n",
		"contract        1 passed, 1 failed, 0 unsupported\n",
	} {
		require.Contains(t, text, want)
	}
}

// panicking panics in runs, except the first of them.
type panicking struct {
	bare
	after int64
	runs  atomic.Int64
}

func (*panicking) Name() string { return "panicking" }

func (b *panicking) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	p, err := backends.Load(ctx, m, o)
	if err != nil {
		return nil, err
	}
	return &panickingExecutable{b: b, sig: p.Signature}, nil
}

type panickingExecutable struct {
	backends.Executable
	b   *panicking
	sig *backends.Signature
}

func (e *panickingExecutable) Signature() *backends.Signature { return e.sig }

func (e *panickingExecutable) Bind(context.Context, map[int]soa.View) (backends.Executable, error) {
	return e, nil
}

func (e *panickingExecutable) Execute(_ context.Context, c *backends.Call) error {
	if e.b.runs.Add(1) > e.b.after {
		panic("the backend is at fault")
	}
	for i, r := range e.sig.Results {
		c.Results[i] = soa.Make(r.Type)
	}
	return nil
}
