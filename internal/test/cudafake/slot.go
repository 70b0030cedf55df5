package cudafake

import (
	"reflect"
	"slices"
	"sync"

	"github.com/ebitengine/purego"

	"ltc/backends/cuda/driver"
)

// slot is a table of C functions. Such functions are never given back, so that
// fakes take turns.
type slot struct {
	mu        sync.Mutex
	fake      *Fake
	addresses map[string]uintptr
}

// slots are those that no fake has, the one given back first at the front: a goroutine that leaves a context after its fake
// was closed must not leave one of the next fake. 2000 functions of C can be made in a process.
var slots struct {
	sync.Mutex
	made int
	free []*slot
}

const most = 16

func take(f *Fake) *slot {
	slots.Lock()
	defer slots.Unlock()
	var s *slot
	switch {
	case slots.made == most && len(slots.free) == 0:
		panic("cudafake: too many are open: Close those that are not needed")
	case slots.made == most:
		s, slots.free = slots.free[0], slots.free[1:]
	default:
		slots.made++
		s = &slot{addresses: map[string]uintptr{}}
		for _, table := range []map[string]any{functions, productFunctions} {
			for name, fn := range table {
				s.addresses[name] = purego.NewCallback(s.function(name, fn))
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fake = f
	return s
}

func (s *slot) give() {
	s.mu.Lock()
	s.fake = nil
	s.mu.Unlock()
	slots.Lock()
	defer slots.Unlock()
	slots.free = append(slots.free, s)
}

// function returns a method of a fake as a function that calls it on the slot's.
func (s *slot) function(name string, method any) any {
	fn := reflect.ValueOf(method)
	t := fn.Type()
	var in []reflect.Type
	for i := 1; i < t.NumIn(); i++ {
		in = append(in, t.In(i))
	}
	out := t.Out(0)
	result := func(c driver.Code) []reflect.Value { return []reflect.Value{reflect.ValueOf(c).Convert(out)} }
	return reflect.MakeFunc(reflect.FuncOf(in, []reflect.Type{out}, false), func(args []reflect.Value) []reflect.Value {
		s.mu.Lock()
		f := s.fake
		s.mu.Unlock()
		if f == nil {
			return result(driver.Deinitialized)
		}
		if f.hosting.Load() == int64(thread()) {
			return result(800) // CUDA_ERROR_NOT_PERMITTED
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.calls[name]++
		if do := f.before[name]; do != nil {
			delete(f.before, name)
			f.mu.Unlock()
			do()
			f.mu.Lock()
		}
		if c := f.failure(name); c != driver.Success {
			if c.Lost() {
				if d := f.top(); d != nil {
					f.lose(d, c)
				}
			}
			return result(c)
		}
		return fn.Call(append([]reflect.Value{reflect.ValueOf(f)}, args...))
	}).Interface()
}

func sorted[V any](m map[string]V) []string {
	var names []string
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
