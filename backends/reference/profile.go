package reference

import (
	"ltc/backends"
	"ltc/backends/kit/exec"
)

// Profile returns what the steps have taken; see [backends.Profiler].
func (e *compiled) Profile() []backends.StepProfile {
	if e.Times == nil {
		return nil
	}
	return exec.Profile(e.Plan.Program, e.Times, e.Regions, func(step int, of *backends.StepProfile) { of.Parts = min(e.steps[step].parts, e.threads) })
}
