package main

import (
	"testing"

	"ltc/backends"
	"ltc/backends/backendtest"
)

func TestSmall(t *testing.T) {
	backendtest.Run(t, func(string) (backends.Backend, error) { return small{}, nil })
}
