package ode

import (
	"fmt"
	"math"
)

// Controller tunes the choice of step sizes. Zero fields mean the defaults.
//
// With e the error of a step in units of the tolerance, explicit methods use
// the proportional-integral control of Gustafsson (1991) in the form of
// Hairer & Wanner (1996, §IV.2),
//
//	h_new = h · Safety · e^(−1/5 + 0.75·Beta) · e_previous^Beta,
//
// and RadauIIA5 the smaller of the elementary choice Safety·e^(−1/4) and
// Gustafsson's (1994) prediction from the last two steps.
type Controller struct {
	Safety    float64 // in (0, 1), default 0.9
	Beta      float64 // in [0, 0.2], default 0.04; negative means 0
	MinFactor float64 // least ratio of successive steps, default 0.2 (RadauIIA5: 0.125)
	MaxFactor float64 // largest ratio, default 10 (RadauIIA5: 8)
}

func (c *Controller) check() error {
	if c.Safety != 0 && !(c.Safety > 0 && c.Safety < 1) {
		return fmt.Errorf("ode: Controller.Safety = %v, must be in (0, 1)", c.Safety)
	}
	if !(c.Beta <= 0.2) {
		return fmt.Errorf("ode: Controller.Beta = %v, must be at most 0.2", c.Beta)
	}
	if c.MinFactor != 0 && !(c.MinFactor > 0 && c.MinFactor < 1) {
		return fmt.Errorf("ode: Controller.MinFactor = %v, must be in (0, 1)", c.MinFactor)
	}
	if c.MaxFactor != 0 && !(c.MaxFactor > 1) {
		return fmt.Errorf("ode: Controller.MaxFactor = %v, must exceed 1", c.MaxFactor)
	}
	return nil
}

func (c Controller) withDefaults() Controller {
	if c.Safety == 0 {
		c.Safety = 0.9
	}
	if c.Beta == 0 {
		c.Beta = 0.04
	}
	c.Beta = max(c.Beta, 0)
	return c
}

// limits returns MinFactor and MaxFactor or the given defaults.
func (c *Controller) limits(least, most float64) (float64, float64) {
	if c.MinFactor != 0 {
		least = c.MinFactor
	}
	if c.MaxFactor != 0 {
		most = c.MaxFactor
	}
	return least, most
}

// proportionalIntegral is the memory of the PI control of an explicit method
// whose error estimate has order 5.
type proportionalIntegral struct {
	Controller
	previous float64 // error of the last accepted step
}

func (p *proportionalIntegral) restart() { p.previous = 1e-4 }

// accepted returns the factor for the step after an accepted one.
func (p *proportionalIntegral) accepted(e float64) float64 {
	least, most := p.limits(0.2, 10)
	factor := p.Safety * math.Pow(e, -0.2+0.75*p.Beta) * math.Pow(p.previous, p.Beta)
	p.previous = max(e, 1e-4)
	return min(most, max(least, factor))
}

// rejected returns the factor for another attempt at a failed step.
func (p *proportionalIntegral) rejected(e float64) float64 {
	least, _ := p.limits(0.2, 10)
	return max(least, p.Safety*math.Pow(e, -0.2+0.75*p.Beta))
}

// predictive is the memory of Gustafsson's control of RadauIIA5, whose error
// estimate has order 4.
type predictive struct {
	Controller
	step, err float64 // the last accepted step and its error; step 0: none
}

func (p *predictive) restart() { p.step = 0 }

// factor returns the ratio of the next step to h after an error e. effort in
// (0, 1] lowers it when Newton's method needed many iterations.
func (p *predictive) factor(h, e, effort float64) float64 {
	least, most := p.limits(0.125, 8)
	return min(most, max(least, p.Safety*effort*math.Pow(e, -0.25)))
}

// accepted is factor for an accepted step, the prediction included.
func (p *predictive) accepted(h, e, effort float64) float64 {
	factor := p.factor(h, e, effort)
	if p.step > 0 {
		least, most := p.limits(0.125, 8)
		predicted := p.Safety * h / p.step * math.Pow(p.err/(e*e), 0.25)
		factor = min(factor, min(most, max(least, predicted)))
	}
	p.step, p.err = h, max(e, 1e-2)
	return factor
}
