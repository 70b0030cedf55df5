package lazy

// Name returns the name that a variable or scalar argument was made with; ""
// for other tensors.
func (t *Tensor) Name() string {
	switch {
	case t.v != nil:
		return t.v.name
	case t.val != nil:
		return t.val.name
	}
	return ""
}

// IsVariable reports whether t is a variable, which ops with an underscore and
// Assign accept.
func (t *Tensor) IsVariable() bool { return t.v != nil }
