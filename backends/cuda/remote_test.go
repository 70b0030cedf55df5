package cuda

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A device's context goes after its resources: also after one that the collector
// is giving back at that moment.
func TestFreeWaitsForDrop(t *testing.T) {
	var r resources
	dropping, end := make(chan struct{}), make(chan struct{})
	dropped := false
	x := r.add(func() error {
		close(dropping)
		<-end
		dropped = true
		return nil
	})
	go x.drop()
	<-dropping
	time.AfterFunc(time.Millisecond, func() { close(end) })
	require.NoError(t, r.free())
	require.True(t, dropped)
}
