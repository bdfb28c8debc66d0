package slotted

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"qlimit/ctmc"
)

// refusedWell reports whether an error names a field and stands on one line.
func refusedWell(err error) bool {
	var field *ctmc.FieldError
	return errors.As(err, &field) && field.Field != "" && !strings.Contains(err.Error(), "\n")
}

// FuzzParsePolicy: a policy that is read prints as itself, and whether it suits
// a system is an answer and no panic.
func FuzzParsePolicy(f *testing.F) {
	for _, text := range append([]string{"iqf", "pod:d=3", "JBT:d=2,T=1e4", "local-jba,pull=.5", "sq:d=1e15,m=1e15", "lsq:pull=-0", "jbt:d=2,t=inf", ":,="}, canonical...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePolicy(text)
		if err != nil {
			if !refusedWell(err) {
				t.Errorf("ParsePolicy(%q): %v", text, err)
			}
			return
		}
		again, err := ParsePolicy(p.String())
		if err != nil || again.String() != p.String() {
			t.Errorf("%q prints %s, which reads as %v, %v", text, p, again, err)
		}
		m := &Model{Rates: []float64{1, 2, 2}, Load: 0.5, Dispatchers: 2}
		if err := p.Validate(m); err != nil && !refusedWell(err) {
			t.Errorf("%s for three servers: %v", p, err)
		}
		p.Declaration()
	})
}

// FuzzParseFamily: a law that is read prints as itself, and every mean has a law
// with that mean or a refusal.
func FuzzParseFamily(f *testing.F) {
	for _, text := range []string{"poisson", "geometric", "constant", "burst:k=10", "binomial:n=20", "Burst:k=1e9", "binomial: n = 1e9 ", "binomial:n", "burst:k=-1"} {
		f.Add(text, 1.5)
	}
	f.Add("constant", 3.0)
	f.Add("poisson", 1e300)
	f.Add("poisson", math.Inf(1))
	f.Fuzz(func(t *testing.T, text string, mean float64) {
		family, err := ParseFamily("arrivals", text)
		if err != nil {
			if !refusedWell(err) {
				t.Errorf("ParseFamily(%q): %v", text, err)
			}
			return
		}
		again, err := ParseFamily("arrivals", family.String())
		if err != nil || again != family {
			t.Errorf("%q prints %s, which reads as %v, %v", text, family, again, err)
		}
		law, err := family.At(mean)
		if err != nil {
			return
		}
		if got := law.Mean(); !(math.Abs(got-mean) <= 1e-12*mean) || !(law.Variance() >= 0) || math.IsInf(law.Variance(), 1) {
			t.Errorf("%s with mean %g has mean %g, variance %g", family, mean, got, law.Variance())
		}
	})
}

// FuzzParseRates: rates that are read are in range and print as themselves.
func FuzzParseRates(f *testing.F) {
	for _, text := range []string{"1x5,10x5", "1", "0.5x1e6", "1x1e9", "1e-6x2, 1e6x3", "1x,2", "x", "1x2x3", "1x1,1x1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rates, err := ParseRates(text)
		if err != nil {
			if !refusedWell(err) {
				t.Errorf("ParseRates(%q): %v", text, err)
			}
			return
		}
		if len(rates) == 0 || len(rates) > MaxServers {
			t.Fatalf("ParseRates(%q): %d servers", text, len(rates))
		}
		if err := (&Model{Rates: rates}).Validate(); err != nil {
			t.Errorf("ParseRates(%q): %v", text, err)
		}
		if again, err := ParseRates(FormatRates(rates)); err != nil || !slices.Equal(again, rates) {
			t.Errorf("%q prints %s, which reads differently, %v", text, FormatRates(rates), err)
		}
	})
}
