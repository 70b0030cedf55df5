package native

import "debug/elf"

const hostMachine = elf.EM_AARCH64
