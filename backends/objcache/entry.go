package objcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// A file holds, in this order: magic; the SHA-256 of all that follows; the key;
// the lengths of metadata and object, as little-endian 32 and 64 bits; the
// metadata as JSON; the object.
const (
	magic      = "ltcobj1\n"
	headerSize = len(magic) + sha256.Size + len(Key{}) + 4 + 8
)

// meta is what a file says of its object, for people.
type meta struct {
	Label   string     `json:"label,omitempty"`
	Created time.Time  `json:"created"`
	Parts   []metaPart `json:"parts"`
}

// metaPart is one part of the key: its value if that is short, and always its
// hash.
type metaPart struct {
	Name  string  `json:"name"`
	Bytes int     `json:"bytes"`
	Hash  string  `json:"hash"`
	Value *string `json:"value,omitempty"`
}

// maxValue is the length up to which values of parts are kept in files.
const maxValue = 8 << 10

// encode returns the file of an object.
func encode(p Parts, label string, created time.Time, object []byte) ([]byte, error) {
	m := meta{Label: label, Created: created.UTC().Truncate(time.Second)}
	for _, part := range p {
		hash := sha256.Sum256([]byte(part.Value))
		kept := metaPart{Name: part.Name, Bytes: len(part.Value), Hash: hex.EncodeToString(hash[:8])}
		if len(part.Value) <= maxValue {
			kept.Value = &part.Value
		}
		m.Parts = append(m.Parts, kept)
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	key := p.Key()
	file := make([]byte, 0, headerSize+len(text)+len(object))
	file = append(file, magic...)
	file = append(file, make([]byte, sha256.Size)...)
	file = append(file, key[:]...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(text)))
	file = binary.LittleEndian.AppendUint64(file, uint64(len(object)))
	file = append(file, text...)
	file = append(file, object...)
	sum := sha256.Sum256(file[len(magic)+sha256.Size:])
	copy(file[len(magic):], sum[:])
	return file, nil
}

// says returns the size that the header of a file says the file has; -1 if it is
// none.
func says(header []byte) int64 {
	if string(header[:len(magic)]) != magic {
		return -1
	}
	lengths := header[headerSize-12:]
	n, m := uint64(binary.LittleEndian.Uint32(lengths)), binary.LittleEndian.Uint64(lengths[4:])
	if m > math.MaxInt64/2 {
		return -1
	}
	return int64(uint64(headerSize) + n + m)
}

// decode returns the parts of a file after checking all of it. The results
// borrow from it.
func decode(file []byte, key Key) (text, object []byte, err error) {
	if len(file) < headerSize || string(file[:len(magic)]) != magic {
		return nil, nil, errors.New("it is no compiled object of this version")
	}
	rest := file[len(magic)+sha256.Size:]
	if sum := sha256.Sum256(rest); !bytes.Equal(sum[:], file[len(magic):][:sha256.Size]) {
		return nil, nil, errors.New("its checksum is wrong")
	}
	if !bytes.Equal(rest[:len(key)], key[:]) {
		return nil, nil, errors.New("it is of another key")
	}
	rest = rest[len(key):]
	n, m := uint64(binary.LittleEndian.Uint32(rest)), binary.LittleEndian.Uint64(rest[4:])
	rest = rest[12:]
	if n > uint64(len(rest)) || m != uint64(len(rest))-n {
		return nil, nil, errors.New("its lengths are wrong")
	}
	return rest[:n], rest[n:], nil
}

// decodeMeta reads a file's metadata.
func decodeMeta(text []byte) (meta, error) {
	var m meta
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("metadata: %w", err)
	}
	return m, nil
}
