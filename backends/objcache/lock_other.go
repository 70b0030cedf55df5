//go:build !unix

package objcache

import (
	"io/fs"
	"os"
)

// lock takes no lock: two processes that remove old files at the same time
// remove more than they need, and no harm is done.
func lock(*os.Root, string) (unlock func(), ok bool, err error) { return func() {}, true, nil }

func trusted(fs.FileInfo) error { return nil }
