package torch

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strings"

	"ltc/internal/diag"
)

// Bounds of a pickle: those of checkpoints of many thousand tensors are a tenth of them.
const (
	maxPickle = 64 << 20 // bytes
	maxValues = 1 << 22  // values that its opcodes make
	maxLong   = 64       // bytes of an integer
)

// The values of a pickle are nil, bool, int64, *big.Int, float64, string, tuple, *list, *dict,
// global, encoded, *numpyType, dtypeName, *Storage and *Tensor.
type (
	tuple []any
	list  struct{ items []any }

	// dict is a dict or an OrderedDict.
	dict struct {
		keys, values []any
		index        map[any]int
	}

	// global is a function or a class that GLOBAL names.
	global struct{ module, name string }

	mark struct{}
)

func (g global) String() string { return g.module + "." + g.name }

// set sets the value of a key that Go can compare.
func (d *dict) set(key, value any) {
	if i, ok := d.index[key]; ok {
		d.values[i] = value
		return
	}
	if d.index == nil {
		d.index = map[any]int{}
	}
	d.index[key] = len(d.keys)
	d.keys, d.values = append(d.keys, key), append(d.values, value)
}

// get returns the value of a key; nil if there is none.
func (d *dict) get(key any) any {
	if i, ok := d.index[key]; ok {
		return d.values[i]
	}
	return nil
}

// machine interprets a pickle of protocol 2. It knows the opcodes that torch.save writes and calls
// nothing but what reduce allows.
type machine struct {
	data  []byte
	at    int // of the next opcode
	stack []any
	marks []int
	memo  map[uint32]any
	made  int // values

	op      byte // the opcode that runs, and its offset, for errors
	opAt    int
	storage func(id tuple) (*Storage, error) // of a persistent id
}

// opcodes are the names of those that are known, and of some that are refused.
var opcodes = map[byte]string{
	0x80: "PROTO", '}': "EMPTY_DICT", ']': "EMPTY_LIST", ')': "EMPTY_TUPLE", '(': "MARK", 'q': "BINPUT", 'r': "LONG_BINPUT",
	'h': "BINGET", 'j': "LONG_BINGET", 'X': "BINUNICODE", 'U': "SHORT_BINSTRING", 'T': "BINSTRING", 'J': "BININT", 'K': "BININT1",
	'M': "BININT2", 0x8a: "LONG1", 'G': "BINFLOAT", 'N': "NONE", 0x88: "NEWTRUE", 0x89: "NEWFALSE", 't': "TUPLE", 0x85: "TUPLE1",
	0x86: "TUPLE2", 0x87: "TUPLE3", 'a': "APPEND", 'e': "APPENDS", 's': "SETITEM", 'u': "SETITEMS", 'c': "GLOBAL", 'R': "REDUCE",
	'b': "BUILD", 'Q': "BINPERSID", '.': "STOP", '0': "POP", '1': "POP_MARK", '2': "DUP",
	'i': "INST", 'o': "OBJ", 'd': "DICT", 'l': "LIST", 'P': "PERSID", 'S': "STRING", 'V': "UNICODE", 'I': "INT", 'L': "LONG", 'F': "FLOAT",
	'g': "GET", 'p': "PUT", 'B': "BINBYTES", 'C': "SHORT_BINBYTES", 0x81: "NEWOBJ", 0x82: "EXT1", 0x83: "EXT2", 0x84: "EXT4", 0x8b: "LONG4",
	0x8c: "SHORT_BINUNICODE", 0x8d: "BINUNICODE8", 0x8e: "BINBYTES8", 0x8f: "EMPTY_SET", 0x90: "ADDITEMS", 0x91: "FROZENSET",
	0x92: "NEWOBJ_EX", 0x93: "STACK_GLOBAL", 0x94: "MEMOIZE", 0x95: "FRAME", 0x96: "BYTEARRAY8",
}

// errorf makes an error at the opcode that runs.
func (m *machine) errorf(format string, args ...any) error {
	name, ok := opcodes[m.op]
	if !ok {
		name = fmt.Sprintf("%#02x", m.op)
	}
	return fmt.Errorf("byte %d: opcode %s: "+format, append([]any{m.opAt, name}, args...)...)
}

// run interprets the pickle at m.at up to its STOP, and returns its value.
func (m *machine) run() (any, error) {
	begin := m.at
	m.stack, m.marks, m.memo = m.stack[:0], m.marks[:0], map[uint32]any{}
	for {
		m.opAt = m.at
		b, err := m.take(1)
		if err != nil {
			return nil, fmt.Errorf("byte %d: the pickle that begins at byte %d is cut short: it has no STOP", m.at, begin)
		}
		m.op = b[0]
		if m.op == '.' {
			return m.pop()
		}
		if m.at-begin > maxPickle || m.made > maxValues {
			return nil, m.errorf("the pickle is too large: at most %s and %s are read", diag.Bytes(maxPickle), diag.Count(maxValues, "value"))
		}
		if err := m.step(); err != nil {
			return nil, err
		}
	}
}

// step runs the opcode m.op.
func (m *machine) step() error {
	switch m.op {
	case 0x80:
		return m.protocol()
	case '}':
		m.push(&dict{})
	case ']':
		m.push(&list{})
	case ')':
		m.push(tuple{})
	case '(':
		m.made++
		m.marks = append(m.marks, len(m.stack))
	case 'N':
		m.push(nil)
	case 0x88, 0x89:
		m.push(m.op == 0x88)
	case 'q', 'r', 'h', 'j':
		return m.remember()
	case 'X', 'U', 'T':
		return m.text()
	case 'J', 'K', 'M', 0x8a, 'G':
		return m.number()
	case 't', 0x85, 0x86, 0x87:
		return m.tuple()
	case 'a', 'e', 's', 'u':
		return m.insert()
	case 'c':
		return m.global()
	case 'R', 'b':
		return m.call()
	case 'Q':
		return m.persistent()
	case '0':
		_, err := m.pop()
		return err
	default:
		return m.errorf("torch.save does not write it in pickles of protocol 2, and it is not read")
	}
	return nil
}

func (m *machine) push(x any) {
	m.made++
	m.stack = append(m.stack, x)
}

// pop returns the top of the stack, which is above the last mark.
func (m *machine) pop() (any, error) {
	floor := 0
	if k := len(m.marks); k > 0 {
		floor = m.marks[k-1]
	}
	if len(m.stack) <= floor {
		return nil, m.errorf("the stack is empty")
	}
	x := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return x, nil
}

// popMark returns what is above the last mark, which it removes.
func (m *machine) popMark() ([]any, error) {
	k := len(m.marks)
	if k == 0 {
		return nil, m.errorf("there is no mark")
	}
	at := m.marks[k-1]
	m.marks = m.marks[:k-1]
	items := append([]any(nil), m.stack[at:]...)
	m.stack = m.stack[:at]
	return items, nil
}

// take returns the next n bytes.
func (m *machine) take(n int) ([]byte, error) {
	if left := len(m.data) - m.at; n > left {
		return nil, m.errorf("the file is cut short: %s follow, it takes %d", diag.Count(left, "byte"), n)
	}
	b := m.data[m.at : m.at+n]
	m.at += n
	return b, nil
}

// operand returns a number of n bytes that follows the opcode.
func (m *machine) operand(n int) (uint32, error) {
	b, err := m.take(n)
	if err != nil {
		return 0, err
	}
	var wide [4]byte
	copy(wide[:], b)
	return binary.LittleEndian.Uint32(wide[:]), nil
}

func (m *machine) protocol() error {
	v, err := m.operand(1)
	if err == nil && v > 2 {
		err = m.errorf("a pickle of protocol %d: protocol 2 is read, which torch.save writes unless told otherwise", v)
	}
	return err
}

// remember runs BINPUT, BINGET and their long forms.
func (m *machine) remember() error {
	n := 1
	if m.op == 'r' || m.op == 'j' {
		n = 4
	}
	i, err := m.operand(n)
	if err != nil {
		return err
	}
	if m.op == 'q' || m.op == 'r' {
		x, err := m.pop()
		if err == nil {
			m.memo[i] = x
			m.push(x)
		}
		return err
	}
	x, ok := m.memo[i]
	if !ok {
		return m.errorf("nothing was put at %d", i)
	}
	m.push(x)
	return nil
}

func (m *machine) text() error {
	width := 4
	if m.op == 'U' {
		width = 1
	}
	n, err := m.operand(width)
	if err != nil {
		return err
	}
	if n > maxPickle {
		return m.errorf("a text of %s: at most %d are read", diag.Count(n, "byte"), maxPickle)
	}
	b, err := m.take(int(n))
	if err == nil {
		m.push(string(b))
	}
	return err
}

func (m *machine) number() error {
	switch m.op {
	case 'K':
		return m.small(1)
	case 'M':
		return m.small(2)
	case 'J':
		return m.small(4)
	case 'G':
		b, err := m.take(8)
		if err == nil {
			m.push(math.Float64frombits(binary.BigEndian.Uint64(b)))
		}
		return err
	}
	n, err := m.operand(1)
	if err != nil {
		return err
	}
	if n > maxLong {
		return m.errorf("an integer of %s: at most %d are read", diag.Count(n, "byte"), maxLong)
	}
	b, err := m.take(int(n))
	if err == nil {
		m.push(integer(b))
	}
	return err
}

// small pushes a number of n bytes. One of 4 bytes can be negative.
func (m *machine) small(n int) error {
	v, err := m.operand(n)
	if err == nil {
		m.push(int64(int32(v)))
	}
	return err
}

// integer returns the number that b is in two's complement, little-endian: an int64 if it fits.
func integer(b []byte) any {
	x := new(big.Int)
	for i := len(b) - 1; i >= 0; i-- {
		x.Lsh(x, 8).Or(x, big.NewInt(int64(b[i])))
	}
	if k := len(b); k > 0 && b[k-1] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*k)))
	}
	if x.IsInt64() {
		return x.Int64()
	}
	return x
}

func (m *machine) tuple() error {
	if m.op == 't' {
		items, err := m.popMark()
		if err == nil {
			m.push(tuple(items))
		}
		return err
	}
	items, err := m.top(int(m.op) - 0x84)
	if err == nil {
		m.push(tuple(items))
	}
	return err
}

// top removes the n topmost values and returns them.
func (m *machine) top(n int) ([]any, error) {
	items := make([]any, n)
	for i := n - 1; i >= 0; i-- {
		x, err := m.pop()
		if err != nil {
			return nil, err
		}
		items[i] = x
	}
	return items, nil
}

// insert runs APPEND, APPENDS, SETITEM and SETITEMS.
func (m *machine) insert() error {
	var items []any
	var err error
	switch m.op {
	case 'e', 'u':
		items, err = m.popMark()
	case 'a':
		items, err = m.top(1)
	case 's':
		items, err = m.top(2)
	}
	if err != nil {
		return err
	}
	to, err := m.pop()
	if err != nil {
		return err
	}
	m.push(to)
	switch to := to.(type) {
	case *list:
		if m.op == 'a' || m.op == 'e' {
			to.items = append(to.items, items...)
			return nil
		}
	case *dict:
		if m.op == 's' || m.op == 'u' {
			return m.setAll(to, items)
		}
	}
	return m.errorf("the object is %s", describe(to))
}

func (m *machine) setAll(to *dict, items []any) error {
	if len(items)%2 != 0 {
		return m.errorf("a key has no value")
	}
	for i := 0; i < len(items); i += 2 {
		switch items[i].(type) {
		case string, int64, bool, float64, nil:
			to.set(items[i], items[i+1])
		default:
			return m.errorf("a key of a dict is %s: want a text or a number", describe(items[i]))
		}
	}
	return nil
}

// maxGlobal bounds the names of GLOBAL.
const maxGlobal = 256

func (m *machine) global() error {
	var names [2]string
	for i := range names {
		end := -1
		if m.at < len(m.data) {
			end = strings.IndexByte(string(m.data[m.at:min(len(m.data), m.at+maxGlobal)]), '\n')
		}
		if end < 0 {
			return m.errorf("the name has no end")
		}
		names[i] = string(m.data[m.at : m.at+end])
		m.at += end + 1
	}
	g := global{names[0], names[1]}
	x, ok := known(g)
	if !ok {
		return m.errorf("%s: this class or function is not read, and nothing is executed: save a state_dict of tensors, numbers and texts", g)
	}
	m.push(x)
	return nil
}

// call runs REDUCE and BUILD.
func (m *machine) call() error {
	arg, err := m.pop()
	if err != nil {
		return err
	}
	on, err := m.pop()
	if err != nil {
		return err
	}
	if m.op == 'b' {
		if err := m.build(on, arg); err != nil {
			return err
		}
		m.push(on)
		return nil
	}
	g, ok := on.(global)
	args, isTuple := arg.(tuple)
	if !ok || !isTuple {
		return m.errorf("it calls %s with %s: want a function that is read, and a tuple", describe(on), describe(arg))
	}
	x, err := reduce(g, args)
	if err != nil {
		return m.errorf("%v: %w", g, err)
	}
	m.push(x)
	return nil
}

// build runs BUILD: attributes of a dict, which are dropped, and what completes a type of NumPy.
func (m *machine) build(on, state any) error {
	switch on := on.(type) {
	case *dict:
		if _, ok := state.(*dict); ok { // an OrderedDict's _metadata
			return nil
		}
	case *numpyType:
		if s, ok := state.(tuple); ok && len(s) > 1 {
			if order, ok := s[1].(string); ok {
				on.order = order
				return nil
			}
		}
	}
	return m.errorf("it sets %s by %s", describe(on), describe(state))
}

func (m *machine) persistent() error {
	id, err := m.pop()
	if err != nil {
		return err
	}
	t, ok := id.(tuple)
	if !ok {
		return m.errorf("a persistent id is %s: want a tuple", describe(id))
	}
	s, err := m.storage(t)
	if err != nil {
		return m.errorf("%w", err)
	}
	m.push(s)
	return nil
}

// describe says what kind of value x is.
func describe(x any) string {
	switch x := x.(type) {
	case nil:
		return "None"
	case string:
		return "a text"
	case bool:
		return "a bool"
	case int64, *big.Int:
		return "an integer"
	case float64:
		return "a float"
	case tuple:
		return "a tuple"
	case *list:
		return "a list"
	case *dict:
		return "a dict"
	case global:
		return x.String()
	case *Storage:
		return "a storage"
	case *Tensor:
		return "a tensor"
	}
	return "another object"
}
