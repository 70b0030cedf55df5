package reference

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/tiles"
	"ltc/internal/env"
	"ltc/internal/samples"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// uncut is a compiler whose code has one part.
type uncut struct {
	run func(c *kernel.Call) error // called before each launch, if not nil
}

func (u *uncut) Compile(ctx context.Context, kernels []*kernel.Kernel) ([]kernel.Code, error) {
	codes, err := tiles.Compiler{}.Compile(ctx, kernels)
	for i := range codes {
		codes[i] = &uncutCode{codes[i], u}
	}
	return codes, err
}

type uncutCode struct {
	kernel.Code
	by *uncut
}

func (*uncutCode) Parts([]int64, int) int { return 1 }

func (c *uncutCode) Run(call *kernel.Call) error {
	if c.by.run != nil {
		if err := c.by.run(call); err != nil {
			return err
		}
	}
	return c.Code.Run(call)
}

// groupAll has steps of any size be members of groups, until the test ends.
func groupAll(t *testing.T, threads int) {
	t.Setenv(env.Checks.Name, "0") // with which the host drives loops
	work, sorted, factored, most := leastWork, leastSorted, leastFactored, runtime.GOMAXPROCS(threads)
	leastWork, leastSorted, leastFactored = 1, 1, 1
	t.Cleanup(func() {
		leastWork, leastSorted, leastFactored = work, sorted, factored
		runtime.GOMAXPROCS(most)
	})
}

// branches is a program of so many products with one matrix that depend on none of each other.
// Donated says that results are written over the arguments.
func branches(n int, donated bool) string {
	var args, ops, results []string
	for i := range n {
		attr := ""
		if donated {
			attr = fmt.Sprintf(" {tf.aliasing_output = %d : i32}", i)
		}
		args = append(args, fmt.Sprintf("%%a%d: tensor<5x3xf32>%s", i, attr))
		ops = append(ops, fmt.Sprintf("  %%r%d = stablehlo.dot_general %%a%d, %%w, contracting_dims = [1] x [0] : (tensor<5x3xf32>, tensor<3x3xf32>) -> tensor<5x3xf32>\n", i, i))
		results = append(results, fmt.Sprintf("%%r%d", i))
	}
	all := strings.Join(repeated(n, "tensor<5x3xf32>"), ", ")
	return fmt.Sprintf("func.func @main(%s, %%w: tensor<3x3xf32>) -> (%s) {\n%s  return %s : %s\n}", strings.Join(args, ", "), all, strings.Join(ops, ""), strings.Join(results, ", "), all)
}

func repeated(n int, s string) (all []string) {
	for range n {
		all = append(all, s)
	}
	return all
}

// Steps that are not cut and depend on none of each other run at the same time, on two threads.
// On one they do not, nor if steps are measured.
func TestGroupsOverlap(t *testing.T) {
	groupAll(t, 2)
	for _, c := range []struct {
		options backends.Options
		members int
	}{
		{backends.Options{Threads: 2}, 2},
		{backends.Options{Threads: 2, Profile: true}, 1},
		{backends.Options{Threads: 1}, 1},
	} {
		var both meeting
		if c.members == 2 {
			both.patience.Store(int64(10 * time.Second))
		}
		u := &uncut{run: func(*kernel.Call) error { both.attend(); return nil }}
		e := compileChainingBy(t, u, branches(2, false), c.options)
		resultsOf(t, e, 1)
		require.EqualValues(t, c.members, both.most.Load())
	}
}

// meeting counts how many attend it at once. Until two have met, one waits for another for a quarter
// of the patience that is left: a launch that is alone must leave some for those of a group.
type meeting struct {
	patience      atomic.Int64 // ns
	running, most atomic.Int64
}

func (m *meeting) attend() {
	now := m.running.Add(1)
	defer m.running.Add(-1)
	for had := m.most.Load(); now > had && !m.most.CompareAndSwap(had, now); had = m.most.Load() {
		continue
	}
	start, limit := time.Now(), time.Duration(m.patience.Load()/4)
	for m.most.Load() < 2 && time.Since(start) < limit {
		time.Sleep(100 * time.Microsecond)
	}
	m.patience.Add(-min(int64(limit), int64(time.Since(start))))
}

// compileChainingBy compiles a program by a compiler.
func compileChainingBy(t testing.TB, by kernel.Compiler, text string, o backends.Options) *compiled {
	t.Helper()
	p, err := backends.LoadOpen(t.Context(), backends.NewModule(text), o)
	require.NoError(t, err)
	e, err := compileKernels(t.Context(), p, o, []kernel.Compiler{by})
	require.NoError(t, err)
	return e.(*compiled)
}

// randomBranches is a program of products, sorts and factors, of which some depend on each other.
func randomBranches(r *rand.Rand) string {
	const typ = "tensor<6x6xf32>"
	var b strings.Builder
	values := []string{"%a0", "%a1", "%a2", "%a3"}
	some := func() string { return values[r.IntN(len(values))] }
	n := 3 + r.IntN(8)
	for i := range n {
		v := fmt.Sprintf("%%v%d", i)
		switch r.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "  %s = stablehlo.cholesky %s, lower = true : %s\n", v, some(), typ)
		case 1:
			fmt.Fprintf(&b, "  %s = stablehlo.dot_general %s, %s, contracting_dims = [1] x [0] : (%s, %s) -> %s\n", v, some(), some(), typ, typ, typ)
		case 2:
			fmt.Fprintf(&b, "  %s = stablehlo.add %s, %s : %s\n", v, some(), some(), typ)
		default:
			fmt.Fprintf(&b, "  %s = \"stablehlo.sort\"(%s) <{dimension = %d : i64, is_stable = true}> ({\n    ^bb0(%%p: tensor<f32>, %%q: tensor<f32>):\n      %%c = stablehlo.compare LT, %%p, %%q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n      stablehlo.return %%c : tensor<i1>\n  }) : (%s) -> %s\n", v, some(), r.IntN(2), typ, typ)
		}
		values = append(values, v)
	}
	made, args := values[4:], []string{}
	r.Shuffle(len(made), func(i, j int) { made[i], made[j] = made[j], made[i] })
	results := made[:1+r.IntN(len(made))]
	for i := range 4 {
		attr := ""
		if i < len(results) && r.IntN(2) == 0 {
			attr = fmt.Sprintf(" {tf.aliasing_output = %d : i32}", i)
		}
		args = append(args, fmt.Sprintf("%%a%d: %s%s", i, typ, attr))
	}
	all := strings.Join(repeated(len(results), typ), ", ")
	return fmt.Sprintf("func.func @main(%s) -> (%s) {\n%s  return %s : %s\n}", strings.Join(args, ", "), all, b.String(), strings.Join(results, ", "), all)
}

// Programs of branches have the same bits on any number of threads.
func TestGroupsOfRandomBranches(t *testing.T) {
	groupAll(t, 3)
	r := rand.New(rand.NewPCG(23, 8))
	groups := 0
	for range trials.Of(60) {
		text := randomBranches(r)
		seed := r.IntN(1000)
		for _, by := range []kernel.Compiler{&uncut{}, tiles.Compiler{Least: 1}} {
			want := resultsOf(t, compileChainingBy(t, by, text, backends.Options{Threads: 1}), seed)
			for threads := 2; threads <= 3; threads++ {
				e := compileChainingBy(t, by, text, backends.Options{Threads: threads})
				if e.members > 0 {
					groups++
				}
				for range 3 {
					require.Equal(t, want, resultsOf(t, e, seed), text)
				}
			}
		}
	}
	require.Positive(t, groups)
}

// Steps that run on one thread are brought beside each other where that takes no memory to speak of,
// and their memory is apart.
func TestBranchesAreBroughtTogether(t *testing.T) {
	groupAll(t, 2)
	factors := func(n int) string {
		return strings.ReplaceAll(`func.func @main(%x: tensor<NxNxf32>, %y: tensor<NxNxf32>) -> (tensor<NxNxf32>, tensor<NxNxf32>) {
  %a = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<NxNxf32>, tensor<NxNxf32>) -> tensor<NxNxf32>
  %b = stablehlo.cholesky %a, lower = true : tensor<NxNxf32>
  %c = stablehlo.dot_general %y, %y, contracting_dims = [1] x [0] : (tensor<NxNxf32>, tensor<NxNxf32>) -> tensor<NxNxf32>
  %d = stablehlo.cholesky %c, lower = true : tensor<NxNxf32>
  return %b, %d : tensor<NxNxf32>, tensor<NxNxf32>
}`, "N", fmt.Sprint(n))
	}
	for _, c := range []struct {
		name, text string
		together   bool
	}{
		{"small factors", factors(8), true},
		{"large factors, whose operands would be in memory at once", factors(1024), false},
		{"loops", twoLoops, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var programs [2]*plan.Program
			for i := range programs {
				p, err := backends.Load(t.Context(), backends.NewModule(c.text), backends.Options{})
				require.NoError(t, err)
				o := kitOptions(t.Context(), []kernel.Compiler{tiles.Compiler{}})
				if i == 0 {
					o.Fuse.Alone = nil
				}
				programs[i], err = kit.Compile(t.Context(), p, o)
				require.NoError(t, err)
			}
			before, p := programs[0], programs[1]
			at := slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Together })
			require.Equal(t, c.together, at >= 0)
			if !c.together {
				require.Equal(t, before.String(), p.String())
				return
			}
			require.LessOrEqual(t, p.Arena, before.Arena+4096)
			require.True(t, runsAlone(p.Steps[at-1].Work) && runsAlone(p.Steps[at].Work))
			data, ok := p.Encode()
			require.True(t, ok)
			again, err := plan.Decode(data, p.From, nil)
			require.NoError(t, err)
			require.Equal(t, p.String(), again.String())
			for _, s := range before.Steps {
				require.True(t, slices.ContainsFunc(p.Steps, func(o plan.Step) bool { return o.Ordinal == s.Ordinal }))
			}
		})
	}
}

// Programs with an open size have groups of each size anew.
func TestGroupsOfManySizes(t *testing.T) {
	groupAll(t, 2)
	m := backends.NewModule(strings.ReplaceAll(branches(3, false), "<5x", "<?x"))
	p, err := backends.LoadOpen(t.Context(), m, backends.Options{Threads: 2})
	require.NoError(t, err)
	var both meeting
	both.patience.Store(int64(10 * time.Second))
	u := &uncut{run: func(*kernel.Call) error { both.attend(); return nil }}
	sized, err := compileSized(t.Context(), m, backends.Options{Threads: 2}, p, []kernel.Compiler{u})
	require.NoError(t, err)
	exact, err := eval.New().Compile(t.Context(), m, backends.Options{})
	require.NoError(t, err)
	for _, n := range []int{4, 1, 4, 30, 2} {
		var args []soa.View
		for i := range 3 {
			x, err := samples.Make(types.Of(types.F32, n, 3), fmt.Sprint("rand:", i))
			require.NoError(t, err)
			args = append(args, x)
		}
		w, err := samples.Make(types.Of(types.F32, 3, 3), "rand:9")
		require.NoError(t, err)
		got, want := &backends.Call{Args: append(args, w)}, &backends.Call{Args: append(args, w)}
		require.NoError(t, sized.Execute(t.Context(), got))
		require.NoError(t, exact.Execute(t.Context(), want))
		for j := range got.Results {
			require.Equal(t, elementBits(want.Results[j]), elementBits(got.Results[j]), "%d rows", n)
		}
	}
	require.EqualValues(t, 2, both.most.Load())
}

// The error of a group is that of the first step that fails, whoever runs it. A panic is an error,
// too. The run that follows is as any other.
func TestGroupsFail(t *testing.T) {
	groupAll(t, 2)
	for _, panics := range []bool{false, true} {
		u := new(uncut)
		e := compileChainingBy(t, u, branches(4, false), backends.Options{Threads: 2})
		require.Equal(t, 4, e.members)
		want := resultsOf(t, e, 1)
		for first := range 4 {
			args := arguments(e)
			u.run = func(c *kernel.Call) error {
				for k := first; k < 4; k++ {
					switch {
					case !slices.Contains(c.Mem, args[k].Base()):
					case panics:
						panic(errCheck)
					default:
						return errCheck
					}
				}
				return nil
			}
			err := e.Execute(t.Context(), &backends.Call{Args: args})
			require.ErrorContains(t, err, errCheck.Error())
			of, ok := errors.AsType[*backends.RunError](err)
			require.True(t, ok)
			require.Equal(t, e.steps[first].Ordinal, of.Op)
			require.NotErrorIs(t, err, backends.ErrWritten, "results are the run's until it ends")
			u.run = nil
			require.Equal(t, want, resultsOf(t, e, 1))
		}
	}
}

// A group whose members write memory of the caller is not cancelled, and its error says that it has
// written. Any other is.
func TestGroupsAreCancelled(t *testing.T) {
	groupAll(t, 2)
	cause := errors.New("the caller has left")
	next := func(to, from string) string {
		return to + " = stablehlo.dot_general " + from + ", %w, contracting_dims = [1] x [0] : (tensor<5x3xf32>, tensor<3x3xf32>) -> tensor<5x3xf32>\n  "
	}
	for _, c := range []struct {
		name, text        string
		cancelled, writes bool
	}{
		{"no member writes", strings.Replace(branches(2, false), "return %r0, %r1", next("%s", "%r0")+next("%t", "%r1")+next("%u", "%s")+next("%v", "%t")+"return %u, %v", 1), true, false},
		{"the last member writes", strings.Replace(branches(2, false), "return %r0", next("%s", "%r0")+"return %s", 1), false, true},
		{"both write", branches(2, false), false, true},
		{"both are donated", branches(2, true), false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := new(uncut)
			e := compileChainingBy(t, u, c.text, backends.Options{Threads: 2})
			require.Equal(t, 2, e.members)
			call := func() *backends.Call {
				x := &backends.Call{Args: arguments(e)}
				for _, r := range e.Signature().Results {
					x.Results = append(x.Results, soa.Make(r.Type))
				}
				return x
			}
			want := call()
			require.NoError(t, e.Execute(t.Context(), want))

			ctx, cancel := context.WithCancelCause(t.Context())
			u.run = func(*kernel.Call) error { cancel(cause); return nil }
			got := call()
			if err := e.Execute(ctx, got); c.cancelled {
				require.ErrorIs(t, err, cause)
				require.NotErrorIs(t, err, backends.ErrWritten)
			} else {
				require.NoError(t, err)
				for j := range got.Results {
					require.Equal(t, elementBits(want.Results[j]), elementBits(got.Results[j]))
				}
			}
			u.run = func(*kernel.Call) error { return errCheck }
			err := e.Execute(t.Context(), call())
			require.ErrorIs(t, err, errCheck)
			require.Equal(t, c.writes, errors.Is(err, backends.ErrWritten))
		})
	}
}

// Members run one after the other where the caller's memory for one is that of another.
func TestGroupsOfOverlappingMemory(t *testing.T) {
	groupAll(t, 2)
	var both meeting
	u := &uncut{run: func(*kernel.Call) error { both.attend(); runtime.Gosched(); return nil }}
	e := compileChainingBy(t, u, branches(2, false), backends.Options{Threads: 2})
	args := arguments(e)
	call := &backends.Call{Args: args, Results: []soa.View{soa.Make(args[0].Type), args[0]}}
	require.NoError(t, e.Execute(t.Context(), call))
	require.EqualValues(t, 1, both.most.Load())
}

// A group that runs again allocates nothing.
func TestGroupsAllocateNothing(t *testing.T) {
	groupAll(t, 2)
	e := compileChainingBy(t, new(uncut), branches(4, false), backends.Options{Threads: 2})
	require.Zero(t, allocsOfRuns(t, e, arguments(e)))
}

// allocsOfRuns returns how often a run that follows others allocates.
func allocsOfRuns(t *testing.T, e *compiled, args []soa.View) float64 {
	call := &backends.Call{Args: args}
	for _, r := range e.Signature().Results {
		call.Results = append(call.Results, soa.Make(r.Type))
	}
	l := e.launcher()
	ctx := t.Context()
	run := func() {
		if err := l.Execute(ctx, call, true); err != nil {
			panic(err)
		}
	}
	for range 10 { // until a helper has been there
		run()
	}
	return trials.LeastAllocs(100, run)
}

// twoLoops is a program of two loops that depend on none of each other. The second one begins with
// what a kernel between them makes.
const twoLoops = `func.func @main(%x: tensor<5x3xf32>, %y: tensor<5x3xf32>, %w: tensor<3x3xf32>, %n: tensor<i32>) -> (tensor<5x3xf32>, tensor<5x3xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<5x3xf32> cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %p = stablehlo.dot_general %v, %w, contracting_dims = [1] x [0] : (tensor<5x3xf32>, tensor<3x3xf32>) -> tensor<5x3xf32>
    stablehlo.return %j, %p : tensor<i32>, tensor<5x3xf32>
  }
  %z = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<5x3xf32>, tensor<3x3xf32>) -> tensor<5x3xf32>
  %s:2 = stablehlo.while(%k = %zero, %u = %z) : tensor<i32>, tensor<5x3xf32> cond {
    %d = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %d : tensor<i1>
  } do {
    %l = stablehlo.add %k, %one : tensor<i32>
    %q = stablehlo.dot_general %u, %w, contracting_dims = [1] x [0] : (tensor<5x3xf32>, tensor<3x3xf32>) -> tensor<5x3xf32>
    stablehlo.return %l, %q : tensor<i32>, tensor<5x3xf32>
  }
  return %r#1, %s#1 : tensor<5x3xf32>, tensor<5x3xf32>
}`

// loopArguments are arguments of twoLoops for a number of iterations.
func loopArguments(t *testing.T, e backends.Executable, n int32) []soa.View {
	t.Helper()
	args := arguments(e)
	soa.Slice[int32](args[3])[0] = n
	return args
}

// Loops that depend on none of each other run at the same time, once it is known that they take
// long, with the results that they have one after the other.
func TestLoopsOverlap(t *testing.T) {
	groupAll(t, 2)
	for _, threads := range []int{1, 2} {
		var both meeting
		u := &uncut{run: func(*kernel.Call) error {
			time.Sleep(10 * time.Microsecond)
			both.attend()
			return nil
		}}
		e := compileChainingBy(t, u, twoLoops, backends.Options{Threads: threads})
		exact, err := eval.New().Compile(t.Context(), backends.NewModule(twoLoops), backends.Options{})
		require.NoError(t, err)
		for run, n := range []int32{40, 40, 0, 40, 41, 30, 30, 30, 30, 30, 30} {
			if run > 0 && threads == 2 { // the first run is one loop after the other
				both.patience.Store(int64(time.Second / 2))
			}
			got, want := &backends.Call{Args: loopArguments(t, e, n)}, &backends.Call{Args: loopArguments(t, e, n)}
			require.NoError(t, e.Execute(t.Context(), got))
			require.NoError(t, exact.Execute(t.Context(), want))
			for j := range got.Results {
				require.Equal(t, elementBits(want.Results[j]), elementBits(got.Results[j]), "%d iterations", n)
			}
		}
		require.EqualValues(t, threads, both.most.Load())
	}
}

// The error of loops that run at the same time is that of the first that fails. A panic is an error
// of the loop, and a run that is cancelled ends.
func TestLoopsThatOverlapFail(t *testing.T) {
	groupAll(t, 2)
	u := new(uncut)
	e := compileChainingBy(t, u, twoLoops, backends.Options{Threads: 2})
	run := func(ctx context.Context, n int32) error {
		return e.Execute(ctx, &backends.Call{Args: loopArguments(t, e, n)})
	}
	slow := func(*kernel.Call) error { time.Sleep(10 * time.Microsecond); return nil }
	for _, fail := range []func(*kernel.Call) error{
		func(*kernel.Call) error { return errCheck },
		func(*kernel.Call) error { panic(errCheck) },
	} {
		u.run = slow
		require.NoError(t, run(t.Context(), 40))
		launches := atomic.Int64{}
		u.run = func(c *kernel.Call) error {
			if launches.Add(1) > 60 {
				return fail(c)
			}
			return slow(c)
		}
		err := run(t.Context(), 100)
		require.ErrorContains(t, err, errCheck.Error())
		of, ok := errors.AsType[*backends.RunError](err)
		require.True(t, ok)
		require.Equal(t, e.steps[e.hosted[0]].Ordinal, of.Op)
	}
	u.run = slow
	require.NoError(t, run(t.Context(), 40))
	cause := errors.New("the caller has left")
	ctx, cancel := context.WithCancelCause(t.Context())
	launches := atomic.Int64{}
	u.run = func(*kernel.Call) error {
		if launches.Add(1) == 60 {
			cancel(cause)
		}
		return nil
	}
	require.ErrorIs(t, run(ctx, 1<<30), cause)
	u.run = nil
	require.NoError(t, run(t.Context(), 40))
}

// Loops that run at the same time allocate no more than one after the other.
func TestLoopsThatOverlapAllocateNothing(t *testing.T) {
	groupAll(t, 2)
	least := leastLoop
	leastLoop = 1
	defer func() { leastLoop = least }()
	var allocs [2]float64
	for threads := 1; threads <= 2; threads++ {
		e := compileChainingBy(t, new(uncut), twoLoops, backends.Options{Threads: threads})
		allocs[threads-1] = allocsOfRuns(t, e, loopArguments(t, e, 10))
	}
	require.LessOrEqual(t, allocs[1], allocs[0])
}

// Steps whose results are known are no members of groups, with open sizes either: their memory is
// that of all runs.
func TestGroupsLeaveOutWhatIsKnown(t *testing.T) {
	groupAll(t, 2)
	for _, rows := range []string{"5", "?"} {
		t.Run(rows, func(t *testing.T) {
			m := backends.NewModule(strings.ReplaceAll(`func.func @main(%x: tensor<?x3xf32>, %w: tensor<3x3xf32>, %a: tensor<3x3xf32> {ltc.constant}) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x3xf32>) -> tensor<?x3xf32>
  %p = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %s = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x3xf32>) -> tensor<?x3xf32>
  return %r, %s : tensor<?x3xf32>, tensor<?x3xf32>
}`, "?", rows))
			p, err := backends.LoadOpen(t.Context(), m, backends.Options{Threads: 2})
			require.NoError(t, err)
			u := new(uncut)
			var e backends.Executable
			if rows == "?" {
				e, err = compileSized(t.Context(), m, backends.Options{Threads: 2}, p, []kernel.Compiler{u})
			} else {
				e, err = compileKernels(t.Context(), p, backends.Options{Threads: 2}, []kernel.Compiler{u})
			}
			require.NoError(t, err)
			args := argumentsOf(e.Signature(), 5)
			bound, err := e.Bind(t.Context(), map[int]soa.View{2: args[2]})
			require.NoError(t, err)
			require.Equal(t, 1, stepsDone(bound))
			var launches atomic.Int64
			u.run = func(*kernel.Call) error { launches.Add(1); return nil }
			for range 2 {
				launches.Store(0)
				require.NoError(t, bound.Execute(t.Context(), &backends.Call{Args: []soa.View{args[0], args[1], {}}}))
				require.EqualValues(t, 2, launches.Load())
			}
		})
	}
}

// Loops of a program with an open size overlap whatever the sizes of the run before were, from the
// second run of some sizes on. Memory of a run that the collector took, as the race detector has it
// do at random, makes it the third or a later one.
func TestLoopsOfManySizesOverlap(t *testing.T) {
	groupAll(t, 2)
	var both meeting
	u := &uncut{run: func(*kernel.Call) error {
		time.Sleep(10 * time.Microsecond)
		both.attend()
		return nil
	}}
	text := strings.ReplaceAll(twoLoops, "<5x", "<?x")
	m := backends.NewModule(text)
	p, err := backends.LoadOpen(t.Context(), m, backends.Options{Threads: 2})
	require.NoError(t, err)
	e, err := compileSized(t.Context(), m, backends.Options{Threads: 2}, p, []kernel.Compiler{u})
	require.NoError(t, err)
	exact, err := eval.New().Compile(t.Context(), m, backends.Options{})
	require.NoError(t, err)
	runs, patience := 3, time.Second/2
	if trials.Race {
		runs, patience = 40, time.Second/20
	}
	for _, rows := range []int{5, 7, 5, 6} {
		both.most.Store(0)
		for run := 0; run < runs && both.most.Load() < 2; run++ { // the first is one loop after the other
			both.patience.Store(int64(patience) * int64(min(run, 1)))
			args := argumentsOf(e.Signature(), rows)
			soa.Slice[int32](args[3])[0] = 40
			got, want := &backends.Call{Args: args}, &backends.Call{Args: args}
			require.NoError(t, e.Execute(t.Context(), got))
			require.NoError(t, exact.Execute(t.Context(), want))
			for j := range got.Results {
				require.Equal(t, elementBits(want.Results[j]), elementBits(got.Results[j]), "%d rows", rows)
			}
		}
		require.EqualValues(t, 2, both.most.Load(), "%d rows", rows)
	}
}
