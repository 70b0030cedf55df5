package cublaslt

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ltc/internal/env"
)

// Majors are the versions of the library that are known, the best first. What another
// means by the same numbers nobody has seen.
var majors = []int{13, 12}

// toolkits are where CUDA's toolkits have libraries that the system's linker does not
// find.
var toolkits = []string{
	"/usr/local/cuda*/lib64",
	"/usr/local/cuda*/targets/*-linux/lib",
	"/opt/cuda/lib64",
}

// packages are where Python keeps packages; ~ is the user's home.
var packages = []string{
	"~/.local/lib/python3*/site-packages",
	"/usr/local/lib/python3*/*-packages",
	"/usr/lib/python3*/*-packages",
}

// within is where in packages libraries are: in NVIDIA's, and in PyTorch where that
// brings its own.
var within = []string{"nvidia/*/lib", "torch/lib"}

// candidates returns the names and files to try, of each version in turn: what the
// system finds, those of toolkits, those of Python's packages.
func candidates() []string {
	var all []string
	folders := slices.Clone(toolkits)
	for _, p := range slices.Concat(pythons(), packages) {
		for _, w := range within {
			folders = append(folders, filepath.Join(p, w))
		}
	}
	for _, major := range majors {
		name := fmt.Sprintf("libcublasLt.so.%d", major)
		all = append(all, name)
		all = append(all, files(folders, name)...)
	}
	return all
}

// pythons returns where the packages are of the environment of Python, and of the one
// that is first in PATH.
func pythons() []string {
	roots, all := env.Pythons(), []string(nil)
	if p, err := exec.LookPath("python3"); err == nil {
		roots = append(roots, filepath.Dir(filepath.Dir(p)))
		if p, err = filepath.EvalSymlinks(p); err == nil {
			roots = append(roots, filepath.Dir(filepath.Dir(p)))
		}
	}
	for _, r := range roots {
		all = append(all, filepath.Join(r, "lib/python3*/*-packages"))
	}
	return all
}

// files returns the files of a name that there are in folders.
func files(folders []string, name string) []string {
	home, _ := os.UserHomeDir()
	var found []string
	for _, f := range folders {
		if rest, ok := strings.CutPrefix(f, "~"); ok {
			if home == "" {
				continue
			}
			f = home + rest
		}
		some, _ := filepath.Glob(filepath.Join(f, name))
		for _, s := range some {
			if !slices.Contains(found, s) {
				found = append(found, s)
			}
		}
	}
	return found
}
