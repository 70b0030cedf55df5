package ir

// What becomes of a row and an update in an [OpScatter]: its attribute combine.
const (
	CombineAdd     = "add"
	CombineMul     = "mul"
	CombineMinimum = "minimum"
	CombineMaximum = "maximum"
	CombineSet     = "set" // the update replaces the row
)

// Combinations are all of them.
var Combinations = []string{CombineAdd, CombineMul, CombineMinimum, CombineMaximum, CombineSet}
