package module

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"text/tabwriter"

	"ltc/internal/diag"
	"ltc/lazy"
)

// Summary is a table of the modules of a network: for each its path, its type, the shape of its last result, and how many numbers its own
// parameters have. The shapes are those of net's Forward with operands of the dtypes and shapes of in. Its ops and assignments are recorded in a trace
// of its own, which is discarded: nothing runs, and no variable changes. Without operands the column is left out. Below the table are sums, each variable counted once.
func Summary(net any, in ...*lazy.Tensor) (string, error) {
	root, err := treeOf(net)
	if err != nil {
		return "", err
	}
	results := map[string]string{}
	if len(in) > 0 {
		if err := forward(net, in, results); err != nil {
			return "", err
		}
	}
	var s strings.Builder
	w := tabwriter.NewWriter(&s, 0, 0, 2, ' ', 0)
	columns := func(texts ...string) {
		if len(in) == 0 {
			texts = append(texts[:2], texts[3:]...)
		}
		fmt.Fprintln(w, strings.Join(texts, "\t"))
	}
	columns("module", "type", "result", "parameters")
	root.each(func(n *node) {
		if !n.isModule() {
			return
		}
		count := 0
		for _, e := range n.tensors {
			if e.tensor != nil && !e.buffer {
				count += e.tensor.Shape().Elements()
			}
		}
		name, text := n.path, ""
		if n == root {
			name = "(all)"
		}
		if count > 0 {
			text = grouped(count)
		}
		columns(name, n.at.Type().String(), results[n.path], text)
	})
	w.Flush()
	parameters, bytes := sums(Parameters(net))
	trainable, _ := sums(Trainable(net))
	buffers, more := sums(Buffers(net))
	fmt.Fprintf(&s, "%s parameters, %s of them trained; buffers of %s numbers; %s\n",
		grouped(parameters), grouped(trainable), grouped(buffers), diag.Bytes(int64(bytes+more)))
	return s.String(), nil
}

// sums returns how many numbers variables have, and their bytes.
func sums(vs []*lazy.Tensor) (numbers, bytes int) {
	for _, v := range vs {
		n := v.Shape().Elements()
		numbers, bytes = numbers+n, bytes+n*v.DType().Size()
	}
	return numbers, bytes
}

// forward calls the Forward of net, and writes the type of each layer's last result at its path.
func forward(net any, in []*lazy.Tensor, results map[string]string) error {
	f := reflect.ValueOf(net).MethodByName("Forward")
	if !f.IsValid() {
		return mistake("", "%T has no method Forward: give Summary no operands", net)
	}
	args := make([]reflect.Value, len(in))
	in, end := standIns(in)
	defer end()
	for i, x := range in {
		args[i] = reflect.ValueOf(x)
	}
	if t := f.Type(); !takes(t, len(in)) {
		return mistake("", "Forward of %T is %v: it cannot be called with %s alone", net, t, diag.Count(len(in), "tensor"))
	}
	var failed error
	remove, err := OnForward(net, func(c Call) *lazy.Tensor {
		if results[c.Path] = c.Out.Type().String(); c.Out.Err() != nil && failed == nil {
			failed = c.Out.Err()
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer remove()
	out, _ := f.Call(args)[0].Interface().(*lazy.Tensor)
	if failed == nil && out != nil {
		failed = out.Err()
	}
	if failed == nil && out != nil && results[""] == "" {
		results[""] = out.Type().String()
	}
	return failed
}

// standIns returns operands of the types of in, in a trace that end discards. Operands that hold an error are returned
// as they are.
func standIns(in []*lazy.Tensor) (_ []*lazy.Tensor, end func()) {
	for _, x := range in {
		if x == nil || x.Err() != nil || x.Device() == nil {
			return in, func() {}
		}
	}
	tr, all := lazy.NewTrace(in[0].Device()), make([]*lazy.Tensor, len(in))
	for i, x := range in {
		all[i] = lazy.Zeros(tr, x.DType(), x.OpenShape()...)
	}
	return all, tr.Discard
}

// takes reports whether a function of type t can be called with n tensors, and returns something.
func takes(t reflect.Type, n int) bool {
	fixed := t.NumIn()
	if t.IsVariadic() {
		fixed--
	}
	for i := range min(fixed, n) {
		if t.In(i) != tensorType {
			return false
		}
	}
	return t.NumOut() > 0 && (n == fixed || n > fixed && t.IsVariadic() && t.In(fixed).Elem() == tensorType)
}

// grouped returns a number with a comma between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
