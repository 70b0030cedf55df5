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

// Model is a compiled program whose constants have values. It is immutable; any
// number of goroutines may use it at once. The zero Model is none: to run it is an error.
type Model struct {
	exec   *border.Executable
	sig    *backends.Signature
	inputs []int // arguments that are no constants
}

// Option changes how a model is compiled.
type Option func(*backends.Options)

// Threads sets the most threads that a run may use. Without it a run starts
// none: it is the goroutine that asks, and callers run several at once instead.
func Threads(n int) Option { return func(o *backends.Options) { o.Threads = n } }

// TF32 lets products of f32 take 11 of the 24 bits of their factors where a device is
// faster then: see [backends.Options].
func TF32() Option { return func(o *backends.Options) { o.TF32 = true } }

// Ordered has a scatter's floats added in the order of the updates on GPUs, too: see
// [backends.Options].
func Ordered() Option { return func(o *backends.Options) { o.Ordered = true } }

// Name sets what errors call the program, which is "program" without it.
func Name(name string) Option { return func(o *backends.Options) { o.Name = name } }

// Profiled has each step of the program measured: see [Model.Executable] and
// [backends.Profiler].
func Profiled() Option { return func(o *backends.Options) { o.Profile = true } }

// Compiled makes it an error that wraps [backends.ErrFallback] that the evaluator, which
// is many times slower, would run the program or an op of it. Without it that is a warning.
func Compiled() Option { return func(o *backends.Options) { o.Compiled = true } }

// Logger has the backend log to l, that warning included, and not to [slog.Default].
func Logger(l *slog.Logger) Option { return func(o *backends.Options) { o.Logger = l } }

// New compiles a program for b and gives its constants (ltc.constant) the values
// of that name. The model keeps these views: their memory, such as a mapped file, must
// not change, and not be released, as long as the model runs. Without a value a
// constant is an input as others are. A nil ctx is [context.Background].
func New(ctx context.Context, b backends.Backend, program backends.Module, constants map[string]soa.View, opts ...Option) (*Model, error) {
	if b == nil {
		return nil, errors.New("model: the backend is nil")
	}
	if strings.TrimSpace(program.Text()) == "" {
		return nil, errors.New("model: the program is empty: backends.NewModule makes one of a text, such as that of an Exported")
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

// Signature returns what the program takes and gives, its constants among that; nil of
// the zero Model.
func (m *Model) Signature() *backends.Signature {
	if m == nil {
		return nil
	}
	return m.sig
}

// Executable returns what runs the program, for counters and profiles of the
// backend's; nil of the zero Model.
func (m *Model) Executable() backends.Executable {
	if m == nil || m.exec == nil {
		return nil
	}
	return m.exec.Plain()
}

// CopiedBytes returns how many bytes all runs so far have copied, 0 where columns
// were read and written in place; -1 if the backend does not tell.
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

// Variants returns for how many ways in which columns lie the backend has made code,
// and for how many it could make none, so that it copies: see [backends.Varying].
// Both are -1 if it does not tell.
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
