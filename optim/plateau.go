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

// Plateau reduces a rate when a metric no longer gets better, as ReduceLROnPlateau.
type Plateau struct {
	config         PlateauConfig
	lr, best       float64
	waited, paused int // metrics without progress; metrics of the cooldown that remain
}

// NewPlateau returns a Plateau that has heard no metric.
func NewPlateau(c PlateauConfig) *Plateau {
	fill(&c.Factor, 0, 0.1)
	fill(&c.Threshold, 0, 1e-4)
	fill(&c.Eps, 0, 1e-8)
	if c.Patience == 0 {
		c.Patience = 10
	}
	p := &Plateau{config: c, lr: c.LR, best: math.Inf(1)}
	if c.Rising {
		p.best = math.Inf(-1)
	}
	return p
}

// LR returns the rate.
func (p *Plateau) LR() float64 { return p.lr }

// Next returns the rate after another metric, say the loss of an epoch.
func (p *Plateau) Next(metric float64) float64 {
	c := p.config
	if p.better(metric) {
		p.best, p.waited = metric, 0
	} else {
		p.waited++
	}
	if p.paused > 0 {
		p.paused--
		p.waited = 0
	}
	if p.waited > max(c.Patience, 0) {
		if lr := max(p.lr*c.Factor, c.Least); p.lr-lr > c.Eps {
			p.lr = lr
		}
		p.paused, p.waited = c.Cooldown, 0
	}
	return p.lr
}

func (p *Plateau) better(metric float64) bool {
	c := p.config
	switch {
	case c.Absolute && c.Rising:
		return metric > p.best+c.Threshold
	case c.Absolute:
		return metric < p.best-c.Threshold
	case c.Rising:
		return metric > p.best*(1+c.Threshold)
	}
	return metric < p.best*(1-c.Threshold)
}
