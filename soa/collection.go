package soa

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// Collection is a list of named tensors over columns, in the order of a model's inputs or
// results. A Collection borrows the memory of the columns and copies nothing, except in
// [Collection.AddPadded]. Only one goroutine at a time may change a Collection.
type Collection struct {
	n       int
	tensors []tensor
	order   []int // indices into tensors, in the collection's order
	batches int   // -1: no tensor is cut into batches
	padded  []*padded
	copied  int64
	uses    []use // the buffers of all tensors, each once
}

// tensor is an entry of a collection.
type tensor struct {
	name    string
	view    View
	columns []Column
	batch   int // elements of a batch; 0: the tensor is not cut
	// sizes are the shapes of a batch and of the last batch. Batches share them and never
	// write them, so that a view keeps its shape when the next batch is made.
	sizes [2]types.Shape
}

// NewCollection returns a collection that has no tensors yet, for n elements.
func NewCollection(n int) *Collection { return &Collection{n: n, batches: -1} }

// Elements returns the number of elements: the first dimension of most tensors.
func (c *Collection) Elements() int { return c.n }

// Len returns the number of tensors.
func (c *Collection) Len() int { return len(c.order) }

// Names returns the tensors' names in order.
func (c *Collection) Names() []string {
	names := make([]string, len(c.order))
	for i, t := range c.order {
		names[i] = c.tensors[t].name
	}
	return names
}

// Tensor returns tensor i in the collection's order. Tensor panics if there is no tensor i.
func (c *Collection) Tensor(i int) View { return c.tensors[c.order[i]].view }

// Label returns the name of tensor i, in the collection's order, and of the tensor's first
// column, for errors. Label panics if there is no tensor i.
func (c *Collection) Label(i int) string {
	t := &c.tensors[c.order[i]]
	if len(t.columns) == 0 {
		return t.label(0)
	}
	return "tensor " + t.name + ": " + t.label(0)
}

// Views appends the tensors to a slice, in the collection's order: the arguments or results of
// a call.
func (c *Collection) Views(to []View) []View {
	for _, t := range c.order {
		to = append(to, c.tensors[t].view)
	}
	return to
}

// Lookup returns the tensor with the given name, or an error if no tensor has the name.
func (c *Collection) Lookup(name string) (View, error) {
	t := c.find(name)
	if t < 0 {
		return View{}, fmt.Errorf("collection: there is no tensor %s: there are %s", name, strings.Join(c.Names(), ", "))
	}
	return c.tensors[t].view, nil
}

func (c *Collection) find(name string) int {
	return slices.IndexFunc(c.tensors, func(t tensor) bool { return t.name == name })
}

// Add appends a tensor made of columns, in place. The columns must have one dtype and one shape
// of an element. The tensor has them in the order of the arguments. For n elements and k columns of values,
// the tensor has shape (n, k). For vectors of R components it has shape (n, k, R), and for
// matrices (n, k, R, C). A single column has no k: the shape is (n, R) for vectors and (n, R, C)
// for matrices. A scalar repeats for each element, with stride 0. Columns at equal distances in
// one buffer become a strided view. Other columns become a view with a table of their addresses.
// An error names the layout and the column, and the collection is then unchanged.
func (c *Collection) Add(name string, columns ...Column) error {
	return c.add(name, 0, columns)
}

// AddBatched is [Collection.Add] for a tensor that [Collection.Batch] cuts into batches of size
// elements. All batched tensors of a collection must have the same size of a batch. Jagged
// columns (see [JaggedColumn]) cannot be batched directly. Pad jagged columns in a second
// collection by [Collection.AddPadded], and add the tensor of that collection to this one as a
// [ViewColumn].
func (c *Collection) AddBatched(name string, size int, columns ...Column) error {
	if size < 0 || size == 0 && c.n > 0 {
		return fmt.Errorf("tensor %s: the size of a batch is %d: it must be at least 1", name, size)
	}
	n := 0
	if c.n > 0 {
		n = 1 + (c.n-1)/size
	}
	for i := range c.tensors {
		if t := &c.tensors[i]; t.batch > 0 && min(t.batch, c.n) != min(size, c.n) {
			return fmt.Errorf("tensor %s: a batch has %d of %s, but a batch of tensor %s has %d: all must have one size", name, size, diag.Count(c.n, "element"), t.name, t.batch)
		}
	}
	if err := c.add(name, max(size, 1), columns); err != nil {
		return err
	}
	c.batches = n
	return nil
}

func (c *Collection) add(name string, batch int, columns []Column) error {
	for _, col := range columns {
		if col.kind == Values || col.kind == Offsets {
			way := "add it with AddRagged or AddPadded"
			if batch > 0 {
				way = "pad it in a second collection with AddPadded, and add the padded tensor here as a ViewColumn"
			}
			return fmt.Errorf("tensor %s: %s: it is part of a jagged column: %s", name, col.label(), way)
		}
	}
	if c.n < 0 {
		return fmt.Errorf("tensor %s: the collection was made for %s: give NewCollection at least 0", name, diag.Count(c.n, "element"))
	}
	v, err := tensorOf(c.n, columns)
	if err != nil {
		return fmt.Errorf("tensor %s: %w", name, err)
	}
	t := tensor{name: name, view: v, columns: slices.Clone(columns), batch: batch}
	if batch > 0 && c.n > 0 {
		for i, n := range [...]int{min(batch, c.n), (c.n-1)%batch + 1} {
			t.sizes[i] = slices.Clone(v.Type.Shape)
			t.sizes[i][0] = n
		}
	}
	return c.append(t)
}

// append adds tensors. A name that is empty or in use is an error.
func (c *Collection) append(tensors ...tensor) error {
	for _, t := range tensors {
		if t.name == "" {
			return fmt.Errorf("collection: a tensor without a name")
		}
		if c.find(t.name) >= 0 {
			return fmt.Errorf("collection: there is a tensor %s already: %s", t.name, t.label(0))
		}
	}
	for _, t := range tensors {
		c.order = append(c.order, len(c.tensors))
		c.tensors = append(c.tensors, t)
		c.uses = t.using(c.uses)
	}
	return nil
}

// tensorOf returns columns of n elements as one tensor; see [Collection.Add].
func tensorOf(n int, columns []Column) (View, error) {
	if len(columns) == 0 {
		return View{}, fmt.Errorf("it has no columns")
	}
	views := make([]View, len(columns))
	for i, col := range columns {
		v, err := col.View()
		if err != nil {
			return View{}, err
		}
		if col.kind == Scalar {
			v.Type.Shape = slices.Insert(slices.Clone(v.Type.Shape), 0, n)
			v.Strides = slices.Insert(slices.Clone(v.Strides), 0, 0)
		} else if col.count != n {
			return View{}, fmt.Errorf("%s: it has %s, not %d", col.label(), diag.Count(col.count, "element"), n)
		}
		if err := v.Type.Check(); err != nil { // a scalar may repeat too often
			return View{}, fmt.Errorf("%s: %w", col.label(), err)
		}
		views[i] = v
		switch a, b := views[0], columns[0].label(); {
		case v.Type.DType != a.Type.DType:
			return View{}, fmt.Errorf("%s: the dtype is %v, but %s has %v: all columns of a tensor have one dtype", col.label(), v.Type.DType, b, a.Type.DType)
		case !v.Type.Equal(a.Type):
			return View{}, fmt.Errorf("%s: an element is %v%v, but an element of %s is %v%v", col.label(), v.Type.DType, v.Type.Shape[1:], b, a.Type.DType, a.Type.Shape[1:])
		case !slices.Equal(v.Strides, a.Strides):
			return View{}, fmt.Errorf("%s: it has strides %v, but %s has %v: they cannot be one tensor in place", col.label(), v.Strides, b, a.Strides)
		}
	}
	if len(views) == 1 && views[0].Type.Rank() > 1 {
		return views[0], nil
	}
	if stride, ok := distance(columns, views); ok {
		v := views[0]
		v.Type.Shape = slices.Insert(slices.Clone(v.Type.Shape), 1, len(views))
		v.Strides = slices.Insert(slices.Clone(v.Strides), 1, stride)
		return v, v.Type.Check()
	}
	v, err := NewTable(1, views...)
	if err == nil {
		err = v.Type.Check()
	}
	return v, err
}

// distance returns the distance, in elements, between the starts of neighbouring columns. It
// returns false unless all distances are equal and all columns are in one buffer.
func distance(columns []Column, views []View) (int, bool) {
	size := views[0].Type.DType.Size()
	if len(views) == 1 {
		return 0, true
	}
	step := int(uintptr(views[1].base) - uintptr(views[0].base))
	for i := range views {
		if columns[i].buffer == nil || columns[i].buffer != columns[0].buffer {
			return 0, false
		}
		if i > 0 && int(uintptr(views[i].base)-uintptr(views[i-1].base)) != step {
			return 0, false
		}
	}
	return step / size, step%size == 0
}

// ChangeOrder puts the tensors in the order of the names, which must have each tensor once.
func (c *Collection) ChangeOrder(names ...string) error {
	order := make([]int, len(names))
	for i, name := range names {
		t := c.find(name)
		switch {
		case t < 0:
			return fmt.Errorf("change of order: there is no tensor %s: there are %s", name, strings.Join(c.Names(), ", "))
		case slices.Contains(order[:i], t):
			return fmt.Errorf("change of order: tensor %s is named twice", name)
		}
		order[i] = t
	}
	for _, name := range c.Names() {
		if !slices.Contains(names, name) {
			return fmt.Errorf("change of order: tensor %s is not named", name)
		}
	}
	c.order = order
	return nil
}

// Clone returns a collection of the same tensors, in the same order, that shares their
// memory. Later changes of c do not change the clone. Only c can refresh its padded tensors.
func (c *Collection) Clone() *Collection {
	d := *c
	d.tensors, d.order, d.uses, d.padded = slices.Clone(c.tensors), slices.Clone(c.order), slices.Clone(c.uses), nil
	for i := range d.tensors { // if c is a batch, the next batch overwrites its tables
		v := &d.tensors[i].view
		v.Table = slices.Clone(v.Table)
	}
	return &d
}

// Batches returns the number of batches. The number is 1 if no tensor is batched, and 0 if a
// tensor is batched and the collection has no elements.
func (c *Collection) Batches() int {
	if c.batches < 0 {
		return 1
	}
	return c.batches
}

// Batch sets *into to the collection of batch i, counted from 0. In the batch, batched tensors
// have the elements of that batch, and other tensors are whole. The last batch may be smaller.
// Into must be an empty Collection, or one that an earlier call of c.Batch has set, for any i.
// In the second case, Batch does not allocate. Into borrows the memory of c's tensors, and must
// not be changed but by Batch.
func (c *Collection) Batch(i int, into *Collection) error {
	if i < 0 || i >= c.Batches() {
		return c.noBatch(i)
	}
	if into == nil {
		return fmt.Errorf("collection: into is nil: give Batch(%d) a collection to set", i)
	}
	if into == c {
		return fmt.Errorf("collection: into is the collection itself: give Batch(%d) another collection to set", i)
	}
	if len(into.tensors) != len(c.tensors) {
		into.tensors = make([]tensor, len(c.tensors))
	}
	into.n, into.batches, into.order, into.uses = c.n, -1, c.order, c.uses
	for k := range c.tensors {
		from, to := &c.tensors[k], &into.tensors[k]
		if from.batch == 0 {
			*to = *from
			continue
		}
		table := to.view.Table
		if to.batch == 0 { // the table is not from an earlier batch and may be shared
			table = nil
		}
		*to = *from
		start := i * from.batch
		to.view.Type.Shape = from.sizes[0]
		if i == c.batches-1 {
			to.view.Type.Shape = from.sizes[1]
		}
		into.n = to.view.Type.Shape[0]
		by := start * from.view.Strides[0] * from.view.Type.DType.Size()
		to.view.bounds = from.view.bounds.shifted(by)
		if from.view.Table == nil {
			to.view.base = unsafe.Add(from.view.base, by)
			continue
		}
		to.view.Table = append(table[:0], from.view.Table...)
		for j := range to.view.Table {
			to.view.Table[j] = unsafe.Add(to.view.Table[j], by)
		}
	}
	return nil
}

// noBatch is the error of a batch number that is out of range. It names the first batched
// column.
func (c *Collection) noBatch(i int) error {
	n := c.Batches()
	there := fmt.Sprintf("batch %d is out of range: the batches are 0 to %d", i, n-1)
	switch n {
	case 0:
		there = fmt.Sprintf("batch %d is out of range: there are no batches", i)
	case 1:
		there = fmt.Sprintf("batch %d is out of range: the only batch is 0", i)
	}
	for _, k := range c.order {
		if t := &c.tensors[k]; t.batch > 0 {
			return fmt.Errorf("collection: %s: tensor %s: %s: a batch has %d of %s", there, t.name, t.label(0), t.batch, diag.Count(c.n, "element"))
		}
	}
	return fmt.Errorf("collection: %s: no tensor is cut into batches", there)
}

// String lists the tensors in order with their columns.
func (c *Collection) String() string {
	var s strings.Builder
	s.WriteString(diag.Count(c.n, "element"))
	for _, i := range c.order {
		t := c.tensors[i]
		names := make([]string, len(t.columns))
		for k, col := range t.columns {
			names[k] = col.name
		}
		of := " of " + strings.Join(names, ", ")
		if len(names) == 0 {
			of = ", a copy"
		}
		fmt.Fprintf(&s, "\n%s: %v%s", t.name, t.view, of)
		if t.batch > 0 {
			fmt.Fprintf(&s, ", in batches of %d", t.batch)
		}
	}
	return s.String()
}
