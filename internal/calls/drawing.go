package calls

import (
	"strings"

	"ltc/ir/ops"
	"ltc/lazy"
)

// drawing has the methods of lazy.Random. Each call draws from the start of the stream of its seed.
var drawing = []Op{
	drawn("Uniform", "dtype dims", "returns numbers of [0, 1), all equally probable.", func(c *Call, r *lazy.Random) *lazy.Tensor {
		return r.Uniform(c.Trace, c.DType("dtype"), c.Ints("dims")...)
	}),
	drawn("Normal", "dtype mean stddev dims", "returns numbers of the normal distribution.", func(c *Call, r *lazy.Random) *lazy.Tensor {
		return r.Normal(c.Trace, c.DType("dtype"), c.Real("mean"), c.Real("stddev"), c.Ints("dims")...)
	}),
	drawn("Bernoulli", "p dims", "returns bools that are true with probability p.", func(c *Call, r *lazy.Random) *lazy.Tensor {
		return r.Bernoulli(c.Trace, c.Real("p"), c.Ints("dims")...)
	}),
	drawn("RandInt", "dtype low high dims", "returns integers of [low, high), all equally probable.", func(c *Call, r *lazy.Random) *lazy.Tensor {
		return r.RandInt(c.Trace, c.DType("dtype"), int64(c.Int("low")), int64(c.Int("high")), c.Ints("dims")...)
	}).spelt("randint"),
	drawn("Permutation", "n", "returns the integers below n in a random order.", func(c *Call, r *lazy.Random) *lazy.Tensor {
		return r.Permutation(c.Trace, c.Int("n"))
	}),
	drawn("Categorical", "logits:", "returns, for each row of logits, the number of a class drawn with the probabilities softmax(logits).", func(c *Call, r *lazy.Random) *lazy.Tensor {
		return r.Categorical(c.X[0])
	}),
	drawn("Multinomial", "p: n replacement", "returns, for each row of p, the numbers of n classes drawn with probabilities in proportion to p.", func(c *Call, r *lazy.Random) *lazy.Tensor {
		return r.Multinomial(c.X[0], c.Int("n"), c.Flag("replacement"))
	}),
	drawn("Dropout", "x: p", "returns x with each element replaced by 0 with probability p, and the others divided by 1-p.", func(c *Call, r *lazy.Random) *lazy.Tensor {
		return r.Dropout(c.X[0], c.Real("p"))
	}),
}

// kinds of the attributes of draws, by their names.
var kinds = map[string]ops.AttrKind{"dtype": ops.DType, "dims": ops.Ints, "mean": ops.Real, "stddev": ops.Real, "p": ops.Real, "low": ops.Int, "high": ops.Int, "n": ops.Int, "replacement": ops.Flag}

// drawn is a method of lazy.Random. Names with a colon are those of tensors, others of attributes, to which a seed is added.
func drawn(name, parameters, doc string, f func(c *Call, r *lazy.Random) *lazy.Tensor) Op {
	o := Op{Op: &ops.Op{Package: "Random", Name: name, Doc: doc}, Static: true, optional: "seed", call: func(c *Call) []*lazy.Tensor {
		return one(f(c, lazy.NewRandom(c.Trace.Device(), uint64(c.Int("seed")))))
	}}
	for _, p := range strings.Fields(parameters) {
		if operand, ok := strings.CutSuffix(p, ":"); ok {
			o.Operands = append(o.Operands, ops.Operand{Name: operand})
		} else {
			o.Attrs = append(o.Attrs, ops.Attr{Name: p, Kind: kinds[p]})
		}
	}
	o.Attrs = append(o.Attrs, ops.Attr{Name: "seed", Kind: ops.Int})
	return o
}
