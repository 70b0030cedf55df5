package npy

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/files"
	"ltc/soa"
)

// Entry is one array of a .npz archive.
type Entry struct {
	Name string // without .npy
	View soa.View
}

// Archive is the content of a .npz file: its arrays in the file's order.
type Archive []Entry

// Lookup returns the array of the given name, which is without .npy. The error, if
// there is none, lists the names.
func (a Archive) Lookup(name string) (soa.View, error) {
	names := make([]string, len(a))
	for i, e := range a {
		if e.Name == name {
			return e.View, nil
		}
		names[i] = e.Name
	}
	return soa.View{}, fmt.Errorf("the archive has no array %s%s", name, diag.Meant(name, "array", names))
}

// DecodeArchive returns the arrays in data, the content of a .npz file, in the
// file's order. Arrays that are stored (numpy.savez) share data's memory as in
// [Decode]; deflated ones (numpy.savez_compressed) get memory of their own.
// name is the file's, for errors.
func DecodeArchive(name string, data []byte) (Archive, error) {
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%s: not an .npz archive: %w", name, err)
	}
	entries := make(Archive, 0, len(zr.File))
	seen := map[string]bool{}
	unpacked, left := uint64(len(data)), uint64(len(data))
	for _, f := range zr.File {
		stem, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			return nil, fmt.Errorf("%s: entry %q is not an array: want a name that ends in .npy", name, f.Name)
		}
		if seen[stem] {
			return nil, fmt.Errorf("%s: entry %q is there twice", name, f.Name)
		}
		seen[stem] = true
		if f.Method == zip.Deflate {
			if unpacked, err = unpack(unpacked, f); err != nil {
				return nil, fmt.Errorf("%s: entry %q: %w", name, f.Name, err)
			}
		}
		body, err := entryBytes(f, data)
		if err != nil {
			return nil, fmt.Errorf("%s: entry %q: %w", name, f.Name, err)
		}
		if f.CompressedSize64 > left { // else a small file could have much to be read
			return nil, fmt.Errorf("%s: entry %q: it takes part of what others take: together they are longer than the file", name, f.Name)
		}
		left -= f.CompressedSize64
		v, err := Decode(name+": entry "+f.Name, body)
		if err != nil {
			return nil, err
		}
		entries = append(entries, Entry{stem, v})
	}
	return entries, nil
}

// mostDeflate is how many bytes one byte of deflated data makes at most: a code
// of two bits stands for up to 258 bytes (RFC 1951, 3.2.5).
const mostDeflate = 1032

// unpack adds what a deflated entry unpacks to, which has to fit the memory
// together with the file and the entries before it.
func unpack(total uint64, f *zip.File) (uint64, error) {
	hi, most := bits.Mul64(f.CompressedSize64, mostDeflate)
	if hi == 0 && f.UncompressedSize64 > most {
		return 0, fmt.Errorf("claims to inflate to %s: %d deflated ones make at most %d", diag.Count(f.UncompressedSize64, "byte"), f.CompressedSize64, most)
	}
	total, over := bits.Add64(total, f.UncompressedSize64, 0)
	if over != 0 || total > math.MaxInt {
		return 0, fmt.Errorf("with the file and the entries before it: %w", soa.Fits(-1))
	}
	if err := soa.Fits(int(total)); err != nil {
		return 0, fmt.Errorf("with the file and the entries before it: %w", err)
	}
	return total, nil
}

// ReadArchive reads a .npz file, or up to 1 GiB of a pipe or device.
func ReadArchive(path string) (Archive, error) {
	data, err := readAligned(path, func(r io.Reader) ([]byte, error) { return readPiped(path, r) })
	if err != nil {
		return nil, fmt.Errorf("read archive: %w", err)
	}
	return DecodeArchive(path, data)
}

// readPiped reads an archive that does not tell its size: what it has is said at its
// end. What does not begin as one is not read.
func readPiped(name string, r io.Reader) ([]byte, error) {
	head := make([]byte, 4)
	n, err := io.ReadFull(r, head)
	if begin := string(head[:n]); begin != "PK\x03\x04" && begin != "PK\x05\x06" { // of an entry, or of none
		return nil, fmt.Errorf("%s: not an .npz archive: it starts with %q", name, begin)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return files.AtMost(name, io.MultiReader(bytes.NewReader(head), r), min(files.MostPiped, soa.Limit()/4))
}

// entryBytes returns the content of f, a part of data where it is stored.
func entryBytes(f *zip.File, data []byte) ([]byte, error) {
	if f.Flags&1 != 0 {
		return nil, errors.New("encrypted: want a plain entry")
	}
	off, err := f.DataOffset()
	if err != nil {
		return nil, err
	}
	if off < 0 || off > int64(len(data)) || f.CompressedSize64 > uint64(int64(len(data))-off) {
		return nil, fmt.Errorf("truncated: takes %s at %d of a file of %d", diag.Count(f.CompressedSize64, "byte"), off, len(data))
	}
	raw := data[off : off+int64(f.CompressedSize64)]
	switch f.Method {
	case zip.Store:
		if f.UncompressedSize64 != f.CompressedSize64 {
			return nil, fmt.Errorf("stored, but takes %s for %d", diag.Count(f.CompressedSize64, "byte"), f.UncompressedSize64)
		}
	case zip.Deflate:
		if raw, err = inflate(raw, f.UncompressedSize64); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("compression method %d: want stored or deflated", f.Method)
	}
	if sum := crc32.ChecksumIEEE(raw); sum != f.CRC32 {
		return nil, fmt.Errorf("corrupt: checksum is %08x, want %08x", sum, f.CRC32)
	}
	return raw, nil
}

// inflate decompresses raw to size bytes, of which [unpack] has said that they can be
// there: first the header, and the rest only if these are the bytes that it asks for.
func inflate(raw []byte, size uint64) ([]byte, error) {
	r := flate.NewReader(bytes.NewReader(raw))
	defer r.Close()
	head, err := readHeader(r, size, func(err error, n int) error { return inflated(err, n, size) })
	if err != nil {
		return nil, err
	}
	h, rest, err := splitHeader(head)
	if err != nil {
		return nil, err
	}
	if _, err := h.typeFor(size - uint64(len(head)-len(rest))); err != nil {
		return nil, err
	}
	body := soa.New(int(size)).Bytes()
	n, err := io.ReadFull(r, body[copy(body, head):])
	if err := inflated(err, len(head)+n, size); err != nil {
		return nil, err
	}
	switch n, err := io.ReadFull(r, make([]byte, 1)); {
	case n > 0:
		return nil, fmt.Errorf("inflates to more than the %s that the archive claims", diag.Count(size, "byte"))
	case err != io.EOF:
		return nil, fmt.Errorf("inflate: %w", err)
	}
	return body, nil
}

// mostHeader is how long a header may be that does not lie in a file: those of numbers
// have some hundred bytes.
const mostHeader = 1 << 20

// readHeader returns the start of a .npy file of size bytes, with the whole header if
// it is there. failed returns what is wrong when err ended reading after n bytes.
func readHeader(r io.Reader, size uint64, failed func(err error, n int) error) ([]byte, error) {
	head := make([]byte, min(size, preambleBytes))
	n, err := io.ReadFull(r, head)
	if err := failed(err, n); err != nil {
		return nil, err
	}
	dict, rest, err := preamble(head)
	if err != nil {
		return nil, err
	}
	if dict > mostHeader {
		return nil, fmt.Errorf("a header of %s, which may be %d where it does not lie in a file", diag.Count(dict, "byte"), mostHeader)
	}
	all := min(uint64(len(head)-len(rest))+dict, size)
	if all <= uint64(len(head)) {
		return head, nil
	}
	head = append(make([]byte, 0, all), head...)[:all]
	n, err = io.ReadFull(r, head[preambleBytes:])
	return head, failed(err, preambleBytes+n)
}

// inflated returns what is wrong when err ended inflating after n bytes.
func inflated(err error, n int, size uint64) error {
	switch err {
	case nil:
		return nil
	case io.EOF, io.ErrUnexpectedEOF: // of raw, too
		return fmt.Errorf("inflates to %s, want %d", diag.Count(n, "byte"), size)
	}
	return fmt.Errorf("inflate: %w", err)
}

// EncodeArchive writes entries, in their order, as an uncompressed .npz file. Every array's
// elements start at a multiple of 64 bytes, so that a file that is read or mapped can be
// viewed in place.
func EncodeArchive(w io.Writer, entries []Entry) error {
	count := &counter{w: w}
	zw := zip.NewWriter(count)
	seen := map[string]bool{}
	for _, e := range entries {
		if seen[e.Name] {
			return fmt.Errorf("write archive: entry %q is there twice", e.Name)
		}
		seen[e.Name] = true
		if err := writeEntry(zw, count, e); err != nil {
			return fmt.Errorf("write archive: entry %q: %w", e.Name, err)
		}
	}
	if err := zw.Close(); err != nil {
		return fmt.Errorf("write archive: %w", err)
	}
	return nil
}

// WriteArchive writes a .npz file at path, as [WriteFile] does.
func WriteArchive(path string, entries []Entry) error {
	return writeFile(path, func(w io.Writer) error { return EncodeArchive(w, entries) })
}

// writeEntry adds a stored entry with its size and checksum in front, which
// needs a first pass over the elements.
func writeEntry(zw *zip.Writer, count *counter, e Entry) error {
	crc, size := crc32.NewIEEE(), &counter{w: io.Discard}
	if err := Encode(io.MultiWriter(crc, size), e.View); err != nil {
		return err
	}
	if err := zw.Flush(); err != nil {
		return err
	}
	head := &zip.FileHeader{
		Name:               e.Name + ".npy",
		Method:             zip.Store,
		CRC32:              crc.Sum32(),
		CompressedSize64:   uint64(size.n),
		UncompressedSize64: uint64(size.n),
	}
	const localHeader, extraHeader = 30, 4 // bytes: APPNOTE.TXT 4.3.7, 4.5.1
	// The zip library adds nothing to a local header but what is given here.
	start := count.n + localHeader + int64(len(head.Name)) + extraHeader
	pad := int(-start & 63)
	head.Extra = binary.LittleEndian.AppendUint16(nil, 0xd935) // the id that Android's zipalign pads with
	head.Extra = binary.LittleEndian.AppendUint16(head.Extra, uint16(pad))
	head.Extra = append(head.Extra, make([]byte, pad)...)
	w, err := zw.CreateRaw(head)
	if err != nil {
		return err
	}
	return Encode(w, e.View)
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
