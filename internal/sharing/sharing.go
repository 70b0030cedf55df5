// Package sharing has what backends must know and say of memory that views or goroutines share.
// Programs access memory by code that the race detector does not see, so Read and Write tell it.
//
// The package imports only ltc/soa and the standard library.
package sharing

import "ltc/soa"

// Disjoint reports whether two dense views share no memory. The result is false if either view
// is not dense.
func Disjoint(v, w *soa.View) bool {
	if !v.IsDense() || !w.IsDense() {
		return false
	}
	p, q := uintptr(v.Base()), uintptr(w.Base())
	return p+uintptr(v.Type.Bytes()) <= q || q+uintptr(w.Type.Bytes()) <= p
}
