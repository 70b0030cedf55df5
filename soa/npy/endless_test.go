package npy

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

// endless counts what is read of it.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	clear(p)
	e.read += len(p)
	return len(p), nil
}

// What has no size is read as far as its header says, and what is no array not at all.
func TestHeadersSayHowMuchIsRead(t *testing.T) {
	var file bytes.Buffer
	v := soa.Make(types.Type{DType: types.F32, Shape: types.Shape{300, 1000}})
	require.NoError(t, Encode(&file, v))
	size := file.Len()
	data, err := readArray("p", bytes.NewReader(file.Bytes()))
	require.NoError(t, err)
	read, err := Decode("p", data)
	require.NoError(t, err)
	require.Equal(t, v.Type, read.Type)

	e := &endless{}
	_, err = readArray("p", io.MultiReader(bytes.NewReader(file.Bytes()[:size-1000]), e))
	require.ErrorContains(t, err, "p: more than the 1200128 bytes that its header says")
	require.Equal(t, 1000+1, e.read)

	e = &endless{}
	_, err = readArray("p", e)
	require.ErrorContains(t, err, "p: not a .npy file")
	require.Equal(t, preambleBytes, e.read)

	_, err = readArray("p", bytes.NewReader(file.Bytes()[:size-1]))
	require.EqualError(t, err, "p: truncated: it has 1200127 bytes, and 1200128 by its header")
	_, err = readArray("p", bytes.NewReader(file.Bytes()[:20]))
	require.EqualError(t, err, "p: truncated: ends after 20 bytes, within the header")

	head, err := Header("<f4", types.Shape{1 << 30, 1 << 20})
	require.NoError(t, err)
	e = &endless{}
	_, err = readArray("p", io.MultiReader(bytes.NewReader(head), e))
	require.ErrorIs(t, err, soa.ErrMemory)
	require.Zero(t, e.read)
}

func TestArchivesThatAreNoneAreNotRead(t *testing.T) {
	e := &endless{}
	_, err := readPiped("p", e)
	require.EqualError(t, err, `p: not an .npz archive: it starts with "\x00\x00\x00\x00"`)
	require.Equal(t, 4, e.read)
	_, err = readPiped("p", bytes.NewReader(nil))
	require.EqualError(t, err, `p: not an .npz archive: it starts with ""`)

	var file bytes.Buffer
	require.NoError(t, EncodeArchive(&file, []Entry{{"a", soa.Make(types.Type{DType: types.F32, Shape: types.Shape{3}})}}))
	data, err := readPiped("p", bytes.NewReader(file.Bytes()))
	require.NoError(t, err)
	require.Equal(t, file.Bytes(), data)
}
