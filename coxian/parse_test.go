package coxian

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	fitted, err := FitMoments(2, 4, 3.5)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]Dist{
		"exp":                               {Mu1: 1, P: 0, Mu2: 1},
		"exp:mean=2":                        {Mu1: 0.5, P: 0, Mu2: 0.5},
		"erlang2":                           {Mu1: 2, P: 1, Mu2: 2},
		"erlang2:mean=4":                    {Mu1: 0.5, P: 1, Mu2: 0.5},
		"coxian:mu1=2,p=0.25,mu2=0.5":       {Mu1: 2, P: 0.25, Mu2: 0.5},
		"coxian:mu2=0.5,mu1=2,p=0.25":       {Mu1: 2, P: 0.25, Mu2: 0.5},
		"coxian:mean=1,scv=4":               {Mu1: 2, P: 0.125, Mu2: 0.25},
		"coxian:scv=4":                      {Mu1: 2, P: 0.125, Mu2: 0.25},
		"coxian:mean=2,scv=4,skew=3.5":      fitted,
		"hyperexp:p=0.25,mu1=4,mu2=1":       {Mu1: 4, P: 0.5625, Mu2: 1},
		"hyperexp:p=0.75,mu1=1,mu2=4":       {Mu1: 4, P: 0.5625, Mu2: 1},
		" coxian : mu1 = 2 ,p=.25,mu2=5e-1": {Mu1: 2, P: 0.25, Mu2: 0.5},
	} {
		got, err := Parse(text)
		if err != nil || !got.sameParameters(want) {
			t.Errorf("Parse(%q) = %#v, %v, want %#v", text, got, err, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      `service: no law named (one of exp, erlang2, coxian, hyperexp)`,
		"erlang":                                `service: unknown law "erlang" (did you mean "erlang2"? one of exp, erlang2, coxian, hyperexp)`,
		"coxian2:mu1=1":                         `did you mean "coxian"?`,
		"Exp":                                   `did you mean "exp"?`,
		"hyperexponential":                      `did you mean "hyperexp"?`,
		"exp:rate=2":                            `service: exp has no parameter "rate"`,
		"coxian:m1=2":                           `did you mean "mu1"?`,
		"coxian:skewness=2":                     `did you mean "skew"?`,
		"coxian":                                `service: coxian needs parameters`,
		"coxian:":                               `service: coxian has an empty parameter`,
		"exp:":                                  `service: exp has an empty parameter`,
		"coxian:mu1=2,,p=1":                     `service: coxian has an empty parameter`,
		"coxian:mu1=2,p=0.25":                   `service: coxian needs mu1, p, mu2 (mu2 is missing)`,
		"coxian:mean=1":                         `service: coxian needs scv (scv is missing)`,
		"coxian:scv=2,p=0.5":                    `service: coxian takes either mu1, p, mu2 or mean, scv, skew (p and scv were given)`,
		"hyperexp:p=0.5,mu1=1":                  `service: hyperexp needs p, mu1, mu2 (mu2 is missing)`,
		"exp:mean=1,mean=2":                     `service: mean is given twice`,
		"exp:mean":                              `service: mean has no value (mean=number)`,
		"exp:mean=":                             `service: mean has no value (mean=number)`,
		"exp:=2":                                `service: exp has no parameter ""`,
		"exp:mean=NaN":                          `service: mean = "NaN" (must be a decimal number)`,
		"exp:mean=Inf":                          `service: mean = "Inf" (must be a decimal number)`,
		"exp:mean=0x1p3":                        `service: mean = "0x1p3" (must be a decimal number)`,
		"exp:mean=1_0":                          `service: mean = "1_0" (must be a decimal number)`,
		"exp:mean=1e":                           `service: mean = "1e" (must be a decimal number)`,
		"exp:mean=1,5":                          `service: exp has no parameter "5"`,
		"exp:mean=1e999":                        `service: mean = "1e999" (must be within the range of float64)`,
		"exp:mean=0":                            `service: mean = 0 (must be > 0)`,
		"exp:mean=1e-320":                       `service: mean = 1e-320 (must be in [2e-75, 1e75])`,
		"coxian:mu1=-1,p=0,mu2=1":               `service: mu1 = -1 (must be > 0)`,
		"coxian:mu1=1,p=1.5,mu2=1":              `service: p = 1.5 (must be in [0, 1])`,
		"coxian:mu1=1,p=0.5,mu2=0":              `service: mu2 = 0 (must be > 0)`,
		"coxian:mu1=1e90,p=0.5,mu2=1":           `service: mu1 = 1e+90 (must be in [1e-75, 1e75])`,
		"coxian:mu1=1e60,p=0.5,mu2=1":           `service: mu1/mu2 = 1e+60 (must be in [1e-50, 1e50])`,
		"hyperexp:p=-0.1,mu1=1,mu2=2":           `service: p = -0.1 (must be in [0, 1])`,
		"coxian:scv=0.4":                        `service: scv = 0.4 (must be >= 0.5`,
		"coxian:scv=4,skew=2":                   `service: skew = 2 (must be > 3.0625 at scv 4`,
		"exp:mean=" + strings.Repeat("1", 2000): `service: the law is 2009 characters long (at most 1000)`,
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "service: ") {
			t.Errorf("Parse(%.40q): %v, want %s", text, err, want)
		}
	}
}

func TestStringUsesTheShortForms(t *testing.T) {
	for want, d := range map[string]Dist{
		"exp":                            {Mu1: 1, P: 0, Mu2: 1},
		"exp:mean=2":                     {Mu1: 0.5, P: 0, Mu2: 0.5},
		"erlang2":                        {Mu1: 2, P: 1, Mu2: 2},
		"coxian:mu1=1,p=0,mu2=3":         {Mu1: 1, P: 0, Mu2: 3},
		"coxian:mu1=2,p=0.125,mu2=0.25":  {Mu1: 2, P: 0.125, Mu2: 0.25},
		"coxian:mu1=1e-07,p=1,mu2=1e+06": {Mu1: 1e-7, P: 1, Mu2: 1e6},
	} {
		if got := d.String(); got != want {
			t.Errorf("%#v prints as %s, want %s", d, got, want)
		}
	}
}

func TestParseInvertsString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawLaw(t)
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			d, _ = Exponential(1 / d.Mu1)
		case 1:
			d, _ = Erlang2(1 / d.Mu1)
		}
		got, err := Parse(d.String())
		if err != nil || got != d {
			t.Fatalf("%#v -> %s -> %#v, %v", d, d, got, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"exp", "erlang2:mean=3", "coxian:mu1=2,p=0.25,mu2=0.5", "coxian:mean=1,scv=4,skew=3.5", "hyperexp:p=0.1,mu1=1,mu2=2", "exp:mean=0x1", ":,=", "coxian:scv=1e-400"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Parse(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "service: ") {
				t.Errorf("Parse(%q): %v", text, err)
			}
			return
		}
		if err := d.Validate(); err != nil {
			t.Errorf("Parse(%q) = %#v: %v", text, d, err)
		}
		if again, err := Parse(d.String()); err != nil || again != d {
			t.Errorf("%#v -> %s -> %#v, %v", d, d, again, err)
		}
	})
}
