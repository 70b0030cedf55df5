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
	files := map[string][]byte{"docs/reference/README.md": index(pages), "lazy/topics_gen.go": families(pages)}
	for _, dir := range packages {
		if ops.PackageRows(dir) != nil {
			continue // it has a page of its rows
		}
		if files["docs/reference/"+packageFile(dir)], err = packagePage(root, dir); err != nil {
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
