package curves_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/integrations/curves"
	"ltc/train"
)

func history() []train.Epoch {
	return []train.Epoch{
		{Epoch: 0, Train: train.Means{"loss": 0.5473, "accuracy": 0.8073}, Validation: train.Means{"loss": 0.3823, "accuracy": 0.8558}},
		{Epoch: 1, Train: train.Means{"loss": 0.2830, "accuracy": 0.8961}, Validation: train.Means{"loss": 0.2613, "accuracy": 0.9036}},
		{Epoch: 2, Train: train.Means{"loss": 0.1924, "accuracy": 0.9284}, Validation: train.Means{"loss": 0.2331, "accuracy": 0.9164}},
	}
}

func TestDraw(t *testing.T) {
	dir := t.TempDir()
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
	for _, part := range []string{">loss<", ">accuracy<", ">training<", ">validation<", ">epoch<", "#1F77B4", "#FF7F0E"} {
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
		alone[i].Validation = nil
	}
	require.NoError(t, curves.Draw(svg, alone))
	text, err = os.ReadFile(svg)
	require.NoError(t, err)
	require.NotContains(t, string(text), ">validation<")
}

var update = flag.Bool("update", false, "draw the curves of examples/fashion anew")

// The picture of examples/fashion is that of the numbers in its README.
func TestFashion(t *testing.T) {
	const dir = "../../examples/fashion/"
	text, err := os.ReadFile(dir + "README.md")
	require.NoError(t, err)
	var history []train.Epoch
	for _, line := range regexp.MustCompile(`(?m)^epoch .*`).FindAllString(string(text), -1) {
		var of, epochs int
		var loss, accuracy, validLoss, validAccuracy float64
		_, err := fmt.Sscanf(line, "epoch %d/%d  loss %f accuracy %f  validation loss %f accuracy %f", &of, &epochs, &loss, &accuracy, &validLoss, &validAccuracy)
		require.NoError(t, err, line)
		history = append(history, train.Epoch{
			Epoch: of - 1, Train: train.Means{"loss": loss, "accuracy": accuracy}, Validation: train.Means{"loss": validLoss, "accuracy": validAccuracy},
		})
	}
	require.Len(t, history, 3)
	path := filepath.Join(t.TempDir(), "curves.svg")
	if *update {
		path = dir + "curves.svg"
	}
	require.NoError(t, curves.Draw(path, history))
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	want, err := os.ReadFile(dir + "curves.svg")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "go test -run TestFashion -update draws it")
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
