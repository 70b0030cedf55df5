package objcache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// Part is something that a compiled object depends on: the text that was
// compiled, the compiler's build, its options, the processor's features.
type Part struct{ Name, Value string }

// Parts is all that an object depends on, in an order that the caller keeps to.
type Parts []Part

// Key names an object: the SHA-256 of its parts.
type Key [sha256.Size]byte

// String returns the key in hexadecimal, which is its file's name.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Key returns the key of an object that depends on these parts. Other names,
// values or another order are another key.
func (p Parts) Key() Key {
	h := sha256.New()
	for _, part := range p {
		field(h, part.Name)
		field(h, part.Value)
	}
	return Key(h.Sum(nil))
}

// field adds a string to a hash so that where it ends is part of what is hashed.
func field(h hash.Hash, s string) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
	h.Write(n[:])
	h.Write([]byte(s))
}

// parseKey reads what [Key.String] writes.
func parseKey(s string) (Key, bool) {
	var k Key
	if len(s) != hex.EncodedLen(len(k)) {
		return k, false
	}
	if _, err := hex.Decode(k[:], []byte(s)); err != nil {
		return k, false
	}
	return k, k.String() == s // no capitals: one name for a key
}
