package libllvm

import "strconv"

// Options says what a text is compiled for: the processor that its functions'
// attributes name, or without them what every processor of the architecture has,
// so that the text alone says where its object runs.
type Options struct {
	// Triple is the target's; empty: this machine's.
	Triple string
	// Verify checks the module first: an ill-formed one is an error, where it
	// might otherwise end the process.
	Verify bool
	// Assembly asks for the target's assembly as text instead of an object.
	Assembly bool
	// Background has the thread that compiles give way to others, and hold less memory.
	Background bool
	// Late, if set, gets an object that a library has made after Compile's context
	// ended, on another goroutine.
	Late func(object []byte)
}

// pipeline returns the passes that are run, as LLVM's opt would be given them.
// They clean up what an emitter of vectors leaves behind: they inline what asks
// for it, keep variables in registers, remove what is computed twice or in vain,
// and move invariants out of loops. A mistake here ends the process of whoever
// compiles.
func pipeline(v Version) string {
	// From 18 on the pass checks that running it once was enough, unless told
	// not to, and it is a fatal error when it was not.
	combine := "instcombine"
	if v.Major >= 18 {
		combine = "instcombine<no-verify-fixpoint>"
	}
	return "always-inline,function(sroa,early-cse," + combine + ",simplifycfg,loop-mssa(licm),early-cse)"
}

// generator returns the options of the code generator that differ from its own choice: of
// two architectures the same ones, with values. Strength reduction of loops takes long and
// gains nothing with the modes of addressing that x86 has: emitters write addresses in
// loops as a pointer and an index. Whether later versions know the option has not been
// seen.
func generator(v Version, arch string) []string {
	if v.Major > 20 {
		return nil
	}
	return []string{"-disable-lsr=" + strconv.FormatBool(arch == "X86")}
}

// codegen is the level of the code generator, as in LLVMCodeGenOptLevel.
const codegen = 2
