package lazy

// AfterStep has fn called once when the step being recorded has ended, with nil
// or the step's error: after its results are there, in the order of the calls,
// on the goroutine that runs the trace's steps or within MarkStep, and before
// the trace's next step runs. fn may read any results of this step and earlier
// ones, and variables, which it sees as this step left them; where a step of another
// trace is writing over that, reading waits for what it writes. fn must not record
// in this trace, which may be at the next step already; waiting for this trace,
// marking a step of it or reading results of later ones is an error, and so is
// waiting for another trace that waits for these. (Waits through a channel of the
// caller's own are not seen.) A panic in fn is a failure of the step, which the
// next MarkStep or Wait returns: the step's results stay, and other closures are
// called all the same.
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
