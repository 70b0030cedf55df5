//go:build !amd64 && !arm64

package cpu

func hostFeatures() []string { return nil }
