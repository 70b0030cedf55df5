//go:build linux && (amd64 || arm64)

package libllvm

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"github.com/ebitengine/purego"
)

// backgroundNice is the scheduler's nice value of threads that give way to others.
const backgroundNice = 15

// work is one compilation, on a thread of its own.
type work struct {
	library *Library
	done    chan outcome // takes one, so that nobody need be there
	errors  []string     // diagnostics so far
}

type outcome struct {
	object []byte
	err    error
}

// working holds the works by their threads' ids: what libLLVM calls back knows
// nothing else.
var working sync.Map

// run compiles text and reports to w.done.
func (w *work) run(text string, o Options) {
	runtime.LockOSThread()
	thread := syscall.Gettid()
	if o.Background { // the thread ends with this goroutine
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, thread, backgroundNice)
	} else {
		defer runtime.UnlockOSThread()
	}
	working.Store(thread, w)
	defer working.Delete(thread)
	object, err := w.library.compile(text, o)
	switch {
	case len(w.errors) > 0 && err != nil:
		err = fmt.Errorf("%w: %s", err, strings.Join(w.errors, "; "))
	case len(w.errors) > 0:
		object, err = nil, fmt.Errorf("compile: %s", strings.Join(w.errors, "; "))
	}
	w.done <- outcome{object, err}
}

// compile has the engine compile a text. In the background it holds no more of the library's
// pages than a stage needs.
func (l *Library) compile(text string, o Options) ([]byte, error) {
	between := func() {}
	if l.single.Swap(o.Background) != o.Background {
		l.pages.setFaultAround(!o.Background)
	}
	if o.Background { // time counts less than memory
		between = func() {
			l.pages.release()
			trimHeap()
		}
		defer func() {
			trimHeap()
			l.ReleasePages()
		}()
	}
	l.running.Add(1)
	defer l.running.Add(-1)
	return l.engine.compile(text, o, between)
}

// trimHeap gives memory that the library has freed back to the system, where the C library can.
func trimHeap() {
	if trim := mallocTrim(); trim != 0 {
		trim.call(0)
	}
}

// mallocTrim is malloc_trim of glibc; 0 if there is none.
var mallocTrim = sync.OnceValue(func() fn {
	trim, err := purego.Dlsym(purego.RTLD_DEFAULT, "malloc_trim")
	if err != nil {
		return 0
	}
	return fn(trim)
})

// current returns the work of the calling thread; nil if it has none.
func current() *work {
	w, _ := working.Load(syscall.Gettid())
	found, _ := w.(*work)
	return found
}

// onFatal is what libLLVM calls instead of printing reason and ending the
// process, which it does when this returns. So it does not: the compilation
// fails, its thread stays here for good, with whatever locks it holds, and the
// library is not used any more.
var onFatal = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(reason uintptr) {
		w := current()
		if w == nil {
			panic("libLLVM: " + goString(reason)) // it would end the process anyway
		}
		e := &FatalError{Reason: goString(reason)}
		w.library.broken.Store(e)
		w.done <- outcome{err: e}
		select {}
	})
})

// onDiagnostic is what libLLVM calls with diagnostics of a context instead of
// printing them and, after an error, ending the process.
var onDiagnostic = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(info, _ uintptr) {
		const isError = 0
		if w := current(); w != nil {
			c := w.library.engine.(*capi)
			if uint32(c.getDiagInfoSeverity.call(info)) == isError {
				w.errors = append(w.errors, c.take(c.getDiagInfoDescription.call(info)))
			}
		}
	})
})
