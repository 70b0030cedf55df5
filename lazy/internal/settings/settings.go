// Package settings has the environment variables that package lazy reads. Its central list
// is that of the variables, each an [env.Var].
//
// The package imports only ltc/internal/callsite and ltc/internal/env.
package settings

import (
	"path/filepath"

	"ltc/internal/callsite"
	"ltc/internal/env"
)

// The modes of implicit syncs. Package lazy gives them their type.
const (
	WarnSyncs = iota
	AllowSyncs
	RefuseSyncs
)

// SyncModes are the values of [Sync], by mode.
var SyncModes = [...]string{WarnSyncs: "warn", AllowSyncs: "allow", RefuseSyncs: "error"}

// The formats of programs. Package lazy gives them their type.
const (
	FormatIR = iota
	FormatDot
	FormatStableHLO
)

// Formats are the values of [DumpFormat], which are the lazy tensor core's, by format.
var Formats = [...]string{FormatIR: "text", FormatDot: "dot", FormatStableHLO: "backend"}

// The variables, in the order of [env.All] and docs/environment.md. All
// that is read of the environment is declared here or, what backends read, in
// internal/env. Options of package lazy win over them.
var (
	Device = env.Declare(env.Var{Name: "LTC_DEVICE", Allowed: "the name of a backend, and a number after a colon if need be",
		Doc: "The device that `lazy.Default` opens, as for `lazy.Open`: `cpu`, `eval:0`. Without it: the `cpu` that the program imports, or the only backend it does."})
	Strict = env.Switch("LTC_STRICT",
		"`1` panics with a bad op's `*OpError` where the op is called, instead of returning a tensor that holds it. Also `lazy.Strict`.")
	Sync = env.Declare(env.Var{Name: "LTC_SYNC", Default: "warn", Allowed: "`allow`, `warn`, `error`",
		Doc:   "What reading a tensor before its step was marked does besides computing it: nothing, log a warning once for each line of the program, or be an error, and then nothing is computed. All but `allow` warn of reading a variable that a step has assigned and that was not marked yet. Also `lazy.ImplicitSyncs`.",
		Check: env.OneOf(SyncModes[:]...)})
	GraphLimit = env.Declare(env.Var{Name: "LTC_TRIM_GRAPH_SIZE", Default: "100000", Allowed: "a number of nodes",
		Doc:   "How many nodes a step may have before a warning with the line of the program is logged; `0`: any number. Nothing is run early. Also `lazy.GraphLimit`.",
		Check: env.CheckCount})
	OpByOp = env.Switch("LTC_OPBYOP",
		"`1` compiles and runs every op of a program alone, to find the one that gives wrong numbers or fails. Also `lazy.OpByOp`.")
	CheckNaNs = env.Switch("LTC_CHECK_NANS",
		"`1` stops at the first op that makes a NaN or an infinity out of finite values, with its line. Every op of a program runs alone before the program does: slow. Also `lazy.CheckNaNs`.")
	ProgramCache = env.Declare(env.Var{Name: "LTC_PROGRAM_CACHE_BYTES", Default: "256MiB", Allowed: env.Size,
		Doc:   "The most bytes that a device's compiled programs take; the one used longest ago is dropped first. Also `lazy.ProgramCacheLimit`.",
		Check: env.CheckBytes})
	MemoryCache = env.Declare(env.Var{Name: "LTC_MEMORY_CACHE_BYTES", Allowed: env.Size,
		Doc:   "The most bytes that a device keeps for later, of buffers that nothing reaches any more, as in `512MiB`; `0` keeps none. Without it: 1 GiB, or an eighth of the machine's memory if that is less.",
		Check: env.CheckBytes})
	Closures = env.Declare(env.Var{Name: "LTC_MAX_ASYNC_QUEUE", Default: "1024", Allowed: "a number above 0",
		Doc:   "How many functions one step may have for `Trace.AfterStep`.",
		Check: env.CheckPositive})
	OpenSizes = env.Default("LTC_ENABLE_DYNAMIC_SHAPES", "1",
		"`0` keeps the sizes of programs numbers, also of those that a line compiles for several sizes. Also `lazy.StaticShapes`.")
	Reuse = env.Default("LTC_REUSE_IR", "1",
		"`0` has every step make its own nodes, even if it records what an earlier one did. Also `Trace.Reuse`.")
	TrackLive = env.Switch("LTC_LIVE",
		"`1` remembers where every live value was made, for `Device.LiveTensors`; costs a microsecond or two a value.")
	Stacks = env.Declare(env.Var{Name: "LTC_STACKS", Default: "1", Allowed: "a number above 0",
		Doc:   "How many frames of the user's stack each op keeps, for `Trace.Explain`; more than 1 cost some microseconds an op. Also `lazy.Stacks`.",
		Check: env.CheckPositive})
	Profile = env.Switch("LTC_PROFILE",
		"`1` measures each kernel of each program, for `Device.Profile`; costs two readings of the clock a kernel. Also `lazy.Profiled`.")
	DumpFile = env.Declare(env.Var{Name: "LTC_SAVE_TENSORS_FILE", Allowed: "a file that can be written",
		Doc: "A file to which every program is appended when a step first asks for it, with the line of its MarkStep, read or call, and its hash. Equal programs are written once for each device."})
	DumpFormat = env.Declare(env.Var{Name: "LTC_SAVE_TENSORS_FMT", Default: "text", Allowed: "`text`, `dot`, `backend`",
		Doc:   "How: in the text form of the IR, which `ltc-dump` reads, as a drawing for Graphviz, or as the StableHLO that the backend gets.",
		Check: env.OneOf(Formats[:]...)})
	SourceRoots = env.Declare(env.Var{Name: "LTC_IR_DEBUG_ROOT_PATH", Allowed: "directories, separated as in `PATH`",
		Doc: "What is cut off the names of source files in errors, locations and reports. Without it names are relative to the directory that the process was started in."})
)

// Ignored are variables of the lazy tensor core that have no effect here, and
// why.
var Ignored = []struct{ Name, Why string }{
	{"LTC_EXPERIMENTAL", "there are no experiments that users switch on"},
	{"LTC_FORCE_FALLBACK", "no op falls back to another device"},
	{"LTC_IR_DEBUG", "ops always carry their lines; it costs a few nanoseconds"},
	{"LTC_TS_CUDA", "`LTC_DEVICE` names the device"},
	{"VERBOSE, VERBOSE_PRINT_FUNCTION", "what happens is logged with `log/slog`, at levels that the program's logger chooses; the names are anybody's"},
	{"XLA_TENSOR_UPDATE_SYNC", "host data are copied when `From` returns"},
}

// Sites are resolved from the first op on.
func init() { callsite.SetRoots(filepath.SplitList(SourceRoots.Value())) }
