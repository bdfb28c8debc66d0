package main

import (
	"strings"
	"testing"
)

// Work whose size shows only on the way ends at a limit, with what there is and
// exit code 4, or is done however extreme the request looks.
func TestLimitsOnTheWay(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		command string
		code    int
		stdout  string // part of it; "" for none at all
		stderr  string
	}{
		{"meanfield trajectory --load 0.9 --start jobs=1000 --at 1,1e300 --max-work 1e6", exitNotConverged, "work limit reached", "work limit reached"},
		{"meanfield trajectory --load 0.999999 --policy pull:memory=1,rate=1 --at 1e15 --max-work 1e5", exitNotConverged, "work limit reached", "work limit reached"},
		{"figure trajectory --load 0.9 --start jobs=1000 --until 1e300 --max-work 1e6 --output own.svg", exitNotConverged, "", "give earlier times, fewer jobs at the start"},
		{"ctmc response -n 2 --load 0.7 --at 1,1e15,1e300", exitDone, "1e+300", ""},
		{"ctmc response -n 2 --load 0.7 --service erlang2 --at 1.7e308", exitDone, "1.7e+308", ""},
		{"bound terms -n 10 --load 0.9 --buffer 3 --service coxian:mean=1,scv=1e6", exitNotConverged, "", "exact chain: stagnated"},
		{"simulate -n 1000000000 --load 0.9 --events 2e4 --start empty --policy pull:memory=1e15,rate=1e50", exitDone, "mean_jobs", ""},
		{"simulate -n 10 --load 0.9 --events 2e4 --precision 1e-300", exitDone, "no run is long", ""},
		{"predict -n 1e9 --load 0.9 --buffer 50", exitDone, "states = more than 1e308", ""},
	} {
		o := invoke(strings.Fields(c.command)...)
		if o.code != c.code || !strings.Contains(o.stdout, c.stdout) || c.stdout == "" && o.stdout != "" || !strings.Contains(o.stderr, c.stderr) {
			t.Errorf("%s: exit code %d, stderr %q, stdout %q", c.command, o.code, o.stderr, o.stdout)
		}
		for _, wrong := range []string{"NaN", "Inf", "goroutine"} {
			if strings.Contains(o.stdout+o.stderr, wrong) {
				t.Errorf("%s: prints %s", c.command, wrong)
			}
		}
	}
}
