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
func lock(path string) (unlock func(), ok bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
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

// trusted returns an error if users other than this one or root may have
// written what info is of.
func trusted(info fs.FileInfo) error {
	if info.Mode().Perm()&0o002 != 0 {
		return errors.New("everybody may write there")
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if me := os.Geteuid(); ok && me != 0 && s.Uid != 0 && int(s.Uid) != me {
		return errors.New("it belongs to another user")
	}
	return nil
}
