package slotted

import (
	"math"
	"strings"
	"testing"
)

func TestParseRates(t *testing.T) {
	rates, err := ParseRates("1x5,10x5")
	if err != nil || len(rates) != 10 || rates[4] != 1 || rates[5] != 10 || FormatRates(rates) != "1x5,10x5" {
		t.Errorf("%v, %v", rates, err)
	}
	if rates, err := ParseRates("0.5,2x1e1"); err != nil || FormatRates(rates) != "0.5x1,2x10" {
		t.Errorf("%v, %v", rates, err)
	}
	for _, text := range []string{"", "x5", "1x", "1x0", "-1x5", "0x5", "1x5,", "1x2.5", "nanx2", "1x1e7", "1x1000000,1", "0x1p-2x3"} {
		if _, err := ParseRates(text); err == nil || !strings.HasPrefix(err.Error(), "rates = ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Values by hand for two pools, bursty service, two dispatchers.
func TestModelQuantities(t *testing.T) {
	m := &Model{Rates: []float64{1, 1, 2}, Load: 0.75, Dispatchers: 2, Arrivals: Geometric{}, Services: []Family{Burst{Size: 10}}}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	arrivals, service, err := m.Variances()
	if err != nil || math.Abs(arrivals-2*1.5*2.5) > 1e-14 || math.Abs(service-(9+9+16)) > 1e-14 {
		t.Errorf("variances %g, %g, %v", arrivals, service, err)
	}
	if m.ArrivalRate() != 3 || m.Slack() != 1 || m.WithSlack(2).Load != 0.5 || m.Load != 0.75 {
		t.Errorf("rate %g, slack %g", m.ArrivalRate(), m.Slack())
	}
}

func TestModelRefusals(t *testing.T) {
	good := func() *Model { return &Model{Rates: []float64{1, 10}, Load: 0.5} }
	for want, spoil := range map[string]func(*Model){
		"servers = 0":       func(m *Model) { m.Rates = nil },
		"rates = 0":         func(m *Model) { m.Rates[1] = 0 },
		"load = -1":         func(m *Model) { m.Load = -1 },
		"load = NaN":        func(m *Model) { m.Load = math.NaN() },
		"dispatchers = -1":  func(m *Model) { m.Dispatchers = -1 },
		"service-law burst": func(m *Model) { m.Services = []Family{Burst{Size: 9}} },
		"arrivals constant": func(m *Model) { m.Arrivals = Constant{} },
		"service-law = ":    func(m *Model) { m.Services = []Family{Poisson{}, Poisson{}, Poisson{}} },
	} {
		m := good()
		spoil(m)
		if err := m.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
