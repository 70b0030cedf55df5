package callsite_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/callsite"
	"ltc/internal/callsite/nested"
)

// However many frames of the library lie between, the line is the user's. The numbers of
// frames are within those that the first look takes, beyond these, and beyond the addresses
// that are read at once.
func TestNested(t *testing.T) {
	var c callsite.Cache
	for range 2 { // cold and from the cache
		for frames := 1; frames <= 40; frames++ {
			near, far := c.Caller(), nested.Caller(&c, frames)
			require.Equal(t, near.String(), far.String(), "%d frames", frames)
		}
	}
}
