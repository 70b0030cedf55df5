package optim

import "math"

// strongWolfe finds a length of a step that meets the strong conditions of Wolfe: the loss
// falls enough, and its slope is small. It is the line search of PyTorch's LBFGS, which
// comes from minFunc by Mark Schmidt. at evaluates the loss at a length, start is at 0, and
// largest is the direction's largest element. It returns the point, its length and the
// number of evaluations.
func strongWolfe(at func(length float64) (point, error), t, largest float64, start point, tolerance float64, most int) (point, float64, int, error) {
	const c1, c2 = 1e-4, 0.9
	falls := func(p trial) bool { return p.loss <= start.loss+c1*p.t*start.along }
	flat := func(p trial) bool { return math.Abs(p.along) <= -c2*start.along }
	tries := 0
	try := func(t float64) (trial, error) {
		p, err := at(t)
		tries++
		return trial{p, t}, err
	}
	now, err := try(t)
	if err != nil {
		return start, 0, tries, err
	}

	// Lengths grow until two of them have a good one between them.
	before := trial{start, 0}
	var bracket []trial
	iterations := 0
	for ; iterations < most && bracket == nil; iterations++ {
		switch {
		case !falls(now) || iterations > 1 && now.loss >= before.loss:
			bracket = []trial{before, now}
		case flat(now):
			return now.point, now.t, tries, nil
		case now.along >= 0:
			bracket = []trial{before, now}
		default:
			next := cubic(before, now, now.t+0.01*(now.t-before.t), now.t*10)
			before = now
			if now, err = try(next); err != nil {
				return start, 0, tries, err
			}
			continue
		}
		break
	}
	if bracket == nil {
		bracket = []trial{{start, 0}, now}
	}

	// The two come nearer until one is good.
	low, high := order(bracket)
	stuck := false
	for ; iterations < most; iterations++ {
		width := math.Abs(bracket[1].t - bracket[0].t)
		if width*largest < tolerance {
			break
		}
		left, right := min(bracket[0].t, bracket[1].t), max(bracket[0].t, bracket[1].t)
		t := cubic(bracket[0], bracket[1], left, right)
		if edge := 0.1 * width; min(right-t, t-left) < edge {
			if stuck || t >= right || t <= left {
				if math.Abs(t-right) < math.Abs(t-left) {
					t = right - edge
				} else {
					t = left + edge
				}
				stuck = false
			} else {
				stuck = true
			}
		} else {
			stuck = false
		}
		if now, err = try(t); err != nil {
			return start, 0, tries, err
		}
		if !falls(now) || now.loss >= bracket[low].loss {
			bracket[high] = now
			low, high = order(bracket)
			continue
		}
		if flat(now) {
			return now.point, now.t, tries, nil
		}
		if now.along*(bracket[high].t-bracket[low].t) >= 0 {
			bracket[high] = bracket[low]
		}
		bracket[low] = now
	}
	return bracket[low].point, bracket[low].t, tries, nil
}

// trial is the loss at a length.
type trial struct {
	point
	t float64
}

// order returns which of two trials has the lower loss, and which the higher: NaN is the highest.
func order(bracket []trial) (low, high int) {
	if bracket[0].loss <= bracket[1].loss || math.IsNaN(bracket[1].loss) {
		return 0, 1
	}
	return 1, 0
}

// cubic returns the minimum between least and most of the cubic polynomial that has the
// losses and slopes of two trials.
func cubic(a, b trial, least, most float64) float64 {
	d1 := a.along + b.along - 3*(a.loss-b.loss)/(a.t-b.t)
	square := d1*d1 - a.along*b.along
	if !(square >= 0) {
		return (least + most) / 2
	}
	if a.t > b.t {
		a, b = b, a
	}
	d2 := math.Sqrt(square)
	t := b.t - (b.t-a.t)*((b.along+d2-d1)/(b.along-a.along+2*d2))
	if math.IsNaN(t) { // of a loss or a slope that is infinite
		return (least + most) / 2
	}
	return min(max(t, least), most)
}
