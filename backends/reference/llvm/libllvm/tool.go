//go:build linux && (amd64 || arm64)

package libllvm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tool is a program of LLVM's that compiles in child processes: what is left
// where no library can be loaded. Each compilation takes it some tens of
// milliseconds more, in a temporary directory that is removed afterwards.
type tool struct {
	*toolKind
	path string // absolute
	said Version
}

// toolKind says how a kind of program is asked. Lists are of arguments, behind
// the program's file.
type toolKind struct {
	name    string // what the names of its files begin with
	by      string // what it is called in reports
	version []string
	// helper is the program beside it that runs passes first, and how it is
	// asked for its version and to work; empty if there is none.
	helper string
	passes func(t *tool, o Options) []string
	// compile returns how it is asked to compile input, which is of text, into
	// output.
	compile func(t *tool, o Options, text, input, output string) []string
}

// What files are called in the directory of a compilation.
const (
	inputFile  = bufferName + ".ll"
	passedFile = bufferName + ".bc"
	outputFile = bufferName + ".o"
)

// toolKinds are the programs that will do, the best first: llc takes the very
// passes that libraries are given; clang and zig have pipelines of their own.
var toolKinds = []*toolKind{
	{name: "llc", by: "opt and llc", version: []string{"--version"}, helper: "opt",
		passes: func(t *tool, o Options) []string {
			return []string{"-mtriple=" + o.triple(), "-passes=" + pipeline(t.said), "-o", passedFile, inputFile}
		},
		compile: func(t *tool, o Options, _, input, output string) []string {
			kind := "obj"
			if o.Assembly {
				kind = "asm"
			}
			return append(generator(t.said, o.arch()), "-mtriple="+o.triple(), "-O"+strconv.Itoa(codegen), "-relocation-model=pic", "-code-model=small", "-filetype="+kind, "-o", output, input)
		}},
	{name: "clang", by: "clang", version: []string{"--version"},
		compile: func(_ *tool, o Options, _, input, output string) []string {
			return append(driven(o, input, output), "--target="+o.triple())
		}},
	{name: "zig", by: "zig cc", version: []string{"cc", "--version"},
		compile: func(_ *tool, o Options, text, input, output string) []string {
			// Its triples have no vendor. It names each feature of the processor that
			// it is told, which else is the one at hand, and functions that name a
			// processor without features get those.
			triple, cpu := strings.Replace(o.triple(), "-unknown-", "-", 1), "baseline"
			if m := processor.FindStringSubmatch(text); m != nil {
				cpu = strings.ReplaceAll(m[1], "-", "_")
			}
			return append(append([]string{"cc"}, driven(o, input, output)...), "-target", triple, "-mcpu="+cpu)
		}},
}

// driven is how the drivers of compilers of C are asked. Loops are vectorised
// and unrolled already, where that pays.
func driven(o Options, input, output string) []string {
	kind := "-c"
	if o.Assembly {
		kind = "-S"
	}
	args := []string{kind, "-w", "-O2", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-ffp-contract=off",
		"-fPIC", "-mcmodel=small", "-o", output, input}
	if o.Verify {
		args = append(args, "-fverify-intermediate-code")
	}
	return args
}

// processor finds the processor that the functions of a text are for.
var processor = regexp.MustCompile(`"target-cpu"="([^"]+)"`)

// toolVersion finds the version that a program prints.
var toolVersion = regexp.MustCompile(`(?:LLVM|clang) version (\d+)\.(\d+)(?:\.(\d+))?`)

// kindOf returns the kind of the tool that a file or command is, by its name:
// llc, clang or zig, with a version behind it or not; nil if it is none.
func kindOf(name string) *toolKind {
	base := filepath.Base(name)
	for _, k := range toolKinds {
		if rest, ok := strings.CutPrefix(base, k.name); ok && strings.Trim(rest, "-.0123456789") == "" {
			return k
		}
	}
	return nil
}

// openTool opens the tool of a file or, without a slash in its name, the command
// that PATH has. It has told its version and compiled a program then.
func openTool(name string) (*Library, error) {
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return nil, errMissing
	}
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, err
	}
	t := &tool{toolKind: kindOf(name), path: path}
	if t.said, err = t.ask(t.path, t.toolKind.version); err != nil {
		return nil, err
	}
	if t.said.Major < oldest {
		return nil, fmt.Errorf("LLVM %v is too old: %d is the oldest that works", t.said, oldest)
	}
	if t.helper != "" {
		switch of, err := t.ask(t.beside(), t.toolKind.version); {
		case err != nil:
			return nil, fmt.Errorf("it needs %s: %w", t.beside(), err)
		case of != t.said:
			return nil, fmt.Errorf("it is of LLVM %v, %s of %v", t.said, t.beside(), of)
		}
	}
	l := &Library{path: path, version: t.said, engine: t, by: t.by}
	if err := tries(l, Options{}); err != nil {
		return nil, fmt.Errorf("it was tried: %w", err)
	}
	return l, nil
}

// beside returns the file of the helper: of the same version by its name.
func (t *tool) beside() string {
	dir, base := filepath.Split(t.path)
	return filepath.Join(dir, t.helper+strings.TrimPrefix(base, t.name))
}

// ask returns the version that a program prints.
func (t *tool) ask(path string, args []string) (Version, error) {
	ctx, cancel := context.WithTimeout(context.Background(), childTime)
	defer cancel()
	said, err := started(ctx, "", path, args)
	if err != nil {
		return Version{}, err
	}
	m := toolVersion.FindStringSubmatch(said)
	if m == nil {
		return Version{}, fmt.Errorf("asked for its version, it says %q", brief(said, nil))
	}
	var v [3]int
	for i := range v {
		v[i], _ = strconv.Atoi(m[i+1])
	}
	return Version{v[0], v[1], v[2]}, nil
}

func (t *tool) version() Version { return t.said }

// compileTime is how long one compilation may take; tests make it less.
var compileTime = 5 * time.Minute

func (t *tool) compile(ctx context.Context, text string, o Options) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, compileTime)
	defer cancel()
	dir, err := os.MkdirTemp("", "ltc-llvm-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, inputFile), []byte(text), 0o600); err != nil {
		return nil, err
	}
	input := inputFile
	if t.helper != "" {
		if err := t.work(ctx, dir, t.beside(), t.passes(t, o), text); err != nil {
			return nil, err
		}
		input = passedFile
	}
	if err := t.work(ctx, dir, t.path, t.toolKind.compile(t, o, text, input, outputFile), text); err != nil {
		return nil, err
	}
	object, err := readObject(filepath.Join(dir, outputFile))
	if err != nil {
		return nil, fmt.Errorf("%s has left no object: %w", t.path, err)
	}
	return object, nil
}

// mostObject is how many bytes an object may have: those of kernels have kilobytes,
// of the largest programs some megabytes.
const mostObject = 256 << 20

// readObject reads what a tool has written, which may be anything.
func readObject(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("what it wrote is no regular file")
	case info.Size() > mostObject:
		return nil, fmt.Errorf("it wrote %d bytes, and at most %d are read", info.Size(), mostObject)
	}
	return os.ReadFile(path)
}

// work runs a program on the files of dir, and makes its complaint an error.
func (t *tool) work(ctx context.Context, dir, path string, args []string, text string) error {
	said, err := started(ctx, dir, path, args)
	switch {
	case err == nil:
		return nil
	case position.MatchString(said):
		return parseFailed(said, text)
	}
	return err
}

// started runs a program in dir until it ends or ctx does, then with all
// processes that it has started, and returns the first of what it has printed:
// its output, or its complaint with the error.
func started(ctx context.Context, dir, path string, args []string) (string, error) {
	// The signal for children whose parent has died looks at its thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	if dir != "" { // zig would keep what we keep ourselves
		cmd.Env = append(cmd.Env, "ZIG_LOCAL_CACHE_DIR="+dir, "ZIG_GLOBAL_CACHE_DIR="+dir)
	}
	var out, complaint head
	cmd.Stdout, cmd.Stderr = &out, &complaint
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case err == nil:
		return string(out), nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("%s has taken too long and was ended", path)
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	return string(complaint), fmt.Errorf("%s: %w: %s", path, err, brief("", complaint))
}
