package main

import (
	"flag"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"ltc/backends/objcache"
	"ltc/internal/diag"
)

// cacheCommands are what ltc-dump cache does.
var cacheCommands = map[string]func(c *call, cache *objcache.Cache, args []string) error{
	"ls":     listCache,
	"verify": verifyCache,
	"clear":  clearCache,
	"why":    explainCache,
}

// shownKey is how many digits of a key are shown; they are enough to name it.
const shownKey = 12

func cacheCommand(c *call) error {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	dir := fs.String("dir", "", "the `directory` that LTC_CACHE_DIR would name")
	args, err := c.parse(fs)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return usagef("say what to do: ls, verify, clear or why KEY")
	}
	do := cacheCommands[args[0]]
	if do == nil {
		return usagef("no command %q: there are ls, verify, clear and why KEY", args[0])
	}
	if why := args[0] == "why"; why && len(args) != 2 {
		return usagef("why needs one key, or the start of one")
	} else if !why && len(args) != 1 {
		return usagef("%s takes no arguments", args[0])
	}
	var none error
	cache := objcache.FromEnvironment(func(err error) { none = err })
	if *dir != "" {
		cache = objcache.New(objcache.Options{Dir: *dir})
	}
	if cache == nil {
		return fmt.Errorf("LTC_CACHE is off: name a cache with -dir")
	}
	if cache.Dir() == "" {
		return fmt.Errorf("%w, or with -dir", none)
	}
	return do(c, cache, args[1:])
}

// listCache lists the objects, the one used last first.
func listCache(c *call, cache *objcache.Cache, _ []string) error {
	entries, err := cache.List()
	if err != nil {
		return err
	}
	total := int64(0)
	if len(entries) > 0 {
		w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "KEY\tBYTES\tUSED\tWHAT")
		for _, e := range entries {
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", e.Key.String()[:shownKey], e.Bytes, age(time.Since(e.Used)), e.Label)
			total += e.Bytes
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.stdout, "%s of %s in %s\n", diag.Count(len(entries), "object"), diag.Count(total, "byte"), cache.Dir())
	return nil
}

// age says how long ago something was, in one unit.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	}
	return fmt.Sprintf("%dd ago", d/(24*time.Hour))
}

// verifyCache reads all objects and removes those that cannot be used.
func verifyCache(c *call, cache *objcache.Cache, _ []string) error {
	good, damaged, err := cache.Verify()
	if err != nil {
		return err
	}
	for _, d := range damaged {
		fmt.Fprintf(c.stdout, "removed %s: %v\n", d.Path, d.Why)
	}
	fmt.Fprintf(c.stdout, "%s good, %d damaged\n", diag.Count(len(good), "object"), len(damaged))
	if len(damaged) > 0 {
		return errFailed
	}
	return nil
}

func clearCache(c *call, cache *objcache.Cache, _ []string) error {
	n, bytes, err := cache.Clear()
	fmt.Fprintf(c.stdout, "removed %s, %s of files\n", diag.Count(n, "object"), diag.Count(bytes, "byte"))
	return err
}

// explainCache says which objects are nearest to one, and in what they differ:
// why it was compiled when they were there already.
func explainCache(c *call, cache *objcache.Cache, args []string) error {
	found, err := cache.Find(strings.ToLower(args[0]))
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return fmt.Errorf("no object's key starts with %q: ltc-dump cache ls lists them", args[0])
	case len(found) > 1:
		return fmt.Errorf("the keys of %s start with %q", diag.Count(len(found), "object"), args[0])
	}
	near, err := cache.Why(found[0])
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "%s %s\n", found[0].Key.String()[:shownKey], found[0].Label)
	for _, p := range found[0].Parts {
		fmt.Fprintf(c.stdout, "  %s: %s\n", p.Name, p)
	}
	if len(near) == 0 {
		fmt.Fprintln(c.stdout, "there are no others")
	}
	const most = 3
	for _, n := range near[:min(most, len(near))] {
		fmt.Fprintf(c.stdout, "near %s %s:\n", n.Key.String()[:shownKey], n.Label)
		for _, d := range n.Differences {
			fmt.Fprintf(c.stdout, "  %s\n", d)
		}
	}
	return nil
}
