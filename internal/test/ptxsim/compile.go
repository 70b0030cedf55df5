package ptxsim

import (
	"slices"
	"strconv"
	"strings"

	"ltc/internal/diag"
)

// compile makes an instruction of the text that follows a predicate.
func (p *parser) compile(i *instr, s string) {
	opcode, rest, _ := strings.Cut(s, " ")
	args := operands(rest)
	at := p.line
	p.line = i.line
	defer func() { p.line = at }()
	if f, ok := ops.unary[opcode]; ok && p.count(args, 2, opcode) {
		d, a := p.reg(args[0]), p.value(args[1])
		i.run = func(t *thread) { t.regs[d] = f(a.get(t)) }
		return
	}
	if f, ok := ops.binary[opcode]; ok && p.count(args, 3, opcode) {
		d, a, b := p.reg(args[0]), p.value(args[1]), p.value(args[2])
		i.run = func(t *thread) { t.regs[d] = f(a.get(t), b.get(t)) }
		return
	}
	if f, ok := ops.ternary[opcode]; ok && p.count(args, 4, opcode) {
		d, a, b, c := p.reg(args[0]), p.value(args[1]), p.value(args[2]), p.value(args[3])
		i.run = func(t *thread) { t.regs[d] = f(a.get(t), b.get(t), c.get(t)) }
		return
	}
	p.demand(opcode)
	parts := strings.Split(opcode, ".")
	switch parts[0] {
	case "mov":
		p.mov(i, opcode, args)
	case "bra":
		if p.count(args, 1, opcode) && (opcode == "bra" || opcode == "bra.uni") {
			i.kind = branch
			p.uses = append(p.uses, labelUse{len(p.e.instrs), i.line, args[0]})
			return
		}
		p.unknown(opcode)
	case "ret", "exit":
		i.kind = exit
	case "bar":
		p.barrier(i, opcode, args)
	case "shfl":
		p.shuffle(i, opcode, args)
	case "ld", "st", "red", "atom":
		p.access(i, parts, args)
	case "prefetch":
		p.prefetch(i, opcode, args)
	case "mma":
		p.mma(i, opcode, args)
	case "ldmatrix":
		p.ldmatrix(i, opcode, args)
	case "wgmma":
		p.e.agents = true
		p.wgmma(i, opcode, args)
	case "setmaxnreg":
		p.setRegisters(i, opcode, args)
	case "fence":
		p.fence(i, opcode, args)
	case "mbarrier":
		p.e.agents, p.e.partial = true, true
		p.mbarrier(i, opcode, args)
	case "cp":
		if strings.HasPrefix(opcode, "cp.async.bulk.") {
			p.bulkCopy(i, opcode, args)
			return
		}
		p.asyncCopy(i, opcode, args)
	default:
		p.unknown(opcode)
	}
}

func (p *parser) unknown(opcode string) { p.fail("unknown opcode %s", opcode) }

func (p *parser) count(args []string, want int, opcode string) bool {
	if len(args) != want {
		p.fail("%s has %s, want %d", opcode, diag.Count(len(args), "operand"), want)
	}
	return p.err == nil
}

// specials are the registers that say which thread it is.
var specials = map[string]func(t *thread) int{
	"%tid.x":    func(t *thread) int { return t.at[0] },
	"%tid.y":    func(t *thread) int { return t.at[1] },
	"%ntid.x":   func(t *thread) int { return t.block.launch.Block[0] },
	"%ntid.y":   func(t *thread) int { return t.block.launch.Block[1] },
	"%ctaid.x":  func(t *thread) int { return t.block.at[0] },
	"%ctaid.y":  func(t *thread) int { return t.block.at[1] },
	"%ctaid.z":  func(t *thread) int { return t.block.at[2] },
	"%nctaid.x": func(t *thread) int { return t.block.launch.Grid[0] },
	"%nctaid.y": func(t *thread) int { return t.block.launch.Grid[1] },
	"%nctaid.z": func(t *thread) int { return t.block.launch.Grid[2] },
}

func (p *parser) mov(i *instr, opcode string, args []string) {
	if !p.count(args, 2, opcode) {
		return
	}
	special, is := specials[args[1]]
	switch {
	case opcode == "mov.u32" && is:
		d := p.reg(args[0])
		i.run = func(t *thread) { t.regs[d] = uint64(special(t)) }
	case opcode == "mov.b64" && strings.HasPrefix(args[0], "{"):
		d, a := p.registersOf(args[0], 2), p.value(args[1])
		i.run = func(t *thread) {
			v := a.get(t)
			t.regs[d[0]], t.regs[d[1]] = v&mask(32), v>>32
		}
	case opcode == "mov.b64" && strings.HasPrefix(args[1], "{"):
		d, a := p.reg(args[0]), p.values(args[1], 2)
		i.run = func(t *thread) { t.regs[d] = a[0].get(t)&mask(32) | a[1].get(t)<<32 }
	case slices.Contains([]string{"mov.b16", "mov.b32", "mov.b64", "mov.u32", "mov.u64", "mov.s32", "mov.s64", "mov.f32", "mov.f64", "mov.pred"}, opcode):
		d, a, mask := p.reg(args[0]), p.value(args[1]), mask(width(opcode[4:]))
		i.run = func(t *thread) { t.regs[d] = a.get(t) & mask }
	default:
		p.unknown(opcode)
	}
}

// width returns how many bits a value of a type such as s32 has.
func width(t string) int {
	if t == "pred" {
		return 1
	}
	n, _ := strconv.Atoi(strings.TrimLeft(t, "busf"))
	return n
}

// mask has the lowest n bits set.
func mask(n int) uint64 { return ^uint64(0) >> (64 - n) }

// collective is what lanes of a warp, or all threads of a warpgroup, do together,
// once all have come to it.
type collective struct {
	lanes uint32                   // which of the warp's
	group int                      // how many threads are given to run
	may   func(first *thread) bool // if set, whether they may go on yet
	run   func(lanes []thread)
}

// all is the lanes of a whole warp.
const all = 1<<warp - 1

func (p *parser) shuffle(i *instr, opcode string, args []string) {
	from := map[string]func(lane, b uint32) uint32{
		"shfl.sync.bfly.b32": func(lane, b uint32) uint32 { return lane ^ b },
		"shfl.sync.idx.b32":  func(_, b uint32) uint32 { return b },
		"shfl.sync.down.b32": func(lane, b uint32) uint32 { return min(lane+b, 31) },
	}[opcode]
	if from == nil {
		p.unknown(opcode)
		return
	}
	if !p.count(args, 5, opcode) {
		return
	}
	if clamp := p.value(args[3]); clamp.bits != 31 {
		p.fail("%s within segments of a warp", opcode)
	}
	d, value, b, members := p.reg(args[0]), p.value(args[1]), p.value(args[2]), uint32(p.value(args[4]).bits)
	i.kind = together
	i.warp = collective{lanes: members, group: warp, run: func(lanes []thread) {
		var values, sources [warp]uint64
		for l := range lanes {
			if members>>l&1 == 1 {
				values[l] = value.get(&lanes[l])
				sources[l] = uint64(from(uint32(l), uint32(b.get(&lanes[l]))) & (warp - 1))
			}
		}
		for l := range lanes {
			if members>>l&1 == 0 {
				continue
			}
			if members>>sources[l]&1 == 0 {
				lanes[l].fault("a shuffle from lane %d, which is not among its lanes", sources[l])
				return
			}
			lanes[l].regs[d] = values[sources[l]] & mask(32)
		}
	}}
}
