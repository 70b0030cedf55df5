package lazy

// StableHLO returns the text of the module of the latest program that the trace's
// MarkStep ran: what the backend compiled, and ltc-dump reads. It is empty before
// the first step that had anything to compute. [Trace.Dump] is about the step
// that is being recorded.
func (tr *Trace) StableHLO() string {
	if tr == nil || tr.stepped == nil {
		return ""
	}
	return tr.stepped.text
}
