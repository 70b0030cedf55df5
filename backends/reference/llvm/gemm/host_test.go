package gemm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/vector"
)

// host compiles and loads units once for all tests.
type host struct {
	sync.Mutex
	library *libllvm.Library
	images  map[string]native.Kernel
}

var hosts = host{images: map[string]native.Kernel{}}

// machines returns the machines that this one can run code for.
func machines() []Machine {
	var all []Machine
	cpu := native.Host()
	for _, l := range vector.Levels() {
		if c, err := cpu.As(l.String()); err == nil {
			all = append(all, Machine{Machine: vector.Machine{Level: l}, VNNI: c.Has("avx512vnni")})
		}
	}
	return all
}

// best returns the machine that this one is.
func best() Machine {
	all := machines()
	m := all[len(all)-1]
	m.VNNI = native.Host().Has("avx512vnni")
	m.L2 = native.Host().L2()
	return m
}

// code returns the code of a unit.
func (h *host) code(u Unit, on Machine) (Code, error) {
	h.Lock()
	defer h.Unlock()
	key := on.String() + " " + u.Name
	if k, ok := h.images[key]; ok {
		return k, nil
	}
	object, err := h.library.Compile(context.Background(), u.Text(), libllvm.Options{Verify: true})
	if err != nil {
		return nil, err
	}
	im, err := native.Load(object)
	if err != nil {
		return nil, err
	}
	k, ok := im.Kernel(u.Name)
	if !ok {
		return nil, fmt.Errorf("it has %v", im.Names())
	}
	h.images[key] = k
	return k, nil
}

// bind compiles what a problem needs.
func bind(t testing.TB, p Problem, on Machine) *Product {
	t.Helper()
	open(t)
	q, err := New(p, on)
	require.NoError(t, err)
	return bindPlan(t, q)
}

func bindPlan(t testing.TB, q *Plan) *Product {
	t.Helper()
	units := q.Units()
	r, err := q.Bind(func(name string) (Code, error) {
		for _, u := range units {
			if u.Name == name {
				return hosts.code(u, q.on)
			}
		}
		return nil, errors.New("no such unit")
	})
	require.NoError(t, err)
	return r
}

func open(t testing.TB) {
	t.Helper()
	var err error
	hosts.library, err = libllvm.Open()
	if errors.Is(err, libllvm.ErrNotFound) {
		t.Skip(err)
	}
	require.NoError(t, err)
}

// workspace returns memory for so many parts of a product.
func workspace(r *Product, parts int) unsafe.Pointer {
	work := make([]byte, parts*r.plan.PartBytes(parts)+64)
	return unsafe.Pointer(&work[-uintptr(unsafe.Pointer(&work[0]))%64])
}

// multiply runs all parts of a product at once.
func multiply(r *Product, parts int, o Operands) {
	work, each := workspace(r, parts), r.plan.PartBytes(parts)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { r.RunIn(i, parts, o, unsafe.Add(work, i*each), nil) })
	}
	wg.Wait()
}
