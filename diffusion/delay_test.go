package diffusion

import (
	"math"
	"testing"
)

// erlangSurvivals are P(Erlang(k) > w), k = 0 .. most+1.
func erlangSurvivals(w float64) []float64 {
	survival := make([]float64, mostServices+2)
	term := math.Exp(-w)
	for k := range mostServices + 1 {
		survival[k+1] = survival[k] + term
		term *= w / float64(k+1)
	}
	return survival
}

const mostServices = 300

// services returns P(K = k) for the number K of services a job waits for at
// state u, as theory states it, without any closed form.
func services(d Discipline, u float64) map[int]float64 {
	law := map[int]float64{}
	switch {
	case d.Name == "jsq" || d.Name == "i1f" && u < 1:
		j := int(u)
		law[j] = 1 - (u - float64(j))
		law[j+1] = u - float64(j)
	case d.Name == "i1f":
		r := 1 / u
		law[1] = r
		for j := range mostServices - 2 {
			law[2+j] = (1 - r) * r * math.Pow(1-r, float64(j))
		}
	case d.Name == "iqf":
		r := 1 / (1 + u)
		law[0] = r
		for j := range mostServices - 1 { // exponential with mean 1+u: geometric number
			law[1+j] = (1 - r) * r * math.Pow(1-r, float64(j))
		}
	}
	return law
}

// The law of waiting and response against the average over u of the sums
// above, by a midpoint rule on quantiles.
func TestDelayAgainstSums(t *testing.T) {
	const points = 400
	for _, alpha := range []float64{0.7, 3} {
		for _, d := range []Discipline{JSQ, I1F, IQF} {
			n := NDS{d, alpha, exponential}
			delay, err := n.Delay()
			if err != nil {
				t.Fatal(err)
			}
			law, err := n.Stationary()
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range []float64{0, 0.2, 1, 4} {
				wait, response := 0.0, 0.0
				survival := erlangSurvivals(w)
				for i := range points {
					u := law.Quantile((float64(i) + 0.5) / points)
					for k, p := range services(d, u) {
						wait += p * survival[k] / points
						response += p * survival[k+1] / points
					}
				}
				if got := delay.WaitSurvival(w); math.Abs(got-wait) > 2e-3 {
					t.Errorf("%s α = %g: P(W > %g) = %.6f, sum %.6f", d, alpha, w, got, wait)
				}
				if got := delay.ResponseSurvival(w); math.Abs(got-response) > 2e-3 {
					t.Errorf("%s α = %g: P(T > %g) = %.6f, sum %.6f", d, alpha, w, got, response)
				}
			}
		}
	}
}

// ∫ P(W > w) dw = E U, ∫ P(T > t) dt = 1 + E U, P(W > 0) = P(wait), for α small
// and large.
func TestDelayMeans(t *testing.T) {
	for _, alpha := range []float64{0.02, 1, 5, 800} {
		for _, d := range []Discipline{CQ, JSQ, I1F, IQF} {
			n := NDS{d, alpha, exponential}
			delay, err := n.Delay()
			if err != nil {
				t.Fatal(err)
			}
			wait, response := 0.0, 0.0
			const h = 0.02
			for s := -40.0; s < 9; s += h {
				w := math.Exp(s)
				wait += h * w * delay.WaitSurvival(w)
				response += h * w * delay.ResponseSurvival(w)
			}
			near(t, d.Name+" wait", wait, delay.MeanWait(), 1e-8)
			near(t, d.Name+" response", response, 1+delay.MeanWait(), 1e-8)
			p, err := n.WaitProbability()
			if err != nil {
				t.Fatal(err)
			}
			near(t, d.Name+" P(wait)", delay.WaitSurvival(0), p, 1e-12)
		}
	}
}

// P(wait) of JSQ is E min(U, 1), of IQF E[U/(1+U)]; Coxian-2: arrivals that find
// idle servers are as many as servers that become idle, so that P(wait) lies
// between 0 and 1 and falls with α.
func TestWaitProbability(t *testing.T) {
	n := NDS{JSQ, 1, exponential}
	law := newShortestQueueLaw(1)
	sum := 0.0
	const points = 100_000
	for i := range points {
		sum += law.Survival((float64(i)+0.5)/points) / points // E min(U,1) = ∫_0^1 S
	}
	p, err := n.WaitProbability()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "JSQ", p, sum, 1e-9)
	before := 1.0
	for _, alpha := range []float64{0.01, 0.1, 1, 10, 100} {
		p, err := NDS{JSQ, alpha, scvHigh}.WaitProbability()
		if err != nil {
			t.Fatal(err)
		}
		if !(p > 0 && p < before) {
			t.Errorf("α = %g: P(wait) = %g after %g", alpha, p, before)
		}
		before = p
	}
	if _, err := (NDS{JSQ, 1, scvTwo}).Delay(); err == nil {
		t.Error("the waiting time law of Coxian-2 service was not refused")
	}
}
