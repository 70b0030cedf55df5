package mlir

import (
	"encoding/binary"
	"iter"
	"slices"
)

// OpDef is the row of an op: which attributes are properties, and its traits.
type OpDef struct {
	Name string
	// Props are the attributes that the generic form prints in <{…}>.
	Props []string
	// Operands is how many operands the pretty form has; -1 if there is no such form, or
	// one that does not tell.
	Operands int
	// Regions is how many it has; AnyRegions for any number.
	Regions int
	Traits  Traits
	// Callee is the attribute that names the function that the op runs; "" if it runs
	// none.
	Callee string
	// Static says, of an op that takes attributes or its result's shape as
	// operands, which op it is once these are known.
	Static *Static
}

// languageOps has the rows of the dialects that the language cannot do without, behind
// that of code 0.
var languageOps = []OpDef{
	{Operands: -1},
	{Name: "builtin.module", Props: []string{"sym_name", "sym_visibility"}, Operands: -1, Regions: 1, Traits: Isolated},
	{Name: "func.func", Operands: -1, Regions: 1, Traits: Isolated,
		Props: []string{"sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"}},
	{Name: "func.call", Props: []string{"callee", "no_inline"}, Operands: -1, Callee: "callee"},
	{Name: "func.return", Operands: -1, Traits: Terminator},
}

// rows is every op that is known, in the order of codes, and codes has theirs by name.
// canonical is what [Register] was told.
var (
	rows      []OpDef
	codes     map[string]Code
	canonical = func(a Attribute) Attribute { return a }
)

func init() { setRows(languageOps) }

// Register tells this package of dialects: the rows of their ops, whose codes follow those
// of builtin and func, and the one way in which an attribute #dialect.name<…> is written.
// It is for the init function of one package: a second call panics.
func Register(ops []OpDef, canon func(Attribute) Attribute) {
	if len(rows) > len(languageOps) {
		panic("mlir: dialects are registered a second time")
	}
	canonical = canon
	setRows(slices.Concat(languageOps, ops))
}

func setRows(all []OpDef) {
	rows = all
	codes = make(map[string]Code, len(rows))
	for i := range rows {
		if i > 0 {
			codes[rows[i].Name] = Code(i)
		}
	}
	for i := range rows {
		if s := rows[i].Static; s != nil {
			s.Op = CodeOf(s.Name)
		}
	}
}

// Code numbers an op of the table: stages compare and switch on codes, and index
// by them. Package stablehlo has a constant for each op of the dialect. 0 stands for
// all ops that the table does not have; they are told apart by their names.
type Code uint16

// The ops of builtin and func.
const (
	OpModule Code = iota + 1 // builtin.module
	OpFunc                   // func.func
	OpCall                   // func.call
	OpReturn                 // func.return
)

// CodeOf returns the code of the op with the given name; 0 if the table has none.
func CodeOf(name string) Code { return codes[name] }

// Codes returns the codes of all ops of the table, in its order.
func Codes() iter.Seq[Code] {
	return func(yield func(Code) bool) {
		for i := range rows {
			if i > 0 && !yield(Code(i)) {
				return
			}
		}
	}
}

// String returns the op's name, with its dialect: stablehlo.add. It is empty for 0.
func (c Code) String() string { return rows[c].Name }

// OpInfo is what the op table knows of an op beyond its syntax and rules.
type OpInfo struct {
	Regions int // how many it has; -1 for any number
	Traits  Traits
	Static  *Static // not to be changed; nil for ops that are not dynamic
}

// Info returns what the table knows of an op; nothing for 0.
func (c Code) Info() OpInfo {
	d := &rows[c]
	return OpInfo{d.Regions, d.Traits, d.Static}
}

// Props returns the names of the attributes that are properties of an op, in the order
// of its row. It is not to be changed.
func (c Code) Props() []string { return rows[c].Props }

// Operands returns how many operands the pretty form of an op has; -1 if it has no such
// form, or one that does not tell.
func (c Code) Operands() int { return rows[c].Operands }

// Name returns the op's name, with its dialect: stablehlo.add.
func (o *Op) Name() string {
	if o.Code == 0 {
		return o.unknown
	}
	return o.Code.String()
}

// SetName makes o the op with the given name, which the table need not have.
func (o *Op) SetName(name string) {
	if o.Code, o.unknown = CodeOf(name), ""; o.Code == 0 {
		o.unknown = name
	}
}

// Like returns an op of the same name that has nothing else yet.
func (o *Op) Like() *Op { return &Op{Code: o.Code, unknown: o.unknown} }

// Traits are what is true of an op in every program.
type Traits uint8

// The traits.
const (
	// Terminator ops end a block.
	Terminator Traits = 1 << iota
	// Isolated ops have regions that cannot use values from outside.
	Isolated
	// Commutative ops take their two operands in either order; operands and
	// result have one type.
	Commutative
	// Async ops can be started by async_start (async_start_c2).
	Async
	// Elementwise ops compute each element of their one result from the elements at the
	// same place of their operands. An operand that is a scalar while the result is none
	// gives its one element to all (the bounds of clamp, select's predicate).
	Elementwise
	// Effects ops do more than give results that follow from operands,
	// attributes, regions and the functions they name: they talk to the host, to
	// other processes or to a generator, or order what others do. They can be
	// neither left out nor merged nor moved.
	Effects
	// Expanded is of ops that no text has: they stand for custom calls.
	Expanded
	// SharedArgs ops write, in their pretty form, one list of names for the
	// arguments of all their regions.
	SharedArgs
)

// Has reports whether all traits of u are among t.
func (t Traits) Has(u Traits) bool { return t&u == u }

// AnyRegions stands for any number of regions.
const AnyRegions = -1

// Static says which op a dynamic op is once the values of some of its operands
// are known: they become attributes, or the shape of the result, and the other
// operands and attributes stay.
type Static struct {
	Op     Code         // set by [Register]
	Name   string       // of Op
	Parts  []StaticPart // by rising operand
	Shaped int          // the result whose shape a part is
}

// StaticPart is an operand, a list of integers, and the attribute that it
// becomes; "" stands for the shape of the result.
type StaticPart struct {
	Operand int
	Attr    string
}

// Value returns the attribute that the operand becomes when its elements are
// known: paddings are pairs. A list of an odd number, which is none of pairs, stays one,
// and the static op's rules refuse it.
func (p StaticPart) Value(list []int64) Attribute {
	if p.Attr != "padding" {
		return I64Array(list)
	}
	var data []byte
	for _, x := range list {
		data = binary.LittleEndian.AppendUint64(data, uint64(x))
	}
	if len(list)%2 != 0 {
		return Dense(Tensor(I64, int64(len(list))), data)
	}
	return Dense(Tensor(I64, int64(len(list)/2), 2), data)
}
