//go:build linux && (amd64 || arm64)

package libllvm

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/ebitengine/purego"
)

// errMissing says that there is no library of a name.
var errMissing = errors.New("there is none")

// loaded holds the libraries by the linker's handles: one that is opened under
// two names is loaded once.
var loaded = struct {
	sync.Mutex
	by map[uintptr]*Library
}{by: map[uintptr]*Library{}}

// openOne opens the library of a file or, without a slash in its name, the one that
// the system's linker finds. In the background time counts less than memory.
func openOne(name string, background bool) (*Library, error) {
	version := nameVersion(name)
	if strings.Contains(name, "/") {
		path, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		if version, err = inspect(path); err != nil {
			return nil, err
		}
		name = path
	}
	if version.Major != 0 && version.Major < oldest {
		return nil, fmt.Errorf("LLVM %d is too old: %d is the oldest that works", version.Major, oldest)
	}
	lite := strings.HasPrefix(filepath.Base(name), "libllvmlite")
	if !version.tested() && !lite {
		if !present(name) { // no process is started for nothing
			return nil, errMissing
		}
		if err := probe(name); err != nil {
			return nil, err
		}
	}
	l, err := load(name, version, background)
	if err != nil {
		return nil, err
	}
	if lite && !l.version.tested() {
		if err := probe(name); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// directories are where linkers look for libraries that no list names.
var directories = []string{
	"/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib",
	"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", // Debian and what descends from it
}

// present reports whether the system's linker is likely to find one of some libraries: it
// lies in a usual directory, or the linker's list of libraries names it. The list has some
// hundred kilobytes, and so is read last.
func present(names ...string) bool {
	for _, name := range names {
		if strings.Contains(name, "/") {
			return true
		}
		for _, dir := range directories {
			if isFile(filepath.Join(dir, name)) {
				return true
			}
		}
	}
	list, err := os.ReadFile("/etc/ld.so.cache")
	return err == nil && slices.ContainsFunc(names, func(name string) bool { return bytes.Contains(list, append([]byte(name), 0)) })
}

// load makes the linker load a library, and finds what it can do.
func load(name string, version Version, background bool) (*Library, error) {
	runtime.LockOSThread() // of which dlerror is: why there is no library
	defer runtime.UnlockOSThread()
	end := func() {}
	if background {
		end = watchLoading(located(name))
	}
	handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	end()
	if err != nil {
		if said := err.Error(); strings.Contains(said, "cannot open shared object file") || strings.Contains(said, "No such file") {
			return nil, errMissing
		}
		return nil, err
	}
	loaded.Lock()
	defer loaded.Unlock()
	if l := loaded.by[handle]; l != nil {
		return l, nil
	}
	l, err := use(handle, name, version)
	if err != nil {
		purego.Dlclose(handle)
		return nil, err
	}
	loaded.by[handle] = l
	return l, nil
}

// located returns the file that the linker is likely to find for a name; the name if there is none.
func located(name string) string {
	if strings.Contains(name, "/") {
		return realFile(name)
	}
	for _, dir := range directories {
		if file := filepath.Join(dir, name); isFile(file) {
			return realFile(file)
		}
	}
	return name
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// realFile returns the file that links lead to, as mappings name it.
func realFile(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// use makes a Library of what the linker loaded.
func use(handle uintptr, name string, version Version) (*Library, error) {
	var e engine
	var err error
	if _, missing := purego.Dlsym(handle, "LLVMPY_GetVersionInfo"); missing == nil {
		e, err = newLite(handle)
	} else {
		e, err = newCAPI(handle, version)
	}
	if err != nil {
		return nil, err
	}
	said := e.version()
	switch {
	case said == Version{}:
		said = version
	case version.Major != 0 && version.Major != said.Major:
		return nil, fmt.Errorf("it is called LLVM %d and says that it is %v", version.Major, said)
	}
	if said.Major < oldest {
		return nil, fmt.Errorf("LLVM %v is too old: %d is the oldest that works", said, oldest)
	}
	l := &Library{path: name, version: said, engine: e}
	needed := map[string]bool{} // by a library that stays, and so stays itself
	for i, m := range loadedBy(handle) {
		if i == 0 {
			l.path = m.file
		} else if !needed[m.name] {
			continue
		}
		at := layoutOf(m.file)
		l.pages = append(l.pages, at.at(m.base)...)
		for _, name := range at.needs {
			needed[name] = true
		}
	}
	l.pages.release() // most of what the linker has read is not needed again
	return l, nil
}
