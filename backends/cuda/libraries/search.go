package libraries

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ltc/internal/env"
)

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

// Candidates returns the names and files to try for the given names in turn: of each
// what the system finds, those of toolkits, those of Python's packages.
func Candidates(names ...string) []string {
	var all []string
	folders := slices.Concat(toolkits, inPackages(within...))
	for _, name := range names {
		all = append(all, name)
		all = append(all, files(folders, name)...)
	}
	return all
}

// Headers returns the texts of headers in C by their names, which toolkits have, and the
// packages of Python beside their libraries; for tests. The error says which there is not.
func Headers(names ...string) (texts []string, err error) {
	folders := append([]string{"/usr/local/cuda*/include"}, inPackages("nvidia/*/include")...)
	for _, name := range names {
		found := files(folders, name)
		if len(found) == 0 {
			return nil, fmt.Errorf("there is no %s", name)
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	return texts, nil
}

// inPackages returns where folders of packages of Python may be.
func inPackages(within ...string) []string {
	var folders []string
	for _, p := range slices.Concat(pythons(), packages) {
		for _, w := range within {
			folders = append(folders, filepath.Join(p, w))
		}
	}
	return folders
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
