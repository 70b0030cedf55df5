package llvm

import (
	"strconv"
	"strings"

	"ltc/backends"
	"ltc/backends/objcache"
	"ltc/internal/env"
)

// KeptPlan implements [kernel.PlanKeeper].
func (s *shared) KeptPlan(program string) (plan []byte, ok bool) {
	parts := s.planParts(program)
	if parts == nil {
		return nil, false
	}
	return s.disk.Get(parts.Key())
}

// KeepPlan implements [kernel.PlanKeeper].
func (s *shared) KeepPlan(program, label string, plan []byte) {
	if parts := s.planParts(program); parts != nil {
		s.disk.Put(parts, label, plan)
	}
}

// planParts is all that a plan depends on: what is asked of [shared.Packs] and
// [shared.Columns] depends on the processor, and on whether there is a libLLVM. Which composites
// the host computes is not in the text. The result is nil if plans are not kept.
func (s *shared) planParts(program string) objcache.Parts {
	s.once.Do(s.start)
	executable := objcache.Executable()
	if s.disk == nil || s.none != nil || executable == "" {
		return nil
	}
	likely := s.likely() && (!s.found.ready.Load() || s.found.value) && (!s.open.ready.Load() || s.open.value != nil)
	return objcache.Parts{
		{Name: "executable", Value: executable},
		{Name: "processor", Value: s.cpu},
		{Name: "L2", Value: strconv.Itoa(s.units.machine.L2)},
		{Name: env.LibLLVM.Name, Value: env.LibLLVM.Value()},
		{Name: "libLLVM", Value: strconv.FormatBool(likely)},
		{Name: "host composites", Value: strings.Join(backends.HostComposites(), " ")},
		{Name: "program", Value: program},
	}
}
