package sim

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"qlimit/ctmc"
)

// FuzzParseJobPolicy: a policy that is read prints as itself, and whether it
// suits a system is an answer.
func FuzzParseJobPolicy(f *testing.F) {
	for _, text := range []string{"jsq", "rr", "ll", "ll:d=2", "sq:d=2,m=3", "sita", "pod:d=2,replacement=true", "pull:memory=2,rate=5", "sq:d=2", "ll:d=-1", "sq:m=1", "jiq:fallback=pod:d=2", "LL:d=2147483647"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseJobPolicy(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("ParseJobPolicy(%q): %v", text, err)
			}
			return
		}
		if again, err := ParseJobPolicy(p.String()); err != nil || again.String() != p.String() {
			t.Errorf("%q prints %s, which reads as %s, %v", text, p, again, err)
		}
		service, err := ParseServiceLaw("exp", nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &JobSystem{Servers: 3, Load: 0.5, Service: service, Policy: p}
		var field *ctmc.FieldError
		if _, err := p.Prepare(s); err != nil && !errors.As(err, &field) {
			t.Errorf("%s for three servers: %v", p, err)
		}
	})
}

// FuzzParseLaw: a law that is read has finite moments, prints the same text
// again and draws numbers that are finite and not negative.
func FuzzParseLaw(f *testing.F) {
	for _, text := range []string{"exp", "erlang:k=4", "erlang:k=4,mean=2", "hyperexp:scv=4", "deterministic", "deterministic:mean=2", "lognormal:mean=2,scv=4", "pareto:alpha=1.5,low=1,high=1000", "csv:1 2 3",
		"coxian:mean=1,scv=4", "lognormal:scv=1e300", "pareto:alpha=1,low=1e-300,high=1e300", "pareto:alpha=2,low=1,high=1", "erlang:k=1e9", "hyperexp:scv=1", "deterministic:mean=1e-320", "csv:"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	read := func(name string) ([]float64, error) {
		var values []float64
		for _, word := range strings.Fields(name) {
			x, err := parsePlainNumber(word)
			if err != nil {
				return nil, err
			}
			values = append(values, x)
		}
		return values, nil
	}
	f.Fuzz(func(t *testing.T, text string, arrivals bool) {
		parse := ParseServiceLaw
		if arrivals {
			parse = ParseArrivals
		}
		l, err := parse(text, read)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if !(l.Mean() > 0) || math.IsInf(l.Mean(), 1) || !(l.SCV() >= 0) || math.IsInf(l.SCV(), 1) {
			t.Errorf("%q: mean %g, scv %g", text, l.Mean(), l.SCV())
		}
		if again, err := parse(text, read); err != nil || again.String() != l.String() {
			t.Errorf("%q prints %s and %v, %v", text, l, again, err)
		}
		random := rand.NewPCG(1, 2)
		for range 4 {
			if x := l.Sample(random); !(x >= 0) || math.IsInf(x, 1) {
				t.Errorf("%q: drew %g", text, x)
			}
		}
	})
}
