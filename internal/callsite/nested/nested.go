// Package nested has frames of the library between a test and what it asks for its line.
//
// The package imports only ltc/internal/callsite.
package nested

import "ltc/internal/callsite"

// Caller asks for the line with so many frames of this package between.
//
//go:noinline
func Caller(c *callsite.Cache, frames int) callsite.Site {
	if frames > 1 {
		return Caller(c, frames-1)
	}
	return c.Caller()
}
