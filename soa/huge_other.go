//go:build !linux

package soa

// huge does nothing: pages are what the system makes them.
func huge([]byte) {}
