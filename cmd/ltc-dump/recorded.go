package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/internal/samples"
	"ltc/soa"
	"ltc/soa/npy"
)

// recorded is the results that a run should have.
type recorded struct {
	tolerance float64
	values    []soa.View // by result
}

// expected reads the results of a program from a .npz file, where they have
// their ltc.name or the names that position reads, or a single one from a .npy. It is
// nil if file is "".
func expected(file string, tolerance float64, results []backends.Result) (*recorded, error) {
	if file == "" {
		return nil, nil
	}
	r := &recorded{tolerance: tolerance, values: make([]soa.View, len(results))}
	if filepath.Ext(file) == ".npy" {
		if len(results) != 1 {
			return nil, fmt.Errorf("-expect %s holds one array, the program has %s: name a .npz file", file, diag.Count(len(results), "result"))
		}
		v, err := npy.ReadFile(file)
		r.values[0] = v
		return r, err
	}
	entries, err := npy.ReadArchive(file)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		i := slices.IndexFunc(results, func(x backends.Result) bool { return x.Name == e.Name && x.Name != "" })
		if i < 0 {
			i = position(e.Name)
		}
		switch {
		case i < 0 || i >= len(results):
			return nil, fmt.Errorf("-expect %s: %q names no result: they go by their ltc.name, or as out0, out1, …", file, e.Name)
		case !r.values[i].IsZero():
			return nil, fmt.Errorf("-expect %s: %q is result %d, which another array in it is too", file, e.Name, i)
		}
		r.values[i] = e.View
	}
	for i, v := range r.values {
		if v.IsZero() {
			return nil, fmt.Errorf("-expect %s: there is no out%d%s", file, i, label(results[i].Name))
		}
	}
	return r, nil
}

// compare prints how far each result is from what was recorded, and returns
// errFailed if one is too far.
func (r *recorded) compare(c *call, sig *backends.Signature, results []soa.View) error {
	var failed error
	for i, got := range results {
		d, err := samples.Differ(got, r.values[i])
		verdict := far(d, got.Type.Elements())
		if err != nil {
			verdict = err.Error()
		}
		if err != nil || d.Size > r.tolerance {
			verdict, failed = "FAIL: "+verdict, errFailed
		}
		fmt.Fprintf(c.stdout, "result %d%s: %v: %s\n", i, label(sig.Results[i].Name), got.Type, verdict)
	}
	return failed
}

// far says in words how far a result of so many elements is from what was
// recorded.
func far(d samples.Difference, elements int) string {
	at := ""
	if len(d.At) > 0 {
		at = fmt.Sprintf(" at %v", d.At)
	}
	what := fmt.Sprintf("largest difference %.2g%s", d.Size, at)
	switch {
	case d.Count == 0:
		return "equal"
	case math.IsInf(d.Size, 1) && at == "":
		what = "different"
	case math.IsInf(d.Size, 1):
		what = fmt.Sprintf("%d of %s not equal, most%s", d.Count, diag.Count(elements, "element"), at)
	}
	return fmt.Sprintf("%s: %s, want %s", what, d.Got, d.Want)
}
