package libllvm

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
)

// inspect looks at a file before the linker maps it: one that is cut off would
// end the process with a bus error. It returns the version that the library's
// name for the linker says.
func inspect(path string) (Version, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Version{}, errMissing
	case err != nil:
		return Version{}, err
	case !info.Mode().IsRegular(): // opening a pipe waits for a writer
		return Version{}, errors.New("no shared library: it is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return Version{}, err
	}
	defer f.Close()
	file, err := elf.NewFile(f)
	if err != nil {
		return Version{}, fmt.Errorf("no shared library: %w", err)
	}
	want := elf.EM_X86_64
	if runtime.GOARCH == "arm64" {
		want = elf.EM_AARCH64
	}
	if file.Type != elf.ET_DYN || file.Machine != want {
		return Version{}, fmt.Errorf("no shared library for this machine: %v, %v", file.Type, file.Machine)
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_LOAD && (p.Off > uint64(info.Size()) || p.Filesz > uint64(info.Size())-p.Off) {
			return Version{}, errors.New("the file is cut off")
		}
	}
	names, err := file.DynString(elf.DT_SONAME)
	if err != nil || len(names) == 0 {
		return Version{}, err
	}
	return nameVersion(names[0]), nil
}
