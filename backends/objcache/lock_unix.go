//go:build unix

package objcache

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// lock takes the lock of a directory, which the system gives back when the
// process ends, however it does; false when another process has it.
func lock(root *os.Root, name string) (unlock func(), ok bool, err error) {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = nil
		}
		return nil, false, err
	}
	return func() { f.Close() }, true, nil
}

// trusted returns an error unless info is of a file or directory of this user's, that
// nobody else may write to. Root trusts what is root's, and nothing else.
func trusted(info fs.FileInfo) error {
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("others may write there (chmod go-w)")
	}
	if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Geteuid() {
		return errors.New("it belongs to another user")
	}
	return nil
}
