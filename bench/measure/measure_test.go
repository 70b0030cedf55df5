package measure

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

func TestGen(t *testing.T) {
	v := Gen(1, 2, 2)
	require.Len(t, v, 4)
	// From the definition in another language's arithmetic.
	require.Equal(t, []float32{0.65835047, -0.10558157, -0.86951357, 0.36655438}, v)
	require.Equal(t, float32(0.19787624), Gen(13, 3)[2])
}

func TestTime(t *testing.T) {
	calls := 0
	slow := func() error { calls++; time.Sleep(300 * time.Microsecond); return nil }
	m, err := Rules{Warm: 3, MinReps: 7, MaxReps: 2000}.Time(slow)
	require.NoError(t, err)
	require.Equal(t, 7, m.Reps)
	require.Equal(t, 3+1+7, calls, "warm-ups, one to size samples, samples of one call")
	require.GreaterOrEqual(t, m.Min, 300e-6)

	// A busy machine may stretch the call that sizes samples; not each time.
	fast := func() error { calls++; return nil }
	for try := 0; try < 50; try++ {
		calls = 0
		m, err = Rules{Budget: time.Second, Warm: 3, MinReps: 1, MaxReps: 4}.Time(fast)
		require.NoError(t, err)
		require.Equal(t, 4, m.Reps)
		if calls > 4*100 {
			break
		}
	}
	require.Greater(t, calls, 4*100, "a sample lasts about 200 µs")

	require.Equal(t, Timing{Median: 2.5, Min: 1, Reps: 4}, Summary([]float64{4, 1, 3, 2}))
}

// Calls take turns, forwards and backwards, and each has figures of its own. One
// that does not count comes before each sample, but for those of long calls.
func TestTurns(t *testing.T) {
	var order string
	call := func(name string, took time.Duration) func() error {
		return func() error { order += name; time.Sleep(took); return nil }
	}
	m, err := Rules{Warm: 1, MinReps: 3, MaxReps: 3, Inner: 1}.Turns(call("a", time.Millisecond), call("b", 4*time.Millisecond))
	require.NoError(t, err)
	require.Equal(t, "ab"+"aabb"+"bbaa"+"aabb", order)
	require.Equal(t, 3, m[0].Reps)
	require.GreaterOrEqual(t, m[0].Min, 1e-3)
	require.GreaterOrEqual(t, m[1].Min, 4e-3)

	order = ""
	_, err = Rules{MinReps: 2, MaxReps: 2, Inner: 1}.Turns(call("a", brief))
	require.NoError(t, err)
	require.Equal(t, "aa"+"a", order)

	broken := errors.New("broken")
	_, err = Rules{MinReps: 1, MaxReps: 1}.Turns(func() error { return nil }, func() error { return broken })
	require.ErrorIs(t, err, broken)
}

// Samples are of the clock that the rules name.
func TestClock(t *testing.T) {
	now := time.Duration(0)
	r := Rules{MinReps: 3, MaxReps: 3, Inner: 2, Clock: func() time.Duration { return now }}
	m, err := r.Time(func() error { now += time.Second; return nil })
	require.NoError(t, err)
	require.Equal(t, Timing{Median: 1, Min: 1, Reps: 3, Allocs: m.Allocs}, m)
}

// A result is compared with what it should be, at its last element too.
func TestVerify(t *testing.T) {
	in := [][]float32{Gen(1, 2001)}
	got := make([]float32, 2001)
	for i, x := range in[0] {
		got[i] = 2 * x
	}
	v, err := soa.Borrow(got, types.Of(types.F32, 2001))
	require.NoError(t, err)
	twice := Elementwise(func(x ...float64) (float64, float64) { return 2 * x[0], 1 })
	require.NoError(t, twice.Verify(in, v))
	got[2000]++
	require.ErrorContains(t, twice.Verify(in, v), "wrong result: element 2000 of f32[2001] is ")
}

// What is written takes a copy's time, with as much of what is read; the rest is read alone.
func TestMemory(t *testing.T) {
	m := Memory{Copied: 20, Read: 10}
	require.Equal(t, 10.0, m.Least(100, 0))
	require.Equal(t, 5.0, m.Least(50, 50))
	require.Equal(t, 9.0, m.Least(100-10, 10), "20 bytes copied, 80 read")
	require.Equal(t, 5.5, m.Least(10, 100))
	require.Zero(t, m.Least(0, 0))
	require.Zero(t, Memory{Copied: 20}.Least(2, 1))
	require.Zero(t, Memory{Read: 10}.Least(1, 1))
}

func TestSeconds(t *testing.T) {
	require.Equal(t, "2 s", Seconds(2))
	require.Equal(t, "24.3 µs", Seconds(24.31e-6))
	require.Equal(t, "99.7 ns", Seconds(99.74e-9))
}

// A program's complaint is the last thing that it has said, and figures are what it
// has printed before a line that is none.
func TestProcess(t *testing.T) {
	ended := errors.New("exit status 1")
	require.EqualError(t, Complaint("trying\nno such module\n\n", ended), "no such module")
	require.Equal(t, ended, Complaint("\n", ended))

	type figure struct{ N int }
	all, err := Objects[figure]([]byte("{\"n\": 1}\n{\"n\": 2}\n"))
	require.NoError(t, err)
	require.Equal(t, []figure{{1}, {2}}, all)
	all, err = Objects[figure]([]byte("{\"n\": 1}\nwarning\n{\"n\": 2}\n"))
	require.ErrorContains(t, err, "invalid character 'w'")
	require.Equal(t, []figure{{1}}, all)
}
