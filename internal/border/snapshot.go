package border

import (
	"slices"
	"sync"
	"unsafe"

	"ltc/backends"
	"ltc/internal/spare"
	"ltc/ir/types"
	"ltc/soa"
)

// snapshot is what a call was before the backend had it. Its record is apart, nil if all
// places are plain: what is stored there would take places to the heap.
type snapshot struct{ args, results []place }

// few is of how many arguments and results together a call is noted on the stack.
const few = 8

// place is where a view is, and the slices that describe it.
type place struct {
	first          unsafe.Pointer
	shape, strides *int
	dtype          types.DType // invalid for a zero view
	plain          bool        // of the program's type, which says what the slices hold
}

// layout is what the slices of a view that is not plain hold.
type layout struct {
	shape, strides []int
	table          []unsafe.Pointer
	axis           int
}

// record is what the call of a run needs besides places. It is used again.
type record struct {
	places  []place
	layouts []layout // of places that are not plain, by their numbers
	spans   []span   // memory for shared
	open    bool     // the call has no memory for some result

	alloc func(types.Type) soa.View // make
	mu    sync.Mutex
	own   func(types.Type) soa.View // the caller's; nil: [soa.Make]
	made  []span                    // by make
}

const keptCalls = 8

var records = spare.New(keptCalls, func() *record {
	r := new(record)
	r.alloc = r.make
	return r
})

func placeOf(v *soa.View) place {
	return place{first: v.Start(), shape: unsafe.SliceData(v.Type.Shape), strides: unsafe.SliceData(v.Strides), dtype: v.Type.DType}
}

// plain notes a call with few views, all of which are plain; ok is false for other calls.
// open reports whether the caller gives no memory for some result. Every step runs this and
// [Executable.untouched].
func (x *Executable) plain(c *backends.Call, to *[few]place) (open, ok bool) {
	args, results := c.Args, c.Results
	n := len(args)
	if n+len(results) > few || n != len(x.sig.Args) || len(results) != len(x.sig.Results) {
		return false, false
	}
	for i := range args {
		if !args[i].Plain(&x.sig.Args[i].Type) {
			return false, false
		}
		to[i].notePlain(&args[i])
	}
	for j := range results {
		switch v := &results[j]; {
		case !v.Type.DType.Valid():
			open = true
		case !v.Plain(&x.sig.Results[j].Type):
			return false, false
		default:
			to[n+j].notePlain(v)
		}
	}
	return open, true
}

// untouched reports that all views of the call, which [Executable.plain] has noted and none
// of which is open, are as they were. So [snapshot.accept] has nothing to refuse.
func (x *Executable) untouched(c *backends.Call, was *[few]place) bool {
	args, results := c.Args, c.Results
	n := len(args)
	if n+len(results) > few || n != len(x.sig.Args) || len(results) != len(x.sig.Results) {
		return false
	}
	for i := range args {
		if !was[i].at(&args[i]) || !args[i].Plain(&x.sig.Args[i].Type) {
			return false
		}
	}
	for j := range results {
		if !was[n+j].at(&results[j]) || !results[j].Plain(&x.sig.Results[j].Type) {
			return false
		}
	}
	return true
}

// snapshot is what [Executable.plain] has noted.
func (x *Executable) snapshot(noted *[few]place) snapshot {
	n := len(x.sig.Args)
	return snapshot{args: noted[:n:n], results: noted[n : n+len(x.sig.Results)]}
}

// notePlain notes v, which is plain.
func (p *place) notePlain(v *soa.View) {
	p.first, p.shape, p.strides = v.Start(), unsafe.SliceData(v.Type.Shape), unsafe.SliceData(v.Strides)
	p.dtype, p.plain = v.Type.DType, true
}

// at reports whether v, if it is plain, has the memory and the slices that were noted at p.
func (p *place) at(v *soa.View) bool {
	return v.Start() == p.first && unsafe.SliceData(v.Type.Shape) == p.shape && unsafe.SliceData(v.Strides) == p.strides
}

// note records any call; open reports whether the caller gives no memory for some result.
func (r *record) note(x *Executable, c *backends.Call) (g snapshot, open bool) {
	r.places = r.places[:0]
	for i := range c.Args {
		r.add(&c.Args[i], x.argType(i))
	}
	n := len(r.places)
	open = len(c.Results) < len(x.sig.Results)
	for j := range c.Results {
		r.add(&c.Results[j], x.resultType(j))
		open = open || !r.places[n+j].dtype.Valid()
	}
	return snapshot{args: r.places[:n:n], results: r.places[n:]}, open
}

func (r *record) add(v *soa.View, t *types.Type) {
	p, i := placeOf(v), len(r.places)
	p.plain = t != nil && v.Plain(t)
	r.places = append(r.places, p)
	if p.plain {
		return
	}
	for len(r.layouts) <= i {
		r.layouts = append(r.layouts, layout{})
	}
	l := &r.layouts[i]
	l.shape, l.strides = append(l.shape[:0], v.Type.Shape...), append(l.strides[:0], v.Strides...)
	l.table, l.axis = append(l.table[:0], v.Table...), v.TableAxis
}

// argType and resultType are what the program says; nil of what it does not have.
func (x *Executable) argType(i int) *types.Type {
	if i < len(x.sig.Args) {
		return &x.sig.Args[i].Type
	}
	return nil
}

func (x *Executable) resultType(j int) *types.Type {
	if j < len(x.sig.Results) {
		return &x.sig.Results[j].Type
	}
	return nil
}

// layout returns that of a place that is not plain, by its number; those of results
// come after those of arguments.
func (r *record) layout(i int) *layout {
	if r == nil || i >= len(r.layouts) {
		return nil
	}
	return &r.layouts[i]
}

// same reports whether v is the view that was noted at p, with the same layout.
func (p *place) same(v *soa.View, t *types.Type, l *layout) bool {
	if v.Start() != p.first || unsafe.SliceData(v.Type.Shape) != p.shape || unsafe.SliceData(v.Strides) != p.strides {
		return false
	}
	return p.lies(v, t, l)
}

// lies reports whether v has the layout that was noted at p.
func (p *place) lies(v *soa.View, t *types.Type, l *layout) bool {
	if p.plain {
		return v.Plain(t)
	}
	return v.Type.DType == p.dtype && slices.Equal(v.Type.Shape, l.shape) && slices.Equal(v.Strides, l.strides) &&
		slices.Equal(v.Table, l.table) && v.TableAxis == l.axis
}

// restore takes back what the run wrote into slices of the caller's, which are those of its
// variables and programs.
func (g *snapshot) restore(x *Executable, r *record) {
	for i := range g.args {
		g.args[i].restore(x.argType(i), r.layout(i))
	}
	for j := range g.results {
		g.results[j].restore(x.resultType(j), r.layout(len(g.args)+j))
	}
}

func (p *place) restore(t *types.Type, l *layout) {
	switch {
	case !p.dtype.Valid(): // the call had no memory
		return
	case p.plain:
		back(p.shape, t.Shape)
		if strides := unsafe.Slice(p.strides, len(t.Shape)); !dense(t.Shape, strides) {
			copy(strides, soa.Dense(t.Shape))
		}
		return
	}
	back(p.shape, l.shape)
	back(p.strides, l.strides)
}

// back has memory hold what it was. It is not written if it does: others may read it.
func back(to *int, was []int) {
	if is := unsafe.Slice(to, len(was)); !slices.Equal(is, was) {
		copy(is, was)
	}
}

// dense reports whether strides are those of dense memory.
func dense(s types.Shape, strides []int) bool {
	v := soa.View{Type: types.Type{Shape: s}, Strides: strides}
	return v.IsDense()
}

// begin has the memory noted that the backend asks for, until [record.end].
func (r *record) begin(c *backends.Call, open bool) {
	if r.open = open; !open {
		return
	}
	r.mu.Lock()
	r.own, r.made = c.Alloc, r.made[:0]
	r.mu.Unlock()
	c.Alloc = r.alloc
}

// end gives the call back as it was, and r for other calls. It keeps no memory alive.
func (r *record) end(c *backends.Call) {
	if r.open {
		r.mu.Lock()
		c.Alloc, r.own = r.own, nil
		r.mu.Unlock()
	}
	for i := range min(len(r.places), len(r.layouts)) {
		clear(r.layouts[i].table)
	}
	clear(r.places)
	r.places = r.places[:0]
	records.Put(r)
}

// make is the call's Alloc.
func (r *record) make(t types.Type) soa.View {
	r.mu.Lock()
	own := r.own
	r.mu.Unlock()
	var v soa.View
	if own != nil {
		v = own(t)
	} else {
		v = soa.Make(t)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for lo, hi := range v.Spans {
		r.made = append(r.made, span{lo: lo, hi: hi})
	}
	return v
}

// given returns what make gave so far. A nil record made nothing.
func (r *record) given() []span {
	if r == nil || !r.open {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.made
}

// contains reports whether v is in memory that make gave.
func (r *record) contains(v *soa.View) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for lo, hi := range v.Spans {
		if !slices.ContainsFunc(r.made, func(m span) bool { return m.lo <= lo && hi <= m.hi }) {
			return false
		}
	}
	return true
}
