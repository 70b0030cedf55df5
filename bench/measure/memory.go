package measure

// Memory is what a machine's memory does at most, in bytes a second; 0 is unknown.
type Memory struct {
	Copied float64 // by a copy, which reads and writes: both count
	Read   float64 // by loops that only read
}

// Least returns the least seconds in which a program reads and writes bytes of memory: those
// written move at the rate of a copy, with as many of those read. The rest of the bytes read
// move at the rate of reads alone. Least returns 0 if a rate that counts is unknown.
func (m Memory) Least(read, written float64) float64 {
	copied := written + min(read, written)
	alone := max(read-written, 0)
	if copied > 0 && m.Copied == 0 || alone > 0 && m.Read == 0 {
		return 0
	}
	least := 0.0
	if copied > 0 {
		least = copied / m.Copied
	}
	if alone > 0 {
		least += alone / m.Read
	}
	return least
}
