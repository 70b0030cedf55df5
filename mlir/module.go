// Package mlir has what MLIR texts of any dialect say: modules, ops, types and attributes of
// the core language. It knows the ops of builtin and func, and those that [Register] is
// told of. Package stablehlo, or any that imports it, brings the text form by which modules
// are read and printed. Its central type is [Module], a tree of ops as the text has them.
//
// The package imports only ltc/internal/diag, ltc/internal/halt,
// ltc/internal/lexeme, ltc/internal/minifloat, ltc/ir/dims, ltc/ir/types and the standard library.
package mlir

import (
	"fmt"
	"sync/atomic"
)

// Module is a `module { … }`: a list of top-level ops, of which func.func is
// the one that matters here.
type Module struct {
	Name  string // symbol without @; empty when the module has none
	Attrs Dict   // `module attributes { … }`
	Ops   []*Op
	Loc   Location
	// Resources is the section `{-# … #-}` behind the module.
	Resources []Resource
	// Symbolic says that sizes in types and attributes may be expressions (package dims), which
	// no text has: numbers of a text that are names by chance are numbers.
	Symbolic bool

	file, text string // where it was parsed from; the text of error messages' source lines

	funcs atomic.Pointer[funcIndex]
}

// funcIndex is where the functions stood among the ops of a module.
type funcIndex struct {
	at  map[string]int
	ops int
}

// Func returns the func.func named name (without @); nil if there is none, as for
// the name "". It may be called from any goroutine while nobody changes the module.
func (m *Module) Func(name string) *Op {
	if name == "" {
		return nil
	}
	index := m.funcs.Load()
	if index == nil || index.ops != len(m.Ops) {
		index = m.indexFuncs()
	}
	if i, found := index.at[name]; found && m.Ops[i].isFunc(name) {
		return m.Ops[i]
	}
	// There is none, or ops were exchanged or renamed since.
	for _, op := range m.Ops {
		if op.isFunc(name) {
			m.indexFuncs()
			return op
		}
	}
	return nil
}

func (m *Module) indexFuncs() *funcIndex {
	index := &funcIndex{at: map[string]int{}, ops: len(m.Ops)}
	for i, op := range m.Ops {
		if op.Code != OpFunc {
			continue
		}
		if _, again := index.at[op.SymName()]; !again {
			index.at[op.SymName()] = i
		}
	}
	m.funcs.Store(index)
	return index
}

func (o *Op) isFunc(name string) bool { return o.Code == OpFunc && o.SymName() == name }

// Op is an operation: `%r = "dialect.mnemonic"(operands) ({regions}) {attrs} : type`.
// The pretty and the generic form of an op give the same Op.
type Op struct {
	Code     Code // 0 for an op that the table does not have
	Operands []*Value
	Results  []*Value
	// Attrs holds properties and discardable attributes alike; which of them
	// are properties is the op's definition to say.
	Attrs      Dict
	Regions    []*Region
	Successors []*Block
	Loc        Location // nil when the text gives none
	Pos        Pos      // where the op starts in the text; zero when built
	Ordinal    int      // position among all ops of the text in order; see [Number]

	unknown string // the name of an op that the table does not have
}

// SymName returns the symbol that the op defines, without @; "" if none.
func (o *Op) SymName() string {
	s, _ := o.Attrs.Get("sym_name").(StringAttr)
	return string(s)
}

// Callee returns the symbol of the function that a call or a composite runs; "" on
// any other op.
func (o *Op) Callee() string {
	name := rows[o.Code].Callee
	if name == "" {
		return ""
	}
	s, _ := o.Attrs.Get(name).(SymbolAttr)
	return string(s)
}

// Symbols calls f for each symbol that the op's own attributes refer to, as often as
// they do. Ops in its regions do not count.
func (o *Op) Symbols(f func(name string)) {
	for _, e := range o.Attrs {
		symbolsIn(e.Value, f)
	}
}

func symbolsIn(a Attribute, f func(name string)) {
	switch a := a.(type) {
	case SymbolAttr:
		f(string(a))
	case ArrayAttr:
		for _, e := range a {
			symbolsIn(e, f)
		}
	case DictAttr:
		for _, e := range a {
			symbolsIn(e.Value, f)
		}
	case StructAttr:
		for _, e := range a.Fields {
			symbolsIn(e.Value, f)
		}
	}
}

// FuncType returns the type of a func.func; nil on any other op.
func (o *Op) FuncType() *FunctionType {
	if a, ok := o.Attrs.Get("function_type").(TypeAttr); ok {
		t, _ := a.Type.(*FunctionType)
		return t
	}
	return nil
}

// Body returns the single block of the op's only region; nil when the op has
// no region, several, or one with other than one block.
func (o *Op) Body() *Block {
	if len(o.Regions) != 1 || len(o.Regions[0].Blocks) != 1 {
		return nil
	}
	return o.Regions[0].Blocks[0]
}

// Value is the result of an op or the argument of a block.
type Value struct {
	Name  string // as written, without % and without #index; may be empty when built
	Type  Type
	Def   *Op    // the op whose result it is; nil for a block argument
	Block *Block // the block whose argument it is; nil for a result
	Index int    // which result or argument
	Loc   Location
}

// Region is a list of blocks; the first is the entry.
type Region struct{ Blocks []*Block }

// Block is a list of ops with arguments; the last op is the terminator.
type Block struct {
	Label string // ^bb0 without ^; empty for an entry block written without label
	Args  []*Value
	Ops   []*Op
}

// Resource is an entry of a module's `{-# … #-}`: data that stands outside the
// ops, to which attributes refer by name. Constants' values are those of the
// section dialect_resources and the group builtin.
type Resource struct {
	Section, Group, Key string
	Value               string // as written, a string's quotes included
}

// NamedAttr is an entry of a [Dict].
type NamedAttr struct {
	Name  string
	Value Attribute
}

// Dict is a dictionary of attributes, in the order of the text.
type Dict []NamedAttr

// Get returns the attribute called name, or nil.
func (d Dict) Get(name string) Attribute {
	for i := range d {
		if d[i].Name == name {
			return d[i].Value
		}
	}
	return nil
}

// Set replaces the attribute called name or appends it.
func (d *Dict) Set(name string, v Attribute) {
	for i := range *d {
		if (*d)[i].Name == name {
			(*d)[i].Value = v
			return
		}
	}
	*d = append(*d, NamedAttr{name, v})
}

// Pos is a position in a text: line and column count from 1, columns in bytes.
type Pos struct {
	Line, Col int
}

// String prints line:col.
func (p Pos) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

// Walk calls f for every op below m in the order of the text, an op before
// those of its regions, until f returns false.
func (m *Module) Walk(f func(*Op) bool) { walk(m.Ops, f) }

func walk(ops []*Op, f func(*Op) bool) bool {
	for _, op := range ops {
		if !f(op) {
			return false
		}
		for _, r := range op.Regions {
			for _, b := range r.Blocks {
				if !walk(b.Ops, f) {
					return false
				}
			}
		}
	}
	return true
}

// Number sets every op's Ordinal to its position in [Module.Walk]'s order,
// from 0. Parse does so; call it after building or changing a module.
func (m *Module) Number() {
	n := 0
	m.Walk(func(op *Op) bool { op.Ordinal = n; n++; return true })
}

// NewOp builds an op with fresh results of the given types and links them to it.
func NewOp(code Code, operands []*Value, results ...Type) *Op {
	op := &Op{Code: code, Operands: operands}
	for i, t := range results {
		op.Results = append(op.Results, &Value{Type: t, Def: op, Index: i})
	}
	return op
}

// NewBlock builds a block with fresh arguments of the given types.
func NewBlock(args ...Type) *Block {
	b := &Block{}
	for i, t := range args {
		b.Args = append(b.Args, &Value{Type: t, Block: b, Index: i})
	}
	return b
}

// NewFunc builds a func.func with a body of one empty block whose arguments
// have the types of ins. An empty visibility is public.
func NewFunc(name, visibility string, ins, outs []Type) *Op {
	f := &Op{Code: OpFunc, Regions: []*Region{{Blocks: []*Block{NewBlock(ins...)}}}}
	f.Attrs.Set("sym_name", StringAttr(name))
	f.Attrs.Set("function_type", TypeAttr{&FunctionType{Ins: ins, Outs: outs}})
	if visibility != "" {
		f.Attrs.Set("sym_visibility", StringAttr(visibility))
	}
	return f
}
