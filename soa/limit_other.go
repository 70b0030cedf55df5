//go:build !linux

package soa

// physical is not known here: as much as today's larger machines have.
var physical int64 = 1 << 40
