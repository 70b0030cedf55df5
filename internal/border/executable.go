package border

import (
	"context"
	"sync/atomic"

	"ltc/backends"
	"ltc/soa"
)

// Executable is a program of a backend. What may be asked of it that its backend does not
// know has a result that says so.
type Executable struct {
	exec    backends.Executable
	copying backends.Copying // nil if exec is none
	backend *Backend
	sig     *backends.Signature // of the text
	complex *complexBorder      // nil: callers have the types of the text
}

func newExecutable(e backends.Executable, b *Backend, sig *backends.Signature) *Executable {
	x := &Executable{exec: e, backend: b, sig: private(sig)}
	x.complex = inParts(x.sig)
	x.copying, _ = e.(backends.Copying)
	return x
}

// Plain returns the backend's own executable.
func (x *Executable) Plain() backends.Executable { return x.exec }

// Signature returns what the program takes and gives.
func (x *Executable) Signature() *backends.Signature { return x.sig }

// Execute runs the program. All results are held to the contract before it returns nil.
// What a run that has failed wrote into the slices of the call's views is taken back.
func (x *Executable) Execute(ctx context.Context, c *backends.Call) error {
	if x.complex != nil {
		return x.executeParts(ctx, c)
	}
	return x.executeText(ctx, c)
}

// executeText is Execute of a call with the types of the text.
func (x *Executable) executeText(ctx context.Context, c *backends.Call) error {
	var noted [few]place // on the stack
	open, ok := x.plain(c, &noted)
	if !ok || open {
		return x.executeNoted(ctx, c, &noted, ok)
	}
	err := x.execute(ctx, c)
	if err == nil && x.untouched(c, &noted) {
		return nil
	}
	g := x.snapshot(&noted)
	return g.judge(x, c, nil, err)
}

// executeNoted runs the program with a record of the call. What a plain call is has been
// noted.
func (x *Executable) executeNoted(ctx context.Context, c *backends.Call, noted *[few]place, plain bool) error {
	r, g, open := records.Get(), snapshot{}, true
	if plain {
		g = x.snapshot(noted)
	} else {
		g, open = r.note(x, c)
	}
	r.begin(c, open)
	defer r.end(c)
	return g.judge(x, c, r, x.execute(ctx, c))
}

// judge returns err, the error of a run, or the breach of contract of one without. After
// either it takes back what the run wrote into the slices of the call's views.
func (g *snapshot) judge(x *Executable, c *backends.Call, r *record, err error) error {
	if err == nil {
		err = g.accept(x, c, r)
	}
	if err != nil {
		g.restore(x, r)
	}
	return err
}

func (x *Executable) execute(ctx context.Context, c *backends.Call) (err error) {
	defer x.backend.caught(execute, &err)
	return x.exec.Execute(ctx, c)
}

// Bind fixes constants of the program.
func (x *Executable) Bind(ctx context.Context, constants map[int]soa.View) (bound *Executable, err error) {
	defer x.backend.caught("Bind", &err)
	if x.complex != nil {
		given := constants
		constants = make(map[int]soa.View, len(given))
		for i, v := range given {
			constants[i] = v.Parts()
		}
	}
	e, err := x.exec.Bind(ctx, constants)
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, x.backend.refuse("Bind", "it gave neither an executable nor an error")
	}
	bound = newExecutable(e, x.backend, x.sig)
	bound.complex = x.complex
	return bound, nil
}

// Artifact returns what loads later without compiling.
func (x *Executable) Artifact() (a []byte, err error) {
	defer x.backend.caught("Artifact", &err)
	return x.exec.Artifact()
}

// CopiedBytes is [backends.Copying]; below 0 if the backend does not tell.
func (x *Executable) CopiedBytes() (n int64, err error) {
	if x.copying == nil {
		return -1, nil
	}
	return x.copiedBytes()
}

func (x *Executable) copiedBytes() (n int64, err error) {
	defer x.backend.caught("CopiedBytes", &err)
	return x.copying.CopiedBytes(), nil
}

// WorkspaceBytes is [backends.Sized]; 0 if the backend does not tell.
func (x *Executable) WorkspaceBytes() (n int, err error) {
	s, ok := x.exec.(backends.Sized)
	if !ok {
		return 0, nil
	}
	defer x.backend.caught("WorkspaceBytes", &err)
	return max(s.WorkspaceBytes(), 0), nil
}

// MemoryPlan is [backends.MemoryPlanOf].
func (x *Executable) MemoryPlan() (p backends.MemoryPlan, err error) {
	defer x.backend.caught("MemoryPlan", &err)
	return backends.MemoryPlanOf(x.exec), nil
}

// ResidentBytes is [backends.Resident]; below 0 if the backend does not tell.
func (x *Executable) ResidentBytes() (n int, err error) {
	r, ok := x.exec.(backends.Resident)
	if !ok {
		return -1, nil
	}
	defer x.backend.caught("ResidentBytes", &err)
	return max(r.ResidentBytes(), 0), nil
}

// Grown is [backends.Growing]; nil if the backend does not tell.
func (x *Executable) Grown() (n *atomic.Int64, err error) {
	g, ok := x.exec.(backends.Growing)
	if !ok {
		return nil, nil
	}
	defer x.backend.caught("Grown", &err)
	return g.Grown(), nil
}

// Finish is [backends.Tiered]: it does nothing for a backend without tiers.
func (x *Executable) Finish(ctx context.Context) (err error) {
	t, ok := x.exec.(backends.Tiered)
	if !ok {
		return nil
	}
	defer x.backend.caught("Finish", &err)
	return t.Finish(ctx)
}

// Variants is [backends.Varying]; below 0 if the backend does not tell.
func (x *Executable) Variants() (made, failed int, err error) {
	v, ok := x.exec.(backends.Varying)
	if !ok {
		return -1, -1, nil
	}
	defer x.backend.caught("Variants", &err)
	made, failed = v.Variants()
	return made, failed, nil
}

// CheckSizes is [backends.Sizing]; nil if the backend does not tell.
func (x *Executable) CheckSizes(c *backends.Call) (err error) {
	s, ok := x.exec.(backends.Sizing)
	if !ok {
		return nil
	}
	if x.complex != nil {
		of := partsOf(c)
		c = &of
	}
	defer x.backend.caught("CheckSizes", &err)
	return s.CheckSizes(c)
}

// Profile is [backends.Profiler]; nil if the backend does not tell.
func (x *Executable) Profile() (steps []backends.StepProfile, err error) {
	p, ok := x.exec.(backends.Profiler)
	if !ok {
		return nil, nil
	}
	defer x.backend.caught("Profile", &err)
	return p.Profile(), nil
}
