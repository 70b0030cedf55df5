package networks

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
	"ltc/soa"
)

func TestSimpleNet(t *testing.T) {
	trials.Sequential(t)
	forAll(t, func(t *testing.T, on opened, n, batch int) {
		net := NewSimpleNet(on.dev)
		particles, reco := particles(n), soa.Of[Reco](n)
		before := memory(particles.Columns)
		in, out := soa.NewCollection(n), soa.NewCollection(n)
		c := particles.Const()
		require.NoError(t, in.AddBatched("particles", batch, c.Col("Pt"), c.Col("Eta"), c.Col("Phi")))
		require.NoError(t, out.AddBatched("reco_pt", batch, reco.Col("Pt")))
		on.run(t, net.Forward, in, out)
		for i := range n {
			p := particles.At(i).Load()
			want := layers(t, append(net.hidden, net.head), []float64{float64(p.Pt), float64(p.Eta), float64(p.Phi)})
			require.InDelta(t, want[0], reco.At(i).Load().Pt, 1e-5)
			require.Zero(t, reco.At(i).Load().Unused)
		}
		require.Equal(t, before, memory(particles.Columns), "const columns are not written")
	})
}

// A feature that is masked has no part: what is left is the sum of the others,
// to the bit. The mask of all elements is a scalar.
func TestMaskedNet(t *testing.T) {
	trials.Sequential(t)
	forAll(t, func(t *testing.T, on opened, n, batch int) {
		for all := range uint8(2) {
			particles, mask, reco := particles(n), soa.Of[Mask](n), soa.Of[Reco](n)
			for i := range n {
				mask.At(i).Store(Mask{Mask: [3]uint8{0, 1, 0}})
			}
			require.NoError(t, soa.SetScalar(mask.Columns, "All", all))
			in, out := soa.NewCollection(n), soa.NewCollection(n)
			require.NoError(t, in.AddBatched("mask", batch, mask.Const().Col("Mask")))
			require.NoError(t, in.AddBatched("particles", batch, particles.Col("Pt"), particles.Col("Eta"), particles.Col("Phi")))
			require.NoError(t, in.AddBatched("all", batch, mask.Const().Col("All")))
			require.NoError(t, in.ChangeOrder("particles", "mask", "all"))
			require.NoError(t, out.AddBatched("sum", batch, reco.Col("Pt")))
			on.run(t, MaskedNet{}.Forward, in, out)
			for i := range n {
				p := particles.At(i).Load()
				require.Equal(t, float32(1-all)*(p.Pt+p.Phi), reco.At(i).Load().Pt)
			}
		}
	})
}

// lastUnit is what each unit of the last hidden layer of MultiHeadNet gives.
func lastUnit(p Particle) float64 {
	unit := 0.025*float64(p.Pt+p.Eta+p.Phi) + 0.1
	for _, inputs := range widths[1 : len(widths)-1] {
		unit = 0.025*float64(inputs)*unit + 0.1
	}
	return unit
}

func regression(p Particle) float32 { return float32(0.03*32*lastUnit(p) + 0.1) }

// Both results go to their columns, one of them a vector's. Its weights are
// constants, and so what a layer gives is the same for all its units.
func TestMultiHeadNet(t *testing.T) {
	trials.Sequential(t)
	forAll(t, func(t *testing.T, on opened, n, batch int) {
		net := NewMultiHeadNet(on.dev)
		particles, heads := particles(n), soa.Of[Heads](n)
		in, out := soa.NewCollection(n), soa.NewCollection(n)
		require.NoError(t, in.AddBatched("particles", batch, particles.Col("Pt"), particles.Col("Eta"), particles.Col("Phi")))
		require.NoError(t, out.AddBatched("regression_head", batch, heads.Col("Regression")))
		require.NoError(t, out.AddBatched("classification_head", batch, heads.Col("Classification")))
		on.run(t, net.Forward, in, out)
		for i := range n {
			p, h := particles.At(i).Load(), heads.At(i).Load()
			unit := lastUnit(p)
			require.InDelta(t, regression(p), h.Regression, 1e-4)
			require.GreaterOrEqual(t, h.Regression, float32(4))
			require.LessOrEqual(t, h.Regression, float32(5))
			score := func(k int) float64 { return math.Exp(32*(0.06+0.01*float64(k))*unit + 0.1 + 0.1*float64(k)) }
			total := score(0) + score(1) + score(2)
			for k, c := range h.Classification {
				require.InDelta(t, score(k)/total, c, 1e-4)
			}
			require.InDelta(t, 1, h.Classification[0]+h.Classification[1]+h.Classification[2], 1e-4)
		}
	})
}

// Three matrix columns are the channels of images.
func TestTinyResNet(t *testing.T) {
	trials.Sequential(t)
	forAll(t, func(t *testing.T, on opened, n, batch int) {
		net := NewTinyResNet(on.dev)
		images, logits := images(n), soa.Of[Logits](n)
		before := memory(images.Columns)
		in, out := soa.NewCollection(n), soa.NewCollection(n)
		c := images.Const()
		require.NoError(t, in.AddBatched("images", batch, c.Col("R"), c.Col("G"), c.Col("B")))
		require.NoError(t, out.AddBatched("logits", batch, logits.Col("Logits")))
		m := on.run(t, net.Forward, in, out)
		if e, ok := m.Executable().(interface {
			Compiled() (kernels, evaluated int)
		}); on.backend.Name() == "cpu" {
			require.True(t, ok)
			kernels, evaluated := e.Compiled()
			require.Positive(t, kernels)
			require.Zero(t, evaluated)
		}
		for i := range n {
			total := float32(0)
			got := logits.At(i).Load().Logits
			for _, p := range got {
				total += p
			}
			require.InDelta(t, 1, total, 1e-4)
			if i%16 != 0 {
				continue
			}
			for k, want := range resnet(t, net, images.At(i).Load()) {
				require.InDelta(t, want, got[k], 1e-5, "image %d, class %d", i, k)
			}
		}
		require.Equal(t, before, memory(images.Columns), "const columns are not written")
	})
}

// Results that are inputs, of columns in another order.
func TestIdentity(t *testing.T) {
	trials.Sequential(t)
	forAll(t, func(t *testing.T, on opened, n, batch int) {
		particles, reco := particles(n), soa.Of[Reco](n)
		in, out := soa.NewCollection(n), soa.NewCollection(n)
		for _, name := range []string{"Phi", "Eta"} {
			require.NoError(t, in.AddBatched(name, batch, particles.Col(name)))
		}
		require.NoError(t, out.AddBatched("v", batch, reco.Col("Unused")))
		require.NoError(t, out.AddBatched("w", batch, reco.Col("Pt")))
		on.run(t, func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor { return x }, in, out)
		for i := range n {
			p := particles.At(i).Load()
			require.Equal(t, Reco{Unused: p.Phi, Pt: p.Eta}, reco.At(i).Load())
		}
	})
}
