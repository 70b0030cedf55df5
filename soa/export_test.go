package soa

// What tests of package soa_test see.

// ReadOnly reports whether the memory must not be written: see [OpenShared] and [Foreign].
func (b *Buffer) ReadOnly() bool { return b.readOnly }

// Alignment returns the alignment of each column in bytes.
func (l *Layout) Alignment() int { return l.align }

// Enforced reports whether memory must start at a multiple of the alignment: see [Relaxed].
func (l *Layout) Enforced() bool { return !l.relaxed }

// Index returns the element's number.
func (r ConstRow[T]) Index() int { return r.i }
