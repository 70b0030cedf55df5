package native

import "debug/elf"

const hostMachine = elf.EM_X86_64
