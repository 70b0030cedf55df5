package footprint

// objects is a set of addresses with the bytes that are counted of each: a hash table
// with linear probing, which is emptied at no cost. x is reachable during a walk, and
// Go moves nothing on its heap, so that numbers serve as addresses.
type objects struct {
	slots []object // a power of two
	used  int
	round uint16 // slots of other rounds are empty
}

// object is small: a process that compiles its first program touches each page of the
// table for the first time.
type object struct {
	address uintptr
	sized   uint64 // its bytes in the upper 48 bits, its round in the lower 16
}

func (x *object) bytes() uintptr { return uintptr(x.sized >> 16) }

func (x *object) round() uint16 { return uint16(x.sized) }

func (x *object) set(bytes uintptr, round uint16) { x.sized = uint64(bytes)<<16 | uint64(round) }

// clear empties the set. A large one is given back: few programs are so large.
func (o *objects) clear() {
	const mostKept = 1 << 16
	if len(o.slots) > mostKept || o.round+1 == 0 {
		*o = objects{}
		return
	}
	o.used = 0
	o.round++
}

// at returns the object at an address, and whether the set had it.
func (o *objects) at(address uintptr) (x *object, found bool) {
	if 4*o.used >= 3*len(o.slots) {
		o.grow()
	}
	for i := hash(address); ; i++ {
		x := &o.slots[i&(len(o.slots)-1)]
		switch {
		case x.round() != o.round:
			x.address = address
			x.set(0, o.round)
			o.used++
			return x, false
		case x.address == address:
			return x, true
		}
	}
}

func (o *objects) grow() {
	old, round := o.slots, o.round
	const first = 1 << 12 // what a program of some hundred ops takes, so that its first walk does not grow
	*o = objects{slots: make([]object, max(first, 2*len(old))), round: 1}
	for _, x := range old {
		if x.round() == round {
			y, _ := o.at(x.address)
			y.set(x.bytes(), o.round)
		}
	}
}

// hash spreads addresses, whose low bits are the same for objects of one size.
func hash(address uintptr) int {
	const golden = 0x9E3779B9 // 2^32 by the golden ratio: Knuth, The Art of Computer Programming 3, 6.4
	return int(uint32(address>>3) * golden >> 8)
}
