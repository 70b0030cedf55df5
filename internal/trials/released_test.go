package trials

import (
	"context"
	"runtime"
	"testing"
)

// A context that nobody keeps is found released.
func TestReleased(t *testing.T) {
	var r Requests
	r.With("a call", func(context.Context) {})
	r.Released(t)
	runtime.KeepAlive(r)
}
