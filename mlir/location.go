package mlir

import (
	"strconv"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
)

// Location is an MLIR source location. String prints what stands between the
// parentheses of `loc(…)`.
type Location interface {
	String() string
	isLoc()
}

type (
	// FileLoc is "file.go":12:3. A column of 0 is unknown.
	FileLoc struct {
		File      string
		Line, Col int
	}
	// RangeLoc is "file.go":12:3 to 14:1.
	RangeLoc struct {
		FileLoc
		EndLine, EndCol int
	}
	// NameLoc is "name" or "name"(child).
	NameLoc struct {
		Name  string
		Child Location // nil if none
	}
	// CallLoc is callsite(callee at caller).
	CallLoc struct{ Callee, Caller Location }
	// FusedLoc is fused[a, b] or fused<metadata>[a, b].
	FusedLoc struct {
		Locs     []Location
		Metadata Attribute
	}
	// UnknownLoc is `unknown`.
	UnknownLoc struct{}
)

func (FileLoc) isLoc()    {}
func (RangeLoc) isLoc()   {}
func (NameLoc) isLoc()    {}
func (CallLoc) isLoc()    {}
func (FusedLoc) isLoc()   {}
func (UnknownLoc) isLoc() {}

func (l FileLoc) String() string {
	return lexeme.Quote(l.File) + ":" + strconv.Itoa(l.Line) + ":" + strconv.Itoa(l.Col)
}

func (l RangeLoc) String() string {
	s := l.FileLoc.String() + " to "
	if l.EndLine != l.Line {
		s += strconv.Itoa(l.EndLine)
	}
	return s + ":" + strconv.Itoa(l.EndCol)
}

func (l NameLoc) String() string {
	if l.Child == nil {
		return lexeme.Quote(l.Name)
	}
	return lexeme.Quote(l.Name) + "(" + l.Child.String() + ")"
}

func (l CallLoc) String() string {
	return "callsite(" + l.Callee.String() + " at " + l.Caller.String() + ")"
}

func (l FusedLoc) String() string {
	meta := ""
	if l.Metadata != nil {
		meta = "<" + l.Metadata.String() + ">"
	}
	return "fused" + meta + "[" + diag.Join(l.Locs, Location.String) + "]"
}

func (UnknownLoc) String() string { return "unknown" }
