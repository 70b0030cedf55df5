package optim

import (
	"math"
	"slices"
)

// Schedule is a rate as a function of the step, which counts from 0. Its values are those
// of the schedulers of torch.optim.lr_scheduler. Lengths below 1 give NaN, but of [Factor], which
// [Optimizer.SetLR] refuses.
type Schedule func(step int) float64

// Constant is always the same rate.
func Constant(lr float64) Schedule { return func(int) float64 { return lr } }

// StepDecay multiplies the rate by gamma every so many steps, as StepLR.
func StepDecay(lr float64, every int, gamma float64) Schedule {
	return func(step int) float64 {
		if every < 1 {
			return math.NaN()
		}
		return lr * math.Pow(gamma, float64(step/every))
	}
}

// MultiStep multiplies the rate by gamma at each of the milestones, as MultiStepLR.
func MultiStep(lr, gamma float64, milestones ...int) Schedule {
	milestones = slices.Sorted(slices.Values(milestones))
	return func(step int) float64 {
		n, _ := slices.BinarySearch(milestones, step+1)
		return lr * math.Pow(gamma, float64(n))
	}
}

// Exponential multiplies the rate by gamma at each step, as ExponentialLR.
func Exponential(lr, gamma float64) Schedule {
	return func(step int) float64 { return lr * math.Pow(gamma, float64(step)) }
}

// Cosine goes from lr to least in so many steps along half a cosine, and back, as
// CosineAnnealingLR.
func Cosine(lr, least float64, steps int) Schedule {
	return func(step int) float64 { return cosine(lr, least, float64(step)/length(steps)) }
}

// CosineRestarts goes from lr to least along half a cosine and begins again, as
// CosineAnnealingWarmRestarts. The first cycle is steps long, each later one growth times
// as long as the one before; growth below 1 counts as 1.
func CosineRestarts(lr, least float64, steps, growth int) Schedule {
	return func(step int) float64 {
		if steps < 1 {
			return math.NaN()
		}
		cycle := steps
		if growth <= 1 {
			step %= cycle
		} else {
			for step >= cycle {
				step -= cycle
				cycle *= growth
			}
		}
		return cosine(lr, least, float64(step)/float64(cycle))
	}
}

// Linear goes from first·lr to last·lr in so many steps, as LinearLR.
func Linear(lr, first, last float64, steps int) Schedule {
	return func(step int) float64 {
		return lr * (first + (last-first)*min(float64(step)/length(steps), 1))
	}
}

// Polynomial goes from lr to 0 in so many steps as a power of the steps that remain, as
// PolynomialLR.
func Polynomial(lr, power float64, steps int) Schedule {
	return func(step int) float64 { return lr * math.Pow(1-min(float64(step)/length(steps), 1), power) }
}

// Factor is factor·lr for so many steps, and lr then, as ConstantLR.
func Factor(lr, factor float64, steps int) Schedule {
	return func(step int) float64 {
		if step < steps {
			return lr * factor
		}
		return lr
	}
}

// WarmUp goes in so many steps from first times the beginning of then to then, which
// begins at its own step 0, as SequentialLR after LinearLR.
func WarmUp(steps int, first float64, then Schedule) Schedule {
	return Sequence([]int{steps}, Linear(then(0), first, 1, steps), then)
}

// Sequence changes at each milestone to the next schedule, which begins at its
// step 0, as SequentialLR.
//
// There is one schedule more than milestones, which rise.
func Sequence(milestones []int, schedules ...Schedule) Schedule {
	return func(step int) float64 {
		if len(schedules) != len(milestones)+1 {
			return math.NaN()
		}
		i, _ := slices.BinarySearch(milestones, step+1)
		if i > 0 {
			step -= milestones[i-1]
		}
		return schedules[i](step)
	}
}

// OneCycleConfig describes [OneCycle]. A field of 0 has the default of OneCycleLR.
type OneCycleConfig struct {
	Max         float64    // the largest rate
	Steps       int        // of the whole cycle
	Rise        float64    // the part of the steps in which the rate rises; 0: 0.3
	Divide      float64    // the first rate is Max / Divide; 0: 25
	FinalDivide float64    // the last rate is the first / FinalDivide; 0: 1e4
	Momentum    [2]float64 // the momentum at the largest rate, and at the first and last; 0: 0.85 and 0.95
	Straight    bool       // along lines instead of half cosines
	ThreePhases bool       // down to the first rate in as many steps as up, then to the last
}

// OneCycle returns the rate and the momentum of OneCycleLR. The rate goes from a small one
// to Max and then to nearly 0, and the momentum the other way.
func OneCycle(c OneCycleConfig) (lr, momentum Schedule) {
	fill(&c.Rise, 0, 0.3)
	fill(&c.Divide, 0, 25)
	fill(&c.FinalDivide, 0, 1e4)
	fill(&c.Momentum[0], 0, 0.85)
	fill(&c.Momentum[1], 0, 0.95)
	first, last := c.Max/c.Divide, c.Max/c.Divide/c.FinalDivide
	top, end := c.Rise*float64(c.Steps)-1, float64(c.Steps-1)
	ends, rates, momenta := []float64{top, end}, []float64{first, c.Max, last}, []float64{c.Momentum[1], c.Momentum[0], c.Momentum[1]}
	if c.ThreePhases {
		ends, rates = []float64{top, 2 * top, end}, []float64{first, c.Max, first, last}
		momenta = append(momenta, c.Momentum[1])
	}
	along := func(values []float64) Schedule {
		return func(step int) float64 {
			if c.Steps < 1 {
				return math.NaN()
			}
			begin := 0.0
			for i, e := range ends {
				if x := float64(step); x <= e || i == len(ends)-1 {
					part := min((x-begin)/(e-begin), 1)
					if c.Straight {
						return values[i] + (values[i+1]-values[i])*part
					}
					return cosine(values[i], values[i+1], part)
				}
				begin = e
			}
			return math.NaN()
		}
	}
	return along(rates), along(momenta)
}

// CyclicMode is how the height of the cycles of [Cyclic] changes.
type CyclicMode int

const (
	Triangular  CyclicMode = iota // all cycles are as high
	Triangular2                   // each cycle is half as high as the one before
	ExpRange                      // the height at step t is times Gamma to the power of t
)

// CyclicConfig describes [Cyclic]. A field of 0 has the default of CyclicLR.
type CyclicConfig struct {
	Base, Max float64    // the smallest and the largest rate
	Up, Down  int        // steps up, and down; 0: 2000, and as many as up
	Mode      CyclicMode // how the height changes
	Gamma     float64    // of ExpRange; 0: 1
	Momentum  [2]float64 // at the largest rate and at the smallest; 0: 0.8 and 0.9
}

// Cyclic returns the rate and the momentum of CyclicLR. The rate goes along lines from Base
// to Max and back, again and again, and the momentum the other way.
func Cyclic(c CyclicConfig) (lr, momentum Schedule) {
	if c.Up == 0 {
		c.Up = 2000
	}
	if c.Down == 0 {
		c.Down = c.Up
	}
	fill(&c.Gamma, 0, 1)
	fill(&c.Momentum[0], 0, 0.8)
	fill(&c.Momentum[1], 0, 0.9)
	height := func(step int) float64 {
		if c.Up < 1 || c.Down < 1 {
			return math.NaN()
		}
		cycle, at := step/(c.Up+c.Down), float64(step%(c.Up+c.Down))
		h := at / float64(c.Up)
		if h > 1 {
			h = (float64(c.Up+c.Down) - at) / float64(c.Down)
		}
		switch c.Mode {
		case Triangular2:
			h *= math.Pow(0.5, float64(cycle))
		case ExpRange:
			h *= math.Pow(c.Gamma, float64(step))
		}
		return h
	}
	return func(step int) float64 { return c.Base + (c.Max-c.Base)*height(step) },
		func(step int) float64 { return c.Momentum[1] + (c.Momentum[0]-c.Momentum[1])*height(step) }
}

// cosine goes from a to b along half a cosine as x goes from 0 to 1.
func cosine(a, b, x float64) float64 { return b + (a-b)*(1+math.Cos(math.Pi*x))/2 }

// length is a number of steps to divide by.
func length(steps int) float64 {
	if steps < 1 {
		return math.NaN()
	}
	return float64(steps)
}
