package npy

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// What decodes encodes, to something that decodes to the same.
func FuzzDecode(f *testing.F) {
	f.Add(golden)
	f.Add(file("{'descr': '|b1', 'fortran_order': True, 'shape': (2, 1)}", 1, 0))
	f.Add(file("{'descr': '<V2', 'fortran_order': True, 'shape': (1, 2)}", 1, 2, 3, 4))
	f.Add(file("{'descr': '>f4', 'fortran_order': False, 'shape': (9223372036854775807, 9223372036854775807)}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Decode("fuzz.npy", data)
		if err != nil {
			return
		}
		var a, b bytes.Buffer
		require.NoError(t, Encode(&a, v))
		w, err := Decode("again.npy", a.Bytes())
		require.NoError(t, err)
		require.NoError(t, Encode(&b, w))
		require.Equal(t, a.Bytes(), b.Bytes())
	})
}

func FuzzDecodeArchive(f *testing.F) {
	f.Add(encoded(f, entries(f)))
	f.Add(zipped(f, "x.npy", golden, zip.Deflate, nil))
	f.Add(zipped(f, "x.npy", golden, zip.Store, func(h *zip.FileHeader) { h.CompressedSize64 = 1 << 60 }))
	f.Fuzz(func(t *testing.T, data []byte) {
		es, err := DecodeArchive("fuzz.npz", data)
		if err != nil {
			return
		}
		for _, e := range es {
			require.NoError(t, Encode(&bytes.Buffer{}, e.View))
		}
	})
}
