package gemm

// split returns how many rows the next kernel takes when left are left, so that no height
// is missing and none is slow. The remainder over full blocks is shared with the last full
// block.
func (c *core) split(left int) int {
	if left >= 2*c.rows {
		return c.rows
	}
	return c.best(left)[0]
}

// best splits n rows into heights that take the least time. A step costs a
// kernel its multiplications, or the loads if these are more, and a little.
func (c *core) best(n int) []int {
	type way struct {
		cost int
		list []int
	}
	ways := make([]way, n+1)
	for i := 1; i <= n; i++ {
		for _, h := range c.heights {
			if h > i {
				continue
			}
			cost := ways[i-h].cost + max(2*h*c.vecs, h+2*c.vecs+4) + 1
			if ways[i].list == nil || cost < ways[i].cost {
				ways[i] = way{cost, append([]int{h}, ways[i-h].list...)}
			}
		}
	}
	return ways[n].list
}
