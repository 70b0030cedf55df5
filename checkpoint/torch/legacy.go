package torch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/soa"
)

// The first two values of the legacy format: see torch/serialization.py.
var legacyMagic, _ = new(big.Int).SetString("1950a86a20f9469cfc6c", 16)

const legacyVersion = int64(1001)

// table has the storages of a file by key.
type table struct {
	buffer *soa.Buffer
	byKey  map[string]*Storage
}

func newTable(b *soa.Buffer) *table { return &table{b, map[string]*Storage{}} }

// find returns the storage of a persistent id: ("storage", class, key, location, elements), and in
// the legacy format what it is a view of.
func (t *table) find(id tuple) (*Storage, error) {
	if len(id) < 5 || id[0] != "storage" {
		return nil, errors.New("a persistent id is no storage")
	}
	class, ok1 := id[1].(global)
	key, ok2 := id[2].(string)
	n, ok3 := id[4].(int64)
	d, ok4 := storages[class.name]
	if !ok1 || !ok2 || !ok3 || !ok4 || n < 0 || n > math.MaxInt64/16 {
		return nil, errors.New("a storage's id is not (\"storage\", class, key, location, elements)")
	}
	if len(id) > 5 && id[5] != nil {
		return nil, fmt.Errorf("storage %s is a view of another one, as in files of PyTorch before version 0.4: load it and save it with a newer PyTorch", key)
	}
	s := &Storage{Key: key, DType: d, Bytes: int(n) * d.Size(), buffer: t.buffer, at: -1, align: d.Align()}
	if class.name == untyped {
		s.align = types.F64.Align()
	}
	if have, ok := t.byKey[key]; ok {
		if have.DType != d || have.Bytes != s.Bytes {
			return nil, fmt.Errorf("storage %s has %s of %v, and before %s of %v", key, diag.Count(s.Bytes, "byte"), d, diag.Count(have.Bytes, "byte"), have.DType)
		}
		return have, nil
	}
	t.byKey[key] = s
	return s, nil
}

// decodeLegacy returns the value of a file of the legacy format: pickles of a magic number, a
// version, the system, the value, and the keys of the storages, and then each storage.
func decodeLegacy(b *soa.Buffer) (any, error) {
	all := newTable(b)
	m := &machine{data: b.Bytes(), storage: all.find}
	magic, err := m.run()
	if err != nil {
		return nil, err
	}
	if x, ok := magic.(*big.Int); !ok || x.Cmp(legacyMagic) != 0 {
		return nil, errors.New("the first pickle is not the magic number of torch.save: no checkpoint")
	}
	version, err := m.run()
	if err != nil {
		return nil, err
	}
	if version != legacyVersion {
		return nil, fmt.Errorf("version %v of the legacy format: want %d", version, legacyVersion)
	}
	system, err := m.run()
	if err != nil {
		return nil, err
	}
	if d, ok := system.(*dict); !ok || d.get("little_endian") != true {
		return nil, errors.New("the pickle of the system does not say little_endian: save the file on a little-endian machine")
	}
	value, err := m.run()
	if err != nil {
		return nil, err
	}
	keys, err := m.run()
	if err != nil {
		return nil, err
	}
	list, ok := keys.(*list)
	if !ok {
		return nil, errors.New("the keys of storages are no list")
	}
	at := m.at
	for _, key := range list.items {
		text, _ := key.(string)
		if at, err = all.locate(text, at); err != nil {
			return nil, err
		}
	}
	for key, s := range all.byKey {
		if s.at < 0 {
			return nil, fmt.Errorf("storage %s is not in the list of keys", key)
		}
	}
	if left := len(b.Bytes()) - at; left > 0 {
		return nil, fmt.Errorf("byte %d: %s behind the last storage", at, diag.Count(left, "byte"))
	}
	return value, nil
}

// locate places the storage with the given key at byte at, where its number of elements is, and
// returns where the next one begins.
func (t *table) locate(key string, at int) (int, error) {
	s, ok := t.byKey[key]
	data := t.buffer.Bytes()
	switch {
	case !ok:
		return 0, fmt.Errorf("byte %d: storage %q is in the list of keys, and no tensor is in it", at, key)
	case s.at >= 0:
		return 0, fmt.Errorf("byte %d: storage %s is there twice", at, key)
	case len(data)-at < 8:
		return 0, fmt.Errorf("byte %d: the file is cut short: storage %s has no size", at, key)
	}
	n := binary.LittleEndian.Uint64(data[at:])
	if want := uint64(s.Bytes / s.DType.Size()); n != want {
		return 0, fmt.Errorf("byte %d: storage %s has %s, and its id says %d", at, key, diag.Count(n, "element"), want)
	}
	at += 8
	if left := len(data) - at; s.Bytes > left {
		return 0, fmt.Errorf("byte %d: the file is cut short: storage %s, %v, has %s, and %d follow", at, key, types.Of(s.DType, int(n)), diag.Count(s.Bytes, "byte"), left)
	}
	s.at = at
	return at + s.Bytes, nil
}
