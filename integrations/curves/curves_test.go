package curves_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/integrations/curves"
	"ltc/train"
)

func history() []train.Epoch {
	return []train.Epoch{
		{Epoch: 0, Train: train.Means{"loss": 0.5473, "accuracy": 0.8073}, Test: train.Means{"loss": 0.3823, "accuracy": 0.8558}},
		{Epoch: 1, Train: train.Means{"loss": 0.2830, "accuracy": 0.8961}, Test: train.Means{"loss": 0.2613, "accuracy": 0.9036}},
		{Epoch: 2, Train: train.Means{"loss": 0.1924, "accuracy": 0.9284}, Test: train.Means{"loss": 0.2331, "accuracy": 0.9164}},
	}
}

func TestDraw(t *testing.T) {
	dir := t.TempDir()
	if out := os.Getenv("CURVES"); out != "" {
		dir = out // to look at
	}
	svg, raster := filepath.Join(dir, "curves.svg"), filepath.Join(dir, "curves.png")
	require.NoError(t, curves.Draw(svg, history()))
	require.NoError(t, curves.Draw(raster, history()))
	text, err := os.ReadFile(svg)
	require.NoError(t, err)
	d := xml.NewDecoder(bytes.NewReader(text))
	for err == nil {
		_, err = d.Token()
	}
	require.ErrorIs(t, err, io.EOF)
	for _, part := range []string{">loss<", ">accuracy<", ">training<", ">evaluation<", ">epoch<", "#1F77B4", "#FF7F0E"} {
		require.Contains(t, string(text), part)
	}
	require.Less(t, strings.Index(string(text), ">loss<"), strings.Index(string(text), ">accuracy<"))
	f, err := os.Open(raster)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	require.Greater(t, img.Bounds().Dx(), 2*img.Bounds().Dy())

	alone := history()
	for i := range alone {
		alone[i].Test = nil
	}
	require.NoError(t, curves.Draw(svg, alone))
	text, err = os.ReadFile(svg)
	require.NoError(t, err)
	require.NotContains(t, string(text), ">evaluation<")
}

func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	require.EqualError(t, curves.Draw(filepath.Join(dir, "a.svg"), nil), "curves: the history has no epochs: draw it after the first has ended")
	require.ErrorContains(t, curves.Draw(filepath.Join(dir, "a.gif"), history()), "a.gif")
	var missing *os.PathError
	require.True(t, errors.As(curves.Draw(filepath.Join(dir, "none", "a.svg"), history()), &missing))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
