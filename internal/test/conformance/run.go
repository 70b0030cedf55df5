package conformance

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// Outcome is how a test ended.
type Outcome uint8

// The outcomes.
const (
	Passed Outcome = iota
	Failed
	Skipped
)

// Result is the outcome of a test.
type Result struct {
	Unit    Unit
	Outcome Outcome
	// Reasons are the failures, each with its place, or why it was skipped.
	Reasons []string
}

// Run runs a test. One whose RUN line is disabled is skipped. One that has
// nothing to run is only read: it must be valid, and its text printed and read
// again must print the same.
func Run(ctx context.Context, b backends.Backend, u Unit) Result {
	r := Result{Unit: u}
	if u.disabled != "" {
		r.Outcome, r.Reasons = Skipped, []string{"the suite disables it: " + u.disabled}
		return r
	}
	if r.Reasons = run(ctx, b, u); len(r.Reasons) > 0 {
		r.Outcome = Failed
	}
	return r
}

// run returns what is wrong.
func run(ctx context.Context, b backends.Backend, u Unit) []string {
	m, err := u.part.Parse()
	if err == nil {
		err = verify.Module(m)
	}
	if err != nil {
		return []string{err.Error()}
	}
	names := entries(m)
	checks := slices.ContainsFunc(m.Ops, hasChecks)
	if !checks && !u.runs {
		return printsStably(u.File, m)
	}
	if len(names) == 0 {
		return []string{u.Name() + ": no function without arguments to run"}
	}
	want, err := printedValues(u.printed)
	if err != nil {
		return []string{u.Name() + ": " + err.Error()}
	}
	var all []string
	for _, name := range names {
		p, err := lift(m, name, want)
		if err != nil {
			all = append(all, fmt.Sprintf("%s:%v", u.File, err))
			continue
		}
		bad, err := p.run(ctx, b, u, name)
		if err != nil {
			bad = []string{fmt.Sprintf("%s: @%s: %v", u.Name(), name, p.located(err, u.File))}
		}
		all = append(all, bad...)
	}
	return all
}

func printsStably(file string, m *mlir.Module) []string {
	once := mlir.Print(m)
	again, err := stablehlo.Parse(file, once)
	if err != nil {
		return []string{"what was printed cannot be read: " + err.Error()}
	}
	if mlir.Print(again) != once {
		return []string{file + ": printed, read and printed again it is another text"}
	}
	return nil
}

// run runs the program, which name was the function of, and returns which of
// its checks fail.
func (p *program) run(ctx context.Context, b backends.Backend, u Unit, name string) ([]string, error) {
	exe, err := b.Compile(ctx, backends.NewModule(p.text), backends.Options{Name: u.File})
	if err != nil {
		return nil, err
	}
	call := &backends.Call{}
	var memory []*soa.Buffer
	for _, r := range exe.Signature().Results {
		buf := soa.New(r.Type.Bytes())
		memory = append(memory, buf)
		call.Results = append(call.Results, buf.View(r.Type))
	}
	if err := exe.Execute(ctx, call); err != nil {
		return nil, err
	}
	values, err := p.values(memory)
	if err != nil {
		return nil, err
	}
	var bad []string
	for i, c := range p.checks {
		why, err := c.judge(values)
		if err != nil {
			return nil, err
		}
		if why != "" {
			bad = append(bad, fmt.Sprintf("%s:%d:%d: @%s: check %d: %s: %s", u.File, c.pos.Line, c.pos.Col, name, i, c.op, why))
		}
	}
	return bad, nil
}

// values reads what main returned, a buffer for each result.
func (p *program) values(memory []*soa.Buffer) (map[*mlir.Value]tensor, error) {
	values := map[*mlir.Value]tensor{}
	for i, v := range p.results {
		n := len(p.parts[i].values)
		if len(memory) < n {
			return nil, errors.New("the program has fewer results than its text")
		}
		data, err := p.parts[i].read(memory[:n])
		if err != nil {
			return nil, err
		}
		if values[v], err = newTensor(p.parts[i].of, data, false); err != nil {
			return nil, err
		}
		memory = memory[n:]
	}
	return values, nil
}

// judge returns why the check fails; "" if it does not.
func (c *check) judge(values map[*mlir.Value]tensor) (string, error) {
	if c.count != nil {
		if runs := int64(binary.LittleEndian.Uint64(values[c.count].data)); c.iter >= runs {
			return noIteration(c.probe, c.iter, runs), nil
		}
	}
	actual := values[c.actual]
	expected := values[c.expected]
	var want mlir.Type
	if c.expected != nil {
		want = c.expected.Type
	} else {
		data, splat, err := c.literal.Decode()
		if err != nil {
			return "", err
		}
		if expected, err = newTensor(c.literal.Type, data, splat); err != nil {
			return "", err
		}
		want = c.literal.Type
	}
	if !mlir.SameType(c.actual.Type, want) {
		return fmt.Sprintf("expected a value of type %v, actual %v", want, c.actual.Type), nil
	}
	return c.rule.compare(actual, expected), nil
}

// located gives an error of the program's text the places of the test's file.
func (p *program) located(err error, file string) error {
	place := func(ordinal int) string {
		if ordinal < 0 || ordinal >= len(p.origin) {
			return file
		}
		at := p.origin[ordinal]
		return fmt.Sprintf("%s:%d:%d", file, at.Line, at.Col)
	}
	var failed *backends.RunError
	if errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", place(failed.Op), failed.Reason)
	}
	var lacking *backends.UnsupportedError
	if !errors.As(err, &lacking) {
		return err
	}
	m, bad := stablehlo.Parse(file, p.text)
	if bad != nil {
		return err
	}
	ordinal := map[mlir.Pos]int{}
	m.Walk(func(op *mlir.Op) bool { ordinal[op.Pos] = op.Ordinal; return true })
	seen := map[string]bool{}
	s := "backend " + lacking.Backend + " lacks"
	for _, o := range lacking.Ops {
		why := o.Op + ": " + o.Reason
		if seen[why] {
			continue
		}
		seen[why] = true
		n, ok := ordinal[o.Pos]
		if !ok {
			n = -1
		}
		s += fmt.Sprintf("\n  %s: %s", place(n), why)
	}
	return errors.New(s)
}
