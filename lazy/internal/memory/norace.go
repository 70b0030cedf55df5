//go:build !race

package memory

// reusable: see race.go.
const reusable = true
