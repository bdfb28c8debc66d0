package ctmc

import (
	"strings"
	"testing"
)

func TestParsePolicy(t *testing.T) {
	for text, want := range map[string]Policy{
		"jsq":                                JSQ(),
		"JSQ":                                JSQ(),
		"jiq":                                JIQ(),
		"iqf":                                JIQ(),
		"i1f":                                I1F(),
		"random":                             Random(),
		"pod:d=2":                            PowerOfD(2, false),
		"sq:d=3":                             PowerOfD(3, false),
		"pod:d=2,replacement=true":           PowerOfD(2, true),
		"pod:replacement=false,d=7":          PowerOfD(7, false),
		"pod:d=1":                            PowerOfD(1, false),
		"pod:d=1e6":                          PowerOfD(1_000_000, false),
		"jiq:fallback=pod:d=2":               JIQ().WithFallback(Sampling{Choices: 2}),
		"i1f:fallback=sq:d=2":                I1F().WithFallback(Sampling{Choices: 2}),
		"jiq:fallback=pod:d=2,replacement=1": JIQ().WithFallback(Sampling{Choices: 2, Replacement: true}),
		"jiq:fallback=random":                JIQ(),
	} {
		got, err := ParsePolicy(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
		again, err := ParsePolicy(got.String())
		if err != nil || again != got {
			t.Errorf("%q does not survive printing as %q: %+v, %v", text, got.String(), again, err)
		}
	}
	for text, hint := range map[string]string{
		"":                             "one of",
		"jqs":                          "did you mean jsq",
		"pod":                          "d = missing",
		"pod:":                         "nothing after the colon",
		"pod:d":                        "not key=value",
		"pod:d=":                       "not key=value",
		"pod:d=0":                      "between 1 and 1e15",
		"pod:d=-2":                     "between 1 and 1e15",
		"pod:d=nan":                    "an integer",
		"pod:d=2.5":                    "an integer",
		"pod:d=99999999999999999999":   "an integer",
		"pod:d=2,d=3":                  "repeated",
		"pod:d=2,replacment=true":      "did you mean replacement",
		"pod:d=2,replacement=maybe":    "true or false",
		"jsq:d=2":                      "without options",
		"jiq:fallback=jsq":             "fallback",
		"jiq:fallback=pod:d=0":         "between 1 and 1e15",
		"jiq:fallback=jiq:fallback=ab": "fallback",
	} {
		_, err := ParsePolicy(text)
		if err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q: error %v, want a mention of %q", text, err, hint)
		}
	}
}

func FuzzParsePolicy(f *testing.F) {
	for _, text := range []string{"jsq", "pod:d=2,replacement=true", "jiq:fallback=pod:d=2", "pod:,,d=", "::"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePolicy(text)
		if err != nil {
			return
		}
		if again, err := ParsePolicy(p.String()); err != nil || again != p {
			t.Errorf("%q printed as %q reads as %+v, %v", text, p, again, err)
		}
	})
}

func TestSystemValidate(t *testing.T) {
	good := System{Servers: 10, Load: .9, Service: exponential(), Policy: JSQ()}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for field, change := range map[string]func(*System){
		"servers": func(s *System) { s.Servers = 0 },
		"load":    func(s *System) { s.Load = 0 },
		"buffer":  func(s *System) { s.Buffer = -1 },
		"d":       func(s *System) { s.Policy = PowerOfD(11, false) },
		"policy":  func(s *System) { s.Policy = Policy{} },
	} {
		s := good
		change(&s)
		e, ok := s.Validate().(*FieldError)
		if !ok || e.Field != field {
			t.Errorf("%s: %v", field, s.Validate())
		}
	}
	for _, load := range []float64{1, 1.2} {
		s := good
		s.Load = load
		if s.Validate() == nil {
			t.Errorf("load %g with an unlimited buffer accepted", load)
		}
		s.Buffer = 5
		if err := s.Validate(); err != nil {
			t.Errorf("load %g with a buffer: %v", load, err)
		}
	}
}

// FuzzParsePull: a rule that is read is valid and prints as itself.
func FuzzParsePull(f *testing.F) {
	for _, text := range []string{"pull:memory=2,rate=5", "PULL:rate=inf,memory=0", "pull:memory=inf,rate=1e-300", "pull:memory=1e15,rate=1e50", "pull:memory=-0,rate=-0", "pull:", "pull:memory=nan,rate=nan"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePull(text)
		if err != nil {
			return
		}
		if err := p.Validate(); err != nil {
			t.Errorf("ParsePull(%q) = %+v: %v", text, p, err)
		}
		if again, err := ParsePull(p.String()); err != nil || again != p {
			t.Errorf("%q printed as %q reads as %+v, %v", text, p, again, err)
		}
		policy, ok := p.Memoryless()
		if read, err := ParsePolicy(text); (err == nil) != ok || ok && read != policy {
			t.Errorf("%q as a policy is %+v, %v, want %+v", text, read, err, policy)
		}
	})
}
