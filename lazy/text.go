package lazy

// Text returns the StableHLO module of the latest program that the trace's
// MarkStep ran: what the backend compiled, and ltc-dump reads. It is empty
// before the first step that had anything to compute.
func (tr *Trace) Text() string {
	if tr == nil || tr.stepped == nil {
		return ""
	}
	return tr.stepped.text
}
