package soa

// Locate makes v show the elements that w shows and leaves v's type, which must
// be w's, as it is: who reads only the type need not wait for the elements.
func (v *View) Locate(w View) {
	v.Strides, v.Table, v.TableAxis, v.base, v.hold = w.Strides, w.Table, w.TableAxis, w.base, w.hold
}
