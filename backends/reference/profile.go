package reference

import (
	"ltc/backends"
)

// Profile returns what the steps have taken; see [backends.Profiler].
func (e *compiled) Profile() []backends.StepProfile {
	return e.Plan.Profile(func(step int, of *backends.StepProfile) {
		of.Parts = min(e.steps[step].parts, e.threads)
		if n := e.steps[step].interim; n != nil {
			of.Interim = n.Load()
		}
	})
}
