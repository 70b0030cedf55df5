package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/ptxas"
)

// said is what an assembler says of an entry that is right.
const said = `echo "Compiling entry function 'k' for 'sm_90a'"; echo "Used 30 registers"`

// program writes a program of the shell's.
func program(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "ptxas")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o777))
	return path
}

// An assembler of another version that crashes or advises fails the check of a module.
// Machine code that waits where the text does not fails it, too. Modules for sm_90a are
// not assembled as relocatable code.
func TestAssemblersOfOtherVersionsMustTakeModules(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh")
	}
	const old, hopper = ".target sm_80\n.visible .entry k()\n{\n}\n", ".target sm_90a\n.visible .entry k()\n{\n}\n"
	const fences = ".target sm_80\n.visible .entry k()\n{\n\tfence.acq_rel.cta;\n}\n"
	const code = `echo "	.section	.text.k,"`
	const relocatable = `[ "$1" != -c ] || { echo "info : (C7504) Potential Performance Loss"; }; ` + said
	for _, c := range []struct{ name, module, other, disassembler, want string }{
		{"good", old, said, code, ""},
		{"crash", old, "kill -SEGV $$", code, "ptxas 12.0 -arch=sm_80"},
		{"crash of relocatable code", old, `[ "$1" != -c ] || kill -SEGV $$; ` + said, code, "ptxas 12.0 -c -arch=sm_80"},
		{"advice", hopper, `echo "info : (C7517) warpgroup.wait is injected"; ` + said, code, "C7517"},
		{"advice about relocatable code", old, relocatable, code, "C7504"},
		{"relocatable code for sm_90a", hopper, relocatable, code, ""},
		{"spills", old, said + `; echo "8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads"`, code, "8 bytes stack frame"},
		{"relocatable code spills", old, `[ "$1" != -c ] || echo "8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads"; ` + said, code, ""},
		{"a fence of the whole GPU", fences, said, code + "; echo MEMBAR.ALL.GPU", "waits for memory of the whole GPU"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := tools{assembler: program(t, said), others: []otherAssembler{{"12.0", program(t, c.other)}}, disassembler: program(t, c.disassembler)}
			err := x.check([]ptxas.Module{{Hash: "1234", Text: c.module}}, nil, "", false)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "module 1234")
		})
	}
}

// A run that was ended, or failed, goes on: what passed is not looked at again.
func TestModulesThatPassedAreNotAssembledAgain(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh")
	}
	file := filepath.Join(t.TempDir(), "passed")
	picky := tools{assembler: program(t, `grep -q bad "$5" && exit 1; `+said)}
	good, bad := ptxas.Module{Hash: "1234", Text: ".visible .entry k()\n{\n}\n"}, ptxas.Module{Hash: "5678", Text: "bad"}
	require.NoError(t, picky.keep(file, map[string]bool{}))
	require.ErrorContains(t, picky.check([]ptxas.Module{good, bad}, nil, "", false), "module 5678")

	none, skip := tools{assembler: program(t, "exit 1")}, map[string]bool{}
	require.NoError(t, none.keep(file, skip))
	require.Equal(t, map[string]bool{"1234": true}, skip)
	require.NoError(t, none.check([]ptxas.Module{good}, skip, "", false))
}

// A module whose hash is known is not assembled, and its rows of the table stand.
func TestKnownModulesAreNotAssembled(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh")
	}
	const text = ".target sm_80\n.visible .entry k()\n{\n}\n"
	modules := []ptxas.Module{{Hash: "1234", Text: text, Names: []string{"a/b"}}, {Hash: "5678", Text: text, Names: []string{"c"}}}
	table := filepath.Join(t.TempDir(), "table")
	require.NoError(t, (&tools{assembler: program(t, said)}).check(modules, nil, table, true))

	broken := tools{assembler: program(t, "exit 1")}
	known, all := map[string]bool{"1234": true}, map[string]bool{"1234": true, "5678": true}
	require.ErrorContains(t, broken.check(modules, known, table, false), "module 5678 [c]")
	require.NotContains(t, broken.check(modules, known, table, false).Error(), "1234")
	require.NoError(t, broken.check(modules, all, table, false))
	require.ErrorContains(t, broken.check(modules[1:], all, table, false), "a/b: it was not emitted")
}
