package trials

import (
	"os"
	"path/filepath"
)

// Suite returns the folder of the selection of StableHLO's official tests, which is beside
// that of the repository and need not be there. A test that is moved finds it again.
func Suite() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	root := dir
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			root = dir // the last one: modules of examples are within
		}
	}
	return filepath.Join(filepath.Dir(root), "shared/conformance/stablehlo")
}
