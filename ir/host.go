package ir

import (
	"fmt"
	"strings"

	"ltc/ir/types"
)

// HostResults returns the types of the results of an OpHostCall with the attributes.
func HostResults(attrs []Attr) ([]types.Type, error) {
	words := strings.Fields(attrs[HostCallResults].Str)
	if len(words) == 0 {
		return nil, fmt.Errorf("it has no results")
	}
	all := make([]types.Type, len(words))
	for i, w := range words {
		t, err := types.ParseType(w)
		if err != nil {
			return nil, err
		}
		all[i] = t
	}
	return all, nil
}

// HostResultsText is the attribute results of an OpHostCall that gives values of the types.
func HostResultsText(all []types.Type) string {
	var words []string
	for _, t := range all {
		words = append(words, t.String())
	}
	return strings.Join(words, " ")
}
