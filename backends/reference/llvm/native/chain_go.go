//go:build !(linux && (amd64 || arm64))

package native

// callChain calls the kernels of a chain.
func callChain(c *Chain) int32 {
	for {
		l := c.At
		if status := callShort(l.entry, l.args); status != 0 {
			return status
		}
		if l.next == nil || l.test != nil && !*l.test {
			c.ended = 1
			return 0
		}
		c.At = l.next
		if c.budget -= l.cost; c.budget <= 0 {
			return 0
		}
	}
}
