package ptx

import (
	"strings"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
)

// Headers of modules: of the oldest version that has all instructions, for the
// oldest GPUs; and what GPUs of sm_90a alone run, whose warpgroups want a block's
// memory aligned as the swizzle repeats.
const (
	header       = ".version 7.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 " + asm.Shared + "[];\n"
	hopperHeader = ".version 8.0\n.target " + Hopper + "\n.address_size 64\n.extern .shared .align 1024 .b8 " + asm.Shared + "[];\n"
)

// Hopper is the target of modules that only GPUs of sm_90a run.
const Hopper = "sm_90a"

// TargetOf returns the oldest GPU that a module is for, as in sm_80; empty if the text
// is none of [Options.Module].
func TargetOf(module string) string {
	_, rest, _ := strings.Cut(module, "\n.target ")
	target, _, _ := strings.Cut(rest, "\n")
	return target
}

// Module returns the text of a module with the given entries.
func (o Options) Module(entries ...string) string {
	if o.Hopper {
		return hopperHeader + strings.Join(entries, "")
	}
	return header + strings.Join(entries, "")
}

// Entry returns the text of all entries that run a kernel by its schedule: one of
// the given name; of a schedule that has variants, one for each: [Launch.Entry] says
// which is to be launched.
func Entry(name string, k *kernel.Kernel, s *Schedule) (string, error) {
	var b strings.Builder
	for n := range s.Variants() {
		text, err := Variant(Launch{Variant: n}.Entry(name), k, s, n)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// writer writes the entry of a kernel by its schedule.
type writer struct {
	*body.Writer
	s     *Schedule
	warps bool // rows are a warp's each, not a block's
}

// Variant returns the text of one of them, the one that launches of the number
// take, by a name of its own: all that is needed where sizes are known.
func Variant(name string, k *kernel.Kernel, s *Schedule, variant int) (string, error) {
	if s.product != nil {
		return s.product.Variant(name, variant)
	}
	w := &writer{Writer: body.New(name, k, s.Threads, &s.Lanes), s: s}
	switch s.Form {
	case Points:
		w.points()
	case Rows:
		w.rows(variant)
	case Columns:
		w.columns()
	case Tiles:
		w.tiles()
	}
	if w.Err != nil {
		return "", w.Err
	}
	return w.Text(), nil
}
