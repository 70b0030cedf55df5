package attention

// Cached has groups of heads be of so many bytes until the test ends.
func Cached(t interface{ Cleanup(func()) }, bytes int) {
	before := cachedBytes
	cachedBytes = bytes
	t.Cleanup(func() { cachedBytes = before })
}
