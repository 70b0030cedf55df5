package tokenizer

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"unsafe"

	"ltc/internal/diag"
)

// seed is that of all hash tables.
var seed = maphash.MakeSeed()

// vocabulary has the tokens of a model by their ids, and the ids by the tokens.
type vocabulary struct {
	text   []byte   // all tokens, one after the other
	names  string   // text, once it is complete
	places []place  // by id
	slots  []uint32 // a hash table of ids, plus 1; 0 if empty
	count  int      // tokens
}

// place is where a token is in the text. That of an id without a token has the length -1.
type place struct{ start, length int32 }

// newVocabulary returns one with room for so many tokens.
func newVocabulary(tokens, bytes int) *vocabulary {
	return &vocabulary{text: make([]byte, 0, bytes), places: make([]place, 0, tokens), slots: make([]uint32, tableSize(tokens))}
}

// tableSize returns the slots of a hash table for so many entries: a power of two, at most half full.
func tableSize(entries int) int { return 1 << bits.Len(uint(max(2*entries, 8)-1)) }

// maxID returns the largest id in a vocabulary of so many tokens: ids may have gaps, but a file may
// not ask for more memory than it is worth.
func maxID(tokens int) int { return 1<<20 + 8*tokens }

// add adds the token that is v.text[start:]. It reports false, and adds nothing, if the vocabulary
// has it already, or the id has another.
func (v *vocabulary) add(id, start int) (ok bool) {
	v.grow()
	slot := v.slot(v.text[start:])
	if v.slots[slot] != 0 || v.has(id) {
		return false
	}
	for id >= len(v.places) {
		v.places = append(v.places, place{length: -1})
	}
	v.set(slot, id, start)
	return true
}

// put adds the token that is v.text[start:] as the next id. Of equal tokens the last has the id.
func (v *vocabulary) put(start int) {
	v.grow()
	v.places = append(v.places, place{})
	v.set(v.slot(v.text[start:]), len(v.places)-1, start)
}

func (v *vocabulary) set(slot, id, start int) {
	v.places[id] = place{int32(start), int32(len(v.text) - start)}
	v.slots[slot] = uint32(id) + 1
	v.count++
}

// grow makes room for another token.
func (v *vocabulary) grow() {
	if 2*(v.count+1) <= len(v.slots) {
		return
	}
	v.slots = make([]uint32, 2*len(v.slots))
	for i, p := range v.places {
		if p.length >= 0 {
			v.slots[v.slot(v.bytes(i))] = uint32(i) + 1
		}
	}
}

// slot returns the slot of a token, or the empty one where it belongs.
func (v *vocabulary) slot(token []byte) int {
	mask := len(v.slots) - 1
	for i := int(maphash.Bytes(seed, token)) & mask; ; i = (i + 1) & mask {
		id := v.slots[i]
		if id == 0 || string(v.bytes(int(id-1))) == string(token) {
			return i
		}
	}
}

// id returns the id of a token.
func (v *vocabulary) id(token []byte) (int, bool) {
	id := v.slots[v.slot(token)]
	return int(id) - 1, id != 0
}

func (v *vocabulary) idOf(token string) (int, bool) { return v.id([]byte(token)) }

// bytes returns the token of an id below len(v.places).
func (v *vocabulary) bytes(id int) []byte {
	p := v.places[id]
	return v.text[p.start : p.start+max(p.length, 0)]
}

// seal is called when all tokens are there: the text does not change any more, and names is the same memory.
func (v *vocabulary) seal() { v.names = unsafe.String(unsafe.SliceData(v.text), len(v.text)) }

// name returns the token of an id that has one.
func (v *vocabulary) name(id int) string {
	p := v.places[id]
	return v.names[p.start : p.start+p.length]
}

// has reports whether an id has a token.
func (v *vocabulary) has(id int) bool {
	return 0 <= id && id < len(v.places) && v.places[id].length >= 0
}

// readVocabulary reads an object of tokens and their ids, which is at the given place and path.
func readVocabulary(data []byte, start int, path string) (*vocabulary, error) {
	r := &reader{data: data, pos: start}
	size := len(data) - start
	v := newVocabulary(size/16, size)
	if err := r.take('{'); err != nil {
		return nil, fieldError(path, "%w", err)
	}
	largest := maxID(size / 4)
	for first := true; ; first = false {
		more, err := r.more('}', first)
		if err != nil {
			return nil, fieldError(path, "%w", err)
		}
		if !more {
			return v, nil
		}
		start := len(v.text)
		if v.text, err = r.appendString(v.text); err != nil {
			return nil, fieldError(path, "%w", err)
		}
		at := func() string { return fmt.Sprintf("%s[%q]", path, clip(v.text[start:])) }
		if len(v.text)-start > maxToken {
			return nil, fieldError(at(), "a token of %s: at most %s", diag.Bytes(len(v.text)-start), diag.Bytes(maxToken))
		}
		if err := r.take(':'); err != nil {
			return nil, fieldError(path, "%w", err)
		}
		id, err := r.numeral()
		if err != nil {
			return nil, fieldError(at(), "%w", err)
		}
		if id < 0 || id > float64(largest) || id != math.Trunc(id) {
			return nil, fieldError(at(), "is %v: an id is a whole number from 0 to %d, in a file of this size", id, largest)
		}
		if !v.add(int(id), start) {
			return nil, fieldError(at(), "the token or its id, %d, is in the vocabulary twice: each belongs to one", int(id))
		}
	}
}

// clip returns the start of a token, for an error.
func clip(token []byte) []byte { return token[:min(len(token), 80)] }

// pairTable has values of pairs of numbers.
type pairTable struct {
	keys   []uint64 // plus 1; 0 if empty
	values []pairValue
	count  int
}

type pairValue struct{ a, b uint32 }

func newPairTable(entries int) *pairTable {
	n := tableSize(entries)
	return &pairTable{keys: make([]uint64, n), values: make([]pairValue, n)}
}

// slot returns the slot of a pair, or the empty one where it belongs.
func (t *pairTable) slot(key uint64) int {
	mask := len(t.keys) - 1
	for i := int(key*0x9E3779B97F4A7C15>>20) & mask; ; i = (i + 1) & mask {
		if k := t.keys[i]; k == 0 || k == key+1 {
			return i
		}
	}
}

func (t *pairTable) get(x, y uint32) (pairValue, bool) {
	i := t.slot(uint64(x)<<32 | uint64(y))
	return t.values[i], t.keys[i] != 0
}

func (t *pairTable) set(x, y uint32, v pairValue) {
	if 2*(t.count+1) > len(t.keys) {
		old := *t
		t.keys, t.values = make([]uint64, 2*len(old.keys)), make([]pairValue, 2*len(old.keys))
		for i, k := range old.keys {
			if k != 0 {
				j := t.slot(k - 1)
				t.keys[j], t.values[j] = k, old.values[i]
			}
		}
	}
	key := uint64(x)<<32 | uint64(y)
	i := t.slot(key)
	if t.keys[i] == 0 {
		t.count++
	}
	t.keys[i], t.values[i] = key+1, v
}

// trie finds all of a set of strings that start a text.
type trie struct {
	next  *pairTable // from a node and a byte: the next node, and the id of its string plus 1
	nodes uint32
	first [256]bool // bytes that start a string
	ids   []uint32  // by node, the id of its string plus 1
}

func newTrie(bytes int) *trie {
	return &trie{next: newPairTable(bytes), nodes: 1, ids: make([]uint32, 1, 16)}
}

// add adds a string that is not empty. Of two equal ones the later counts.
func (t *trie) add(s []byte, id int) {
	t.first[s[0]] = true
	node := uint32(0)
	for _, b := range s {
		v, ok := t.next.get(node, uint32(b))
		if !ok {
			v = pairValue{a: t.nodes}
			t.next.set(node, uint32(b), v)
			t.nodes++
			t.ids = append(t.ids, 0)
		}
		node = v.a
	}
	t.ids[node] = uint32(id) + 1
}

// step returns the node that follows a node by a byte.
func (t *trie) step(node uint32, b byte) (uint32, bool) {
	v, ok := t.next.get(node, uint32(b))
	return v.a, ok
}

// longest returns the longest string that starts the text, and its id; 0 if there is none.
func (t *trie) longest(text []byte) (length, id int) {
	if len(text) == 0 || !t.first[text[0]] {
		return 0, 0
	}
	node := uint32(0)
	for i, b := range text {
		next, ok := t.step(node, b)
		if !ok {
			break
		}
		if node = next; t.ids[node] > 0 {
			length, id = i+1, int(t.ids[node])-1
		}
	}
	return length, id
}
