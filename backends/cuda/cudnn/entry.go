package cudnn

import (
	"slices"

	"ltc/backends/cuda/libraries"
)

// Entries lists the functions that this package calls. The caller owns the list.
func Entries() []libraries.Entry { return slices.Clone(entries[:]) }

// entry is a place in the table.
type entry int

const (
	getVersion entry = iota
	getRuntime
	create
	destroy
	setStream
	tensorCreate
	tensorDestroy
	tensorSet
	filterCreate
	filterDestroy
	filterSet
	convolutionCreate
	convolutionDestroy
	convolutionSet
	convolutionGroups
	convolutionMath
	getAlgorithms
	getWorkspace
	forward
	count
)

// entries is the table. All of it is in every library of the version that will do.
var entries = [count]libraries.Entry{
	getVersion: {Name: "cudnnGetVersion", Args: "", Result: "z"},
	getRuntime: {Name: "cudnnGetCudartVersion", Args: "", Result: "z"},
	create:     {Name: "cudnnCreate", Args: "p", Result: "i"},
	destroy:    {Name: "cudnnDestroy", Args: "h", Result: "i"},
	setStream:  {Name: "cudnnSetStream", Args: "hh", Result: "i"},

	tensorCreate:  {Name: "cudnnCreateTensorDescriptor", Args: "p", Result: "i"},
	tensorDestroy: {Name: "cudnnDestroyTensorDescriptor", Args: "h", Result: "i"},
	tensorSet:     {Name: "cudnnSetTensorNdDescriptor", Args: "hiipp", Result: "i"},
	filterCreate:  {Name: "cudnnCreateFilterDescriptor", Args: "p", Result: "i"},
	filterDestroy: {Name: "cudnnDestroyFilterDescriptor", Args: "h", Result: "i"},
	filterSet:     {Name: "cudnnSetFilterNdDescriptor", Args: "hiiip", Result: "i"},

	convolutionCreate:  {Name: "cudnnCreateConvolutionDescriptor", Args: "p", Result: "i"},
	convolutionDestroy: {Name: "cudnnDestroyConvolutionDescriptor", Args: "h", Result: "i"},
	convolutionSet:     {Name: "cudnnSetConvolutionNdDescriptor", Args: "hipppii", Result: "i"},
	convolutionGroups:  {Name: "cudnnSetConvolutionGroupCount", Args: "hi", Result: "i"},
	convolutionMath:    {Name: "cudnnSetConvolutionMathType", Args: "hi", Result: "i"},

	getAlgorithms: {Name: "cudnnGetConvolutionForwardAlgorithm_v7", Args: "hhhhhipp", Result: "i"},
	getWorkspace:  {Name: "cudnnGetConvolutionForwardWorkspaceSize", Args: "hhhhhip", Result: "i"},
	forward:       {Name: "cudnnConvolutionForward", Args: "hphphphipzphp", Result: "i"},
}
