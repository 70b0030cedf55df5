// Package curves draws what package train found: a panel for each value, with a line over the epochs for training and one
// for validation. Its only function is [Draw].
//
// The package imports only ltc/internal/files, ltc/train, the standard library and gonum.org/v1/plot.
package curves

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"maps"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ltc/internal/files"
	"ltc/train"
)

// Sizes of a panel.
const (
	width  = 12 * vg.Centimeter
	height = 8 * vg.Centimeter
)

// lines are the colors of training and of validation.
var lines = [2]color.RGBA{{31, 119, 180, 255}, {255, 127, 14, 255}}

// Draw draws the history of a loop into a file, as its name says: .svg, .png or .pdf. The file is there whole or not at all.
func Draw(path string, history []train.Epoch) error {
	if len(history) == 0 {
		return errors.New("curves: the history has no epochs: draw it after the first has ended")
	}
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	all := train.Means{}
	for _, e := range history {
		maps.Copy(all, e.Train)
		maps.Copy(all, e.Validation)
	}
	names := all.Names()
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
	if err := files.Write(path, func(w io.Writer) error { _, err := canvas.WriteTo(w); return err }); err != nil {
		return fmt.Errorf("curves: %w", err)
	}
	return nil
}

// panel draws one value.
func panel(name string, history []train.Epoch) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text = name, "epoch"
	p.Add(plotter.NewGrid())
	p.Legend.Top = name == "loss" // which falls; others rise
	for i, of := range []string{"training", "validation"} {
		var points plotter.XYs
		for _, e := range history {
			values := e.Train
			if i == 1 {
				values = e.Validation
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
