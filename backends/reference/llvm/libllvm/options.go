package libllvm

// Options says what a text is compiled for.
type Options struct {
	// Triple is the target's; empty: this machine's.
	Triple string
	// CPU and Features are as for llc's -mcpu and -mattr, for functions whose
	// attributes do not say otherwise. Empty: what every processor of the
	// architecture has, so that the text alone says where its object runs.
	// [HostCPU]: this machine, with all that LLVM finds on it.
	CPU, Features string
	// Level is how much is done to the text before code is made of it.
	Level Level
	// Verify checks the module first: an ill-formed one is an error, where it
	// might otherwise end the process.
	Verify bool
	// Assembly asks for the target's assembly as text instead of an object.
	Assembly bool
}

// HostCPU stands for this machine in [Options].
const HostCPU = "native"

// Level is one of three pipelines of passes.
type Level int

const (
	// Short cleans up what an emitter of vectors leaves behind: it inlines what
	// asks for it, keeps variables in registers, removes what is computed twice
	// or in vain, and moves invariants out of loops.
	Short Level = iota
	// None inlines what asks for it and does nothing else.
	None
	// Full is LLVM's own -O3, for loops that it is to vectorise.
	Full
)

func (l Level) String() string {
	switch l {
	case Short:
		return "short"
	case None:
		return "none"
	case Full:
		return "full"
	}
	return "unknown"
}

// pipeline returns the passes of the level as LLVM's opt would be given them. A
// mistake here ends the process of whoever compiles.
func (l Level) pipeline(v Version) string {
	switch l {
	case None:
		return "always-inline"
	case Full:
		return "default<O3>"
	}
	// From 18 on the pass checks that running it once was enough, unless told
	// not to, and it is a fatal error when it was not.
	combine := "instcombine"
	if v.Major >= 18 {
		combine = "instcombine<no-verify-fixpoint>"
	}
	return "always-inline,function(sroa,early-cse," + combine + ",simplifycfg,loop-mssa(licm),early-cse)"
}

// codegen is the level of the code generator, as in LLVMCodeGenOptLevel.
func (l Level) codegen() uintptr {
	if l == Full {
		return 3
	}
	return 2
}
