package reference

import (
	"bytes"
	"hash/maphash"
	"runtime"
	"slices"
	"sync"
	"unsafe"
	"weak"

	"ltc/internal/hostmem"
	"ltc/soa"
)

// allForms has the forms of all programs of the process.
var allForms sharedForms

// sharedForms are constants in the forms that code reads, packed or computed, of all programs
// that hold them. Two programs of one model, of two batch sizes for example, hold each form once.
// A form is found by what it is, and compared byte by byte with what the program would make.
// So it does not matter where its elements came from, and whether they have changed since.
// A form is freed when the last program that holds it is collected.
type sharedForms struct {
	mu  sync.Mutex
	all map[formKind][]weak.Pointer[sharedForm]
	// spare has memory in which forms are made that are likely to be there already: *soa.View.
	spare sync.Pool
}

// formKind is what forms have in common that may be the same.
type formKind struct {
	key    string
	sample uint64 // a hash of some elements of the operands
	bytes  int
}

// sharedForm is a form that programs hold. Nobody writes to it.
type sharedForm struct{ view soa.View }

func firstBytes(v soa.View, n int) []byte { return unsafe.Slice((*byte)(v.Base()), n) }

// share returns the form that write makes in memory that is zero.
func (s *sharedForms) share(of formKind, write func(unsafe.Pointer)) *sharedForm {
	there := s.get(of)
	if len(there) == 0 {
		v := bytesView(of.bytes)
		write(v.Base())
		return s.add(of, v)
	}
	spare, _ := s.spare.Get().(*soa.View)
	if spare == nil || spare.Type.Bytes() < of.bytes {
		v := bytesView(of.bytes)
		spare = &v
	} else {
		clear(firstBytes(*spare, of.bytes))
	}
	defer s.spare.Put(spare)
	write(spare.Base())
	made := firstBytes(*spare, of.bytes)
	for _, f := range there {
		if bytes.Equal(firstBytes(f.view, of.bytes), made) {
			return f
		}
	}
	v := bytesView(of.bytes)
	copy(firstBytes(v, of.bytes), made)
	return s.add(of, v)
}

// shareValue returns the form that a value is, as it is.
func (s *sharedForms) shareValue(v soa.View) *sharedForm {
	n := v.Type.Bytes()
	return s.add(formKind{"value " + v.Type.String(), sampleOf(firstBytes(v, n)), n}, v)
}

// get returns the forms of a kind.
func (s *sharedForms) get(of formKind) (there []*sharedForm) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.all[of] {
		if f := w.Value(); f != nil {
			there = append(there, f)
		}
	}
	return there
}

// add adds a form, if there is none like it, and returns the one that is there.
func (s *sharedForms) add(of formKind, v soa.View) *sharedForm {
	for _, f := range s.get(of) { // another program may have made it meanwhile
		if bytes.Equal(firstBytes(f.view, of.bytes), firstBytes(v, of.bytes)) {
			return f
		}
	}
	f := &sharedForm{v}
	w := weak.Make(f)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[formKind][]weak.Pointer[sharedForm]{}
	}
	s.all[of] = append(s.all[of], w)
	hostmem.AddPacked(of.bytes)
	runtime.AddCleanup(f, func(of formKind) { s.remove(of, w) }, of)
	return f
}

// remove removes a form that no program holds.
func (s *sharedForms) remove(of formKind, w weak.Pointer[sharedForm]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	hostmem.AddPacked(-of.bytes)
	if left := slices.DeleteFunc(s.all[of], func(x weak.Pointer[sharedForm]) bool { return x == w }); len(left) > 0 {
		s.all[of] = left
	} else {
		delete(s.all, of)
	}
}

var sampleSeed = maphash.MakeSeed()

// sampleOf returns a hash of some of the bytes: of 64 lines, spread over all of them.
func sampleOf(all []byte) uint64 {
	const line, lines = 64, 64
	var h maphash.Hash
	h.SetSeed(sampleSeed)
	for i := range lines {
		at := len(all) / lines * i
		h.Write(all[at:min(at+line, len(all))])
	}
	return h.Sum64()
}
