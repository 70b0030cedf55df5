package model

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/soa"
)

// Model is a compiled program whose constants have values. A Model is immutable; any number of
// goroutines may use it at once. The zero Model has no program: to run it is an error.
type Model struct {
	exec   *border.Executable
	sig    *backends.Signature
	inputs []int // indices of the arguments that New got no value for
}

// Option changes how a model is compiled.
type Option func(*backends.Options)

// Threads sets the most threads that a run may use. The default is 1: a run then starts no
// thread and computes on the goroutine that calls it. To use more processors without
// threads in a run, make several runs at once.
func Threads(n int) Option { return func(o *backends.Options) { o.Threads = n } }

// TF32 lets matrix products of f32 read their factors with 11 bits of precision instead
// of 24, on devices where that is faster: see [backends.Options].
func TF32() Option { return func(o *backends.Options) { o.TF32 = true } }

// Ordered makes the additions of a scatter-add of floats follow the order of the updates, also on
// GPUs: see [backends.Options].
func Ordered() Option { return func(o *backends.Options) { o.Ordered = true } }

// Name sets the name of the program in errors. The default is "program".
func Name(name string) Option { return func(o *backends.Options) { o.Name = name } }

// Profiled makes runs measure each step of the program: see [Model.Executable] and
// [backends.Profiler].
func Profiled() Option { return func(o *backends.Options) { o.Profile = true } }

// Compiled makes [New] return an error that wraps [backends.ErrFallback] if the backend cannot
// compile every op. By default such a backend logs a warning, and the evaluator, which is many
// times slower, runs the ops that are not compiled.
func Compiled() Option { return func(o *backends.Options) { o.Compiled = true } }

// Tiers lets any slower code stand in for code that is still being compiled; see
// [backends.Options.Tiers]. The environment variable LTC_TIERS does, too. Until all is compiled, the
// last bits of results depend on the time that compiling takes.
func Tiers() Option { return func(o *backends.Options) { o.Tiers = true } }

// Logger sets the logger of the backend, which also gets the warning of fallbacks. The
// default is [slog.Default].
func Logger(l *slog.Logger) Option { return func(o *backends.Options) { o.Logger = l } }

// New compiles a program for b. The map constants has the values of the program's constants (the
// arguments marked ltc.constant), by name; a constant without a value becomes an input. The
// model keeps the views of the values. Their memory, such as a mapped file, must neither change
// nor be released as long as the model is used. A nil ctx is [context.Background].
func New(ctx context.Context, b backends.Backend, program backends.Module, constants map[string]soa.View, opts ...Option) (*Model, error) {
	if b == nil {
		return nil, errors.New("model: the backend is nil")
	}
	if strings.TrimSpace(program.Text()) == "" {
		return nil, errors.New("model: the program is empty: make a program with backends.NewModule, from a text such as Exported.Text")
	}
	if ctx == nil {
		ctx = context.Background()
	}
	o := backends.Options{Threads: 1, Name: "program"}
	for _, set := range opts {
		set(&o)
	}
	e, err := border.Of(b, "").Compile(ctx, program, o, nil)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	sig := e.Signature()
	m := &Model{sig: sig}
	values := map[int]soa.View{}
	var names []string
	for i, a := range sig.Args {
		v, given := constants[a.Name]
		if a.Constant {
			names = append(names, a.Name)
		}
		switch {
		case given && a.Constant:
			values[i] = v
		case given:
			return nil, fmt.Errorf("model: there is a value for %q, which the program does not mark as constant", a.Name)
		default:
			m.inputs = append(m.inputs, i)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(constants)) {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("model: there is a value for %q, but the program's constants are %q", name, names)
		}
	}
	if m.exec, err = e.Bind(ctx, values); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return m, nil
}

// Signature returns the types of the program's arguments, constants included, and of its
// results: it prints as main(x: f32[?,784], w: f32[784,10] constant) -> y: f32[?,10]. The
// Signature is nil for the zero Model.
func (m *Model) Signature() *backends.Signature {
	if m == nil {
		return nil
	}
	return m.sig
}

// Executable returns the backend's executable, for its counters and profiles. The result is nil
// for the zero Model.
func (m *Model) Executable() backends.Executable {
	if m == nil || m.exec == nil {
		return nil
	}
	return m.exec.Plain()
}

// CopiedBytes returns how many bytes all runs so far have copied. The number is 0 if the runs
// read and wrote all columns in place, and -1 if the backend does not count the bytes.
func (m *Model) CopiedBytes() int64 {
	if m == nil || m.exec == nil {
		return -1
	}
	n, err := m.exec.CopiedBytes()
	if err != nil {
		return -1
	}
	return n
}

// Variants counts the combinations of column layouts (strides and tables) that runs have had.
// Made is the number of combinations with compiled code. Failed is the number of combinations
// whose compile failed: their columns are copied. See [backends.Varying]. Made and failed are -1
// if the backend does not count the combinations.
func (m *Model) Variants() (made, failed int) {
	if m == nil || m.exec == nil {
		return -1, -1
	}
	made, failed, err := m.exec.Variants()
	if err != nil {
		return -1, -1
	}
	return made, failed
}
