// Package curves draws what package train found: a panel for each value, with a line over the epochs for training and one
// for the evaluation. Its only function is [Draw].
//
// The package imports only ltc/train, the standard library and gonum.org/v1/plot.
package curves

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ltc/train"
)

// Sizes of a panel.
const (
	width  = 12 * vg.Centimeter
	height = 8 * vg.Centimeter
)

// lines are the colors of training and of the evaluation.
var lines = [2]color.RGBA{{31, 119, 180, 255}, {255, 127, 14, 255}}

// Draw draws the history of a loop into a file, as its name says: .svg, .png or .pdf. The file is there whole or not at all.
func Draw(path string, history []train.Epoch) error {
	if len(history) == 0 {
		return errors.New("curves: the history has no epochs: draw it after the first has ended")
	}
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	all := map[string]bool{}
	for _, e := range history {
		for name := range e.Train {
			all[name] = true
		}
		for name := range e.Test {
			all[name] = true
		}
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	row := make([]*plot.Plot, len(names))
	for i, name := range names {
		p, err := panel(name, history)
		if err != nil {
			return fmt.Errorf("curves: %s: %w", name, err)
		}
		row[i] = p
	}
	canvas, err := draw.NewFormattedCanvas(width*vg.Length(len(row)), height, format)
	if err != nil {
		return fmt.Errorf("curves: %s: %w", path, err)
	}
	tiles := draw.Tiles{Rows: 1, Cols: len(row), PadX: 5 * vg.Millimeter, PadTop: 3 * vg.Millimeter, PadBottom: 3 * vg.Millimeter, PadLeft: 3 * vg.Millimeter, PadRight: 3 * vg.Millimeter}
	for i, c := range plot.Align([][]*plot.Plot{row}, tiles, draw.New(canvas))[0] {
		row[i].Draw(c)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".curves-*")
	if err != nil {
		return fmt.Errorf("curves: %w", err)
	}
	_, err = canvas.WriteTo(f)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("curves: %w", err)
	}
	return nil
}

// rank has the loss come first.
func rank(name string) int {
	if name == "loss" {
		return 0
	}
	return 1
}

// panel draws one value.
func panel(name string, history []train.Epoch) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text = name, "epoch"
	p.Add(plotter.NewGrid())
	p.Legend.Top = name == "loss" // which falls; others rise
	for i, of := range []string{"training", "evaluation"} {
		var points plotter.XYs
		for _, e := range history {
			values := e.Train
			if i == 1 {
				values = e.Test
			}
			if x, ok := values[name]; ok {
				points = append(points, plotter.XY{X: float64(e.Epoch + 1), Y: x})
			}
		}
		if len(points) == 0 {
			continue
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width, dots.Color = lines[i], vg.Points(1.5), lines[i]
		dots.Shape, dots.Radius = draw.CircleGlyph{}, vg.Points(2)
		p.Add(line, dots)
		p.Legend.Add(of, line, dots)
	}
	return p, nil
}
