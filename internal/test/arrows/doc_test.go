package arrows

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var sentence = regexp.MustCompile(`(?s)imports only (.*)$`)

// What a package's documentation says that it imports is what it does.
func TestDocumentation(t *testing.T) {
	for _, p := range list(t) {
		if p.Name == "main" || len(p.GoFiles) == 0 {
			continue
		}
		t.Run(p.ImportPath, func(t *testing.T) {
			said := ""
			for _, f := range p.GoFiles {
				file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, f), nil, parser.PackageClauseOnly|parser.ParseComments)
				require.NoError(t, err)
				if m := sentence.FindStringSubmatch(file.Doc.Text()); m != nil {
					said = m[1]
				}
			}
			require.NotEmpty(t, said, "the package's documentation does not end with a line of what it imports")
			ours := regexp.MustCompile(regexp.QuoteMeta(p.Module.Path) + `/[\w/]*\w`)
			named := ours.FindAllString(said, -1)
			for _, i := range p.Imports {
				below := slices.ContainsFunc(named, func(n string) bool { return strings.HasPrefix(i, n+"/") }) ||
					slices.Contains(anywhere, strings.TrimPrefix(i, p.Module.Path+"/"))
				if strings.Contains(said, "the packages of ops.Packages") && slices.Contains(functionPackages(), strings.TrimPrefix(i, p.Module.Path+"/")) {
					continue
				}
				if ours.MatchString(i) && (!below || !strings.Contains(said, "the packages below")) {
					require.Contains(t, named, i, "the documentation does not say this import")
				}
			}
			require.Subset(t, p.Imports, named, "the documentation says imports that there are not")
		})
	}
}
