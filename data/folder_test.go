package data

import (
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/soa"
)

// writeImage writes a PNG of one gray.
func writeImage(t *testing.T, path string, width int, gray uint8) {
	img := image.NewGray(image.Rect(0, 0, width, 2))
	for i := range img.Pix {
		img.Pix[i] = color.Gray{Y: gray}.Y
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, png.Encode(f, img))
	require.NoError(t, f.Close())
}

func TestImageFolder(t *testing.T) {
	dir := t.TempDir()
	writeImage(t, filepath.Join(dir, "dog", "b.PNG"), 3, 255)
	writeImage(t, filepath.Join(dir, "cat", "a.png"), 3, 0)
	writeImage(t, filepath.Join(dir, "dog", "a.png"), 3, 51)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dog", "notes.txt"), nil, 0o644))
	images, classes := ImageFolder(dir, 1, Batches{Size: 2, InOrder: true})
	require.NoError(t, images.Err())
	require.Equal(t, []string{"cat", "dog"}, classes)
	batches := rest(t, images)
	require.Len(t, batches, 2)
	require.Equal(t, "f32[2,1,2,3]", batches[0][0].Type.String())
	require.InDeltaSlice(t, []float32{0, 0, 0, 0, 0, 0, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2}, soa.Slice[float32](batches[0][0]), 1e-6)
	require.Equal(t, []int32{0, 1}, soa.Slice[int32](batches[0][1]))
	require.Equal(t, []int32{1}, soa.Slice[int32](batches[1][1]))

	_, held := images.Holdout(3)
	require.Equal(t, float32(1), soa.Slice[float32](rest(t, held)[0][0])[0])

	writeImage(t, filepath.Join(dir, "cat", "b.png"), 4, 0)
	images, _ = ImageFolder(dir, 1, Batches{InOrder: true})
	require.NoError(t, images.Err())
	require.ErrorContains(t, firstError(images), "row 1 is 1×2×4, and row 0 1×2×3: resize or crop them to one size")
	images, _ = ImageFolder(dir, 3, Batches{InOrder: true}, Resize(5, 6))
	require.Equal(t, "f32[4,3,5,6]", rest(t, images)[0][0].Type.String())

	images, _ = ImageFolder(t.TempDir(), 1, Batches{})
	require.ErrorContains(t, images.Err(), "there is no class/name.png, .jpg or .jpeg in")
	images, _ = ImageFolder(filepath.Join(dir, "none"), 1, Batches{})
	require.ErrorIs(t, images.Err(), fs.ErrNotExist)
	images, _ = ImageFolder(dir, 1, Batches{}, nil)
	require.ErrorContains(t, images.Err(), "transform 0 is nil")
}

// A class without images is an error, and a link to a folder is a class.
func TestClassFolders(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	writeImage(t, filepath.Join(dir, "cat", "a.png"), 3, 0)
	writeImage(t, filepath.Join(elsewhere, "a.png"), 3, 0)
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, "ape")))
	images, classes := ImageFolder(dir, 1, Batches{InOrder: true})
	require.NoError(t, images.Err())
	require.Equal(t, []string{"ape", "cat"}, classes)
	require.Equal(t, []int32{0, 1}, soa.Slice[int32](rest(t, images)[0][1]))

	writeImage(t, filepath.Join(dir, "bee", "nested", "a.png"), 3, 0)
	images, classes = ImageFolder(dir, 1, Batches{})
	require.EqualError(t, images.Err(), "data: image folder: the class "+filepath.Join(dir, "bee")+" has no .png, .jpg or .jpeg: remove its folder or add images")
	require.Empty(t, classes)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "bee")))
	require.NoError(t, os.RemoveAll(elsewhere))
	images, _ = ImageFolder(dir, 1, Batches{})
	require.ErrorIs(t, images.Err(), fs.ErrNotExist, "a link to nothing")
}
