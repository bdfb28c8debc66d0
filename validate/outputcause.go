package validate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/stein"
)

// Explanation is another claim under which the identities would hold.
type Explanation struct {
	Name string  // load, service, routing or warm-up
	What string  // in words
	P    float64 // of the joint test under this claim
	Fits bool    // P is at least fittingP, and above that of the claimed system

	freedom int // simpler ones come first: numbers that were fitted, rows left out
}

const warmUp = "warm-up"

// fittingP is the level at which another claim explains the samples.
const fittingP = 0.01

// fits tells whether a claim with joint p-value p explains the samples that the
// stated claim, with joint p-value claimed, does not: a claim that fits worse
// than the rejected one explains nothing.
func fits(p, claimed float64) bool { return p >= fittingP && p > claimed }

// alternativeRoute is a routing rule that users confuse with the claimed one.
type alternativeRoute struct {
	name  string
	route stein.Route
}

// alternativeRoutes lists rules near the claimed one.
func alternativeRoutes(p ctmc.Policy, servers int64) []alternativeRoute {
	var list []alternativeRoute
	add := func(q ctmc.Policy) {
		if q.Name != p.Name && q.Validate(servers) == nil {
			list = append(list, alternativeRoute{q.Name, func(tail []int64, shares []float64) { q.RouteLevels(tail, shares) }})
		}
	}
	sampling, _ := p.Fallback.(ctmc.Sampling)
	switch {
	case p.Depth == 0 && sampling.Choices > 1:
		add(ctmc.PowerOfD(sampling.Choices, !sampling.Replacement))
		add(ctmc.PowerOfD(sampling.Choices-1, sampling.Replacement))
		add(ctmc.PowerOfD(sampling.Choices+1, sampling.Replacement))
		add(ctmc.Random())
		add(ctmc.JSQ())
	case p.Depth == 0:
		add(ctmc.PowerOfD(2, false))
		add(ctmc.JIQ())
	default:
		add(ctmc.JSQ())
		add(ctmc.I1F())
		add(ctmc.JIQ())
		add(ctmc.JIQ().WithFallback(ctmc.Sampling{Choices: 2}))
		add(ctmc.Random())
		list = append(list, alternativeRoute{p.Name + " with an idle server and one with a single job tied (jobs in service not counted)", idleTied(p)})
	}
	return list
}

// idleTied is a rule that does not count the job in service: idle servers and
// those with one job look alike to it.
func idleTied(p ctmc.Policy) stein.Route {
	return func(tail []int64, shares []float64) {
		if len(tail) < 3 || tail[2] == tail[0] {
			p.RouteLevels(tail, shares)
			return
		}
		clear(shares)
		low := float64(tail[0] - tail[2])
		shares[0], shares[1] = float64(tail[0]-tail[1])/low, float64(tail[1]-tail[2])/low
	}
}

// explain tests other claims: another load, another service law, other rules of
// routing, a beginning that does not belong to the stationary run.
func (b *outputBatches) explain() []Explanation {
	list := []Explanation{b.anotherLoad()}
	for a, alternative := range b.record.routes {
		p := b.joint(b.generator(b.rates, int(stein.Mechanisms)+a)).P
		list = append(list, Explanation{Name: "routing", What: "policy " + alternative.name, P: p})
	}
	if b.rates[stein.Ending] > 0 {
		list = append(list, b.anotherService())
	}
	list = append(list, b.withoutBeginning())
	claimed := b.joint(b.claimed()).P
	for i := range list {
		list[i].Fits = fits(list[i].P, claimed)
	}
	slices.SortStableFunc(list, func(x, y Explanation) int {
		switch {
		case x.Fits != y.Fits && x.Fits:
			return -1
		case x.Fits != y.Fits:
			return 1
		case x.Fits && x.freedom != y.freedom:
			return x.freedom - y.freedom
		}
		return cmp.Compare(y.P, x.P)
	})
	return list
}

func (b *outputBatches) anotherLoad() Explanation {
	fit, beta := fitted(b.claimed(), b.mechanism(stein.Arrivals))
	load := b.record.samples.system.Load * (1 + beta[0]/b.rates[stein.Arrivals])
	return Explanation{Name: "load", What: fmt.Sprintf("load %.4g instead of %g", load, b.record.samples.system.Load), P: fit.P, freedom: 1}
}

// anotherService fits (1-p)μ1, pμ1 and μ2.
func (b *outputBatches) anotherService() Explanation {
	free := []stein.Mechanism{stein.Leaving, stein.Changing, stein.Ending}
	var offered [][][]float64
	for _, m := range free {
		offered = append(offered, b.mechanism(m))
	}
	fit, beta := fitted(b.claimed(), offered...)
	rates := b.rates
	for j, m := range free {
		rates[m] = math.Max(0, rates[m]+beta[j])
	}
	mu1 := rates[stein.Leaving] + rates[stein.Changing]
	law := coxian.Dist{Mu1: mu1, P: rates[stein.Changing] / mu1, Mu2: rates[stein.Ending]}
	what := "another service law"
	if law.Validate() == nil {
		scale := b.record.samples.system.Service.Mean()
		what = fmt.Sprintf("service with mean %.4g and scv %.4g (mu1=%.4g, p=%.4g, mu2=%.4g) instead of mean %.4g and scv %.4g",
			law.Mean()*scale, law.SCV(), law.Mu1/scale, law.P, law.Mu2/scale, scale, b.record.samples.system.Service.SCV())
	}
	return Explanation{Name: "service", What: what, P: fit.P, freedom: len(free)}
}

// withoutBeginning leaves out the first tenth or the first half.
func (b *outputBatches) withoutBeginning() Explanation {
	best := Explanation{Name: warmUp, P: -1, freedom: math.MaxInt}
	for _, share := range []struct {
		parts int
		name  string
	}{{10, "tenth"}, {2, "half"}} {
		columns := b.claimed()
		for k := range columns {
			columns[k] = columns[k][len(columns[k])/share.parts:]
		}
		if p := b.joint(columns).P; p > best.P && (best.P < fittingP) {
			best.P, best.What = p, "the claimed system without the first "+share.name+" of the rows"
		}
	}
	return best
}

// suggest says in a sentence or two what the outcome points to.
func suggest(t *OutputTest, b *outputBatches) string {
	if !t.Rejected() {
		return "nothing speaks against the claimed system"
	}
	var parts []string
	if 2*t.Stationary.P < t.Level {
		parts = append(parts, fmt.Sprintf("not stationary: mean work %.4g over %s, %.4g over the rest: leave out a warm-up", t.Stationary.Early, t.Stationary.Beginning, t.Stationary.Rest))
	}
	if 2*t.Joint.P < t.Level {
		parts = append(parts, blame(t, b))
	}
	return strings.Join(parts, "; ")
}

// blame names the simplest explanation that fits, or the aspect that fails.
func blame(t *OutputTest, b *outputBatches) string {
	if t.Rank == 0 {
		return "the rows do not vary, so that no run of the system can have made them"
	}
	if best := t.Explanations[0]; best.Fits {
		if best.Name == warmUp {
			return fmt.Sprintf("the identities hold for %s (p = %.2g): leave out a warm-up", best.What, best.P)
		}
		return fmt.Sprintf("%s off: the identities hold for %s (p = %.2g)", best.Name, best.What, best.P)
	}
	if b.withoutPhase2() {
		return "service off: no server is in phase 2 in any of the rows"
	}
	worst := slices.MaxFunc(t.Identities, compareSize)
	return fmt.Sprintf("%s; the clearest failure is %q", b.failingAspect(), worst.Name)
}

// withoutPhase2 tells whether phase 2 was never seen although it should be.
func (b *outputBatches) withoutPhase2() bool {
	if b.rates[stein.Ending] == 0 {
		return false
	}
	for _, parts := range b.parts {
		if slices.ContainsFunc(parts[stein.Ending], func(x float64) bool { return x != 0 }) {
			return false
		}
	}
	return true
}

// compareSize orders identities by their mean in standard errors.
func compareSize(x, y TestedIdentity) int {
	size := func(i TestedIdentity) float64 {
		if i.StandardError == 0 {
			return math.Abs(i.Mean) * math.MaxFloat64
		}
		return math.Abs(i.Mean) / i.StandardError
	}
	return cmp.Compare(size(x), size(y))
}

// failingAspect looks at the identities that hold whatever the policy, the load
// being fitted: if they fail, it is not the routing (alone).
func (b *outputBatches) failingAspect() string {
	var columns, arrivals [][]float64
	claimed := b.claimed()
	for k, identity := range b.list {
		if identity.Aspect != stein.Routing {
			columns = append(columns, claimed[k])
			arrivals = append(arrivals, b.parts[k][stein.Arrivals])
		}
	}
	fit, beta := fitted(columns, arrivals)
	if fit.P < fittingP {
		return "service law off, or arrivals not Poisson: the identities that hold for every policy fail whatever the load"
	}
	change := beta[0] / b.rates[stein.Arrivals]
	if plain := b.joint(columns).P; plain < fittingP {
		return fmt.Sprintf("load off by %+.2g%% and routing off as well: the identities that hold for every policy ask for load %.4g", 100*change, b.record.samples.system.Load*(1+change))
	}
	return "routing off: the identities that hold for every policy are kept, those of the policy fail"
}
