package cudnn

// Entry is a function of the library.
type Entry struct {
	Name string
	// Args has a letter for each argument, and Result one for what is returned, those of
	// package driver's table.
	Args, Result string
}

// Entries lists the functions that this package calls. The caller owns the list.
func Entries() []Entry { return append([]Entry(nil), entries[:]...) }

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
var entries = [count]Entry{
	getVersion: {"cudnnGetVersion", "", "z"},
	getRuntime: {"cudnnGetCudartVersion", "", "z"},
	create:     {"cudnnCreate", "p", "i"},
	destroy:    {"cudnnDestroy", "h", "i"},
	setStream:  {"cudnnSetStream", "hh", "i"},

	tensorCreate:  {"cudnnCreateTensorDescriptor", "p", "i"},
	tensorDestroy: {"cudnnDestroyTensorDescriptor", "h", "i"},
	tensorSet:     {"cudnnSetTensorNdDescriptor", "hiipp", "i"},
	filterCreate:  {"cudnnCreateFilterDescriptor", "p", "i"},
	filterDestroy: {"cudnnDestroyFilterDescriptor", "h", "i"},
	filterSet:     {"cudnnSetFilterNdDescriptor", "hiiip", "i"},

	convolutionCreate:  {"cudnnCreateConvolutionDescriptor", "p", "i"},
	convolutionDestroy: {"cudnnDestroyConvolutionDescriptor", "h", "i"},
	convolutionSet:     {"cudnnSetConvolutionNdDescriptor", "hipppii", "i"},
	convolutionGroups:  {"cudnnSetConvolutionGroupCount", "hi", "i"},
	convolutionMath:    {"cudnnSetConvolutionMathType", "hi", "i"},

	getAlgorithms: {"cudnnGetConvolutionForwardAlgorithm_v7", "hhhhhipp", "i"},
	getWorkspace:  {"cudnnGetConvolutionForwardWorkspaceSize", "hhhhhip", "i"},
	forward:       {"cudnnConvolutionForward", "hphphphipzphp", "i"},
}
