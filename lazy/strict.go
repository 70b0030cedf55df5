package lazy

// Strict makes a bad op panic with its [*OpError] where it is called, instead of
// returning a tensor that holds the error: for debugging, to get a stack. Calls
// that return an error themselves, as MarkStep and Value do, still return it.
func Strict() Option { return func(d *Device) { d.strict = true } }

// poisoned returns a tensor of the device, and of tr if that is not nil, that
// holds err.
func (d *Device) poisoned(tr *Trace, err *OpError) *Tensor {
	if d != nil && d.strict && (tr == nil || tr.gentle == 0) {
		panic(err)
	}
	return &Tensor{tr: tr, dev: d, err: err}
}

// strictly panics with err in strict mode: for errors that no result holds.
func (tr *Trace) strictly(err *OpError) { tr.dev.poisoned(tr, err) }

// gently returns what record does, poisoned even where bad ops panic: for who
// makes another error of it.
func (tr *Trace) gently(record func() *Tensor) *Tensor {
	tr.gentle++
	defer func() { tr.gentle-- }()
	return record()
}
