// Package vars publishes the metrics of devices through package expvar. It is
// a package of its own because expvar brings net/http into every program that
// it is part of, and serves /debug/vars there.
//
// The package imports only ltc/lazy.
package vars

import (
	"expvar"
	"fmt"
	"sync"
	"weak"

	"ltc/lazy"
)

var published = struct {
	sync.Mutex
	names map[weak.Pointer[lazy.Device]]string
}{names: map[weak.Pointer[lazy.Device]]string{}}

// Publish makes the metrics of d an expvar, and returns its name: ltc.cpu, or
// ltc.cpu#2 and so on when there is an expvar of that name already. Publishing a
// device again returns the name that it has. The expvar does not keep the device
// alive: it is null when the device is gone.
func Publish(d *lazy.Device) (name string) {
	published.Lock()
	defer published.Unlock()
	w := weak.Make(d)
	if name, ok := published.names[w]; ok {
		return name
	}
	base := "ltc." + d.Name()
	name = base
	for i := 2; expvar.Get(name) != nil; i++ {
		name = fmt.Sprintf("%s#%d", base, i)
	}
	expvar.Publish(name, expvar.Func(func() any {
		if d := w.Value(); d != nil {
			return d.Metrics()
		}
		return nil
	}))
	published.names[w] = name
	return name
}
