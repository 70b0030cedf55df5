package llvm

import (
	"context"
	"errors"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/tiles"
)

// compilers returns one for each level that this machine can run, which keeps
// nothing on disk and has libLLVM check what it is given.
func compilers(t testing.TB) []*shared {
	t.Helper()
	l, err := libllvm.Open()
	if errors.Is(err, libllvm.ErrNotFound) {
		t.Skip(err)
	}
	require.NoError(t, err)
	var all []*shared
	for _, level := range []string{"avx512bf16", "avx512", "avx2", "sse2", "neon"} {
		cpu, err := native.Host().As(level)
		if err != nil || level == "avx512" && len(all) > 0 {
			continue
		}
		s := &shared{}
		s.once.Do(func() { require.NoError(t, s.become(cpu)) })
		_, err = s.open.get(t.Context(), func() *compiler {
			c := newCompiler(l, s.machine)
			c.verify = true
			return c
		})
		require.NoError(t, err)
		all = append(all, s)
	}
	return all
}

// compile has code made of kernels, whether or not there is some already.
func compile(t testing.TB, c *shared, kernels ...*kernel.Kernel) []kernel.Code {
	t.Helper()
	codes, err := c.make(context.Background(), kernels)
	require.NoError(t, err)
	return codes
}

// plain returns code that runs unprepared: of a product, its kernel's own.
func plain(code kernel.Code) kernel.Code {
	own := func(p *productKernel) kernel.Code {
		code, err := p.own(context.Background())
		if err != nil {
			panic(err)
		}
		return code
	}
	switch p := code.(type) {
	case *productKernel:
		return own(p)
	case *spreadKernel:
		return own(&p.productKernel)
	}
	return code
}

// in runs code in a number of parts, one after the other, with scratch memory
// that nobody may write beyond.
func in(code kernel.Code, parts int) func(m *kerneltest.Memory) error {
	code = plain(code)
	return func(m *kerneltest.Memory) error {
		for p := range parts {
			c := m.Call()
			c.Part, c.Parts = p, parts
			n := code.Scratch(m.Sizes, parts)
			const canary = 256
			b := make([]byte, n+canary+64)
			start := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % 64)
			for i := range b {
				b[i] = 0xC7
			}
			c.Scratch = unsafe.Pointer(&b[start])
			if err := code.Run(c); err != nil {
				return err
			}
			for i, x := range b {
				if x != 0xC7 && (i < start || i >= start+n) {
					return errors.New("scratch memory was written beyond its end")
				}
			}
		}
		return nil
	}
}

func evaluate(m *kerneltest.Memory) error {
	return kernel.Evaluate(m.Kernel, m.Sizes, m.Mem, m.Strides, tiles.Scalars{})
}
