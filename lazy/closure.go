package lazy

// AfterStep has fn called once when the step being recorded has ended, with nil
// or the step's error. Closures are called in the order of AfterStep, after the step's
// results are there and before the trace's next step runs. They are called on the
// goroutine that runs the trace's steps, or within MarkStep.
//
// fn may read the results of this step and earlier ones. It sees variables as this step
// left them. Where a step of another trace is writing over such a variable, reading waits
// for what it writes. Two variables may so be of different steps.
//
// fn must not record in this trace, which may be at the next step already. It is an error
// to wait for this trace, to mark a step of it or to read results of later ones. It is
// also one to wait for another trace that waits for these. Waits through a channel of
// the caller's own are not seen.
//
// A panic in fn is a failure of the step, which the next MarkStep or Wait returns: the
// step's results stay, and other closures are called all the same.
//
// More than the environment variable LTC_MAX_ASYNC_QUEUE allows for one step,
// 1024 unless it is set, make the step fail.
func (tr *Trace) AfterStep(fn func(failed error)) {
	tr = tr.some()
	switch {
	case fn == nil:
		tr.fail(opError(tr.site(), "after_step", ErrUsage, nil, "the function is nil"))
	case len(tr.after) == tr.dev.closures:
		tr.fail(opError(tr.site(), "after_step", ErrUsage, nil, "the step has %d closures already; one closure may do all of it, or set %s", tr.dev.closures, envClosures.Name))
	default:
		tr.after = append(tr.after, fn)
	}
}
