package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// exporting stands for run.sh, which installs a Python: that exports programs but for one,
// and times them.
const exporting = `#!/bin/sh
mkdir -p "$1/jax/bin"
cat >"$1/jax/bin/python" <<'SCRIPT'
#!/bin/sh
echo "$@" >>` + "`dirname $0`" + `/asked
case "$*" in
*__version__*) echo 9.1 ;;
*"export "*minilm*) echo "KeyError: 'MINILM'" >&2; exit 1 ;;
*"export "*) mkdir -p "$3"; : >"$3/$4.out.npz" ;;
*"time "*) echo '{"peer": "jax", "w": "'$5'", "med_s": 0.5}' ;;
esac
SCRIPT
chmod +x "$1/jax/bin/python"
`

func TestWholeProgramsAreExportedOnceAndTimedByTurns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the peers' scripts need a shell")
	}
	dir := t.TempDir()
	bench, asked := filepath.Join(dir, "bench"), filepath.Join(dir, "jax", "bin", "asked")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.sh"), []byte(exporting), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "programs.py"), nil, 0o666))
	require.NoError(t, os.WriteFile(bench, []byte(`#!/bin/sh
echo "bench $7 $9" >>`+asked+`
echo '{"peer": "ltc", "w": "program_sort_1m", "med_s": 0.2}'
`), 0o777))
	log, err := os.Create(filepath.Join(dir, "figures.jsonl"))
	require.NoError(t, err)
	r := &runner{
		ctx: t.Context(), options: &options{peers: dir, programs: dir, rounds: 2, backend: "cpu", run: regexp.MustCompile("program_(minilm_b1|sort_1m)$")},
		scratch: dir, bench: bench, missing: map[string]string{}, log: log,
	}
	r.session = &session{Missing: r.missing}
	for range 2 {
		r.export()
	}
	for _, g := range groups() {
		if g, some := g.matching(r.run); some {
			require.NoError(t, r.group(g, 1))
		}
	}
	r.close()
	require.Equal(t, map[string]string{"program_minilm_b1": "KeyError: 'MINILM'"}, r.missing)

	said, err := os.ReadFile(asked)
	require.NoError(t, err)
	folder, script := filepath.Join(dir, "programs", "jax_9.1"), filepath.Join(dir, "programs.py")
	version, export, time, ours := "-c import jax; print(jax.__version__)", script+" export "+folder, script+" time "+folder+" 1 sort_1m", "bench ^(program_sort_1m)$ "+folder
	require.Equal(t, []string{
		version, export + " minilm_b1", export + " sort_1m", version, export + " minilm_b1",
		ours, time, time, ours,
	}, strings.Split(strings.TrimSpace(string(said)), "\n"))
	best, ok := r.session.best(row{name: "program_sort_1m"}, 1, true)
	require.True(t, ok)
	require.Equal(t, "jax_9.1", best.Peer)
}
