//go:build !(linux && (amd64 || arm64))

package driver

import (
	"fmt"
	"runtime"
)

func library(name string) (func(name string) uintptr, error) {
	return nil, fmt.Errorf("%s: not on %s/%s", name, runtime.GOOS, runtime.GOARCH)
}
