package slotted

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"qlimit/ctmc"
)

// MaxServers and MaxDispatchers bound the size of a model.
const (
	MaxServers     = 1_000_000
	MaxDispatchers = 10_000
)

// Model is a slotted system up to its policy.
type Model struct {
	Rates       []float64 // μ_n, mean service per slot, n = 1..N
	Load        float64   // λ_Σ/μ_Σ
	Arrivals    Family    // of the arrivals per slot at each dispatcher; nil = Poisson
	Services    []Family  // of each server; one for all of them; nil = Poisson
	Dispatchers int       // M; 0 = 1
}

// Servers is N.
func (m *Model) Servers() int { return len(m.Rates) }

// DispatcherCount is M.
func (m *Model) DispatcherCount() int { return max(m.Dispatchers, 1) }

// TotalRate is μ_Σ.
func (m *Model) TotalRate() float64 {
	sum := 0.0
	for _, rate := range m.Rates {
		sum += rate
	}
	return sum
}

// ArrivalRate is λ_Σ, of all dispatchers together.
func (m *Model) ArrivalRate() float64 { return m.Load * m.TotalRate() }

// Slack is ε = μ_Σ - λ_Σ.
func (m *Model) Slack() float64 { return (1 - m.Load) * m.TotalRate() }

// WithSlack is the same model with load 1 - ε/μ_Σ.
func (m *Model) WithSlack(slack float64) *Model {
	out := *m
	out.Load = 1 - slack/m.TotalRate()
	return &out
}

// Equal tells whether all servers have the same rate.
func (m *Model) Equal() bool {
	return slices.Min(m.Rates) == slices.Max(m.Rates)
}

// Validate names the field at fault, its value and the allowed range.
func (m *Model) Validate() error {
	switch {
	case len(m.Rates) < 1 || len(m.Rates) > MaxServers:
		return &ctmc.FieldError{Field: "servers", Value: len(m.Rates), Allowed: "between 1 and 1e6 in a slotted system"}
	case m.Dispatchers < 0 || m.Dispatchers > MaxDispatchers:
		return &ctmc.FieldError{Field: "dispatchers", Value: m.Dispatchers, Allowed: "between 1 and 10000"}
	case !(m.Load >= 0 && m.Load <= mostLoad):
		return &ctmc.FieldError{Field: "load", Value: m.Load, Allowed: "between 0 and 100"}
	case len(m.Services) > 1 && len(m.Services) != len(m.Rates):
		return &ctmc.FieldError{Field: "service-law", Value: fmt.Sprintf("%d laws", len(m.Services)), Allowed: "one law, or one for each server"}
	}
	for _, rate := range m.Rates {
		if !(rate >= leastRate && rate <= mostRate) {
			return &ctmc.FieldError{Field: "rates", Value: rate, Allowed: "rates between 1e-6 and 1e6 per slot"}
		}
	}
	if _, err := m.ArrivalLaw(); err != nil {
		return err
	}
	_, err := m.ServiceLaws()
	return err
}

const (
	mostLoad  = 100
	leastRate = 1e-6
	mostRate  = 1e6
)

// ArrivalLaw is the law of the arrivals per slot at each of the M dispatchers,
// mean λ_Σ/M. Errors: a mean that the family does not allow.
func (m *Model) ArrivalLaw() (Law, error) {
	family := m.Arrivals
	if family == nil {
		family = Poisson{}
	}
	law, err := family.At(m.ArrivalRate() / float64(m.DispatcherCount()))
	if err != nil {
		return nil, fmt.Errorf("arrivals %s: %w", family, err)
	}
	return law, nil
}

// ServiceLaws are the laws of the service per slot of each server; servers that
// are alike share one. Errors: a rate that the family does not allow.
func (m *Model) ServiceLaws() ([]Law, error) {
	type key struct {
		family string
		rate   float64
	}
	known := map[key]Law{}
	laws := make([]Law, len(m.Rates))
	for n, rate := range m.Rates {
		family := m.serviceFamily(n)
		k := key{family.String(), rate}
		if known[k] == nil {
			law, err := family.At(rate)
			if err != nil {
				return nil, fmt.Errorf("service-law %s: %w", family, err)
			}
			known[k] = law
		}
		laws[n] = known[k]
	}
	return laws, nil
}

func (m *Model) serviceFamily(n int) Family {
	switch len(m.Services) {
	case 0:
		return Poisson{}
	case 1:
		return m.Services[0]
	}
	return m.Services[n]
}

// Variances are σ_Σ², of the arrivals of a slot at all dispatchers together,
// and ν_Σ², of the service of all servers together. Errors: those of ArrivalLaw
// and ServiceLaws.
func (m *Model) Variances() (arrivals, service float64, err error) {
	law, err := m.ArrivalLaw()
	if err != nil {
		return 0, 0, err
	}
	laws, err := m.ServiceLaws()
	if err != nil {
		return 0, 0, err
	}
	for _, l := range laws {
		service += l.Variance()
	}
	return law.Variance() * float64(m.DispatcherCount()), service, nil
}

// Environment names everything that policies which are compared have in
// common. It keys the random streams.
func (m *Model) Environment() string {
	arrivals := m.Arrivals
	if arrivals == nil {
		arrivals = Poisson{}
	}
	services := "poisson"
	if len(m.Services) > 0 {
		services = ""
		for i := 0; i < len(m.Services); {
			k := i
			for k < len(m.Services) && m.Services[k].String() == m.Services[i].String() {
				k++
			}
			if i > 0 {
				services += ","
			}
			services += m.Services[i].String()
			if len(m.Services) > 1 {
				services += fmt.Sprintf("x%d", k-i)
			}
			i = k
		}
	}
	return fmt.Sprintf("slotted rates=%s load=%g arrivals=%s service=%s dispatchers=%d", FormatRates(m.Rates), m.Load, arrivals, services, m.DispatcherCount())
}

func (m *Model) String() string { return m.Environment() }

// ParseRates reads groups of servers, "1x5,10x5": five of rate 1 and five of
// rate 10. A rate alone is one server. Errors: a *ctmc.FieldError that names
// the group at fault.
func ParseRates(text string) ([]float64, error) {
	var rates []float64
	for _, group := range strings.Split(text, ",") {
		rate, count, err := parseRateGroup(group)
		if err != nil {
			return nil, &ctmc.FieldError{Field: "rates", Value: strconv.Quote(text), Allowed: "RATExCOUNT,RATExCOUNT,.., rates between 1e-6 and 1e6, at most 1e6 servers", Reason: err.Error()}
		}
		if len(rates)+count > MaxServers {
			return nil, &ctmc.FieldError{Field: "rates", Value: strconv.Quote(text), Allowed: "at most 1e6 servers"}
		}
		for range count {
			rates = append(rates, rate)
		}
	}
	return rates, nil
}

func parseRateGroup(group string) (rate float64, count int, err error) {
	first, second, several := strings.Cut(group, "x")
	rate, err = parseNumber(first)
	if err != nil || !(rate >= leastRate && rate <= mostRate) {
		return 0, 0, fmt.Errorf("%q is no such group", group)
	}
	if !several {
		return rate, 1, nil
	}
	n, err := parseInteger(second)
	if err != nil || n < 1 || n > MaxServers {
		return 0, 0, fmt.Errorf("%q is no such group", group)
	}
	return rate, int(n), nil
}

// FormatRates writes rates as [ParseRates] reads them, neighbours that are
// equal in one group.
func FormatRates(rates []float64) string {
	var groups []string
	for i := 0; i < len(rates); {
		k := i
		for k < len(rates) && rates[k] == rates[i] {
			k++
		}
		groups = append(groups, fmt.Sprintf("%sx%d", strconv.FormatFloat(rates[i], 'g', -1, 64), k-i))
		i = k
	}
	return strings.Join(groups, ",")
}

// mostRemembered bounds what the dispatchers of a model remember, numbers of all
// of them together: every replication of a run holds them at once.
const mostRemembered = 10_000_000

// checkMemory: M dispatchers are to remember that many numbers each.
func checkMemory(m *Model, each int64) error {
	if most := mostRemembered / int64(m.DispatcherCount()); each > most {
		return &ctmc.FieldError{Field: "dispatchers", Value: m.DispatcherCount(), Allowed: fmt.Sprintf("at most %d where each remembers up to %d numbers", max(1, mostRemembered/each), each)}
	}
	return nil
}

// checkSampleSize: d distinct servers are to be found.
func checkSampleSize(m *Model, d int64) error {
	if d < 1 || d > int64(m.Servers()) {
		return &ctmc.FieldError{Field: "d", Value: d, Allowed: fmt.Sprintf("between 1 and the number of servers, %d", m.Servers())}
	}
	return nil
}
