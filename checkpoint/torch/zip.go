package torch

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/soa"
)

// archive is a zip archive whose entries are all in one folder.
type archive struct {
	data    []byte
	folder  string // with the slash
	entries map[string]*zip.File
	used    []extent
}

// extent is the content of an entry.
type extent struct {
	name       string
	begin, end int
}

// decodeZip returns the value of a zip archive: its entry data.pkl. The storages are entries below
// data/, by key. The byte order is the entry byteorder, which older files lack.
func decodeZip(b *soa.Buffer) (any, error) {
	a, err := openArchive(b.Bytes())
	if err != nil {
		return nil, err
	}
	if order, err := a.content("byteorder"); err != nil {
		return nil, err
	} else if order != nil && string(b.Bytes()[order.begin:order.end]) != "little" {
		return nil, fmt.Errorf("entry %s says %q: save the file on a little-endian machine, or with torch.utils.serialization.config.save.set_byteorder", order.name, b.Bytes()[order.begin:min(order.end, order.begin+16)])
	}
	if _, script := a.entries[a.folder+"constants.pkl"]; script {
		return nil, errors.New("a TorchScript archive of torch.jit.save: save its state_dict() with torch.save")
	}
	pickle, err := a.content("data.pkl")
	if err != nil {
		return nil, err
	}
	body := b.Bytes()[pickle.begin:pickle.end]
	if sum, want := crc32.ChecksumIEEE(body), a.entries[pickle.name].CRC32; sum != want {
		return nil, fmt.Errorf("entry %s is corrupt: its checksum is %08x, want %08x", pickle.name, sum, want)
	}
	all := newTable(b)
	m := &machine{data: body, storage: func(id tuple) (*Storage, error) {
		s, err := all.find(id)
		if err != nil || s.at >= 0 {
			return s, err
		}
		return s, a.locate(s)
	}}
	value, err := m.run()
	if err != nil {
		return nil, fmt.Errorf("entry %s: %w", pickle.name, err)
	}
	return value, a.overlaps()
}

func openArchive(data []byte) (*archive, error) {
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("a zip archive that is cut short or corrupt: %w", err)
	}
	a := &archive{data: data, entries: make(map[string]*zip.File, len(zr.File))}
	found := false
	for _, f := range zr.File {
		if _, twice := a.entries[f.Name]; twice {
			return nil, fmt.Errorf("entry %q is there twice", f.Name)
		}
		a.entries[f.Name] = f
		if folder, ok := strings.CutSuffix(f.Name, "data.pkl"); ok && (folder == "" || strings.Count(folder, "/") == 1 && strings.HasSuffix(folder, "/")) {
			if found {
				return nil, errors.New("the archive has two entries data.pkl")
			}
			a.folder, found = folder, true
		}
	}
	if !found {
		return nil, errors.New("a zip archive without an entry data.pkl: no file of torch.save")
	}
	return a, nil
}

// content returns where the content of an entry of the folder is; nil if there is no such entry.
// Entries are stored, as torch.save writes them.
func (a *archive) content(name string) (*extent, error) {
	f, ok := a.entries[a.folder+name]
	if !ok {
		return nil, nil
	}
	if f.Method != zip.Store || f.UncompressedSize64 != f.CompressedSize64 {
		return nil, fmt.Errorf("entry %s is compressed, of %s to %s: torch.save stores entries, and others are not read", f.Name, diag.Count(f.UncompressedSize64, "byte"), diag.Count(f.CompressedSize64, "byte"))
	}
	if f.Flags&1 != 0 {
		return nil, fmt.Errorf("entry %s is encrypted", f.Name)
	}
	at, err := f.DataOffset()
	if err != nil {
		return nil, fmt.Errorf("entry %s: %w", f.Name, err)
	}
	if at < 0 || at > int64(len(a.data)) || f.CompressedSize64 > uint64(int64(len(a.data))-at) {
		return nil, fmt.Errorf("entry %s is cut short: it has %s from byte %d on, and the file has %d", f.Name, diag.Count(f.CompressedSize64, "byte"), at, len(a.data))
	}
	e := extent{f.Name, int(at), int(at) + int(f.CompressedSize64)}
	a.used = append(a.used, e)
	return &e, nil
}

// locate places a storage at its entry.
func (a *archive) locate(s *Storage) error {
	e, err := a.content("data/" + s.Key)
	if err != nil {
		return err
	}
	if e == nil {
		return fmt.Errorf("storage %s has no entry %sdata/%s", s.Key, a.folder, s.Key)
	}
	if n := e.end - e.begin; n != s.Bytes {
		return fmt.Errorf("entry %s at byte %d has %s, and the id of storage %s says %d of %v", e.name, e.begin, diag.Count(n, "byte"), s.Key, s.Bytes/s.DType.Size(), s.DType)
	}
	s.at = e.begin
	return nil
}

// overlaps returns an error if two entries that were read share bytes.
func (a *archive) overlaps() error {
	slices.SortFunc(a.used, func(x, y extent) int { return cmp.Or(cmp.Compare(x.begin, y.begin), cmp.Compare(x.end, y.end)) })
	for i := 1; i < len(a.used); i++ {
		if x, y := a.used[i-1], a.used[i]; y.begin < x.end {
			return fmt.Errorf("byte %d: entries %s and %s overlap", y.begin, x.name, y.name)
		}
	}
	return nil
}
