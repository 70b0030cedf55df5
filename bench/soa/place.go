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

// layout makes a place for tensors of so many columns each.
type layout func(n int, widths ...int) place

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
	return func(n int, widths ...int) place {
		events, p, first := soa.Of[event](n), place{name: name}, 0
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
func inRows(n int, widths ...int) place {
	p := place{name: packed}
	for _, width := range widths {
		p.tensors = append(p.tensors, []soa.Column{soa.ViewColumn("rows", soa.Make(types.Of(types.F32, n, width)))})
	}
	return p
}

// inRecords has events one after the other: columns have a stride.
func inRecords(n int, widths ...int) place { return recordsOf(make([]event, n), widths...) }

// recordsOf are tensors of the first fields of records, and of those after them.
func recordsOf(records []event, widths ...int) place {
	n, each := len(records), int(unsafe.Sizeof(event{})/unsafe.Sizeof(float32(0)))
	memory := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(records))), n*each)
	rows, err := soa.Borrow(memory, types.Of(types.F32, len(memory)))
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
