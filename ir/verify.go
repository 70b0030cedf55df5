package ir

import (
	"errors"
	"fmt"

	"ltc/internal/diag"
)

// Verify checks what the rest of the compiler relies on: nodes in order,
// parameters numbered, operand counts and types as infer says, results and
// aliases within the graph. Graphs of a builder pass by construction.
func (g *Graph) Verify(infer Infer) error {
	return g.verify(&verifier{infer: infer, done: map[*Graph]bool{}})
}

// verifier remembers the bodies that it has found sound: each is verified once,
// however often it is called.
type verifier struct {
	infer Infer
	done  map[*Graph]bool
}

func (g *Graph) verify(v *verifier) error {
	if v.done[g] {
		return nil
	}
	params := 0
	for i, n := range g.Nodes {
		if err := g.verifyNode(i, n, v, &params); err != nil {
			return g.at(i, err)
		}
	}
	if params != len(g.Params) || len(g.Alias) != len(g.Results) {
		return fmt.Errorf("graph %q: parameters or aliases are not those of its nodes and results", g.Name)
	}
	taken := map[int]bool{}
	for i, r := range g.Results {
		if r == nil || r.ID < 0 || int(r.ID) >= len(g.Nodes) || g.Nodes[r.ID] != r {
			return fmt.Errorf("graph %q: result %d is not one of its nodes", g.Name, i)
		}
		if r.several != nil {
			return fmt.Errorf("graph %q: result %d is a node with several results: take one of them with %s", g.Name, i, OpResult)
		}
		a := g.Alias[i]
		switch {
		case a < -1 || a >= len(g.Params):
			return fmt.Errorf("graph %q: result %d: alias %d: the graph has %s", g.Name, i, a, diag.Count(len(g.Params), "parameter"))
		case a >= 0 && (taken[a] || !g.Params[a].Type.Equal(r.Type)):
			return fmt.Errorf("graph %q: result %d: alias %d: the parameter has another type or is taken twice", g.Name, i, a)
		}
		taken[a] = true
	}
	v.done[g] = true
	return nil
}

// at adds to an error its node, by its place in the text if it was parsed.
func (g *Graph) at(i int, err error) error {
	if inner := new(diag.Error); errors.As(err, &inner) {
		return err // of a composite's body
	}
	if i < len(g.offsets) {
		return g.src.Errorf(g.offsets[i], "%v", err)
	}
	return fmt.Errorf("graph %q: %%%d: %w", g.Name, i, err)
}

func (g *Graph) verifyNode(i int, n *Node, v *verifier, params *int) error {
	if n == nil || int(n.Op) >= NumOps {
		return errors.New("it is no node of a known op")
	}
	row := n.Op.Info()
	if int(n.ID) != i || len(n.Attrs) != len(row.Attrs) {
		return fmt.Errorf("%s: numbered %d with %s; want %s", n.Op, n.ID, diag.Count(len(n.Attrs), "attribute"), diag.Count(len(row.Attrs), "attribute"))
	}
	for _, x := range n.In {
		if x == nil || int(x.ID) >= i || x.ID < 0 || g.Nodes[x.ID] != x {
			return fmt.Errorf("%s: an operand does not come before it", n.Op)
		}
	}
	if n.Op == OpParameter {
		if n.Attrs[ParameterIndex].Int != int64(*params) || *params >= len(g.Params) || g.Params[*params] != n {
			return fmt.Errorf("%s: index %d, want %d", n.Op, n.Attrs[ParameterIndex].Int, *params)
		}
		*params++
		return n.Type.CheckSizes()
	}
	for _, body := range n.Body.Graphs() {
		if body == nil {
			return fmt.Errorf("%s: the body has no graph", n.Op)
		}
		if err := body.verify(v); err != nil {
			return err
		}
	}
	var want Node
	one, several, err := v.infer(n.Op, n.In, n.Attrs, n.Body)
	if err != nil {
		return err
	}
	if want.setType(one, several); !new(comparison).types(n, &want) {
		return fmt.Errorf("%s: type is %v, the rule gives %v", n.Op, n.TypeText(), want.TypeText())
	}
	return nil
}
