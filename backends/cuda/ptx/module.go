package ptx

import (
	"strings"

	"ltc/backends/kit/kernel"
)

// header begins a module: the oldest version that has all instructions, the
// oldest GPUs.
const header = ".version 7.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 " + shared + "[];\n"

// Module returns the text of a module with the given entries.
func Module(entries ...string) string { return header + strings.Join(entries, "") }

// Entry returns the text of an entry, of the given name, that runs a kernel by its
// schedule.
func Entry(name string, k *kernel.Kernel, s *Schedule) (string, error) {
	w := newWriter(k, s)
	switch s.Form {
	case Points:
		w.points()
	case Rows:
		w.rows()
	case Columns:
		w.columns()
	case Tiles:
		w.tiles()
	case Product:
		w.products()
	}
	if w.err != nil {
		return "", w.err
	}
	return w.entry(name), nil
}
