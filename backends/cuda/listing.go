package cuda

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ltc/backends"
	"ltc/backends/cuda/ptx"
	"ltc/backends/kit"
	"ltc/backends/kit/plan"
	"ltc/backends/kit/stages"
	"ltc/internal/diag"
)

// Listing returns the code of a compiled program, which needs no device. It has how each
// step is run, on the device or by the host, as comments, and the PTX of all kernels, for
// GPUs of sm_80 and later. A program in which sizes follow from data is listed stage by
// stage. Of a program that the host runs as a whole it returns an error
// that wraps kit.ErrNotCompiled.
func Listing(ctx context.Context, m backends.Module, o backends.Options) (string, error) {
	return listing(ctx, m, o, ptx.Options{})
}

// hopperProcessors is how many multiprocessors an H100 or an H200 has.
const hopperProcessors = 132

// HopperListing is [Listing] for GPUs of sm_90a, as H100 and H200 are, whose large
// products and attention are other kernels, for 132 multiprocessors.
func HopperListing(ctx context.Context, m backends.Module, o backends.Options) (string, error) {
	return listing(ctx, m, o, ptx.Options{Hopper: true, Processors: hopperProcessors})
}

func listing(ctx context.Context, m backends.Module, o backends.Options, target ptx.Options) (string, error) {
	target.TF32, target.Ordered = o.TF32, o.Ordered
	p, err := backends.LoadOpen(ctx, m, o)
	if err != nil {
		return "", err
	}
	c, err := compileModule(ctx, m, p, o, target)
	var b strings.Builder
	if errors.Is(err, kit.ErrNotCompiled) {
		texts, staging := stages.Texts(ctx, m, o)
		if staging != nil {
			return "", err
		}
		for i, text := range texts {
			stage, err := listing(ctx, backends.NewModule(text), o, target)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "// stage %d of %d\n%s", i+1, len(texts), stage)
		}
		return b.String(), nil
	}
	if err != nil {
		return "", err
	}
	if c.open != nil {
		fmt.Fprintf(&b, "// for %s, and for other numbers likewise\n", c.open.Family.BaseText())
	}
	c.main.list(&b, "")
	b.WriteString(c.text())
	return b.String(), nil
}

// listRows says which steps are queued as one when they have the arguments of the run
// before.
func (x *code) listRows(b *strings.Builder, indent string) {
	for _, r := range x.rows {
		fmt.Fprintf(b, "// %ssteps %d to %d: queued as one graph, but in the first run\n", indent, r.from, r.to-1)
	}
}

// list says how the steps are run.
func (x *code) list(b *strings.Builder, indent string) {
	x.listRows(b, indent)
	for i := range x.steps {
		s := &x.steps[i]
		fmt.Fprintf(b, "// %sstep %d: ", indent, i)
		switch {
		case s.entry == nil:
			switch w := s.Work.(type) {
			case *plan.Host:
				fmt.Fprintf(b, "%s, run by the host: %s", w.Op, w.Reason)
			case *plan.Loop:
				b.WriteString("while, driven by the host")
			case *plan.Branch:
				b.WriteString("branch, driven by the host")
			}
		case s.lacks != nil:
			fmt.Fprintf(b, "%s, run by the host: %v", s.entry.kernel.Describe(s.Sizes), s.lacks)
		case s.claimed != nil:
			fmt.Fprintf(b, "%s: %v, grid %v of blocks %v with %s", s.variant.name, s.claimed, s.launch.Grid, s.launch.Block, diag.Count(s.launch.Shared, "byte"))
			if _, sort := s.Work.(*plan.Sort); sort && len(s.then) > 0 {
				fmt.Fprintf(b, ", the first of %s", diag.Count(len(s.then)+1, "launch"))
			} else if len(s.then) > 0 {
				b.WriteString(", and a launch that combines the parts")
			}
		default:
			fmt.Fprintf(b, "%s: %s, %v, grid %v of blocks %v", s.variant.name, s.entry.kernel.Describe(s.Sizes), s.entry.schedule, s.launch.Grid, s.launch.Block)
			if s.launch.Shared > 0 {
				fmt.Fprintf(b, " with %s", diag.Count(s.launch.Shared, "byte"))
			}
			if s.Pitches {
				b.WriteString(", lays out rows for a later product")
			}
			if s.Parts > 0 {
				fmt.Fprintf(b, ", K in %s that a later step adds", diag.Count(s.Parts, "part"))
			}
		}
		if boxed := s.byMaps; boxed != nil {
			fmt.Fprintf(b, "; where tensor maps reach its operands %s, grid %v of blocks %v with %s", boxed.variant.name, boxed.launch.Grid, boxed.launch.Block, diag.Count(boxed.launch.Shared, "byte"))
		}
		if s.product != nil {
			if offer := s.product.offer(); offer != "" {
				b.WriteString("; " + offer)
			}
		}
		if line := backends.LineOf(s.Loc); line != "" {
			fmt.Fprintf(b, ", %s", line)
		}
		b.WriteByte('\n')
		for j, r := range x.regions[i] {
			fmt.Fprintf(b, "// %sregion %d:\n", indent, j)
			r.(interface {
				list(*strings.Builder, string)
			}).list(b, indent+"  ")
		}
	}
}
