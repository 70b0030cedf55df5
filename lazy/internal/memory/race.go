//go:build race

package memory

// reusable says whether pools reuse blocks. The race detector does not know that the garbage
// collector has run in between, and would report the next user's writes as races.
const reusable = false
