package module

import (
	"errors"
	"reflect"

	"ltc/ir/types"
	"ltc/lazy"
)

// Declarer is a module with variables of its own. Its method Build declares them.
type Declarer interface{ Build(b *Builder) }

// Option changes what [Build] makes.
type Option func(*build)

// DType is the dtype of variables that do not name one; f32 without this option.
func DType(d types.DType) Option { return func(b *build) { b.dtype = d } }

// Empty leaves out initial values, for weights that are loaded next: variables are made by [lazy.Device.MappedVariable] and
// are zero.
func Empty() Option { return func(b *build) { b.empty = true } }

// Random is the stream that layers draw from, such as dropout. Without this option it is a new one with seed 0, whatever the
// seed of the device.
func Random(r *lazy.Random) Option { return func(b *build) { b.random = r } }

// build is a call of [Build].
type build struct {
	dev    *lazy.Device
	dtype  types.DType
	empty  bool
	random *lazy.Random
	shares []share
	errs   []error
}

type share struct {
	to, from **lazy.Tensor
	path     string
}

// Builder is what a module's method Build declares variables with.
type Builder struct {
	of   *build
	path string
	at   reflect.Value // the module's struct
}

// Build makes the variables of net on dev, and calls the method Build of each module in it: that of a
// module comes before those of its submodules, which it may make. Variables that are there already, say by
// an earlier Build, are left unchanged. Those of another device are an error.
//
// The initial values depend on the seed of the device and on the order of the variables.
//
// The error joins all that modules refuse, each with its path, but for modules below one that refuses.
func Build(net any, dev *lazy.Device, opts ...Option) error {
	if dev == nil {
		return errors.New("module: the device is nil: give the one that lazy.Open returned")
	}
	of := &build{dev: dev, dtype: types.F32}
	for _, o := range opts {
		if o != nil {
			o(of)
		}
	}
	if of.random == nil {
		of.random = lazy.NewRandom(dev, 0)
	}
	if !of.dtype.Continuous() {
		return mistake("", "parameters of %v have no gradients: give DType a floating-point dtype", of.dtype)
	}
	v, err := rootOf(net)
	if err != nil {
		return err
	}
	of.modules("", "", false, v, nil)
	for range of.shares { // the field that one takes from may take from another
		for _, s := range of.shares {
			*s.to = *s.from
		}
	}
	for _, s := range of.shares {
		if *s.to == nil {
			of.errs = append(of.errs, mistake(s.path, "it shares a variable that no module makes"))
		}
	}
	if err := errors.Join(of.errs...); err != nil {
		return err
	}
	if err := Check(net); err != nil {
		return err
	}
	for path, v := range State(net) {
		if v.Device() != dev {
			return mistake(path, "it is a variable of another device, opened at %s: build a new network for %v", v.Device().OpenedAt(), dev)
		}
	}
	return nil
}

// modules builds the module at path and those below it. The path scope leads to the closest one around it with a Base, whose mode is eval.
func (of *build) modules(path, scope string, eval bool, v reflect.Value, above []reflect.Value) {
	if isWithin(above, v) {
		of.errs = append(of.errs, mistake(path, containsItself, v.Type()))
		return
	}
	m := v.Addr().Interface()
	if b, ok := m.(interface{ base() *Base }); ok {
		base := b.base()
		if !base.built {
			base.built = true
			base.eval.Set(base.eval.On() || eval)
		}
		base.path, base.scope = path, path
		if scope != "" {
			base.scope = path[min(len(scope)+1, len(path)):]
		}
		scope, eval = path, base.eval.On()
	}
	if m, ok := m.(Declarer); ok {
		refused := len(of.errs)
		if m.Build(&Builder{of, path, v}); len(of.errs) > refused {
			return // what is below has not got its options
		}
	}
	s := scan{
		tensor: func(string, reflect.Value, bool) {},
		module: func(path string, below reflect.Value) { of.modules(path, scope, eval, below, append(above, v)) },
		fail: func(path, format string, args ...any) {
			of.errs = append(of.errs, mistake(path, format, args...))
		},
	}
	s.fields(path, v)
}

// Device returns the device that the variables are made on.
func (b *Builder) Device() *lazy.Device { return b.of.dev }

// DType returns the dtype of variables that do not name one.
func (b *Builder) DType() types.DType { return b.of.dtype }

// Random returns the stream that layers draw from.
func (b *Builder) Random() *lazy.Random { return b.of.random }

// Variable makes the variable of a field of the module, with the dtype of [Builder.DType] and the first values that init
// gives; nil stands for zeros.
func (b *Builder) Variable(field **lazy.Tensor, init lazy.Initializer, dims ...int) {
	b.VariableOf(field, b.of.dtype, init, dims...)
}

// VariableOf is Variable with a dtype.
func (b *Builder) VariableOf(at **lazy.Tensor, dtype types.DType, init lazy.Initializer, dims ...int) {
	b.declare(at, dtype, init, dims, b.of.allocator())
}

// MappedVariable declares a zero variable whose pages take memory only once a step writes them: see
// [lazy.Device.MappedVariable].
func (b *Builder) MappedVariable(field **lazy.Tensor, dims ...int) {
	b.declare(field, b.of.dtype, nil, dims, b.of.dev.MappedVariable)
}

// allocator makes a variable of zeros: [lazy.Device.Variable] or [lazy.Device.MappedVariable].
type allocator func(name string, dtype types.DType, shape ...int) *lazy.Tensor

// allocator returns the allocator of variables that get initial values here or, with Empty, from a file.
func (of *build) allocator() allocator {
	if of.empty {
		return of.dev.MappedVariable
	}
	return of.dev.Variable
}

// declare makes the variable of a field, unless it has one or shares that of another field.
func (b *Builder) declare(at **lazy.Tensor, dtype types.DType, init lazy.Initializer, dims []int, zeros allocator) {
	path, buffer, ok := b.named(at)
	if !ok {
		b.Errorf("Variable got a pointer that is not to an exported field of %v", b.at.Type())
		return
	}
	for _, s := range b.of.shares {
		if s.to == at {
			return
		}
	}
	if *at == nil {
		if *at = b.variable(path, dtype, init, dims, zeros); *at != nil {
			(*at).SetRequiresGrad(!buffer && dtype.Continuous())
		}
	}
}

// Named makes a variable for a map of the module, in which name is its key. It is nil if there is an error.
func (b *Builder) Named(name string, init lazy.Initializer, dims ...int) *lazy.Tensor {
	v := b.variable(join(b.path, name), b.of.dtype, init, dims, b.of.allocator())
	if v != nil {
		v.SetRequiresGrad(true)
	}
	return v
}

// variable makes a variable by zeros, with its initial values; nil if there is an error.
func (b *Builder) variable(path string, dtype types.DType, init lazy.Initializer, dims []int, zeros allocator) *lazy.Tensor {
	v := zeros(path, dtype, dims...)
	if init != nil && !b.of.empty && v.Err() == nil {
		v = v.Init(init)
	}
	if err := v.Err(); err != nil {
		b.of.errs = append(b.of.errs, err)
		return nil
	}
	return v
}

// named returns the path of a field of the module.
func (b *Builder) named(at **lazy.Tensor) (path string, buffer, ok bool) {
	s := scan{
		tensor: func(p string, v reflect.Value, is bool) {
			if v.CanAddr() && v.Addr().Interface() == any(at) {
				path, buffer, ok = p, is, true
			}
		},
		module: func(string, reflect.Value) {},
		fail:   func(string, string, ...any) {},
	}
	s.fields(b.path, b.at)
	return path, buffer, ok
}

// Share has the field to, of this module or one below it, hold the variable of the field from, which a module makes:
// weights that are tied. A Variable for the field to makes none then.
func (b *Builder) Share(to, from **lazy.Tensor) {
	if to == nil || from == nil {
		b.Errorf("Share got a nil pointer: give those to two fields")
		return
	}
	b.of.shares = append(b.of.shares, share{to, from, b.path})
}

// Errorf refuses the module: [Build] returns the error, which names the module's path.
func (b *Builder) Errorf(format string, args ...any) {
	b.of.errs = append(b.of.errs, mistake(b.path, format, args...))
}
