package kit

import (
	"ltc/backends/kit/plan"
	"ltc/mlir"
)

// What [Compile] makes is of package plan, whose names stand here, too.
type (
	Program   = plan.Program
	ValueID   = plan.ValueID
	Kind      = plan.Kind
	Value     = plan.Value
	Step      = plan.Step
	Work      = plan.Work
	Launch    = plan.Launch
	Operand   = plan.Operand
	Moving    = plan.Moving
	Factor    = plan.Factor
	Host      = plan.Host
	HostArg   = plan.HostArg
	Ordinals  = plan.Ordinals
	Loop      = plan.Loop
	Branch    = plan.Branch
	Layout    = plan.Layout
	Composite = plan.Composite
	Dense     = plan.Dense
	Sort      = plan.Sort
	Compared  = plan.Compared
	Family    = plan.Family
	Region    = plan.Region
	Member    = plan.Member
	Opening   = plan.Opening
	Teller    = plan.Teller
)

// The kinds of values.
const (
	Temporary = plan.Temporary
	Argument  = plan.Argument
	Result    = plan.Result
	Constant  = plan.Constant
	Table     = plan.Table
)

// none is no value.
const none = plan.None

// At is [plan.At]: [WholeFallback] finds the line of its errors.
func At(op *mlir.Op, err error) error { return plan.At(op, err) }

// Lies is [plan.Lies].
func Lies(strides []int, table int) Layout { return plan.Lies(strides, table) }

// Along is [plan.Along].
func Along[N int | int64](by []Factor, strides []N) int64 { return plan.Along(by, strides) }
