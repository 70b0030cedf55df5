package main

import (
	"unsafe"

	"ltc/ir/types"
	"ltc/soa"
)

// place is memory for n rows of some tensors, in one of the ways in which
// programs keep them.
type place struct {
	name    string
	tensors [][]soa.Column // as they are added to a collection
}

// memory is where a place is: room for as many events as it was made for, in any
// layout. What lies there in one is something else in another.
type memory []float32

// rounded is to how many elements layouts round columns up.
const rounded = 32

func newMemory(n int) memory {
	type value struct{ X float32 }
	m, err := soa.Elements[float32](soa.Of[value](len(fields) * (n + rounded - 1)).Col("X"))
	if err != nil {
		panic(err) // it is a column of the Go heap
	}
	return m
}

// events are n records from the start of m.
func (m memory) events(n int) []event {
	return unsafe.Slice((*event)(unsafe.Pointer(unsafe.SliceData(m))), n)
}

// layout makes a place in memory for tensors of so many columns each.
type layout func(m memory, n int, widths ...int) place

// fill writes columns to the first tensor.
func (p place) fill(data [][]float32) error {
	c := soa.NewCollection(len(data[0]))
	if err := c.Add("x", p.tensors[0]...); err != nil {
		return err
	}
	columns := soa.NewCollection(len(data[0]))
	if err := columns.Add("data", columnsOf(data)...); err != nil {
		return err
	}
	return soa.Copy(c.Tensor(0), columns.Tensor(0))
}

// columnsOf returns slices as columns.
func columnsOf(data [][]float32) []soa.Column {
	all := make([]soa.Column, len(data))
	for j, x := range data {
		all[j] = soa.ColumnOf("data", x)
	}
	return all
}

// inColumns has a column for each field of an event, and takes them in the given
// order.
func inColumns(name string, order []string) layout {
	return func(m memory, n int, widths ...int) place {
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m))), 4*len(m))
		events, p, first := soa.Of[event](n, soa.In(soa.Wrap(bytes), 0)), place{name: name}, 0
		for _, width := range widths {
			var columns []soa.Column
			for _, field := range order[first : first+width] {
				columns = append(columns, events.Col(field))
			}
			p.tensors = append(p.tensors, columns)
			first += width
		}
		return p
	}
}

// inRows has dense rows, of each tensor its own.
func inRows(m memory, n int, widths ...int) place {
	p := place{name: packed}
	for _, width := range widths {
		v, err := soa.Borrow(m[:n*width], types.Of(types.F32, n, width))
		if err != nil {
			panic(err) // there is room for all fields
		}
		p.tensors = append(p.tensors, []soa.Column{soa.ViewColumn("rows", v)})
		m = m[(n*width+rounded-1)/rounded*rounded:]
	}
	return p
}

// inRecords has events one after the other: columns have a stride.
func inRecords(m memory, n int, widths ...int) place {
	each := len(fields)
	rows, err := soa.Borrow(m[:n*each], types.Of(types.F32, n*each))
	p, first := place{name: interlaced}, 0
	for _, width := range widths {
		var v soa.View
		if err == nil {
			v, err = rows.Restride(types.Of(types.F32, n, width), first, []int{each, 1})
		}
		if err != nil {
			panic(err) // widths are of fields that there are
		}
		p.tensors = append(p.tensors, []soa.Column{soa.ViewColumn("records", v)})
		first += width
	}
	return p
}
