package footprint

// objects is a set of addresses with the bytes that are counted of each: a hash table
// with linear probing, which is emptied at no cost. x is reachable during a walk, and
// Go moves nothing on its heap, so that numbers serve as addresses.
type objects struct {
	slots []object // a power of two
	used  int
	round uint32 // slots of other rounds are empty
}

type object struct {
	address, bytes uintptr
	round          uint32
}

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
	if 2*o.used >= len(o.slots) {
		o.grow()
	}
	for i := hash(address); ; i++ {
		x := &o.slots[i&(len(o.slots)-1)]
		switch {
		case x.round != o.round:
			*x = object{address: address, round: o.round}
			o.used++
			return x, false
		case x.address == address:
			return x, true
		}
	}
}

func (o *objects) grow() {
	old, round := o.slots, o.round
	*o = objects{slots: make([]object, max(1<<10, 2*len(old))), round: 1}
	for _, x := range old {
		if x.round == round {
			y, _ := o.at(x.address)
			y.bytes = x.bytes
		}
	}
}

// hash spreads addresses, whose low bits are the same for objects of one size.
func hash(address uintptr) int {
	const golden = 0x9E3779B9 // 2^32 by the golden ratio: Knuth, The Art of Computer Programming 3, 6.4
	return int(uint32(address>>3) * golden >> 8)
}
