package settings

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/env"
)

// Each variable allows its own default, and no value that cannot be meant.
func TestDefaultsAreAllowed(t *testing.T) {
	for _, v := range env.All() {
		if v.Check == nil {
			continue
		}
		if v.Default != "" {
			require.NoError(t, v.Check(v.Default), v.Name)
		}
		require.Error(t, v.Check("neither this nor that"), v.Name)
	}
}

// Modes and formats are allowed by the names that the variables document.
func TestModesAndFormats(t *testing.T) {
	for _, c := range []struct {
		variable *env.Var
		names    []string
	}{{Sync, SyncModes[:]}, {DumpFormat, Formats[:]}} {
		documented := strings.Split(strings.ReplaceAll(c.variable.Allowed, "`", ""), ", ")
		require.ElementsMatch(t, documented, c.names, c.variable.Name)
		require.Contains(t, c.names, c.variable.Default)
		for _, name := range c.names {
			require.NoError(t, c.variable.Check(name))
		}
	}
}

// A variable without effect is no declared one.
func TestIgnored(t *testing.T) {
	for _, i := range Ignored {
		for _, name := range strings.Split(i.Name, ", ") {
			require.False(t, slices.ContainsFunc(env.All(), func(v env.Var) bool { return v.Name == name }), name)
		}
	}
}
