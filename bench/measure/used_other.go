//go:build !unix

package measure

import "time"

// Used returns the processor time that the process has used, where the system
// tells; here it does not.
func Used() time.Duration { return 0 }
