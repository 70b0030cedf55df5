//go:build !amd64

package cpu

func hostL2() int { return 0 }
