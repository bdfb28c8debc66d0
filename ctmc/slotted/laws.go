package slotted

import (
	"fmt"
	"math"
	"math/rand/v2"

	"qlimit/ctmc"
)

// Poisson is the family of Poisson laws.
type Poisson struct{}

// At returns the Poisson law.
func (Poisson) At(mean float64) (Law, error) {
	if err := checkMean(mean, anyMean, true); err != nil || mean == 0 {
		return point(0), err
	}
	l := &poissonLaw{mean: mean}
	l.table = tableOf(l)
	return l, nil
}

func (Poisson) String() string { return "poisson" }

type poissonLaw struct {
	mean float64
	table
}

func (l *poissonLaw) Mean() float64          { return l.mean }
func (l *poissonLaw) Variance() float64      { return l.mean }
func (l *poissonLaw) ThirdCumulant() float64 { return l.mean }
func (l *poissonLaw) Max() (int64, bool)     { return 0, false }
func (l *poissonLaw) String() string         { return fmt.Sprintf("poisson, mean %g", l.mean) }

// Window uses p(k+1)/p(k) = mean/(k+1).
func (l *poissonLaw) Window(cut float64) (int64, []float64) {
	return unimodal(int64(l.mean), cut, func(k int64) float64 { return l.mean / float64(k+1) })
}

// Binomial is the family of counts of successes in Trials independent trials.
type Binomial struct{ Trials int64 } // n, at least the mean

// At returns the law with success probability mean/Trials.
func (b Binomial) At(mean float64) (Law, error) {
	allowed := fmt.Sprintf("between 0 and the number of trials, %d", b.Trials)
	if err := checkMean(mean, allowed, mean <= float64(b.Trials)); err != nil {
		return nil, err
	}
	if mean == 0 || mean == float64(b.Trials) {
		return point(mean), nil
	}
	l := &binomialLaw{trials: b.Trials, mean: mean}
	l.table = tableOf(l)
	return l, nil
}

func (b Binomial) String() string { return fmt.Sprintf("binomial:n=%d", b.Trials) }

type binomialLaw struct {
	trials int64
	mean   float64
	table
}

func (l *binomialLaw) probability() float64   { return l.mean / float64(l.trials) }
func (l *binomialLaw) Mean() float64          { return l.mean }
func (l *binomialLaw) Variance() float64      { return l.mean * (1 - l.probability()) }
func (l *binomialLaw) ThirdCumulant() float64 { return l.Variance() * (1 - 2*l.probability()) }
func (l *binomialLaw) Max() (int64, bool)     { return l.trials, true }
func (l *binomialLaw) String() string {
	return fmt.Sprintf("binomial of %d, mean %g", l.trials, l.mean)
}

// Window uses p(k+1)/p(k) = (n-k)/(k+1) mean/(n-mean).
func (l *binomialLaw) Window(cut float64) (int64, []float64) {
	n := float64(l.trials)
	odds := l.mean / (n - l.mean)
	return unimodal(int64((n+1)*l.probability()), cut, func(k int64) float64 {
		return (n - float64(k)) / float64(k+1) * odds
	})
}

// Burst is the family of counts that are Size or nothing.
type Burst struct{ Size int64 } // k, at least the mean

// At returns the law of Size with probability mean/Size, else 0.
func (b Burst) At(mean float64) (Law, error) {
	allowed := fmt.Sprintf("between 0 and the size of a burst, %d", b.Size)
	if err := checkMean(mean, allowed, mean <= float64(b.Size)); err != nil {
		return nil, err
	}
	if mean == 0 || mean == float64(b.Size) {
		return point(mean), nil
	}
	return burstLaw{size: b.Size, mean: mean}, nil
}

func (b Burst) String() string { return fmt.Sprintf("burst:k=%d", b.Size) }

type burstLaw struct {
	size int64
	mean float64
}

func (l burstLaw) Mean() float64      { return l.mean }
func (l burstLaw) Variance() float64  { return l.mean * (float64(l.size) - l.mean) }
func (l burstLaw) Max() (int64, bool) { return l.size, true }
func (l burstLaw) String() string     { return fmt.Sprintf("burst of %d, mean %g", l.size, l.mean) }

func (l burstLaw) ThirdCumulant() float64 { return l.Variance() * (float64(l.size) - 2*l.mean) }

// Sample resolves probabilities to 2^-53.
func (l burstLaw) Sample(random *rand.PCG) int64 {
	if float64(random.Uint64()>>11)*0x1p-53 < l.mean/float64(l.size) {
		return l.size
	}
	return 0
}

// Window ignores the cut.
func (l burstLaw) Window(float64) (int64, []float64) {
	p := make([]float64, l.size+1)
	p[l.size] = l.mean / float64(l.size)
	p[0] = 1 - p[l.size]
	return 0, p
}

// Geometric is the family of geometric laws on 0, 1, 2, ...
type Geometric struct{}

// At returns P(k) = (1-q) q^k, q = mean/(1+mean).
func (Geometric) At(mean float64) (Law, error) {
	if err := checkMean(mean, "between 0 and 1e5 for a geometric count", mean <= 1e5); err != nil || mean == 0 {
		return point(0), err
	}
	return geometricLaw{mean: mean, perLog: -1 / math.Log1p(1/mean)}, nil
}

func (Geometric) String() string { return "geometric" }

type geometricLaw struct {
	mean   float64
	perLog float64 // 1/log q
}

func (l geometricLaw) Mean() float64          { return l.mean }
func (l geometricLaw) Variance() float64      { return l.mean * (1 + l.mean) }
func (l geometricLaw) ThirdCumulant() float64 { return l.Variance() * (1 + 2*l.mean) }
func (l geometricLaw) Max() (int64, bool)     { return 0, false }
func (l geometricLaw) String() string         { return fmt.Sprintf("geometric, mean %g", l.mean) }

// Sample inverts P(count >= k) = q^k.
func (l geometricLaw) Sample(random *rand.PCG) int64 {
	u := float64(random.Uint64()>>11+1) * 0x1p-53
	return int64(math.Log(u) * l.perLog)
}

// Window uses p(k+1)/p(k) = q.
func (l geometricLaw) Window(cut float64) (int64, []float64) {
	q := l.mean / (1 + l.mean)
	return unimodal(0, cut, func(int64) float64 { return q })
}

var _ = []Family{Poisson{}, Binomial{}, Burst{}, Geometric{}, Constant{}}

// mostTrials bounds the trials of a binomial law and the size of a burst.
const mostTrials = int64(MostPerSlot)

func checkTrials(name string, n int64) error {
	if n < 1 || n > mostTrials {
		return &ctmc.FieldError{Field: name, Value: n, Allowed: "an integer between 1 and 1e7"}
	}
	return nil
}
