package lazy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
)

// The fuzzer runs programs of ops, views, in-place writes, reads,
// steps and donations through the library and through an eager library that is
// as plain as can be: memory and strides. Numbers are small integers modulo
// 1009, so that every order of operations is exact. A program is a list of
// instructions whose operands are numbers that wrap around, so that any list is
// a program, and leaving one out makes another: failing programs are shrunk so.

// instr is an instruction.
type instr struct {
	op   opcode
	a, b int // which of the live tensors
	n    [3]int
}

type opcode int

const (
	opHost      opcode = iota // make host data
	opAdd                     // compute a new tensor
	opMul                     //
	opSum                     //
	opClone                   //
	opReshape                 // make a view
	opTranspose               //
	opSlice                   //
	opSelect                  //
	opNarrow                  //
	opDiagonal                //
	opStrided                 //
	opExpand                  //
	opSqueeze                 //
	opBind                    // a variable's view in the trace
	opAddTo                   // write
	opMulTo                   //
	opNegate                  //
	opFill                    //
	opCopy                    //
	opAssign                  //
	opValue                   // read
	opItem                    //
	opMark                    // end the step with some roots
	opKeep                    //
	opRelease                 //
	opDonate                  //
	opOther                   // the other trace assigns a variable and ends its step
	opLook                    // the other trace reads a tensor
	opcodes
)

// weights say how often each opcode is drawn.
var weights = [opcodes]int{
	opHost: 4, opAdd: 5, opMul: 2, opSum: 2, opClone: 2,
	opReshape: 4, opTranspose: 4, opSlice: 5, opSelect: 3, opNarrow: 3, opDiagonal: 2, opStrided: 3, opExpand: 2, opSqueeze: 1, opBind: 3,
	opAddTo: 10, opMulTo: 3, opNegate: 3, opFill: 3, opCopy: 6, opAssign: 2,
	opValue: 3, opItem: 2, opMark: 7, opKeep: 2, opRelease: 1, opDonate: 3, opOther: 2, opLook: 2,
}

// modulus keeps numbers small: products stay below 2^24, which f32 holds.
const modulus = 1009

// program draws a program.
func aliasProgram(rng *rand.Rand, n int) []instr {
	total := 0
	for _, w := range weights {
		total += w
	}
	code := make([]instr, n)
	for i := range code {
		k := rng.IntN(total)
		op := opcode(0)
		for ; k >= weights[op]; op++ {
			k -= weights[op]
		}
		code[i] = instr{op: op, a: rng.IntN(64), b: rng.IntN(64), n: [3]int{rng.IntN(1 << 16), rng.IntN(1 << 24), rng.IntN(1 << 16)}}
	}
	return append(code, instr{op: opMark})
}

// execute runs a program and returns what went wrong, and the program as Go.
func runProgram(dev *Device, code []instr) (failure, text string) {
	m := newMachine(dev)
	defer func() {
		if r := recover(); r != nil {
			failure, text = fmt.Sprintf("panic: %v", r), strings.Join(m.code, "\n")
		}
	}()
	for _, i := range code {
		if m.run(i); m.failure != "" {
			return m.failure, strings.Join(m.code, "\n")
		}
	}
	return "", ""
}

// shrink leaves out instructions as long as the program still fails.
func shrink(dev *Device, code []instr) []instr {
	for width := len(code) / 2; width > 0; width /= 2 {
		for at := 0; at+width <= len(code); {
			less := slices.Delete(slices.Clone(code), at, at+width)
			if failure, _ := runProgram(dev, less); failure != "" {
				code = less
			} else {
				at += width
			}
		}
	}
	return code
}

func soak(t *testing.T, dev *Device, seed uint64, n int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	code := aliasProgram(rng, n)
	if failure, _ := runProgram(dev, code); failure != "" {
		less := shrink(dev, code)
		failure, text := runProgram(dev, less)
		t.Fatalf("program of seed %d: %s\n%s", seed, failure, text)
	}
}

func aliasDevice(t testing.TB) *Device {
	dev, err := Open("eval")
	require.NoError(t, err)
	return dev
}

// Random programs compute what an eager library does: two seconds of them, or
// 100,000 (make soak).
func TestAliasedProgramsMatchAnEagerLibrary(t *testing.T) {
	trials.Sequential(t)
	programs := 0
	if trials.Soaking() {
		programs = trials.Soak(0, 100_000)
	}
	dev := aliasDevice(t)
	start := time.Now()
	done := 0
	for ; programs == 0 && time.Since(start) < 2*time.Second || done < programs; done++ {
		soak(t, dev, uint64(done), 8+done%40)
	}
	require.Positive(t, done)
	fmt.Printf("soak: %d programs, 0 differences, %.0fs\n", done, time.Since(start).Seconds())
}

func FuzzAlias(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, uint8(20))
	}
	dev := aliasDevice(f)
	f.Fuzz(func(t *testing.T, seed uint64, n uint8) { soak(t, dev, seed, int(n)) })
}
