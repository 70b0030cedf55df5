package diag

import "testing"

// A key is met for the first time once.
func TestSeen(t *testing.T) {
	var s Seen[string]
	for i, want := range []bool{true, true, false} {
		if key := []string{"a", "b", "a"}[i]; s.First(key) != want {
			t.Errorf("First(%q), call %d: want %v", key, i, want)
		}
	}
}
