package sim

import "qlimit/validate/estimate"

// boundaryQueue estimates the mean queue from what happens where service is
// left unused. In steady state the drift of Q_Σ² vanishes, for every policy,
//
//	2ε E Q_Σ = ζ + 2 E[Q_Σ⁺ U_Σ] - E U_Σ²,
//
// and E U_Σ = ε, so that
//
//	E Q_Σ = ζ/(2ε) + (2 E[Q_Σ⁺ U_Σ] - E U_Σ²)/(2 E U_Σ).
//
// The last term is a mean over the unused service. It settles as fast as the
// queues become alike, while their sum takes of the order of ζ/ε² slots to
// forget where it began: in heavy traffic this estimate is precise where the
// time average has hardly begun to mean something.
func (e *slottedExperiment) boundaryQueue(policy int, warm estimate.WarmUp) estimate.Estimate {
	own := e.layout.block(policy)
	lead := e.layout.zeta / (2 * e.model.Slack())
	warm = e.boundaryWarmUp(own, warm)
	return e.series.Function([]int{own + slotCross, own + slotUnusedTwo, own + slotUnused}, func(x []float64) (float64, []float64) {
		rest := (2*x[0] - x[1]) / (2 * x[2])
		return lead + rest, []float64{1 / x[2], -0.5 / x[2], -rest / x[2]}
	}, warm, e.settings.Level)
}

// boundaryWarmUp is over when the queues have become as unequal as they will
// be.
func (e *slottedExperiment) boundaryWarmUp(own int, warm estimate.WarmUp) estimate.WarmUp {
	if _, given := e.givenWarmUp(); given {
		return warm
	}
	return e.pastStart(e.series.WarmUp(own+slotAcross, own+slotCross))
}

// perUnused estimates the mean of a column that is 0 where no service is left
// unused, by its mean per unit of unused service and E U_Σ = ε.
func (e *slottedExperiment) perUnused(policy, column int, warm estimate.WarmUp) estimate.Estimate {
	own := e.layout.block(policy)
	ratio := e.series.Ratio(estimate.ColumnMean(own+column), estimate.ColumnMean(own+slotUnused), e.boundaryWarmUp(own, warm), e.settings.Level)
	return scaled(ratio, e.model.Slack())
}
