package nn

import (
	"fmt"
	"math"

	"ltc/internal/functions"
	"ltc/lazy"
)

func checkCTCLoss(x, targets, steps, lengths *lazy.Tensor, blank int, _ bool, r int) (demand, reason string) {
	if x.Rank() != 3 || targets.Rank() != 2 || steps.Rank() != 1 || lengths.Rank() != 1 {
		return cTCLossRank, "x must be [steps, batch, classes], targets [batch, labels], steps and lengths [batch]"
	}
	if n := x.OpenDim(1); targets.OpenDim(0) != n || steps.OpenDim(0) != n || lengths.OpenDim(0) != n {
		return cTCLossBatch, fmt.Sprintf("the batch of x is %v, that of targets %v, of steps %v and of lengths %v", n, targets.OpenDim(0), steps.OpenDim(0), lengths.OpenDim(0))
	}
	if n := x.Dim(2); blank < 0 || blank >= n {
		return cTCLossBlank, fmt.Sprintf("blank is %d, there are classes 0 to %d", blank, n-1)
	}
	return pair(x, x, r, "", cTCLossReduction)
}

// computeCTCLoss adds up the probabilities of all paths by the forward algorithm of Graves et al.
// (2006), "Connectionist temporal classification", equations 6 to 8, in logarithms.
func computeCTCLoss(x, targets, steps, lengths *lazy.Tensor, blank int, zeroInfinity bool, r int) *lazy.Tensor {
	d := x.DType()
	x = functions.InF32(x)[0]
	tr := x.Trace()
	time, batch, most := x.OpenDim(0), x.OpenDim(1), targets.Dim(1)
	steps, lengths = steps.Within(0, time, "number of steps"), lengths.Within(0, most, "number of labels")
	targets, lengths, steps = targets.Convert(lazy.I64), lengths.Convert(lazy.I64).Unsqueeze(1), steps.Convert(lazy.I64).Unsqueeze(1)
	places := 2*most + 1
	none := func(dims ...int) *lazy.Tensor { return lazy.Full(tr, x.DType(), math.Inf(-1), dims...) }

	// Places are the labels with a blank before each and at the end. Labels beyond the length count as blanks.
	valid := count(tr, 1, batch, most).Less(lengths)
	labels := valid.WhereScalar(targets, float64(blank))
	blanks := labels.MulScalar(0).AddScalar(float64(blank))
	path := lazy.Concatenate(2, blanks.Unsqueeze(2), labels.Unsqueeze(2)).Reshape(batch, 2*most)
	path = lazy.Concatenate(1, path, lazy.Full(tr, lazy.I64, float64(blank), batch, 1))
	emitted := x.GatherAlong(path.Unsqueeze(0).BroadcastTo(time, batch, places), 2)

	// A label may follow the one before it directly unless they are equal.
	before := lazy.Concatenate(1, lazy.Full(tr, lazy.I64, float64(blank), batch, min(2, places)), path.Narrow(1, 0, max(places-2, 0)))
	skips := path.NotEqualScalar(float64(blank)).And(path.NotEqual(before))
	first := count(tr, 1, batch, places).LessScalar(1).Or(count(tr, 1, batch, places).LessEqualScalar(1).And(lengths.GreaterScalar(0)))
	start := first.Where(emitted.Select(0, 0), none())
	nothing := count(tr, 1, batch, places).LessScalar(1).Where(lazy.Full(tr, x.DType(), 0), none()) // has been said without steps
	start = steps.GreaterScalar(0).Where(start, nothing)

	step := func(_ *lazy.Trace, carry, xs []*lazy.Tensor) (next, ys []*lazy.Tensor) {
		a := carry[0]
		shifted := func(by int) *lazy.Tensor {
			by = min(by, places)
			return a.PadZeros([2]int{0, 0}, [2]int{by, 0}).Narrow(1, 0, places)
		}
		at := count(a.Trace(), 1, batch, places)
		one := at.GreaterEqualScalar(1).Where(shifted(1), none())
		two := at.GreaterEqualScalar(2).And(skips).Where(shifted(2), none())
		moved := logSum(a, one, two).Add(xs[0])
		return []*lazy.Tensor{xs[1].Less(steps).Where(moved, a)}, nil
	}
	last := start
	if x.Dim(0) > 1 {
		rest := emitted.Narrow(0, 1, lazy.SizeSub(time, 1))
		carry, _ := lazy.Scan(step, []*lazy.Tensor{start}, []*lazy.Tensor{rest, count(tr, 0, lazy.SizeSub(time, 1)).AddScalar(1)}, lazy.ScanOptions{})
		last = carry[0]
	}
	at := count(tr, 1, batch, places)
	ends := lengths.MulScalar(2)
	pick := func(place *lazy.Tensor) *lazy.Tensor { return at.Equal(place).Where(last, none()).Max(1) }
	loss := logSum(pick(ends), pick(ends.SubScalar(1))).Neg()
	if zeroInfinity {
		loss = loss.EqualScalar(math.Inf(1)).Not().WhereScalar(loss, 0)
	}
	if r == ReduceMean {
		loss = loss.Div(lengths.Squeeze(1).MaximumScalar(1).Convert(loss.DType()))
	}
	return reduced(loss, r).Convert(d)
}

// logSum returns the logarithm of the sum of exponentials, -Inf of nothing but -Inf.
func logSum(xs ...*lazy.Tensor) *lazy.Tensor {
	most := xs[0]
	for _, x := range xs[1:] {
		most = most.Maximum(x)
	}
	most = most.EqualScalar(math.Inf(-1)).Not().WhereScalar(most, 0).Stop()
	var sum *lazy.Tensor
	for _, x := range xs {
		// An exponential of -Inf has no gradient.
		some := x.EqualScalar(math.Inf(-1)).Not()
		e := some.WhereScalar(some.WhereScalar(x, 0).Sub(most).Exp(), 0)
		if sum == nil {
			sum = e
		} else {
			sum = sum.Add(e)
		}
	}
	some := sum.EqualScalar(0).Not()
	return some.WhereScalar(some.WhereScalar(sum, 1).Log().Add(most), math.Inf(-1))
}
