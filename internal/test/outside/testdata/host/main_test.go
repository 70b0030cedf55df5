package main

import (
	"testing"

	"ltc/backends"
	"ltc/backends/backendtest"
)

func TestHost(t *testing.T) {
	backendtest.Run(t, func(string) (backends.Backend, error) { return host{}, nil })
}
