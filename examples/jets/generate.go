package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/soa"
	"ltc/soa/npy"
)

// kind is how jets are drawn. The numbers are near those of simulated jets of
// 13 TeV collisions with more than 150 GeV: gluons give more particles, softer
// and further from the axis.
type kind struct {
	particles, spread float64 // mean and standard deviation of their number
	steepness         float64 // of their momenta: the power of an exponential
	width             float64 // mean distance from the axis
}

var kinds = [2]kind{
	{particles: 22.8, spread: 9.4, steepness: 2.1, width: 0.09},
	{particles: 33.0, spread: 10.1, steepness: 1.7, width: 0.12},
}

// drawn is one jet.
type drawn struct {
	pt, mass, width, ptd float64
	label                int32
	cPt, cEta, cPhi      []float64
	px, py, pz, e        float64
}

func draw(rng *rand.Rand) drawn {
	j := drawn{}
	if rng.Float64() < 0.6 {
		j.label = 1
	}
	k := kinds[j.label]
	n := int(min(max(math.Round(k.particles+k.spread*rng.NormFloat64()), 3), 90))
	j.pt = 150 + 90*rng.ExpFloat64()
	weights, total := make([]float64, n), 0.0
	for i := range weights {
		weights[i] = math.Pow(rng.ExpFloat64(), k.steepness)
		total += weights[i]
	}
	squares := 0.0
	for _, w := range weights {
		z := w / total
		// The harder a particle the nearer to the axis.
		r, angle := min(k.width*rng.ExpFloat64()/(1+8*z), 0.4), 2*math.Pi*rng.Float64()
		pt, eta, phi := j.pt*z, r*math.Cos(angle), r*math.Sin(angle)
		j.cPt, j.cEta, j.cPhi = append(j.cPt, pt), append(j.cEta, eta), append(j.cPhi, phi)
		j.px, j.py, j.pz, j.e = j.px+pt*math.Cos(phi), j.py+pt*math.Sin(phi), j.pz+pt*math.Sinh(eta), j.e+pt*math.Cosh(eta)
		j.width += z * r
		squares += z * z
	}
	j.ptd = math.Sqrt(squares)
	j.mass = math.Sqrt(max(j.e*j.e-j.px*j.px-j.py*j.py-j.pz*j.pz, 0))
	return j
}

// generate writes a file of jets, the same ones for the same seed.
func (o options) generate() error {
	rng := rand.New(rand.NewPCG(o.seed, 13))
	columns := map[string][]float32{}
	labels, offsets := []int32{}, []int64{0}
	for range o.jets {
		j := draw(rng)
		for name, v := range map[string]float64{"pt": j.pt, "mass": j.mass, "width": j.width, "ptd": j.ptd} {
			columns[name] = append(columns[name], float32(v))
		}
		for name, v := range map[string][]float64{"c_pt": j.cPt, "c_eta": j.cEta, "c_phi": j.cPhi} {
			for _, x := range v {
				columns[name] = append(columns[name], float32(x))
			}
		}
		labels, offsets = append(labels, j.label), append(offsets, offsets[len(offsets)-1]+int64(len(j.cPt)))
	}
	var entries []npy.Entry
	for _, f := range fields {
		if f.array == "label" {
			continue
		}
		e, err := entry(f.array, types.F32, columns[f.array])
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	label, err := entry("label", types.I32, labels)
	if err != nil {
		return err
	}
	offset, err := entry("c_offset", types.I64, offsets)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(o.file), 0o755); err != nil {
		return err
	}
	fmt.Fprintf(o.out, "there is no %s: drawing %s\n", o.file, diag.Count(o.jets, "jet"))
	return npy.WriteArchive(o.file, append(entries, label, offset))
}

func entry[T soa.Element](name string, d types.DType, data []T) (npy.Entry, error) {
	v, err := soa.Borrow(data, types.Of(d, len(data)))
	return npy.Entry{Name: name, View: v}, err
}
