package fuse

import "context"

// passes are what is done to a graph, in this order. Their names are what the
// graph is then.
var passes = []struct {
	name string
	run  func(*Graph)
}{
	{"updated", update},
	{"copied", copyResults},
	{"unwrapped", unwrap},
	{"inlined", inline},
	{"split", split},
	{"merged", merge},
	{"chained", chain},
	{"private", privatise},
	{"packed", packed},
	{"joined", joinSiblings},
	{"pitched", pitchRows},
	{"delayed", delayDonated},
	{"placed", placeUpdates},
	{"cut", cutStages},
	{"hoisted", hoist},
}

// orders says which passes must come before which.
var orders = []struct{ before, after, why string }{
	{"updated", "inlined", "what is written over parts of an operand is no part of who reads it"},
	{"copied", "inlined", "what a result is a copy of is computed where the result is stored"},
	{"unwrapped", "merged", "a node that reads what another stores reads it by the same value"},
	{"inlined", "split", "what is reduced is computed in the node that is cut"},
	{"inlined", "merged", "stages are for what cannot be computed where it is used"},
	{"split", "merged", "a reduction is cut as long as it is a node of its own"},
	{"merged", "packed", "what a product can hand over in its epilogue is not computed again for the next one"},
	{"private", "packed", "what products are asked for is what they will be"},
	{"merged", "chained", "a product hands its columns on with what follows it done"},
	{"chained", "private", "what is handed on within a kernel is private to it"},
	{"merged", "private", "only then it is known which values one node alone uses"},
	{"packed", "joined", "what computes a factor makes nothing else"},
	{"joined", "pitched", "a product and what makes its operands are what they will be"},
	{"pitched", "delayed", "copies of donated arguments read the old values"},
	{"joined", "delayed", "nodes stay where they are put"},
	{"delayed", "placed", "who reads an operand before it is written over is known by the order of nodes"},
	{"placed", "cut", "a value whose memory is another's has one node that makes it until then"},
	{"joined", "hoisted", "kernels are joined by the axes of their stages, which a split changes"},
	{"cut", "hoisted", "Cut is asked about stages before they are split"},
}

// Passes returns the names of all passes, in order.
func Passes() []string {
	var names []string
	for _, p := range passes {
		names = append(names, p.name)
	}
	return names
}

// Fuse makes fewer kernels of the graph's: it runs all passes until one of them is followed
// by an error, or ctx ends.
func (g *Graph) Fuse(ctx context.Context, after func(pass string) error) error {
	for _, p := range passes {
		err := g.run(p.run)
		if err == nil {
			err = after(p.name)
		}
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// run runs a pass until it ends or the context does.
func (g *Graph) run(pass func(*Graph)) (err error) {
	defer g.Catch(&err)
	pass(g)
	return nil
}
