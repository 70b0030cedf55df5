// Package callsite finds the line of the user's program that called into this
// module, fast enough to do so for every recorded op. Its central type is
// [Site].
//
// The package imports only the standard library.
package callsite

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// Site is a line of a source file: an index into a table of the process that
// only grows, by one entry for each line that records ops, and each stack of [Chain]. 0 is
// unknown.
type Site uint32

type place struct {
	file  string
	line  int
	scope string
	up    Site // the line that called the function of this one; see Chain
}

var table = struct {
	sync.RWMutex
	places []place
	ids    map[place]Site
}{places: []place{{}}, ids: map[place]Site{}}

// At returns the site of a file and line.
func At(file string, line int) Site { return (place{file: file, line: line}).site() }

// In returns the site of the same line in a named part of the user's program.
func (s Site) In(scope string) Site {
	p := s.place()
	p.scope = scope
	return p.site()
}

func (p place) site() Site {
	table.RLock()
	known, ok := table.ids[p]
	table.RUnlock()
	if ok {
		return known
	}
	table.Lock()
	defer table.Unlock()
	id, ok := table.ids[p]
	if !ok {
		id = Site(len(table.places))
		table.places = append(table.places, p)
		table.ids[p] = id
	}
	return id
}

// Position returns file and line; "" and 0 when s is unknown. The file is
// relative to the directory that the process started in when it lies below it.
func (s Site) Position() (file string, line int) {
	p := s.place()
	return p.file, p.line
}

// Up returns the line that called the function of the line; 0 unless the site is of [Chain].
func (s Site) Up() Site { return s.place().up }

// Scope returns the named part of the program that the site is in; "" if none.
func (s Site) Scope() string { return s.place().scope }

func (s Site) place() place {
	table.RLock()
	defer table.RUnlock()
	if int(s) >= len(table.places) {
		return place{}
	}
	return table.places[s]
}

// String returns file:line, or "unknown".
func (s Site) String() string {
	file, line := s.Position()
	if file == "" {
		return "unknown"
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// Cache remembers what return addresses mean. It belongs to one goroutine at
// a time; the zero value is ready.
type Cache struct {
	// Sets of ways entries: two addresses of one stack must not keep throwing
	// each other out.
	sets [128][ways]entry
	next uint8 // the way to replace next
}

const ways = 4

type entry struct {
	pc   uintptr
	site Site // 0: all frames of this address are this module's own
}

// Frames looked at at first, which reach those who record an op, and before the slow
// walk: each is a load that waits for the one before.
const (
	near  = 4
	depth = 12
)

// Caller returns the innermost frame of the calling goroutine that is not this
// module's library code.
func (c *Cache) Caller() Site {
	var pcs [depth]uintptr
	n := frames(&pcs, near)
	for i := 0; i < n && i < near; i++ {
		if site := c.lookup(pcs[i]); site != 0 {
			return site
		}
	}
	if n < near {
		return 0
	}
	n = frames(&pcs, depth)
	for _, pc := range pcs[near:max(n, near)] {
		if site := c.lookup(pc); site != 0 {
			return site
		}
	}
	if n < depth {
		return 0
	}
	return deepCaller()
}

// Caller is [Cache.Caller] for calls that are rare.
func Caller() Site {
	var c Cache
	return c.Caller()
}

func (c *Cache) lookup(pc uintptr) Site {
	set := &c.sets[uint64(pc)*0x9e3779b97f4a7c15>>57]
	if set[0].pc == pc {
		return set[0].site
	}
	return c.rest(set, pc)
}

// rest looks further in the set of an address.
func (c *Cache) rest(set *[ways]entry, pc uintptr) Site {
	for i := 1; i < ways; i++ {
		if set[i].pc == pc {
			return set[i].site
		}
	}
	e := &set[c.next%ways]
	c.next++
	e.pc, e.site = pc, resolve(pc)
	return e.site
}

// deepCaller is Caller for stacks with more library frames than depth.
func deepCaller() Site {
	var pcs [256]uintptr
	for _, pc := range pcs[:runtime.Callers(2, pcs[:])] {
		if s := resolve(pc); s != 0 {
			return s
		}
	}
	return 0
}

// Stack returns the frames of the calling goroutine that are the user's, innermost first, as
// many as most at most. Go's own and the library's are left out.
func Stack(most int) []Site {
	var pcs [256]uintptr
	iter := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	var all []Site
	for more := true; more && len(all) < most; {
		var f runtime.Frame
		if f, more = iter.Next(); f.Function != "" && !library(f.Function, f.File) && !strings.HasPrefix(f.Function, "testing.") {
			all = append(all, At(relative(f.File), f.Line))
		}
	}
	return all
}

// Chain is [Caller] with the calls that led there, as many frames as most in all. It takes
// microseconds, and each stack is a site of its own.
func Chain(most int) (s Site) {
	all := Stack(most)
	for i := len(all) - 1; i >= 0; i-- {
		p := all[i].place()
		p.up = s
		s = p.site()
	}
	return s
}

// resolve returns the innermost user frame of a return address, which stands
// for several frames where calls were inlined.
func resolve(pc uintptr) Site {
	// The second address makes CallersFrames unfold inlined calls; its own
	// frames are told apart by the function they belong to.
	iter := runtime.CallersFrames([]uintptr{pc, pc})
	last := 1
	if f := runtime.FuncForPC(pc); f != nil {
		last = int(f.Entry())
	}
	for {
		f, more := iter.Next()
		if f.Function == "" {
			return 0
		}
		if !library(f.Function, f.File) {
			return At(relative(f.File), f.Line)
		}
		if !more || f.Func != nil && int(f.Entry) == last {
			return 0 // the physical frame: inlined ones come before it
		}
	}
}

// module is this module's path, whatever it has been renamed to.
var module = strings.TrimSuffix(reflect.TypeFor[Cache]().PkgPath(), "/internal/callsite")

// userCode are the parts of the module that count as its users.
var userCode = []string{"/examples/", "/bench", "/cmd/", "/internal/usertest"}

// through are the packages that this module calls itself through.
var through = []string{"runtime.", "iter.", "slices.", "sync.", "reflect."}

// library reports whether a function is this module's own code and not a test
// or one of its programs.
func library(function, file string) bool {
	if strings.HasSuffix(file, "_test.go") {
		return false
	}
	if rest, ok := strings.CutPrefix(function, module); ok && strings.HasPrefix(rest, "/") {
		return !isUserCode(rest)
	}
	if slices.ContainsFunc(through, func(pkg string) bool { return strings.HasPrefix(function, pkg) }) {
		return true
	}
	rest, ok := strings.CutPrefix(file, directory)
	return ok && strings.HasPrefix(rest, "/") && !isUserCode(rest) && module+path.Dir(rest) != program()
}

// isUserCode reports whether a path below this module is in one of userCode.
func isUserCode(rest string) bool {
	return slices.ContainsFunc(userCode, func(p string) bool { return strings.HasPrefix(rest, p) })
}

// directory is where the sources of this module were when the program was built. The compiler names
// a closure after the function that the closure's own function is inlined in: a closure of the library
// has then the name of a user's function, and only its file tells.
var directory = func() string {
	_, file, _, _ := runtime.Caller(0)
	return strings.TrimSuffix(file, "/internal/callsite/callsite.go")
}()

// program returns the path of the package main. Its files can be below this module's.
var program = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Path
})

var startDir, _ = os.Getwd()

// roots are what SetRoots was given.
var roots []string

// SetRoots sets directories that are cut off the names of files, instead of the
// one that the process started in: the longest that a name begins with. It must
// be called before the first site is looked up.
func SetRoots(dirs []string) {
	roots = nil
	for _, d := range dirs {
		if d != "" {
			roots = append(roots, strings.TrimSuffix(filepath.ToSlash(filepath.Clean(d)), "/")+"/")
		}
	}
	slices.SortFunc(roots, func(a, b string) int { return len(b) - len(a) })
}

func relative(file string) string {
	for _, root := range roots {
		if rest, ok := strings.CutPrefix(filepath.ToSlash(file), root); ok {
			return rest
		}
	}
	if startDir == "" {
		return file
	}
	if rel, err := filepath.Rel(startDir, file); err == nil && !strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(rel)
	}
	return file
}
