package ptxsim

import "strings"

// target is what a module is written for.
type target struct{ version, arch string }

// hopper has the prefixes of opcodes that need sm_90, or sm_90a where the value is true.
// All of them need PTX 8.0. (PTX ISA, "Target ISA Notes" of each.)
var hopper = map[string]bool{
	"wgmma.": true, "setmaxnreg.": true,
	"cp.async.bulk.": false, "fence.proxy.async": false, "fence.mbarrier_init.": false,
	"mbarrier.try_wait.": false, "mbarrier.arrive.expect_tx.": false,
}

// demand refuses an instruction that the assembler does not take for the module's target.
func (p *parser) demand(opcode string) {
	for begin, only := range hopper {
		switch arch := p.target.arch; {
		case !strings.HasPrefix(opcode, begin):
		case arch != "sm_90a" && (only || arch < "sm_90"):
			p.fail("%s in a module for %s", opcode, arch)
		case p.target.version < "8.0":
			p.fail("%s in a module of PTX %s", opcode, p.target.version)
		}
	}
}
