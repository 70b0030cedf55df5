package lazy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ltc/backends"
)

// The process's default device. It is a convenience for programs with one
// device: nothing in this package uses it unasked, and traces keep the device
// that they were made for.
var defaults struct {
	sync.Mutex
	device *Device   // set, or opened by Default
	scopes []*Device // of UseDevice, the innermost last
	ids    []int     // of scopes
	next   int
}

// Default returns the device of the innermost [UseDevice] that is in force,
// or that of [SetDefault], or else opens one: the one that the environment
// variable LTC_DEVICE names, "cpu" if the program imports it, or the only
// backend that it imports. It returns the same device from then on.
//
// The default belongs to the process, as that of package log does, not to a
// goroutine: where goroutines use different devices, hand the device on, or a
// context that carries it ([WithDevice]).
func Default() (*Device, error) {
	d := &defaults
	d.Lock()
	defer d.Unlock()
	if n := len(d.scopes); n > 0 {
		return d.scopes[n-1], nil
	}
	if d.device != nil {
		return d.device, nil
	}
	name, err := defaultName(backends.Names())
	if err != nil {
		return nil, err
	}
	dev, err := Open(name)
	if err != nil {
		return nil, fmt.Errorf("default device: %w", err)
	}
	d.device = dev
	return dev, nil
}

// defaultName returns the name of the device to open, given the registered backends.
func defaultName(names []string) (string, error) {
	if name := envDevice.Value(); name != "" {
		return name, nil
	}
	switch {
	case slices.Contains(names, "cpu"):
		return "cpu", nil
	case len(names) == 1:
		return names[0], nil
	case len(names) == 0:
		return "", fmt.Errorf("default device: no backend is registered; import one for its side effect, such as _ %q", backends.Import("cpu"))
	default:
		return "", fmt.Errorf("default device: several backends are registered (%s) and none is cpu; call SetDefault, or set %s",
			strings.Join(names, ", "), envDevice.Name)
	}
}

// SetDefault makes d the process's default device, for when no [UseDevice] is
// in force, and returns the one before. With nil, the next [Default] opens one
// anew.
func SetDefault(d *Device) (before *Device) {
	defaults.Lock()
	defer defaults.Unlock()
	before, defaults.device = defaults.device, d
	return before
}

// UseDevice makes d the process's default device until restore is called:
//
//	defer lazy.UseDevice(d)()
//
// Scopes may nest, and end in any order: the default is that of the latest
// scope that has not ended. Calling restore again does nothing. It is for
// tests and programs of one goroutine, since all goroutines see it.
func UseDevice(d *Device) (restore func()) {
	if d == nil {
		return func() {}
	}
	defaults.Lock()
	defer defaults.Unlock()
	id := defaults.next
	defaults.next++
	defaults.scopes, defaults.ids = append(defaults.scopes, d), append(defaults.ids, id)
	return func() {
		defaults.Lock()
		defer defaults.Unlock()
		if i := slices.Index(defaults.ids, id); i >= 0 {
			defaults.scopes, defaults.ids = slices.Delete(defaults.scopes, i, i+1), slices.Delete(defaults.ids, i, i+1)
		}
	}
}

type deviceKey struct{}

// WithDevice returns a context that carries d, for [DeviceFrom]: the way to
// give goroutines devices of their own.
func WithDevice(ctx context.Context, d *Device) context.Context {
	return context.WithValue(ctx, deviceKey{}, d)
}

// DeviceFrom returns the device that ctx carries, and [Default] if there is
// none.
func DeviceFrom(ctx context.Context) (*Device, error) {
	if d, _ := ctx.Value(deviceKey{}).(*Device); d != nil {
		return d, nil
	}
	return Default()
}
