package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// fluidPath is an entry of the reference paths, see
// meanfield/testdata/README.md.
type fluidPath struct {
	Policy  string  `json:"policy"`
	D       int     `json:"d"`
	Load    float64 `json:"lambda_"`
	Service struct{ Mu1, P, Mu2 float64 }
	Buffer  int
	Start   string
	T       []float64
	Jobs    []float64 `json:"jobs_per_server"`
	Idle    []float64
	OneJob  []float64 `json:"one_job"`
	Changes []float64 `json:"regime_changes"`
}

var fluidStarts = map[string]string{
	"two": "jobs=2", "three2": "jobs=3,phase=2", "mixed": "0:0.2,1.1:0.1,1.2:0.1,3.1:0.3,3.2:0.3",
	"empty": "empty",
}

func (p fluidPath) command() string {
	policy := p.Policy
	if policy == "pod" {
		policy = fmt.Sprintf("pod:d=%d", p.D)
	}
	var at []string
	for _, t := range p.T {
		at = append(at, strconv.FormatFloat(t, 'g', -1, 64))
	}
	return fmt.Sprintf("meanfield trajectory --policy %s --load %g --buffer %d --service coxian:mu1=%g,p=%g,mu2=%g --start %s --at %s --format json",
		policy, p.Load, p.Buffer, p.Service.Mu1, p.Service.P, p.Service.Mu2, fluidStarts[p.Start], strings.Join(at, ","))
}

// TestTrajectoryCommand holds the command against paths computed by other
// software: values to 2e-7, times of regime changes to 1e-7.
func TestTrajectoryCommand(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(projectRoot, "meanfield", "testdata", "meanfield_trajectory.json"))
	if err != nil {
		t.Fatal(err)
	}
	var reference struct{ Cases []fluidPath }
	if err := json.Unmarshal(text, &reference); err != nil {
		t.Fatal(err)
	}
	for _, want := range reference.Cases {
		command := want.command()
		if want.Service.P == 0 && want.Start == "mixed" || fluidStarts[want.Start] == "" {
			t.Fatalf("reference start %q is new here", want.Start)
		}
		o := invoke(strings.Fields(command)...)
		if o.code != exitDone {
			t.Errorf("%s: %s", command, o.stderr)
			continue
		}
		var got struct {
			T, Jobs, Idle []float64
			Levels        [][]float64
			Changes       []float64 `json:"regime_changes"`
		}
		if err := json.Unmarshal([]byte(o.stdout), &got); err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		for k := range want.T {
			for _, pair := range [][2]float64{{got.T[k], want.T[k]}, {got.Jobs[k], want.Jobs[k]}, {got.Idle[k], want.Idle[k]}, {got.Levels[k][1], want.OneJob[k]}} {
				if math.Abs(pair[0]-pair[1]) > 2e-7 {
					t.Errorf("%s: at %g: %.10g, want %.10g", command, want.T[k], pair[0], pair[1])
				}
			}
		}
		if !sameTimes(got.Changes, want.Changes) {
			t.Errorf("%s: regime changes %v, want %v", command, got.Changes, want.Changes)
		}
	}
}

func sameTimes(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if math.Abs(a[k]-b[k]) > 1e-7 {
			return false
		}
	}
	return true
}

// TestRefineCommand: the published size expansion of power-of-two with
// replacement, ten servers, load 0.9: 2.3527, 2.7513, 2.8045.
func TestRefineCommand(t *testing.T) {
	got := invokeJSON(t, "meanfield refine -n 10 --policy pod:d=2,replacement=true --load 0.9")
	for field, want := range map[string]float64{
		"mean_jobs_limit": 2.3527, "mean_jobs_order1": 2.7513, "mean_jobs_order2": 2.8045,
	} {
		if value, ok := got[field].(float64); !ok || math.Abs(value-want) > 5.1e-5 {
			t.Errorf("%s = %v, want %g", field, got[field], want)
		}
	}
	if value := got["correction1"].(float64); math.Abs(value-3.98642699) > 1e-8 {
		t.Errorf("correction1 = %.10g", value)
	}
	for _, policy := range []string{"jsq", "jiq", "i1f"} {
		o := invoke(strings.Fields("meanfield refine -n 10 --load 0.9 --policy " + policy)...)
		if o.code != exitRequest || !strings.Contains(o.stderr, "kink") {
			t.Errorf("%s: exit %d, %s", policy, o.code, o.stderr)
		}
	}
	distrusted := invoke(strings.Fields("meanfield refine -n 10 --load 0.95 --policy pod:d=4,replacement=true")...)
	if !strings.Contains(distrusted.stdout, "not trustworthy") {
		t.Error("no warning where the second order is worse than the first")
	}
}

// TestSpectrumCommand: random routing with a buffer of one job is the linear
// equation q' = λ(1-q) - q, whose only rate is 1 + λ.
func TestSpectrumCommand(t *testing.T) {
	got := invokeJSON(t, "meanfield spectrum --policy random --load 0.5 --buffer 1")
	if gap := got["gap"].(float64); math.Abs(gap-1.5) > 1e-12 {
		t.Errorf("gap = %.15g, want 1.5", gap)
	}
	if time := got["relaxation_time"].(float64); math.Abs(time-1/1.5) > 1e-12 {
		t.Errorf("relaxation time = %.15g", time)
	}
	values := got["eigenvalues"].([]any)
	if first := values[0].(map[string]any); math.Abs(first["re"].(float64)+1.5) > 1e-12 || first["im"].(float64) != 0 {
		t.Errorf("eigenvalues %v", values)
	}
}

// TestFigureCommand: every format appears complete, the data are the series,
// and a bad request leaves nothing.
func TestFigureCommand(t *testing.T) {
	dir := t.TempDir()
	base := "figure trajectory --policy jsq --load 0.9 --service erlang2 --buffer 6 --start jobs=2 --until 15 "
	for extension, head := range map[string]string{"pdf": "%PDF", "svg": "<", "png": "\x89PNG", "tex": "%"} {
		file := filepath.Join(dir, "path."+extension)
		o := invoke(strings.Fields(base + "--output " + file + " --data " + filepath.Join(dir, extension+".csv"))...)
		if o.code != exitDone {
			t.Fatalf("%s: %s", extension, o.stderr)
		}
		text, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(text), head) {
			t.Errorf("%s begins with %.8q, %v", extension, text, err)
		}
		data, err := os.ReadFile(filepath.Join(dir, extension+".csv"))
		if err != nil || strings.Count(string(data), "\n") < 400 {
			t.Errorf("%s: %d lines of data, %v", extension, strings.Count(string(data), "\n"), err)
		}
	}
	before := len(filesIn(t, dir))
	for _, bad := range []string{"--output " + filepath.Join(dir, "path.gif"), "--start nowhere --output " + filepath.Join(dir, "a.pdf"), "--until -1 --output " + filepath.Join(dir, "a.pdf")} {
		if o := invoke(strings.Fields(base + bad)...); o.code != exitRequest || o.stdout != "" {
			t.Errorf("%s: exit %d, %s", bad, o.code, o.stderr)
		}
	}
	if after := len(filesIn(t, dir)); after != before {
		t.Errorf("%d files appeared", after-before)
	}
	points := invokeJSON(t, strings.TrimSpace(base))["points"].([]any)
	if len(points) < 1000 {
		t.Errorf("%d points listed", len(points))
	}
	if list := invoke("figure", "list"); !strings.Contains(list.stdout, "trajectory") {
		t.Errorf("figure list: %s", list.stdout)
	}
}

func filesIn(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}
