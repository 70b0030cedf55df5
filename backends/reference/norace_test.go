//go:build !race

package reference

const raceBuild = false
