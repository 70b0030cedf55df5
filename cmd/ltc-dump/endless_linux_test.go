package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/data"
	"ltc/soa"
	"ltc/soa/npy"
	"ltc/soa/safetensors"
)

// Devices without end are refused by their first bytes, and take no memory.
func TestEndlessDevicesAreRefused(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, read := range map[string]func(path string) error{
		"npy":         func(path string) error { _, err := npy.ReadFile(path); return err },
		"npz":         func(path string) error { _, err := npy.ReadArchive(path); return err },
		"mapped npy":  func(path string) error { _, err := npy.Map(path); return err },
		"safetensors": func(path string) error { _, err := safetensors.Map(path); return err },
		"shared":      func(path string) error { _, err := soa.OpenShared(path, false); return err },
		"csv":         func(path string) error { _, err := data.ReadCSVFile(path); return err },
		"program": func(path string) error {
			var stderr bytes.Buffer
			require.Equal(t, 1, run([]string{"show", path}, strings.NewReader(""), &bytes.Buffer{}, &stderr))
			return errString(stderr.String())
		},
	} {
		err := read("/dev/zero")
		require.ErrorContains(t, err, "/dev/zero", name)
		require.Regexp(t, "not an? \\.np[yz] |not a regular file: copy it to a regular file|no text", err.Error(), name)
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))

	link := filepath.Join(t.TempDir(), "a.npy")
	require.NoError(t, os.Symlink("/dev/zero", link))
	_, err := npy.ReadFile(link)
	require.ErrorContains(t, err, "not a .npy file")
}

type errString string

func (e errString) Error() string { return string(e) }
