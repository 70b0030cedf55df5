package main

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"ltc/backends"
)

// listDevices lists the devices of each backend, or says why it has none.
func listDevices(c *call) error {
	args, err := c.parse(flag.NewFlagSet(c.name, flag.ContinueOnError))
	if err != nil {
		return err
	}
	if len(args) > 0 {
		return usagef("devices takes no arguments")
	}
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "BACKEND\tDEVICE\tMEMORY\tWHAT")
	for _, name := range backends.Names() {
		b, err := backends.Open(name)
		if err != nil {
			fmt.Fprintf(w, "%s\tnone\t\t%s\n", name, strings.ReplaceAll(err.Error(), "\n", "; "))
			continue
		}
		for _, d := range b.Devices() {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", name, d.Name, gibibytes(d.Memory), strings.Join(properties(d), ", "))
		}
	}
	return w.Flush()
}

func gibibytes(n int64) string {
	if n == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// properties are those of a device, by name.
func properties(d backends.Device) []string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(d.Properties)) {
		all = append(all, k+"="+d.Properties[k])
	}
	return all
}
