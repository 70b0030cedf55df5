package libraries

import "sync"

// Answers are what a library has said to questions, each of which it is asked once, as
// it takes its time over it. The zero value knows none. Any goroutine may ask.
type Answers[Q comparable, A any] struct {
	mu    sync.Mutex
	known map[Q]answer[A]
}

type answer[A any] struct {
	a   A
	err error
}

// remembered is how many answers there are at most: then it is begun anew.
const remembered = 4096

// To returns the answer to a question, which ask is called for if it is not known. An
// error is an answer, too.
func (x *Answers[Q, A]) To(q Q, ask func() (A, error)) (A, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	is, known := x.known[q]
	if !known {
		is.a, is.err = ask()
		if x.known == nil || len(x.known) == remembered {
			x.known = map[Q]answer[A]{}
		}
		x.known[q] = is
	}
	return is.a, is.err
}
