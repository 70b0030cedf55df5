package optim

import "math"

// PlateauConfig describes [NewPlateau]. A field of 0 has the default of ReduceLROnPlateau.
type PlateauConfig struct {
	LR        float64 // the first rate
	Rising    bool    // larger metrics are better
	Factor    float64 // of the rate when there is no progress; 0: 0.1
	Patience  int     // metrics without progress that are let pass; 0: 10, negative: none
	Threshold float64 // least progress; 0: 1e-4
	Absolute  bool    // Threshold is a difference, not relative to the best metric
	Cooldown  int     // metrics after a change that are not counted
	Least     float64 // smallest rate
	Eps       float64 // a smaller change of the rate is not made; 0: 1e-8
}

// Plateau reduces a rate when a metric no longer improves, as ReduceLROnPlateau.
//
// Its fields are all that it knows, for checkpoints.
type Plateau struct {
	Config PlateauConfig
	Rate   float64 // now
	Heard  int     // metrics that are numbers
	Best   float64 // of these, if there are any
	Waited int     // metrics without progress
	Paused int     // metrics of the cooldown that remain
}

// NewPlateau returns a Plateau that has heard no metric.
func NewPlateau(c PlateauConfig) *Plateau {
	fill(&c.Factor, 0, 0.1)
	fill(&c.Threshold, 0, 1e-4)
	fill(&c.Eps, 0, 1e-8)
	if c.Patience == 0 {
		c.Patience = 10
	}
	return &Plateau{Config: c, Rate: c.LR}
}

// Next returns the rate after another metric, say the loss of an epoch.
func (p *Plateau) Next(metric float64) float64 {
	c := p.Config
	if !math.IsNaN(metric) {
		p.Heard++
	}
	if p.better(metric) {
		p.Best, p.Waited = metric, 0
	} else {
		p.Waited++
	}
	if p.Paused > 0 {
		p.Paused--
		p.Waited = 0
	}
	if p.Waited > max(c.Patience, 0) {
		if lr := max(p.Rate*c.Factor, c.Least); p.Rate-lr > c.Eps {
			p.Rate = lr
		}
		p.Paused, p.Waited = c.Cooldown, 0
	}
	return p.Rate
}

func (p *Plateau) better(metric float64) bool {
	c := p.Config
	switch {
	case math.IsNaN(metric):
		return false
	case p.Heard == 1:
		return true
	case c.Absolute && c.Rising:
		return metric > p.Best+c.Threshold
	case c.Absolute:
		return metric < p.Best-c.Threshold
	case c.Rising:
		return metric > p.Best*(1+c.Threshold)
	}
	return metric < p.Best*(1-c.Threshold)
}
