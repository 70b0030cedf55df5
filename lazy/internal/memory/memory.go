// Package memory gives the values of a device their memory, within its limit and from a
// [Pool] of blocks, and knows where those were made that live. Its central type is [Memory].
//
// The package imports only ltc/internal/callsite, ltc/internal/diag, ltc/internal/hostmem,
// ltc/ir/types and ltc/soa.
package memory

import (
	"fmt"
	"sync"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/soa"
)

// Memory is where the values of a device get theirs. Its methods may be called from any
// goroutine once it was started.
type Memory struct {
	Limit int64 // the most bytes that values may take; 0: no limit
	Cache int64 // the most bytes that are kept for later of values that nothing reaches
	// Remote makes memory that is not the host's, of a device whose programs do not use that.
	Remote interface {
		Make(types.Type) (soa.View, error)
	}
	Pool  *Pool
	Alloc func(types.Type) soa.View // Pool.Make

	mu       sync.Mutex
	freed    sync.Cond // when reserved has become less
	reserved int64     // for programs that run

	scalars    *soa.Buffer
	scalarsEnd int // of those in scalars
}

// StandardCache is how much a device keeps unless it is told.
func StandardCache() int64 { return min(1<<30, soa.Limit()/8) }

// Start begins to use the limits. Poison overwrites what is given back, to find who uses it.
func (m *Memory) Start(poison bool) {
	m.freed.L = &m.mu
	m.Pool = NewPool(max(m.Cache, 0), poison)
	m.Alloc = m.Pool.Make
}

// Make returns memory for t, contents undefined.
func (m *Memory) Make(t types.Type) (soa.View, error) {
	if err := m.admits(t); err != nil {
		return soa.View{}, err
	}
	return m.Pool.Make(t), nil
}

// Zeroed is Make of zeros.
func (m *Memory) Zeroed(t types.Type) (soa.View, error) {
	if err := m.admits(t); err != nil {
		return soa.View{}, err
	}
	return m.Pool.Zeroed(t), nil
}

// Mapped is Zeroed in memory off the Go heap, if it is large enough and the system has such memory: pages that nothing
// writes take no memory of the machine.
func (m *Memory) Mapped(t types.Type) (soa.View, error) {
	if err := m.admits(t); err != nil {
		return soa.View{}, err
	}
	return m.Pool.Mapped(t)
}

// Resident is Make where programs of the device find the memory.
func (m *Memory) Resident(t types.Type) (soa.View, error) {
	if m.Remote == nil {
		return m.Make(t)
	}
	return m.Remote.Make(t)
}

// Scalar returns memory for a scalar, next to that of others.
func (m *Memory) Scalar(d types.DType) soa.View {
	const slot, block = 8, 4096 // the largest element
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.scalars == nil || m.scalarsEnd+slot > block {
		m.scalars, m.scalarsEnd = soa.New(block), 0
	}
	v := m.scalars.ViewAt(m.scalarsEnd, types.Of(d))
	m.scalarsEnd += slot
	return v
}

// admits returns an error when there is no room for a value of type t.
func (m *Memory) admits(t types.Type) error {
	if err := soa.Fits(t.Bytes()); err != nil || m.Limit == 0 {
		return err
	}
	n := PooledBytes(t)
	if !m.Reserve(n) {
		return m.Shortage(fmt.Sprintf("%v takes %s", t, diag.Bytes(n)))
	}
	m.Release(n)
	return nil
}

// Shortage is the error of what finds no memory.
func (m *Memory) Shortage(what string) error {
	return fmt.Errorf("out of memory: %w: %s, values that are in use %s of the device's limit of %s",
		soa.ErrMemory, what, diag.Bytes(m.Pool.Stats().Live), diag.Bytes(m.Limit))
}

// Reserve sets n bytes aside, if they are within the limit once garbage has
// been collected and programs that run have ended.
func (m *Memory) Reserve(n int64) bool {
	const collections = 2
	m.mu.Lock()
	defer m.mu.Unlock()
	for tried := 0; ; {
		s := m.Pool.Stats()
		if m.reserved+s.Live+n <= m.Limit {
			m.reserved += n
			if m.reserved+s.Live+s.Cached > m.Limit {
				m.Pool.Trim()
			}
			return true
		}
		switch {
		case n > m.Limit:
			return false
		case tried < collections:
			tried++
			m.mu.Unlock()
			m.Pool.Trim()
			soa.Collect()
			m.mu.Lock()
		case m.reserved > 0: // programs that run wait for nobody
			m.freed.Wait()
			tried = 0
		default:
			return false
		}
	}
}

// Release gives back what was reserved.
func (m *Memory) Release(n int64) {
	m.mu.Lock()
	m.reserved -= n
	m.mu.Unlock()
	m.freed.Broadcast()
}
