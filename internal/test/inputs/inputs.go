// Package inputs finds the models and the data of tests, which are not part of the repository. Its functions skip a test
// whose files are not there. [Stripes] writes small files in place of a data set.
//
// The package imports only ltc/internal/trials.
package inputs

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"ltc/internal/trials"
)

// File returns the path of a file of a model or a data set that make inputs has fetched: minilm, efficientnet, smollm2 or
// fashion. The empty file is the folder.
func File(t testing.TB, name, file string) string {
	t.Helper()
	path := filepath.Join(trials.Root(), "out", "inputs", name, file)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not there: make inputs INPUTS=%s fetches it", path, name)
	}
	return path
}

// Stripes writes n examples of ten kinds as Fashion-MNIST has them, part-images-idx3-ubyte.gz and part-labels-idx1-ubyte.gz in
// dir, not compressed. Row 2·label+4 of an image is white, the others are black.
func Stripes(t testing.TB, dir, part string, n int) {
	t.Helper()
	const size = 28
	images := []byte{0, 0, 8, 3, 0, 0, 0, 0, 0, 0, 0, size, 0, 0, 0, size}
	labels := []byte{0, 0, 8, 1, 0, 0, 0, 0}
	for i := range n {
		image := make([]byte, size*size)
		row := 2*(i%10) + 4
		copy(image[size*row:], bytes.Repeat([]byte{255}, size))
		images, labels = append(images, image...), append(labels, byte(i%10))
	}
	for name, file := range map[string][]byte{"images-idx3": images, "labels-idx1": labels} {
		binary.BigEndian.PutUint32(file[4:], uint32(n))
		if err := os.WriteFile(filepath.Join(dir, part+"-"+name+"-ubyte.gz"), file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Expected decodes the recorded values of a model, a file of JSON such as testdata/minilm.json.
func Expected(t testing.TB, file string, to any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// Recorded returns the path of a recorded file that is not part of the repository, in ../shared/inputs.
func Recorded(t testing.TB, file string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(trials.Root()), "shared", "inputs", file)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no recorded file: %v", err)
	}
	return path
}
