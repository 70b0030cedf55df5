package generate

import (
	"errors"
	"fmt"
	"math"

	"ltc/lazy"
)

// check returns an error that names all options that are out of their range.
func (o Options) check() (err error) {
	refuse := func(format string, args ...any) { err = errors.Join(err, fmt.Errorf(format, args...)) }
	if o.Context < 1 || o.Context > math.MaxInt32 {
		refuse("Options.Context is %d: it must be the length of the model's caches, from 1 to %d", o.Context, math.MaxInt32)
	}
	if o.MaxTokens < 0 {
		refuse("Options.MaxTokens is %d: it must be positive, or 0 for no limit but Context", o.MaxTokens)
	}
	if !(o.Temperature >= 0) || math.IsInf(o.Temperature, 1) {
		refuse("Options.Temperature is %v: it must be positive, or 0 for the likeliest token", o.Temperature)
	}
	if o.TopK < 0 {
		refuse("Options.TopK is %d: it must be positive, or 0 for any token", o.TopK)
	}
	if !(o.TopP >= 0 && o.TopP <= 1) {
		refuse("Options.TopP is %v: it must be a probability, or 0 for any token", o.TopP)
	}
	if o.Temperature == 0 && (o.TopK > 0 || o.TopP > 0) {
		refuse("Options.TopK or Options.TopP is set, and Temperature is 0: nothing is drawn. Set a Temperature, such as 1")
	}
	return err
}

// sample records the token [n] after logits[n, vocabulary].
func (o Options) sample(logits *lazy.Tensor, random *lazy.Random) *lazy.Tensor {
	if o.Temperature == 0 {
		return logits.ArgMax(-1).Convert(lazy.I32)
	}
	logits = logits.Convert(lazy.F32).DivScalar(o.Temperature)
	var tokens *lazy.Tensor // of logits, where these are sorted
	switch {
	case o.TopK > 0:
		logits, tokens = logits.TopK(o.TopK, -1)
	case o.TopP > 0:
		logits, tokens = logits.Sort(-1, true)
	}
	if o.TopP > 0 { // a token stays if those before it have less than TopP
		p := logits.Softmax(-1)
		logits = logits.MaskedFill(p.CumSum(-1).Sub(p).GreaterEqualScalar(o.TopP), math.Inf(-1))
	}
	drawn := random.Categorical(logits)
	if tokens != nil {
		drawn = tokens.TakeAlong(drawn.Unsqueeze(-1), -1).Squeeze(-1)
	}
	return drawn.Convert(lazy.I32)
}
