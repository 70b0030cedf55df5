// Reference writes docs/reference, the pages about package lazy by topic, and the list of
// families in the package's documentation, from the op table and from the comments of the
// package's source:
//
//	go run ./tools/reference
//
// The topics are in topics.go. A function, method or type that no topic names is an error.
// The rows of the op table say which topic is theirs.
package main

//go:generate go run . -root ../..

import (
	"flag"
	"log"
	"os"
	"path/filepath"
	"slices"

	"ltc/ir/ops"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", ".", "`folder` of the module")
	flag.Parse()
	files, err := generate(*root)
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(*root, filepath.FromSlash(name)), text, 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// generate returns the files by their path below the module's root.
func generate(root string) (map[string][]byte, error) {
	l, err := read(root)
	if err != nil {
		return nil, err
	}
	pages, err := l.fill(pages)
	if err != nil {
		return nil, err
	}
	around := slices.DeleteFunc(slices.Clone(packages), func(dir string) bool {
		return ops.PackageRows(dir) != nil || slices.Contains(large, dir) // they have pages of their own
	})
	files := map[string][]byte{"docs/reference/README.md": index(pages), "lazy/topics_gen.go": families(pages)}
	if files["docs/reference/packages.md"], err = packagesPage(root, "Packages that go with lazy", around...); err != nil {
		return nil, err
	}
	for _, dir := range large {
		if files["docs/reference/"+dir+".md"], err = packagesPage(root, "Package "+dir, dir); err != nil {
			return nil, err
		}
	}
	for i := range ops.Packages {
		p := &ops.Packages[i]
		if files["docs/reference/"+p.Name+".md"], err = functionsPage(root, p); err != nil {
			return nil, err
		}
	}
	for i := range pages {
		files["docs/reference/"+pages[i].file] = l.page(&pages[i])
	}
	return files, nil
}
