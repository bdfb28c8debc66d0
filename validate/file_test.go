package validate

import (
	"strings"
	"testing"

	"qlimit/ctmc"
)

func TestParseBuiltIn(t *testing.T) {
	e, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	exact, fluid, published := 0, 0, 0
	policies := map[string]bool{}
	for _, c := range e.Cases {
		if err := c.validate(); err != nil {
			t.Error(err)
		}
		published += len(c.Published)
		for _, m := range c.Methods {
			switch m {
			case ExactChain:
				exact++
				policies[c.System.Policy.Name] = true
			case MeanField:
				fluid++
			}
		}
	}
	if exact < 15 || fluid < 20 || published != 38 {
		t.Errorf("%d exact, %d mean-field, %d published", exact, fluid, published)
	}
	for _, p := range []string{"jsq", "jiq", "i1f", "random", "pod:d=2", "pod:d=2,replacement=true"} {
		if !policies[p] {
			t.Errorf("%s is not held against the exact chain", p)
		}
	}
}

func TestLoadForms(t *testing.T) {
	e, err := Parse(strings.NewReader(`
[[system]]
servers = 100
spare = 2
policy = "jsq"
methods = "mean-field"
[[system]]
servers = 100
load-exponent = 0.5
policy = "jsq"
methods = "mean-field"
`))
	if err != nil {
		t.Fatal(err)
	}
	if e.Cases[0].System.Load != .98 || e.Cases[1].System.Load != .9 {
		t.Errorf("loads %g and %g", e.Cases[0].System.Load, e.Cases[1].System.Load)
	}
}

func TestParseErrors(t *testing.T) {
	system := func(lines string) string { return "[[system]]\n" + lines }
	for text, want := range map[string]string{
		"":                  "empty",
		" \n\t":             "empty",
		"title = \"x\"":     "no [[system]]",
		"title = ":          "line 1",
		"\n\nnonsense = 3":  "line 3, column 1: unknown key nonsense",
		"\x00\x01":          "line 1",
		"[[system]]\nx = 1": "unknown key system.x",
		system("servers = 10\npolicy = \"jsq\"\nmethods = \"exact\""):                                                                                    "exactly one of load",
		system("servers = 10\nload = .5\npolicy = \"jsq\"\nmethods = \"exact\""):                                                                         "line 3",
		system("servers = 10\nload = 0.5\nspare = 1\npolicy = \"jsq\"\nmethods = \"exact\""):                                                             "exactly one of load",
		system("servers = 0\nload = 0.5\npolicy = \"jsq\"\nmethods = \"exact\""):                                                                         "servers = 0",
		system("servers = 1.5\nload = 0.5\npolicy = \"jsq\"\nmethods = \"exact\""):                                                                       "servers = 1.5",
		system("servers = \"many\"\nload = 0.5\npolicy = \"jsq\"\nmethods = \"exact\""):                                                                  "servers = \"many\"",
		system("servers = []\nload = 0.5\npolicy = \"jsq\"\nmethods = \"exact\""):                                                                        "servers = []",
		system("servers = 10\nload = 1.2\npolicy = \"jsq\"\nmethods = \"exact\""):                                                                        "load = 1.2",
		system("servers = 10\nload = nan\npolicy = \"jsq\"\nmethods = \"exact\""):                                                                        "load = NaN",
		system("servers = 10\nload = 0.5\npolicy = \"jqs\"\nmethods = \"exact\""):                                                                        "did you mean jsq",
		system("servers = 10\nload = 0.5\nmethods = \"exact\""):                                                                                          "policy = missing",
		system("servers = 10\nload = 0.5\npolicy = \"jsq\""):                                                                                             "methods = missing",
		system("servers = 10\nload = 0.5\npolicy = \"jsq\"\nmethods = \"meanfield\""):                                                                    "did you mean mean-field",
		system("servers = 10\nload = 0.5\npolicy = \"jsq\"\nmethods = \"exact\"\nquantities = \"p_wiat\""):                                               "did you mean p_wait",
		system("servers = 10\nload = 0.5\npolicy = \"jsq\"\nmethods = \"exact\"\nservice = \"erlang3\""):                                                 "erlang2",
		system("servers = 10\nload = 0.5\npolicy = \"jsq\"\nmethods = \"exact\"\nbuffer = -1"):                                                           "buffer = -1",
		system("servers = 10\nload = 0.5\npolicy = \"jsq\"\nmethods = \"exact\"\nevents = -1"):                                                           "events = -1",
		"[simulation]\nprecision = 2.0\n" + system("servers = 10\nload = 0.5\npolicy = \"jsq\"\nmethods = \"exact\""):                                    "precision = 2",
		"[simulation]\nsigmas = -1\n" + system("servers = 10\nload = 0.5\npolicy = \"jsq\"\nmethods = \"exact\""):                                        "sigmas = -1",
		"[simulation]\nseed = -1\n" + system("servers = 10\nload = 0.5\npolicy = \"jsq\"\nmethods = \"exact\""):                                          "seed = -1",
		"[simulation]\nlevel = 95\n" + system("servers = 10\nload = 0.5\npolicy = \"jsq\"\nmethods = \"exact\""):                                         "level = 95",
		"[[published]]\ndata = \"other\"":                                                                                                                "data = \"other\"",
		"[[published]]\ndata = \"power-of-d\"\nservers = 11":                                                                                             "no published row",
		"#" + strings.Repeat("x", MaxFileSize):                                                                                                           "larger than",
		system("servers = [" + strings.Repeat("1,", 200) + "1]\nload = [" + strings.Repeat("0.5,", 200) + "0.5]\npolicy = \"jsq\"\nmethods = \"exact\""): "combine to 40401 systems",
	} {
		_, err := Parse(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: error %v, want a mention of %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(string(BuiltInText()))
	f.Add("[[system]]\nservers = [1, 2]\nload = 0.5\npolicy = \"jsq\"\nmethods = \"exact\"")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, c := range e.Cases {
			if err := c.System.Validate(); err != nil {
				t.Errorf("accepted an invalid system: %v", err)
			}
		}
	})
}

func TestParseQuantity(t *testing.T) {
	for text, ok := range map[string]bool{"mean_jobs": true, "tail_1": true, "tail_64": true, "tail_0": false, "tail_65": false, "tail_": false, "jobs": false, "": false} {
		if _, err := ParseQuantity(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := predict(t.Context(), "guess", ctmc.System{}); err == nil {
		t.Error("an unknown method predicts")
	}
}
