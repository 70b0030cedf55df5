package ptxsim

import (
	"strconv"
	"strings"
)

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
	for prefix, only := range hopper {
		if !strings.HasPrefix(opcode, prefix) {
			continue
		}
		arch, version := p.target.arch, p.target.version
		sm, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(arch, "sm_"), "a"))
		major, _, _ := strings.Cut(version, ".")
		if only && arch != "sm_90a" || sm < 90 {
			p.fail("%s in a module for %s", opcode, arch)
		} else if n, _ := strconv.Atoi(major); n < 8 {
			p.fail("%s in a module of PTX %s", opcode, version)
		}
	}
}
