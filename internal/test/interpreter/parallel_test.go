package interpreter

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/programs"
	"ltc/soa"
)

// exchanges are functions that meet others.
const exchanges = `
func.func private @none() -> tensor<i32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  return %0 : tensor<i32>
}
func.func private @sum() -> tensor<i32> {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  %1 = "stablehlo.all_reduce"(%0) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}
func.func private @sum_of_vectors() -> tensor<i32> {
  %0 = stablehlo.constant dense<1> : tensor<3xi32>
  %1 = "stablehlo.all_reduce"(%0) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3xi32>) -> tensor<3xi32>
  %2 = stablehlo.constant dense<1> : tensor<i32>
  return %2 : tensor<i32>
}
func.func private @other_group() -> tensor<i32> {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  %1 = "stablehlo.collective_broadcast"(%0) {replica_groups = dense<[[0, 7]]> : tensor<1x2xi64>} : (tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}
func.func private @two_then_one() -> tensor<i32> {
  %t = "stablehlo.create_token"() : () -> !stablehlo.token
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  %1 = "stablehlo.send"(%0#0, %0#1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
  return %0#0 : tensor<i32>
}
func.func private @one_then_two() -> tensor<i32> {
  %t = "stablehlo.create_token"() : () -> !stablehlo.token
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  %1 = "stablehlo.send"(%0#0, %0#1) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
  return %0#0 : tensor<i32>
}
func.func private @infeed() -> tensor<i32> {
  %t = "stablehlo.create_token"() : () -> !stablehlo.token
  %0:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  return %0#0 : tensor<i32>
}
`

func parallel(names string, processes int) string {
	types := strings.TrimSuffix(strings.Repeat("tensor<i32>, ", processes), ", ")
	return "func.func public @main() -> tensor<i32> {\n  %0:" + string(rune('0'+processes)) + ` = "interpreter.run_parallel"() {programs = ` + names +
		"} : () -> (" + types + ")\n  return %0#0 : tensor<i32>\n}\n" + programs.Forever + exchanges
}

func execute(t *testing.T, text string, timeout time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return compile(t, text).Execute(ctx, &backends.Call{})
}

// Groups that never come together end in an error that says who waits where.
func TestDeadlock(t *testing.T) {
	for _, c := range []struct {
		programs string
		want     string
	}{
		{"[[@sum], [@none]]", "deadlock: no process is left that could come: process (0, 0) in stablehlo.all_reduce for all of (0, 0), (1, 0)"},
		{"[[@two_then_one], [@one_then_two]]", "deadlock: no process is left that could come: " +
			"process (0, 0) in stablehlo.recv for channel 2; process (1, 0) in stablehlo.recv for channel 1"},
	} {
		err := execute(t, parallel(c.programs, 2), time.Minute)
		require.ErrorContains(t, err, c.want, c.programs)
	}
}

// A process that fails ends the others, even one that would run forever.
func TestProcessFails(t *testing.T) {
	for _, c := range []struct {
		programs string
		want     string
	}{
		{"[[@forever], [@infeed]]", "the infeed is empty"},
		{"[[@sum], [@infeed]]", "the infeed is empty"},
		{"[[@sum], [@sum_of_vectors]]", "[tensor<3xi32>]"},
		{"[[@other_group], [@none]]", "group [0 7] in a grid that has 2"},
	} {
		require.ErrorContains(t, execute(t, parallel(c.programs, 2), time.Minute), c.want, c.programs)
	}
}

// A program that would run forever ends when its context does.
func TestCancelled(t *testing.T) {
	require.ErrorIs(t, execute(t, parallel("[[@forever, @forever]]", 2), 20*time.Millisecond), context.DeadlineExceeded)
	plain := "func.func public @main() -> tensor<i32> {\n  %0 = call @forever() : () -> tensor<i32>\n  return %0 : tensor<i32>\n}\n" + programs.Forever
	require.ErrorIs(t, execute(t, plain, 20*time.Millisecond), context.DeadlineExceeded)
}

// Grids in grids in grids are more processes than a run may have.
func TestTooManyProcesses(t *testing.T) {
	text := "func.func private @f0() {\n  return\n}\n"
	for i := 1; i <= 6; i++ {
		calls := strings.Repeat(fmt.Sprintf("@f%d, ", i-1), 40)
		text += fmt.Sprintf("func.func private @f%d() {\n  \"interpreter.run_parallel\"() {programs = [[%s]]} : () -> ()\n  return\n}\n", i, strings.TrimSuffix(calls, ", "))
	}
	run := func(depth int) error {
		main := fmt.Sprintf("func.func public @main() {\n  call @f%d() : () -> ()\n  return\n}\n", depth)
		e := compile(t, main+text)
		return errors.Join(e.Execute(context.Background(), &backends.Call{}), e.Execute(context.Background(), &backends.Call{}))
	}
	require.NoError(t, run(2))
	require.ErrorContains(t, run(6), "at most 16384 can at once")
}

// What is sent to nobody is memory, too: a loop that sends without end ends
// when there is no more of it.
func TestSendWithoutEnd(t *testing.T) {
	old := debug.SetMemoryLimit(64 << 20)
	defer debug.SetMemoryLimit(old)
	e := compile(t, `func.func public @main() -> tensor<i1> {
  %t = stablehlo.create_token : !stablehlo.token
  %x = stablehlo.constant dense<1.0> : tensor<100000xf32>
  %c = stablehlo.constant dense<true> : tensor<i1>
  %r:2 = stablehlo.while(%more = %c, %last = %t) : tensor<i1>, !stablehlo.token cond {
    stablehlo.return %more : tensor<i1>
  } do {
    %next = "stablehlo.send"(%x, %last) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<100000xf32>, !stablehlo.token) -> !stablehlo.token
    stablehlo.return %more, %next : tensor<i1>, !stablehlo.token
  }
  return %r#0 : tensor<i1>
}`)
	err := e.Execute(context.Background(), &backends.Call{})
	require.ErrorIs(t, err, soa.ErrMemory)
	require.ErrorContains(t, err, "what they have sent to nobody yet")
}

// What run_parallel may be given is the verifier's to say.
func TestParallelMistakes(t *testing.T) {
	for programs, want := range map[string]string{
		"[]":                       "attribute programs is [], but a list of lists of functions is expected",
		"[[@sum, @sum], [@sum]]":   "programs should be lists of one length, one for each replica",
		"[[@sum]]":                 "has 0 operands and 2 results, but the programs take 0 and give 1",
		"[[@sum], [@sum], [@sum]]": "has 0 operands and 2 results, but the programs take 0 and give 3",
		"[[@sum], [@missing]]":     "@missing is not a function of this module",
	} {
		require.ErrorContains(t, compileError(parallel(programs, 2)), want, programs)
	}
}
