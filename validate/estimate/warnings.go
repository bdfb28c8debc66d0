package estimate

import (
	"fmt"
	"math"
)

const (
	fewestBatches        = 10  // below, the variance estimate is mostly noise
	fewestCorrelations   = 30  // per replication; below, MSER and the batch test are unreliable
	fewestEffective      = 500 // correlation times altogether; below, so is the variance of a skewed quantity
	strongSkewnessFactor = 1.25
	significantQuantile  = 2.326 // one-sided 1%
)

// withWarnings adds what limits the trust in an estimate.
func (e Estimate) withWarnings(s sample, w WarmUp) Estimate {
	warn := func(format string, args ...any) {
		e.Warnings = append(e.Warnings, fmt.Sprintf(format, args...))
	}
	if !w.Reliable {
		warn("warm-up (%s, %.0f%% of the run) is not reliable: the transient may fill the run, run longer", w.ruleName(), 100*w.Fraction)
	}
	switch e.Status {
	case Constant:
		warn("no variation between batches of altogether %d cell averages: what happens in less than a fraction %.2g of the cells may have gone unseen (level %g, cells taken as independent)",
			e.Cells, unseenFraction(e.Cells, e.Level), e.Level)
		return e
	case Undefined:
		return e
	}
	if e.Batches < fewestBatches {
		warn("only %d independent batches: the half-width is itself uncertain", e.Batches)
	}
	if e.Batches == s.runs && s.halvesCorrelated() {
		warn("cells stay correlated over half a replication: the interval rests on the %d replication means", s.runs)
	}
	if want := correlationTimesWanted(s.runs); e.CorrelationTimes < want {
		warn("each replication spans only %.2g correlation times, want %.0f: run longer", e.CorrelationTimes, want)
	}
	if skewnessFactor(e.Level, e.Skewness, float64(e.Batches)) > strongSkewnessFactor {
		warn("batch means are strongly skewed (%.2g): rare events dominate, the interval is approximate", e.Skewness)
	}
	if t := s.driftStatistic(); t > studentQuantile(0.99, float64(s.runs-1)) {
		warn("first and second half of the run differ by %.2g standard errors: the transient may not be over", t)
	}
	return e
}

// correlationTimesWanted is the least length of a replication for its number.
func correlationTimesWanted(replications int) float64 {
	return math.Max(fewestCorrelations, fewestEffective/float64(replications))
}

// halvesCorrelated tests at 1% whether the two halves of a replication resemble
// each other. chooseBatching gives up on them far sooner, to be safe; that
// alone is no cause for alarm.
func (s sample) halvesCorrelated() bool {
	if s.perRun < 2 {
		return false
	}
	scaled, _ := s.scaled()
	return scaled.batched(2).correlated(significantQuantile)
}

func (w WarmUp) ruleName() string {
	if w.Rule == "" {
		return "unnamed rule"
	}
	return w.Rule
}

// unseenFraction is the p with (1−p)^n = 1−level: the "rule of three", 3/n,
// at level 0.95.
func unseenFraction(n int, level float64) float64 {
	return -math.Expm1(math.Log1p(-level) / float64(n))
}

// driftStatistic is the paired t statistic, one pair per replication, of the
// difference between the halves of the run; 0 if there is nothing to compare.
func (s sample) driftStatistic() float64 {
	half := s.perRun / 2
	if half == 0 {
		return 0
	}
	scaled, _ := s.scaled()
	differences := make([]float64, s.runs)
	for r := range differences {
		run := scaled.run(r)
		differences[r] = mean(run[s.perRun-half:]) - mean(run[:half])
	}
	average, squares := mean(differences), 0.0
	for _, d := range differences {
		squares += (d - average) * (d - average)
	}
	if squares == 0 {
		return 0
	}
	n := float64(s.runs)
	return math.Abs(average) / math.Sqrt(squares/(n-1)/n)
}
