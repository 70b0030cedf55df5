package cuda

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/backends/cuda/ptx"
)

// artifact is what is kept of a compiled program: the module of all kernels as PTX, and,
// but for sm_90a, as the machine code of a GPU that the driver has made of it. All else of
// a program is made of its text, in less time than a driver compiles.
type artifact struct {
	major, minor int // of the GPU that the machine code is for
	ptx, cubin   []byte
}

// artifactHead is the line in front of both: their sizes in bytes, which GPU it is, and
// the SHA-256 of both and of the rest of the line. Nothing else would tell machine code
// of which a byte is another: the driver takes it, and it does whatever that is.
const artifactHead = "ltc cuda artifact 2: ptx %d, cubin %d of sm_%d, sha256 %x\n"

func (a *artifact) bytes() []byte {
	return slices.Concat(a.head(), a.ptx, a.cubin)
}

// head is the line in front.
func (a *artifact) head() []byte {
	line := func(sum []byte) []byte {
		return fmt.Appendf(nil, artifactHead, len(a.ptx), len(a.cubin), 10*a.major+a.minor, sum)
	}
	h := sha256.New()
	for _, part := range [][]byte{line(nil), a.ptx, a.cubin} {
		h.Write(part)
	}
	return line(h.Sum(nil))
}

// readArtifact reads an artifact, which it does not copy; nil if it is none, or not as
// it was made.
func readArtifact(data []byte) *artifact {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	var m, n, gpu int
	var sum []byte
	if _, err := fmt.Sscanf(string(line)+"\n", artifactHead, &m, &n, &gpu, &sum); err != nil {
		return nil
	}
	if m < 0 || n < 0 || m > len(rest) || n != len(rest)-m {
		return nil
	}
	a := &artifact{major: gpu / 10, minor: gpu % 10, ptx: rest[:m], cubin: rest[m:]}
	if !bytes.HasPrefix(data, a.head()) {
		return nil
	}
	return a
}

// Artifact returns what [Backend.Load] takes: the module of all kernels of the program and
// its regions. The PTX is for GPUs of sm_80 and later; that of large products of matrices
// that were compiled for sm_90a is for sm_90a alone. A module for sm_80 comes with machine
// code, too, for GPUs of the device's generation from its own on. If the driver makes
// none, the log says so and the PTX stands alone.
func (x *code) Artifact() ([]byte, error) {
	d, text := x.on.dev, []byte(x.of.text())
	p := d.Properties()
	a := &artifact{major: p.Major, minor: p.Minor, ptx: text}
	// The driver's linker makes relocatable code, in which setmaxnreg is ignored and every
	// wgmma is waited for: what is for sm_90a stays text, of which the driver keeps what it
	// has compiled.
	if len(x.of.texts) == 0 || ptx.TargetOf(string(text)) == ptx.Hopper {
		return a.bytes(), nil
	}
	var err error
	if a.cubin, err = d.ctx.Assemble(text); err != nil {
		if d.Err() != nil {
			return nil, fmt.Errorf("%v: artifact: %w", d, err)
		}
		x.of.o.Log().Warn("the artifact has PTX alone: the driver makes no machine code of it", "device", d, "reason", err)
	}
	return a.bytes(), nil
}

// suits reports whether an artifact runs on a device, and returns the machine code that
// does: on GPUs of the generation that it was made for and not older ones. Without, the
// driver compiles the PTX, for all later ones, but for what is of sm_90a alone.
func (a *artifact) suits(p driver.Properties, hopper bool) (machine []byte, ok bool) {
	alone := p.Major == 9 && p.Minor == 0
	if hopper && !alone || p.Major < oldest {
		return nil, false
	}
	if p.Major == a.major && p.Minor >= a.minor {
		machine = a.cubin
	}
	return machine, true
}

// Load compiles a program, and takes its kernels from an artifact of it: the driver
// compiles none. Machine code that the driver does not take, such as a later driver's, is
// compiled anew. The error wraps [backends.ErrArtifact] if any byte of the artifact differs
// from what was made. It also does if the artifact is of a program, of options or of a GPU
// with other kernels: where the kernels do not differ, it is taken.
func (b *Backend) Load(ctx context.Context, m backends.Module, o backends.Options, data []byte) (backends.Executable, error) {
	refuse := func(why string) error { return fmt.Errorf("%v: load: %w: %s", b.dev, backends.ErrArtifact, why) }
	a := readArtifact(data)
	if a == nil {
		return nil, refuse("it is none of this backend's and version, or not as it was made")
	}
	of := ptx.TargetOf(string(a.ptx))
	gpu := b.dev.Properties()
	machine, ok := a.suits(gpu, of == ptx.Hopper)
	if !ok {
		return nil, refuse(fmt.Sprintf("it is for %s, and the GPU is an %s: compile the program on it", of, gpu.Target()))
	}
	ctx = backends.WithLogger(ctx, &o)
	p, err := backends.LoadOpen(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if len(p.Lacking) > 0 {
		return nil, refuse(fmt.Sprintf("the program has %s, which no kernel is made of", p.Lacking[0].Op))
	}
	c, err := compileModule(ctx, m, p, o, b.dev.targetOf(o))
	if err != nil {
		return nil, fmt.Errorf("%v: load: %w", b.dev, err)
	}
	if c.text() != string(a.ptx) {
		return nil, refuse("it is of another program or other options, of another version, or of a GPU for which other kernels are made: compile the program anew")
	}
	c.machine = machine
	return b.load(ctx, c, m)
}
