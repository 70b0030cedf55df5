// Package metrics counts and samples what a device does, under the names of the lazy
// tensor core where it has one for the same. Its central type is [Set].
//
// The package imports only the standard library.
package metrics

import (
	"fmt"
	"math"
	"strings"
)

// Counter is one of the numbers that a device counts, besides the ops recorded.
type Counter int

// The counters. Those up to TrieForked have the lazy tensor core's names.
const (
	MarkStep Counter = iota
	CachedCompile
	UncachedCompile
	CreateTensor
	DestroyTensor
	DeviceData
	SyncedWithIR
	SyncedToData
	TrimGraph
	TrieForked
	ImplicitSync
	DonationCopy
	StepFailed
	ProgramEvicted
	Fallback
	Recompile
	CompileRefused
	// ImplicitSyncBy is the first of the counters of implicit syncs by the call that read.
	ImplicitSyncBy
	NumCounters = ImplicitSyncBy + 5
)

// Counters names the counters and says what they count.
var Counters = [NumCounters]struct{ Name, Doc string }{
	MarkStep:           {"MarkStep", "calls of MarkStep"},
	CachedCompile:      {"CachedCompile", "programs that had been compiled before they were asked for"},
	UncachedCompile:    {"UncachedCompile", "programs that were compiled"},
	CreateTensor:       {"CreateLtcTensor", "tensors made: by ops, of host data, by reading variables in a trace"},
	DestroyTensor:      {"DestroyLtcTensor", "computed tensors whose step ended without a value for them. Values are the garbage collector's and not counted: see `Device.LiveTensors`"},
	DeviceData:         {"DeviceDataCacheMiss", "host data and scalar arguments brought to the device. Setting a scalar again brings nothing"},
	SyncedWithIR:       {"SyncedTensorsWithIR", "tensors and variables that programs were asked to compute"},
	SyncedToData:       {"SyncTensorsToData", "roots of steps that needed no program, having a value already"},
	TrimGraph:          {"TrimIrGraph", "times that a step has grown by as many nodes as `LTC_TRIM_GRAPH_SIZE` says. Nothing is trimmed: a line is logged instead"},
	TrieForked:         {"TrieForked", "steps that began like one before and then recorded something else"},
	ImplicitSync:       {"ImplicitSync", "tensors computed in the midst of a step because they were read"},
	DonationCopy:       {"DonationCopy", "variables assigned, and donated tensors, whose memory was still read, so that the result got memory of its own"},
	StepFailed:         {"StepFailed", "steps that failed when they ran; those cancelled behind them do not count"},
	ProgramEvicted:     {"ProgramEvicted", "compiled programs that were dropped to keep within `LTC_PROGRAM_CACHE_BYTES`"},
	Fallback:           {"Fallback", "ops of compiled programs, a program that is compiled in no part being one, that the evaluator runs: [compiled.md](compiled.md) says which"},
	Recompile:          {"Recompile", "programs compiled for a line (of `MarkStep`, of a call, of a read) that another was compiled for before. `Trace.Report` says in what they differ"},
	CompileRefused:     {"CompileRefused", "programs that were not compiled, because `Freeze` was in force"},
	ImplicitSyncBy:     {"ImplicitSync::value", "implicit syncs by `Value`"},
	ImplicitSyncBy + 1: {"ImplicitSync::item", "implicit syncs by `Item` and `Float`"},
	ImplicitSyncBy + 2: {"ImplicitSync::to_slice", "implicit syncs by `ToSlice`"},
	ImplicitSyncBy + 3: {"ImplicitSync::to", "implicit syncs by `To`"},
	ImplicitSyncBy + 4: {"ImplicitSync::func", "implicit syncs of a view given to a `Function`"},
}

// Quantity is one of the quantities that a device samples.
type Quantity int

// The quantities. Those up to DataToHandle have the lazy tensor core's names.
const (
	GraphSize Quantity = iota
	LockWait
	DataToHandle
	CompileTime
	ExecuteTime
	ProgramSize
	CopiedBytes
	NumQuantities
)

// Quantities names the quantities, says how their values are written and what they are.
var Quantities = [NumQuantities]struct {
	Name string
	Kind Kind
	Doc  string
}{
	GraphSize:    {"TensorsGraphSize", Value, "nodes of each program that was asked for"},
	LockWait:     {"DeviceLockWait", Time, "how long calls waited for steps under way; those that did not wait are not sampled"},
	DataToHandle: {"IrValueTensorToDataHandle", Time, "how long host data took to copy"},
	CompileTime:  {"CompileTime", Time, "from graph to executable"},
	ExecuteTime:  {"ExecuteTime", Time, "runs of programs, until they are queued where a device has a queue; not sampled where all run on the goroutine that asks for them"},
	ProgramSize:  {"ProgramBytes", Bytes, "what each compiled program takes in the cache"},
	CopiedBytes:  {"CopiedBytes", Bytes, "what each run copied between the memory of tensors and the backend's own, as it does where their memory is not dense. Runs that copied nothing are not sampled"},
}

// Kind says how the values of a quantity are written.
type Kind int

// The kinds of quantities.
const (
	Value Kind = iota // 12.00
	Time              // 01s401ms746.001us, of nanoseconds
	Bytes             // 1.55GB, of bytes
)

// Format writes a value of the kind.
func (k Kind) Format(v float64) string {
	switch k {
	case Time:
		return formatTime(v)
	case Bytes:
		return formatBytes(v)
	}
	return fmt.Sprintf("%.2f", v)
}

// formatTime writes nanoseconds as 01d02h03m04s005ms006.007us, beginning with
// the largest unit of which there is one.
func formatTime(ns float64) string {
	sign := ""
	if ns < 0 {
		sign, ns = "-", -ns
	}
	ns = math.Round(ns)
	units := [...]struct {
		ns     float64
		width  int
		suffix string
	}{{86400e9, 2, "d"}, {3600e9, 2, "h"}, {60e9, 2, "m"}, {1e9, 2, "s"}, {1e6, 3, "ms"}}
	var b strings.Builder
	b.WriteString(sign)
	for _, u := range units {
		if n := math.Floor(ns / u.ns); n > 0 || b.Len() > len(sign) {
			fmt.Fprintf(&b, "%0*.0f%s", u.width, n, u.suffix)
			ns -= n * u.ns
		}
	}
	fmt.Fprintf(&b, "%07.3fus", ns/1e3)
	return b.String()
}

// formatBytes writes bytes with the largest unit, of 1024 of the one before, of
// which there is one.
func formatBytes(n float64) string {
	units := [...]string{"B", "KB", "MB", "GB", "TB", "PB"}
	i := 0
	for math.Abs(n) >= 1024 && i < len(units)-1 {
		n /= 1024
		i++
	}
	return fmt.Sprintf("%.2f%s", n, units[i])
}
