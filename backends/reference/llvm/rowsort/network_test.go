package rowsort

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// run sorts numbers as the code of a network does.
func (n *network) run(registers, lanes int, x []uint32) []uint32 {
	v := make([][]uint32, registers)
	for r := range v {
		v[r] = slices.Clone(x[r*lanes:][:lanes])
	}
	for _, s := range n.steps {
		for _, p := range s.pairs {
			for i := range lanes {
				a, b := v[p[0]][i], v[p[1]][i]
				v[p[0]][i], v[p[1]][i] = min(a, b), max(a, b)
			}
		}
		for r := range registers {
			for i := range lanes {
				if s.inverted != nil && s.inverted(r, i) {
					v[r][i] = ^v[r][i]
				}
				if s.exchange && r>>s.register&1 == 0 && i>>s.lane&1 == 0 {
					a, b := &v[r][i|1<<s.lane], &v[r|1<<s.register][i]
					*a, *b = *b, *a
				}
			}
		}
	}
	var out []uint32
	for _, r := range n.order {
		out = append(out, v[r]...)
	}
	return out
}

// A network sorts all that is 0 and 1 if it has few elements, and what is random.
func TestNetworks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for registerBits := 1; registerBits <= 4; registerBits++ {
		for laneBits := 1; laneBits <= 4; laneBits++ {
			n := newNetwork(registerBits, laneBits)
			x := make([]uint32, 1<<(registerBits+laneBits))
			for trial := range 1000 {
				for i := range x {
					x[i] = r.Uint32()
					if trial%2 == 0 {
						x[i] %= 2
					}
				}
				got := n.run(1<<registerBits, 1<<laneBits, x)
				if want := slices.Sorted(slices.Values(x)); !slices.Equal(got, want) {
					t.Fatalf("%s of %v: %v", fmt.Sprint(registerBits, laneBits), x, got)
				}
			}
		}
	}
}
