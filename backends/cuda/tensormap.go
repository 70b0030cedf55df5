package cuda

import (
	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/backends/cuda/ptx"
	"ltc/ir/types"
)

// mapLaunch is a launch whose factors are copied by tensor maps: see
// [ptx.Schedule.MapLaunch], and of attention [attention.Op.MapLaunch].
type mapLaunch struct {
	launch *driver.Launch
	plain  *driver.Launch // instead, where maps do not reach
	maps   []tensorMap
	// refused is set when the driver has not made a map: it is not asked again.
	refused bool
}

// tensorMap says how an operand lies, and where.
type tensorMap struct {
	operand int
	layout  driver.TensorLayout
	encoded driver.TensorMap // the layout's, if it has an address
}

var tensorTypes = map[types.DType]driver.TensorType{types.BF16: driver.TensorBF16, types.F16: driver.TensorF16}

// newMapLaunch makes a launch of a kernel that has n parameters before the maps.
func newMapLaunch(fn *driver.Function, n int, l ptx.Launch, maps []ptx.Map) *mapLaunch {
	x := &mapLaunch{launch: driver.NewLaunch(fn, n+len(maps)), maps: make([]tensorMap, len(maps))}
	for i := range maps {
		m := &x.maps[i]
		m.operand = maps[i].Operand
		m.layout = driver.TensorLayout{Type: tensorTypes[maps[i].Type], Swizzle: driver.Swizzle128}
		for d, size := range maps[i].Sizes {
			m.layout.Sizes, m.layout.Box = append(m.layout.Sizes, uint64(size)), append(m.layout.Box, uint32(maps[i].Box[d]))
		}
		for _, stride := range maps[i].Strides {
			m.layout.Strides = append(m.layout.Strides, uint64(stride))
		}
		x.launch.SetMap(n+i, &m.encoded)
	}
	return x
}

// choose returns which launch is to be queued for operands at some addresses. Maps of
// those that have moved then say where they are; what is queued keeps the maps that it
// was queued with.
func (x *mapLaunch) choose(d *Device, o *backends.Options, address func(operand int) driver.Ptr) *driver.Launch {
	for i := range x.maps {
		if x.refused || address(x.maps[i].operand)%ptx.MapAlign != 0 {
			return x.plain
		}
	}
	if err := x.place(d, address); err != nil {
		x.refused = true
		o.Log().Warn("threads copy the operands of a kernel: the driver makes no tensor map", "device", d, "reason", err)
		return x.plain
	}
	return x.launch
}

func (x *mapLaunch) place(d *Device, address func(operand int) driver.Ptr) error {
	for i := range x.maps {
		m := &x.maps[i]
		at := address(m.operand)
		if m.layout.Address == at {
			continue
		}
		m.layout.Address = at
		if err := d.ctx.Encode(&m.encoded, &m.layout); err != nil {
			m.layout.Address = 0 // there is none
			return err
		}
	}
	return nil
}

// configure sets how many threads a launch has, and their memory.
func configure(l *driver.Launch, of ptx.Launch) {
	l.Grid(of.Grid[0], of.Grid[1], of.Grid[2])
	l.Block(of.Block[0], of.Block[1], of.Block[2])
	l.Shared(of.Shared)
}

// setNumbers sets the arguments behind n operands: sizes and strides.
func setNumbers(l *driver.Launch, n int, sizes, strides []int64) {
	for _, list := range [2][]int64{sizes, strides} {
		for _, x := range list {
			l.Set(n, uint64(x))
			n++
		}
	}
}
