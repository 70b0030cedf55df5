package lazy

import "slices"

// written is a tensor of a roster. One with a value that the current step wrote
// becomes a result of the step; should that fail, the tensor is what it was.
type written struct {
	t    *Tensor
	past *value
}

// roster is a list of tensors, each once, in the order in which they came. Any of
// them leaves in constant time: a hole with no tensor stays behind.
type roster struct {
	all []written
	at  map[*Tensor]int
}

// minHoles is how many holes a roster may have before it looks at closing them.
const minHoles = 32

// add adds t, unless it is there.
func (r *roster) add(t *Tensor, past *value) {
	if _, ok := r.at[t]; ok {
		return
	}
	if len(r.all) > 2*len(r.at)+minHoles {
		r.all = slices.DeleteFunc(r.all, func(w written) bool { return w.t == nil })
		for i, w := range r.all {
			r.at[w.t] = i
		}
	}
	if r.at == nil {
		r.at = map[*Tensor]int{}
	}
	r.at[t] = len(r.all)
	r.all = append(r.all, written{t, past})
}

// drop takes t off the list, if it is there.
func (r *roster) drop(t *Tensor) {
	if i, ok := r.at[t]; ok {
		r.all[i] = written{}
		delete(r.at, t)
	}
}

// len returns how many tensors there are.
func (r *roster) len() int { return len(r.at) }

// tensors calls yield with each tensor, and what was noted with it.
func (r *roster) tensors(yield func(*Tensor, *value) bool) {
	for _, w := range r.all {
		if w.t != nil && !yield(w.t, w.past) {
			return
		}
	}
}

// emptied returns a roster of nothing with the memory of r.
func (r roster) emptied() roster {
	clear(r.all)
	clear(r.at)
	return roster{r.all[:0], r.at}
}
