package llvm

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/native"
	"ltc/internal/samples"
	"ltc/soa"
)

// kept keeps the functions that are called by address.
var kept []native.Kernel

// cycles counts the processor's cycles in functions that pack: rows of A, blocks of B, and copies
// of images. Code of the benchmark writes here.
var cycles [3]uint64

// counted returns code that calls a function and adds its cycles to a counter. Functions that pack
// rows have other parameters than all others.
func counted(l *libllvm.Library, code native.Kernel, name string, counter *uint64) (native.Kernel, error) {
	kept = append(kept, code)
	result, params := "i32", []string{"i8*"}
	if strings.Contains(name, "_packa_") {
		result, params = "void", []string{"i8*", "i8*", "i64", "i64", "i64", "i64", "i8*", "i64", "i64", "i64", "i64"}
	}
	var named []string
	for i, p := range params {
		named = append(named, fmt.Sprintf("%s %%a%d", p, i))
	}
	call, end := fmt.Sprintf("%%r = call i32 %%f(%s)", strings.Join(named, ", ")), "ret i32 %r"
	if result == "void" {
		call, end = fmt.Sprintf("call void %%f(%s)", strings.Join(named, ", ")), "ret void"
	}
	text := fmt.Sprintf(`declare i64 @llvm.readcyclecounter()
define %[1]s @%[2]s(%[3]s) {
  %%f = inttoptr i64 %[4]d to %[1]s (%[5]s)*
  %%from = call i64 @llvm.readcyclecounter()
  %[6]s
  %%to = call i64 @llvm.readcyclecounter()
  %%n = sub i64 %%to, %%from
  %%p = inttoptr i64 %[7]d to i64*
  %%before = load i64, i64* %%p
  %%after = add i64 %%before, %%n
  store i64 %%after, i64* %%p
  %[8]s
}`, result, name, strings.Join(named, ", "), code.Address(), strings.Join(params, ", "), call, uintptr(unsafe.Pointer(counter)), end)
	object, err := l.Compile(context.Background(), text, libllvm.Options{})
	if err != nil {
		return native.Kernel{}, err
	}
	image, err := native.Load(object)
	if err != nil {
		return native.Kernel{}, err
	}
	k, ok := image.Kernel(name)
	if !ok {
		return native.Kernel{}, fmt.Errorf("no function %s", name)
	}
	return k, nil
}

// timesPacking has the programs of a benchmark count the cycles of their packing.
var timesPacking = sync.OnceValues(func() (*shared, error) {
	l, err := libllvm.Open()
	if err != nil {
		return nil, err
	}
	c := &shared{}
	c.once.Do(c.start)
	compile := c.units.compile
	c.units.compile = func(ctx context.Context, u gemm.Unit) (native.Kernel, error) {
		code, err := compile(ctx, u)
		if err != nil {
			return code, err
		}
		for i, part := range []string{"_packa_", "_packb_", "_image_", "_border_"} {
			if strings.Contains(u.Name, part) {
				return counted(l, code, u.Name, &cycles[min(i, 2)])
			}
		}
		return code, nil
	}
	reference.UseCompiler(c)
	return c, nil
})

// BenchmarkPacking measures what packing takes of whole steps, for products and convolutions whose
// kernel is an argument, in percent: of the kernel, with what moves it before, and of the other
// factor.
func BenchmarkPacking(b *testing.B) {
	c, err := timesPacking()
	if err != nil {
		b.Skipf("what libLLVM compiles is measured, and there is none: %v", err)
	}
	l, err := libllvm.Open()
	require.NoError(b, err)
	clock := clockCode(b, l)
	for _, p := range packedPrograms() {
		b.Run(p.name, func(b *testing.B) {
			of := packingOf(b, c, p.text)
			open, err := backends.Open("cpu")
			require.NoError(b, err)
			e, err := open.Compile(b.Context(), backends.NewModule(p.text), backends.Options{Threads: 1, Profile: true})
			require.NoError(b, err)
			call := &backends.Call{}
			for i, a := range e.Signature().Args {
				v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", i))
				require.NoError(b, err)
				call.Args = append(call.Args, v)
			}
			require.NoError(b, e.Execute(b.Context(), call))
			bound := backends.Executable(nil)
			if e.Signature().Args[1].Constant {
				bound, err = e.Bind(b.Context(), map[int]soa.View{1: call.Args[1]})
				require.NoError(b, err)
				require.NoError(b, bound.Execute(b.Context(), call))
			}
			all, kernel, other := time.Hour, 0.0, 0.0 // of the fastest run
			once := time.Hour                         // of that with the kernel bound
			for b.Loop() {
				before := e.(backends.Profiler).Profile()
				clear(cycles[:])
				from, start := tick(clock), time.Now()
				require.NoError(b, e.Execute(b.Context(), call))
				took := time.Since(start)
				each := float64(took) / float64(tick(clock)-from) // nanoseconds of a cycle
				packed := cycles
				if bound != nil {
					start = time.Now()
					require.NoError(b, bound.Execute(b.Context(), call))
					once = min(once, time.Since(start))
				}
				if took > all {
					continue
				}
				all, kernel, other = took, float64(packed[1])*each, float64(packed[0]+packed[2])*each
				if of.asA {
					kernel, other = float64(packed[0])*each, float64(packed[1]+packed[2])*each
				}
				after := e.(backends.Profiler).Profile()
				for _, i := range of.moves {
					kernel += float64(after[i].Total - before[i].Total)
				}
			}
			b.ReportMetric(100*kernel/float64(all), "kernel-%")
			b.ReportMetric(100*other/float64(all), "other-%")
			b.ReportMetric(float64(all.Nanoseconds())/1000, "least-µs")
			if bound != nil {
				b.ReportMetric(float64(once.Nanoseconds())/1000, "bound-µs")
			}
			b.ReportMetric(p.flops/float64(all), "GFLOP/s")
		})
	}
}

// clockCode returns a function that stores the cycle at hand.
func clockCode(b *testing.B, l *libllvm.Library) native.Kernel {
	object, err := l.Compile(b.Context(), `declare i64 @llvm.readcyclecounter()
define i32 @now(i8* %a) {
  %p = bitcast i8* %a to i64*
  %c = call i64 @llvm.readcyclecounter()
  store i64 %c, i64* %p
  ret i32 0
}`, libllvm.Options{})
	require.NoError(b, err)
	image, err := native.Load(object)
	require.NoError(b, err)
	k, ok := image.Kernel("now")
	require.True(b, ok)
	return k
}

// tick returns the cycle at hand.
func tick(clock native.Kernel) uint64 {
	var now uint64
	clock.Call(unsafe.Pointer(&now))
	return now
}
