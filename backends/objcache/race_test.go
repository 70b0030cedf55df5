//go:build race

package objcache

const raceEnabled = true
