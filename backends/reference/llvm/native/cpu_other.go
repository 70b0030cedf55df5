//go:build !amd64 && !arm64

package native

const hostArch = ""

func hostFeatures() []string { return nil }
