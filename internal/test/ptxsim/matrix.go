package ptxsim

import (
	"math"
	"strconv"
	"strings"
)

// shape is a product of fragments: which types its elements have, and how many
// bits the factors' take.
type shape struct {
	m, n, k int
	bits    int
	factor  func(bits uint64) float64
	// sum is what is added up: f32, f64 or s32.
	sum string
}

var products = map[string]shape{
	"m16n8k16.row.col.f32.bf16.bf16.f32": {16, 8, 16, 16, func(a uint64) float64 { return float64(f32(a << 16)) }, "f32"},
	"m16n8k16.row.col.f32.f16.f16.f32":   {16, 8, 16, 16, func(a uint64) float64 { return float64(fromHalf(uint16(a))) }, "f32"},
	"m16n8k8.row.col.f32.tf32.tf32.f32":  {16, 8, 8, 32, func(a uint64) float64 { return float64(f32(a)) }, "f32"},
	"m8n8k4.row.col.f64.f64.f64.f64":     {8, 8, 4, 64, f64, "f64"},
	"m16n8k32.row.col.s32.s8.s8.s32":     {16, 8, 32, 8, func(a uint64) float64 { return float64(int8(a)) }, "s32"},
}

// A warp holds fragments of matrices. Of lane l, group is l/4 and number l mod 4, and e is
// how many elements a register holds. Register r has these elements:
//
//   - of the first factor, row group + 8·(r mod 2) from column number·e + 4e·(r/2) on;
//   - of the second factor, column group from row number·e + 4e·r on;
//   - of sums, row group + 8·(r/2) and column 2·number + r mod 2.
//
// (PTX ISA, "Matrix fragments for mma".)

// lane is one's group and number.
func lane(l int) (group, number int) { return l / 4, l % 4 }

// mma compiles a product of fragments. Sums of floats are rounded once, where
// hardware cuts bits off between: they are its sums if all on the way is exact.
func (p *parser) mma(i *instr, opcode string, args []string) {
	s, known := products[strings.TrimPrefix(opcode, "mma.sync.aligned.")]
	if !known || !strings.HasPrefix(opcode, "mma.sync.aligned.") {
		p.unknown(opcode)
		return
	}
	if !p.count(args, 4, opcode) {
		return
	}
	wide := max(s.bits, 32)
	each := wide / s.bits // elements of a register
	d, c := p.registersOf(args[0], s.m*s.n/warp), p.values(args[3], s.m*s.n/warp)
	a, b := p.values(args[1], s.m*s.k/warp/each), p.values(args[2], s.k*s.n/warp/each)
	rounded := strings.Contains(opcode, "tf32")
	i.kind = together
	i.warp = collective{lanes: all, group: warp, run: func(lanes []thread) {
		var x [16 * 32]float64
		var y [32 * 8]float64
		for l := range lanes {
			t := &lanes[l]
			group, number := lane(l)
			element := func(v operand, e int) float64 {
				bits := v.get(t) >> (e * s.bits) & mask(s.bits)
				if rounded && bits&mask(unusedTF32) != 0 {
					t.fault("a factor of %s that has not been rounded to tf32: %s", opcode, strconv.FormatUint(bits, 16))
				}
				return s.factor(bits)
			}
			for r, v := range a {
				for e := range each {
					x[(group+8*(r%2))*s.k+(r/2)*4*each+number*each+e] = element(v, e)
				}
			}
			for r, v := range b {
				for e := range each {
					y[(r*4*each+number*each+e)*s.n+group] = element(v, e)
				}
			}
		}
		for l := range lanes {
			t := &lanes[l]
			group, number := lane(l)
			sums := make([]uint64, len(c))
			for r, v := range c {
				row, column := group+8*(r/2), 2*number+r%2
				sum := s.begin(v.get(t))
				for k := range s.k {
					sum = s.add(sum, x[row*s.k+k], y[k*s.n+column])
				}
				sums[r] = s.end(sum)
			}
			for r := range d {
				t.regs[d[r]] = sums[r]
			}
		}
	}}
}

func (s *shape) begin(c uint64) float64 {
	switch s.sum {
	case "f32":
		return float64(f32(c))
	case "s32":
		return float64(int32(c))
	}
	return f64(c)
}

func (s *shape) add(sum, a, b float64) float64 {
	if s.sum == "f64" {
		return math.FMA(a, b, sum)
	}
	return sum + a*b
}

func (s *shape) end(sum float64) uint64 {
	switch s.sum {
	case "f32":
		return bits32(float32(sum))
	case "s32":
		return uint64(int64(sum)) & mask(32)
	}
	return bits64(sum)
}

// rowBytes is what a row of the squares of ldmatrix takes.
const rowBytes = 16

// ldmatrix compiles the load of 1, 2 or 4 squares of 8·8 elements of 16 bits. Lane l has
// the address of row l mod 8 of square l/8. It gets of each square the two elements at 2·(l
// mod 4) of row l/4, of column l/4 if it is transposed.
func (p *parser) ldmatrix(i *instr, opcode string, args []string) {
	count := map[string]int{"x1": 1, "x2": 2, "x4": 4}
	rest, ok := strings.CutPrefix(opcode, "ldmatrix.sync.aligned.m8n8.")
	parts := strings.Split(rest, ".")
	n := count[parts[0]]
	transposed := strings.HasSuffix(rest, ".trans.shared.b16")
	if !ok || n == 0 || rest != parts[0]+".shared.b16" && rest != parts[0]+".trans.shared.b16" {
		p.unknown(opcode)
		return
	}
	if !p.count(args, 2, opcode) {
		return
	}
	d := p.registersOf(args[0], n)
	base, offset := p.address(args[1])
	i.kind = together
	i.warp = collective{lanes: all, group: warp, run: func(lanes []thread) {
		var rows [warp][]byte
		for l := range lanes[:8*n] {
			if rows[l] = lanes[l].touch(base.get(&lanes[l])+offset, rowBytes, true, reads); rows[l] == nil {
				return
			}
		}
		for l := range lanes {
			group, number := lane(l)
			for j, r := range d {
				low, high := rows[8*j+group][4*number:], rows[8*j+group][4*number+2:]
				if transposed {
					low, high = rows[8*j+2*number][2*group:], rows[8*j+2*number+1][2*group:]
				}
				lanes[l].regs[r] = load(low[:2]) | load(high[:2])<<16
			}
		}
	}}
}
