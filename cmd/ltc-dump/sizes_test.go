package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSizes(t *testing.T) {
	s := sizes{}
	for _, text := range []string{"n=256", "m=0", "7"} {
		require.NoError(t, s.Set(text), text)
	}
	require.Equal(t, sizes{"n": 256, "m": 0, "": 7}, s)
	for text, want := range map[string]string{
		"n=1": "the size has a value already", "8": "the size has a value already",
		"-5": "want a number from 0 on, or NAME=NUMBER", "k=-1": "want a number from 0 on, or NAME=NUMBER",
		"k": "want a number from 0 on, or NAME=NUMBER", "k=": "want a number from 0 on, or NAME=NUMBER",
	} {
		require.EqualError(t, s.Set(text), want, text)
	}
}
