//go:build !race

package sharing

import "ltc/soa"

// Read tells the race detector that the calling goroutine reads v. In builds without the race
// detector, Read does nothing.
func Read(soa.View) {}

// Write tells the race detector that the calling goroutine writes v. In builds without the race
// detector, Write does nothing.
func Write(soa.View) {}
