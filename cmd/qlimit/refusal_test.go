package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// refusals are wrong requests: the call and what the message must contain.
var refusals = []struct{ command, message string }{
	// commands and flags
	{"frobnicate", `unknown command "frobnicate"`},
	{"servise show", "did you mean service?"},
	{"meanfield equilibrum", "did you mean equilibrium?"},
	{"ctmc statonary", "did you mean stationary?"},
	{"ctmc statonary -n 3 --load 0.5", "did you mean stationary?"},
	{"meanfield equilibrum --policy jsq --load 0.5", "did you mean equilibrium?"},
	{"pridict -n 10 --load 0.9", "did you mean predict?"},
	{"simulate slottd --rates 1x5 --load 0.9", `unexpected argument "slottd" for "qlimit simulate" (did you mean slotted?`},
	{"help simulat", "did you mean simulate?"},
	{"cite nothing.csv", "cannot use nothing.csv: no such file"},
	{"man simulat", "did you mean simulate?"},
	{"cite diffusion prise", "did you mean diffusion price?"},
	{"predict -n 10 --load 0.9 --policy ll:d=2", "simulate jobs takes ll"},
	{"simulate -n 10 --load 0.9 --policy sed", "simulate slotted takes sed"},
	{"completion bsh", "did you mean bash?"},
	{"simulate 10", `unexpected argument "10"`},
	{"simulate --servres 10", "did you mean --servers?"},
	{"simulate -x", "unknown flag -x"},
	{"simulate --servers", "--servers has no value"},
	{"version --format jsn", "did you mean json?"},
	{"version --format xml", "one of table, csv, json, markdown"},
	{"version --output=", "the name of a file"},
	{"version --seed -1", "seed = -1 (must be an integer between 0 and 18446744073709551615)"},
	{"version --threads -1", "threads = -1 (must be an integer >= 0"},

	// load
	{"ctmc stationary -n 2", "give one of --load, --spare, --load-exponent"},
	{"ctmc stationary -n 2 --load 0.9 --spare 1", "--load and --spare were both given"},
	{"ctmc stationary -n 2 --load 0", "load = 0 (must be a number > 0)"},
	{"ctmc stationary -n 2 --load 0 --buffer 3", "load = 0 (must be a number > 0)"},
	{"ctmc stationary -n 2 --load -1", "load = -1 (must be a number > 0)"},
	{"ctmc stationary -n 2 --load 1", "load = 1 (must be < 1 with an unlimited buffer)"},
	{"meanfield equilibrium --load 1.2", "load = 1.2 (must be < 1 with an unlimited buffer)"},
	{"simulate -n 2 --load 1.2", "load = 1.2 (must be < 1 with an unlimited buffer)"},
	{"simulate -n 2 --load NaN", "load = NaN (must be a number > 0)"},
	{"simulate -n 2 --load Inf --buffer 3", "load = Inf (must be a number > 0)"},
	{"simulate -n 2 --load 1e400 --buffer 3", "load = 1e400 (must be a number > 0)"},
	{"simulate -n 2 --load 0x1p-1", "load = 0x1p-1"},
	{"meanfield equilibrium --spare 1", "--spare needs --servers"},
	{"meanfield equilibrium --load-exponent 0.5", "--load-exponent needs --servers"},
	{"meanfield equilibrium --spare 10 -n 10", "spare = 10 (must be > 0 and < the number of servers, 10)"},
	{"meanfield equilibrium --spare 0 -n 10", "spare = 0 (must be > 0"},
	{"meanfield equilibrium --load-exponent 0 -n 10", "load-exponent = 0 (must be a number > 0)"},
	{"meanfield equilibrium --load-exponent 50 -n 10", "the load rounds to 1"},
	{"meanfield equilibrium --load-exponent 1 -n 1", "used with 2 servers or more"},
	{"meanfield equilibrium --load 1 --buffer 4 --policy jsq", "is not unique"},
	{"simulate -n 10 --load 1 --buffer 4 --policy jsq --start fluid", "is not unique"},

	// servers
	{"simulate --load 0.9", "--servers is missing"},
	{"simulate --load 0.9 -n 0", "servers = 0 (must be an integer between 1 and 1e15)"},
	{"simulate --load 0.9 -n -3", "servers = -3 (must be an integer between 1 and 1e15)"},
	{"simulate --load 0.9 -n 10.5", "servers = 10.5 (must be an integer between 1 and 1e15)"},
	{"simulate --load 0.9 -n 1e16", "servers = 1e16 (must be an integer between 1 and 1e15)"},
	{"simulate --load 0.9 -n 1e999999999", "servers = 1e999999999"},
	{"simulate --load 0.9 -n 2e9", "servers = 2000000000 (must be at most 1e9"},
	{"ctmc stationary --load 0.9 -n 1e9", "(must be at most 2e+06 for this method)"},
	{"ctmc stationary --load 0.9 -n 1e15 --buffer 1000", "states"},

	// buffer
	{"simulate --load 0.9 -n 2 --buffer -1", "buffer = -1 (must be an integer >= 1, or 0 for unlimited)"},
	{"simulate --load 0.9 -n 2 --buffer 1.5", "buffer = 1.5"},
	{"simulate --load 0.9 -n 2 --buffer 1e10", "buffer = 1e10"},
	{"meanfield equilibrium --load 0.9 --buffer 2e9 --policy pod:d=2", "buffer = 2e+09 (must be at most"},

	// policy
	{"simulate --load 0.9 -n 10 --policy jsw", "did you mean jsq?"},
	{"simulate --load 0.9 -n 10 --policy jsq:d=2", `unknown option "d"`},
	{"simulate --load 0.9 -n 10 --policy pod", "write pod:d=2"},
	{"simulate --load 0.9 -n 10 --policy pod:d=0", "d = 0 (must be an integer between 1 and 1e15)"},
	{"simulate --load 0.9 -n 10 --policy pod:d=-1", "d = -1"},
	{"simulate --load 0.9 -n 10 --policy pod:d=2.5", "d = 2.5"},
	{"simulate --load 0.9 -n 10 --policy pod:d=11", "d = 11 (must be between 1 and the number of servers, 10)"},
	{"simulate --load 0.9 -n 10 --policy pod:d=2,replacement=perhaps", "replacement = perhaps (must be true or false)"},
	{"simulate --load 0.9 -n 10 --policy jiq:fallback=pof:d=2", "did you mean pod?"},

	// service
	{"service show --service coxain", "did you mean \"coxian\"?"},
	{"service show --service coxian:mu1=2,p=1.1,mu2=1", "p = 1.1 (must be in [0, 1])"},
	{"service show --service coxian:mu1=2,p=-0.1,mu2=1", "p = -0.1 (must be in [0, 1])"},
	{"service show --service coxian:mu1=0,p=0.5,mu2=1", "mu1 = 0 (must be > 0)"},
	{"service show --service coxian:mu1=-1,p=0.5,mu2=1", "mu1 = -1 (must be > 0)"},
	{"service show --service coxian:mu1=NaN,p=0.5,mu2=1", "mu1"},
	{"service show --service coxian:mu1=2,p=0.5,mu2=Inf", "mu2"},
	{"simulate --load 0.9 -n 10 --service coxian:mean=1,scv=0.4", "nearest attainable value 0.5"},
	{"service show --at 1,x", "at = 1,x (must be numbers separated by commas)"},
	{"service show --at NaN", "at = NaN"},
	{"service fit", "--scv is missing"},
	{"service fit --scv 0.4", "nearest attainable value 0.5"},
	{"service fit --scv 0.4 --format json", "nearest attainable value 0.5"},
	{"service fit --scv NaN", "scv = NaN"},
	{"service fit --scv 4 --skew 1", "> 3.0625 at scv 4"},
	{"service fit --scv 0.7 --skew 3", "nearest attainable value 1.878"},
	{"service fit --scv 4 --mean 0", "mean = 0 (must be a number > 0)"},
	{"service fit --scv 4 --method em", "--method needs --data"},
	{"service fit --data no-such-file.csv", "no such file"},
	{"service fit --data testdata", "is a directory"},

	// settings of the methods
	{"simulate --load 0.9 -n 10 --events 0", "events = 0"},
	{"simulate --load 0.9 -n 10 --events 100", "events = 100 (must be at least"},
	{"simulate --load 0.9 -n 10 --precision 0", "precision = 0"},
	{"simulate --load 0.9 -n 10 --precision 120%", "precision = 120%"},
	{"simulate --load 0.9 -n 10 --level 1.5", "level = 1.5"},
	{"simulate --load 0.9 -n 10 --replications 1", "replications = 1 (must be an integer between 4 and 10000)"},
	{"simulate --load 0.9 -n 10 --warmup -3", "warmup = -3 (must be auto, none or a time >= 0)"},
	{"simulate --load 0.9 -n 10 --start flud", "did you mean fluid?"},
	{"ctmc stationary --load 0.9 -n 2 --method jacobi", "one of auto, gth, gauss-seidel, gauss-seidel-aggregation, krylov"},
	{"ctmc stationary --load 0.9 -n 2 --tolerance 0", "tolerance = 0"},
	{"figure expansion-error --servers 2,4 --load 1e-9", "load = 1e-09 (must be so large that the approximations have errors): mean field has none that the exact chain resolves"},
	{"ctmc stationary --load 0.9 -n 2 --max-states 3", "(must be at most 3 for this method)"},
}

// A wrong request ends with exit code 2, one line on standard error that says
// what is wrong, and nothing on standard output.
func TestRefusals(t *testing.T) {
	for _, c := range refusals {
		o := invoke(strings.Fields(c.command)...)
		if o.code != exitRequest {
			t.Errorf("%s: exit code %d, want %d", c.command, o.code, exitRequest)
		}
		if o.stdout != "" {
			t.Errorf("%s: standard output %q", c.command, o.stdout)
		}
		if !strings.HasPrefix(o.stderr, "qlimit: ") || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: standard error %q, want one line from qlimit", c.command, o.stderr)
		}
		if !strings.Contains(o.stderr, c.message) {
			t.Errorf("%s: %q does not contain %q", c.command, o.stderr, c.message)
		}
		if strings.Contains(o.stderr, "Usage:") || strings.Contains(o.stderr, "goroutine") {
			t.Errorf("%s: %q", c.command, o.stderr)
		}
	}
}

// An empty argument is refused like any other wrong value.
func TestEmptyValues(t *testing.T) {
	for _, flag := range []string{"--load", "--servers", "--buffer", "--policy", "--service", "--events", "--seed"} {
		o := invoke("simulate", "-n", "10", "--load", "0.9", flag, "")
		if o.code != exitRequest || o.stdout != "" {
			t.Errorf("%s '': exit code %d, stdout %q, stderr %q", flag, o.code, o.stdout, o.stderr)
		}
	}
}

// What looks extreme but is legitimate is answered.
func TestLegitimateExtremes(t *testing.T) {
	for _, command := range []string{
		"ctmc stationary -n 1 --load 0.5",
		"ctmc stationary -n 2 --load 1 --buffer 3",
		"ctmc stationary -n 2 --load 1.2 --buffer 3",
		"ctmc stationary -n 10 --load 0.9 --buffer 1",
		"ctmc stationary -n 4 --load 0.9 --buffer 2 --policy pod:d=1",
		"ctmc stationary -n 4 --load 0.9 --buffer 2 --policy pod:d=4",
		"meanfield equilibrium --load 1.2 --buffer 1 --policy pod:d=2",
		"meanfield equilibrium --load 1 --buffer 4 --policy jiq",
		"simulate -n 1000000000 --load 0.9 --events 2e4",
		"simulate -n 1 --load 0.9 --events 2e4",
		"simulate -n 10 --load 1 --buffer 4 --events 2e4",
		"simulate -n 10 --load 0.9 --buffer 1 --events 2e4",
		"service show --service coxian:mu1=2,p=0,mu2=9",
		"service fit --scv 0.5",
		"help simulate",
		"completion bash",
		"service",
		"--version",
	} {
		if o := invoke(strings.Fields(command)...); o.code != exitDone || o.stdout == "" || o.stderr != "" {
			t.Errorf("%s: exit code %d, stderr %q", command, o.code, o.stderr)
		}
	}
}

type panickingWriter struct{}

func (panickingWriter) Write([]byte) (int, error) { panic("broken\nwriter") }

// A fault of the program is reported in one line without a stack.
func TestInternalError(t *testing.T) {
	var stderr bytes.Buffer
	code := run(context.Background(), []string{"version"}, panickingWriter{}, &stderr)
	if code != exitEnvironment || !strings.HasPrefix(stderr.String(), "qlimit: internal error: broken writer") || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}
