package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"ltc/soa"
	"ltc/soa/npy"
)

// fields are the columns that are read of a file, and what they are called here.
// Those of the particles have an entry for each, all of one jet after the other.
var fields = []struct {
	array, name string
	particles   bool
}{
	{"pt", "Pt", false}, {"mass", "Mass", false}, {"width", "Width", false}, {"ptd", "PtD", false}, {"label", "Label", false},
	{"c_pt", "Particles.Pt", true}, {"c_eta", "Particles.Eta", true}, {"c_phi", "Particles.Phi", true},
}

// load returns a file's columns in the memory that it was read to, and a column
// with the number of each particle's jet.
func load(path string) (*soa.Columns, error) {
	entries, err := npy.ReadArchive(path)
	if err != nil {
		return nil, err
	}
	arrays := map[string]soa.Column{}
	for _, e := range entries {
		arrays[e.Name] = soa.ViewColumn(e.Name, e.View)
	}
	get := func(name string) (soa.Column, error) {
		c, ok := arrays[name]
		if !ok {
			return c, fmt.Errorf("%s: there is no array %s", path, name)
		}
		return c, nil
	}
	offsets, err := get("c_offset")
	if err != nil {
		return nil, err
	}
	var columns []soa.Column
	for _, f := range fields {
		c, err := get(f.array)
		if err != nil {
			return nil, err
		}
		c = c.Named(f.name)
		if f.particles {
			c = soa.JaggedColumn(c, offsets.Named("Particles.offsets"))
		}
		columns = append(columns, c)
	}
	c, err := soa.Gather("jets", columns...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	begin, err := soa.Elements[int64](c.Col("Particles.offsets"))
	if err != nil {
		return nil, err
	}
	jets, err := owners(begin, c.Count("Particles"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return soa.Gather("jets", append(columns, soa.JaggedColumn(soa.ColumnOf("Particles.Jet", jets), offsets.Named("Particles.offsets")))...)
}

// owners returns the number of each particle's jet, of which offsets say where
// its particles begin.
func owners(offsets []int64, particles int) ([]int32, error) {
	owners := make([]int32, particles)
	for i := 0; i+1 < len(offsets); i++ {
		lo, hi := offsets[i], offsets[i+1]
		if lo < 0 || hi < lo || hi > int64(particles) {
			return nil, fmt.Errorf("jet %d has particles %d to %d of %d", i, lo, hi, particles)
		}
		for k := lo; k < hi; k++ {
			owners[k] = int32(i)
		}
	}
	return owners, nil
}

// Tags are the layout of the results.
type Tags struct {
	Score      float32 // of gluons, from 0 to 1
	Width, PtD float32
}

// difference returns the most that the shapes computed differ from the file's.
func difference(jets, tags *soa.Columns) (float64, error) {
	most := 0.0
	for _, name := range []string{"Width", "PtD"} {
		want, err := soa.Elements[float32](jets.Col(name))
		if err != nil {
			return 0, err
		}
		got, err := soa.Elements[float32](tags.Col(name))
		if err != nil {
			return 0, err
		}
		for i := range want {
			most = max(most, math.Abs(float64(want[i]-got[i])))
		}
	}
	return most, nil
}

// save writes columns as a .npz file.
func save(path string, c *soa.Columns) error {
	var entries []npy.Entry
	for _, f := range c.Layout().Fields() {
		v, err := c.Col(f.Name).View()
		if err != nil {
			return err
		}
		entries = append(entries, npy.Entry{Name: f.Name, View: v})
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return npy.WriteArchive(path, entries)
}
