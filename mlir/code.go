package mlir

import "iter"

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
func CodeOf(name string) Code {
	if d := opDefs[name]; d != nil {
		return d.code
	}
	return 0
}

// Codes returns the codes of all ops of the table, in its order.
func Codes() iter.Seq[Code] {
	return func(yield func(Code) bool) {
		for i := range rows {
			if !yield(Code(i + 1)) {
				return
			}
		}
	}
}

// String returns the op's name, with its dialect: stablehlo.add. It is empty for 0.
func (c Code) String() string {
	if c == 0 {
		return ""
	}
	return rows[c-1].Name
}

// OpInfo is what the op table knows of an op beyond its syntax and rules.
type OpInfo struct {
	Regions int // how many it has; -1 for any number
	Traits  Traits
	Static  *Static // not to be changed; nil for ops that are not dynamic
}

// Info returns what the table knows of an op; nothing for 0.
func (c Code) Info() OpInfo {
	if c == 0 {
		return OpInfo{}
	}
	d := &rows[c-1]
	return OpInfo{d.Regions, d.Traits, d.Static}
}

// Props returns the names of the attributes that are properties of an op, in the order
// of its row. It is not to be changed.
func (c Code) Props() []string {
	if c == 0 {
		return nil
	}
	return rows[c-1].Props
}

// Operands returns how many operands the pretty form of an op has; -1 if it has no such
// form, or one that does not tell.
func (c Code) Operands() int {
	if c == 0 {
		return -1
	}
	for _, p := range rows[c-1].Syntax {
		if n, ok := p.(Operands); ok && n >= 0 {
			return int(n)
		}
	}
	return -1
}

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

// def returns the op's row; nil if the table has none.
func (o *Op) def() *OpDef {
	if o.Code == 0 {
		return nil
	}
	return &rows[o.Code-1]
}
