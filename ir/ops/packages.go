package ops

// Package is a Go package of functions: composites that users do not chain, so that they
// are no methods of the lazy tensor.
type Package struct {
	Name string // also before the names of its ops in texts and errors: nn.silu
	Rows []Op
}

// Packages holds every package of functions. Each has a file functions_gen.go, with a
// function for each row, and the mathematics of a row as its function compute<Name>.
var Packages = []Package{
	packageOf("nn", nnRows),
	packageOf("special", specialRows),
	packageOf("linalg", linalgRows),
	packageOf("fft", fftRows),
}

// packageOf gives each row the package that it belongs to.
func packageOf(name string, rows []Op) Package {
	for i := range rows {
		rows[i].Package = name
	}
	return Package{name, rows}
}

// PackageRows returns the rows of a package of functions.
func PackageRows(name string) []Op {
	for _, p := range Packages {
		if p.Name == name {
			return p.Rows
		}
	}
	return nil
}

// All returns every row: primitives, composites of package lazy, and those of [Packages].
func All() []*Op {
	var all []*Op
	add := func(rows []Op) {
		for i := range rows {
			all = append(all, &rows[i])
		}
	}
	add(Table)
	add(Composites)
	for _, p := range Packages {
		add(p.Rows)
	}
	return all
}
