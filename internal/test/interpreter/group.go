package interpreter

import (
	"encoding/binary"
	"fmt"
	"slices"

	"ltc/backends/reference/eval"
	"ltc/mlir"
	"ltc/stablehlo"
)

// collective is what the ops of process groups share.
type collective struct {
	channel int
	groups  [][]int // as the op lists them
	how     grouping
}

// grouping is a strategy by which the lists of ids become process groups.
type grouping uint8

const (
	crossReplica grouping = iota
	crossPartition
	crossReplicaAndPartition
	flattenedIDs
)

// newCollective reads the op's channel and groups. The ops that reduce or
// gather over several processes group by replicas and partitions where they
// have a channel, the others by partitions.
func newCollective(s *site, list string, withChannel grouping) (*collective, error) {
	channel, err := handle(s.Op)
	if err != nil {
		return nil, err
	}
	c := &collective{channel: channel}
	if c.groups, err = idLists(s, list); err != nil {
		return nil, err
	}
	global := mlir.Flag(s.Op.Attrs.Get("use_global_device_ids"))
	switch {
	case global && c.channel <= 0:
		return nil, fmt.Errorf("use_global_device_ids needs a channel")
	case global:
		c.how = flattenedIDs
	case c.channel > 0:
		c.how = withChannel
	}
	return c, nil
}

// newGroups is newCollective for an op with replica_groups, in which a group
// that is smaller than others ends in -1.
func newGroups(s *site, withChannel grouping) (*collective, error) {
	c, err := newCollective(s, "replica_groups", withChannel)
	if err != nil {
		return nil, err
	}
	for i, g := range c.groups {
		g = slices.DeleteFunc(g, func(id int) bool { return id == -1 })
		for k, id := range g {
			if id < 0 || slices.Contains(g[:k], id) {
				return nil, fmt.Errorf("replica_groups: group %v", g)
			}
		}
		c.groups[i] = g
	}
	return c, nil
}

// idLists reads a matrix of ids, or what the axes of a mesh stand for.
func idLists(s *site, name string) ([][]int, error) {
	a, isStruct := s.Op.Attrs.Get(name).(mlir.StructAttr)
	if !isStruct {
		return matrix(s.Op.Attrs, name)
	}
	groups, err := stablehlo.MeshGroups(a, s.Module)
	if err != nil {
		return nil, fmt.Errorf("attribute %s: %w", name, err)
	}
	lists := make([][]int, len(groups))
	for i, g := range groups {
		lists[i] = make([]int, len(g))
		for k, id := range g {
			lists[i][k] = int(id)
		}
	}
	return lists, nil
}

// matrix reads a matrix of ids.
func matrix(d mlir.Dict, name string) ([][]int, error) {
	a, ok := d.Get(name).(*mlir.DenseAttr)
	if !ok {
		return nil, eval.Unsupported("attribute %s: want a matrix of ids, got %v", name, d.Get(name))
	}
	list, ok := mlir.Ints(a)
	if !ok {
		return nil, fmt.Errorf("attribute %s: want a list of integers, got %v", name, a)
	}
	ids := make([]int, len(list))
	for i, x := range list {
		ids[i] = int(x)
	}
	if len(a.Type.Shape) != 2 {
		return nil, fmt.Errorf("attribute %s: want a matrix, got %v", name, a.Type)
	}
	var lists [][]int
	for row := range slices.Chunk(ids, max(1, int(a.Type.Shape[1]))) {
		lists = append(lists, slices.Clone(row))
	}
	return lists, nil
}

// self returns the id by which the lists name p, and the number of such ids.
func (c *collective) self(p *process) (id, limit int) {
	switch c.how {
	case crossPartition:
		return p.partition, p.partitions
	case flattenedIDs:
		return p.id(), p.replicas * p.partitions
	}
	return p.replica, p.replicas
}

// member returns the process that an id in p's group means; partition is
// that of the process where the ids name replicas.
func (c *collective) member(p *process, id, partition int) int {
	switch c.how {
	case crossPartition:
		return p.replica*p.partitions + id
	case flattenedIDs:
		return id
	}
	return id*p.partitions + partition
}

// group returns the ids of p's process group and p's index in it; -1 if p is
// in none.
func (c *collective) group(p *process) ([]int, int, error) {
	own, limit := c.self(p)
	groups := c.groups
	if len(groups) == 0 { // one of all
		all := make([]int, limit)
		for i := range all {
			all[i] = i
		}
		groups = [][]int{all}
	}
	var found []int
	for _, list := range groups {
		if len(list) > 0 && slices.Max(list) >= limit {
			return nil, 0, fmt.Errorf("group %v in a grid that has %d", list, limit)
		}
		if slices.Contains(list, own) {
			found = list
		}
	}
	partitions := []int{p.partition}
	if c.how == crossReplicaAndPartition {
		partitions = partitions[:0]
		for q := range p.partitions {
			partitions = append(partitions, q)
		}
	}
	var ids []int
	for _, q := range partitions {
		for _, id := range found {
			ids = append(ids, c.member(p, id, q))
		}
	}
	return ids, slices.Index(ids, p.id()), nil
}

// roots returns how many operands are sent, and what tells the index in the
// group of the process that sends each, or gets it: 0, or where
// has_dynamic_root is set what the last operand says.
func roots(s *site) (int, func(r *run, i int) int, error) {
	if !mlir.Flag(s.Op.Attrs.Get("has_dynamic_root")) {
		return len(s.In), func(*run, int) int { return 0 }, nil
	}
	n := len(s.In) - 1
	if n < 1 || s.In[n].Element() != "i32" || s.In[n].Elements() != n {
		return 0, nil, fmt.Errorf("has_dynamic_root needs an operand of %d i32 last", max(n, 0))
	}
	return n, func(r *run, i int) int { return int(int32(binary.NativeEndian.Uint32(r.In(n)[4*i:]))) }, nil
}

// pairs returns the processes that send to p and get from p; -1 for none.
func (c *collective) pairs(p *process) (from, to int, err error) {
	from, to = -1, -1
	own, limit := c.self(p)
	for _, pair := range c.groups {
		if len(pair) != 2 || min(pair[0], pair[1]) < 0 || max(pair[0], pair[1]) >= limit {
			return 0, 0, fmt.Errorf("pair %v in a grid that has %d", pair, limit)
		}
		if pair[0] == own {
			to = c.member(p, pair[1], p.partition)
		}
		if pair[1] == own {
			from = c.member(p, pair[0], p.partition)
		}
	}
	return from, to, nil
}
