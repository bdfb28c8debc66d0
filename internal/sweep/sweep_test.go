package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"qlimit/internal/manifest"
)

const specText = `
title = "test"
command = "ctmc stationary"
seed = 5
replicates = 2
[fixed]
buffer = 3
service = "erlang2"
[[grid]]
policy = ["jsq", "jiq"]
load = [0.5, 0.75, 9e-1]
[[grid]]
policy = "i1f"
load = 0.5
[[grid]]
policy = "jsq"
load = 0.5
`

func testPlan(t *testing.T) *Plan {
	t.Helper()
	spec, err := ParseSpec(strings.NewReader(specText))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := NewPlan(spec, manifest.Program{Version: "v1", Go: "go1.26", Revision: "abc"})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestPlan: 2 x 3 + 1 combinations, the repeated one once, two replicates each.
func TestPlan(t *testing.T) {
	plan := testPlan(t)
	if len(plan.Cells) != 14 {
		t.Fatalf("%d cells, want 14", len(plan.Cells))
	}
	want := []string{"ctmc", "stationary", "--buffer=3", "--service=erlang2", "--load=0.5", "--policy=jiq", "--seed=6"}
	if got := plan.Arguments(plan.Cells[3]); !reflect.DeepEqual(got, want) {
		t.Errorf("cell 4 runs %q, want %q", got, want)
	}
	seen := map[string]bool{}
	for i, c := range plan.Cells {
		if seen[c.ID] || !strings.HasPrefix(c.ID, fmt.Sprintf("%06d-", i+1)) {
			t.Errorf("cell %d has the id %s", i+1, c.ID)
		}
		seen[c.ID] = true
	}
	other := *plan
	other.Program.Revision = "abd"
	if other.cellID(0) == plan.cellID(0) {
		t.Error("the id of a cell does not depend on the code")
	}
}

// TestPlanIsImmutable: a plan is read as it was written, a changed one refused,
// another one does not replace it.
func TestPlanIsImmutable(t *testing.T) {
	plan := testPlan(t)
	name := filepath.Join(t.TempDir(), "plan.json")
	for range 2 {
		if err := plan.Write(name); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadPlan(name)
	if err != nil || !reflect.DeepEqual(got, plan) {
		t.Fatalf("read %+v, %v", got, err)
	}
	text, _ := os.ReadFile(name)
	edited := strings.Replace(string(text), "erlang2", "exp", 1)
	if _, err := ParsePlan(strings.NewReader(edited)); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Errorf("an edited plan: %v", err)
	}
	if err := os.WriteFile(name, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := plan.Write(name); err == nil {
		t.Error("another plan was replaced")
	}
}

// measured gives an estimate whose value is the load plus the seed.
func measured(_ context.Context, arguments []string) (Outcome, error) {
	load, seed := 0.0, 0.0
	for _, a := range arguments {
		if v, ok := strings.CutPrefix(a, "--load="); ok {
			load, _ = strconv.ParseFloat(v, 64)
		}
		if v, ok := strings.CutPrefix(a, "--seed="); ok {
			seed, _ = strconv.ParseFloat(v, 64)
		}
	}
	o := Outcome{Header: []string{"quantity", "value", "half_width", "load"}, Rows: [][]string{
		{"mean", fmt.Sprint(load + seed), "0.3", "x"},
		{"exact", "7", "", "x"},
	}}
	if seed == 5 {
		o.Rows = append(o.Rows, []string{"tail", "1", "1", "x"})
	}
	return o, nil
}

func quiet(int, int) {}

func finish(t *testing.T, plan *Plan, directory string, shards ...Shard) *Merged {
	t.Helper()
	for _, s := range shards {
		did, err := plan.Run(context.Background(), directory, s, measured, quiet)
		if err != nil || len(did.Failed) > 0 || did.Computed+did.Finished != did.Cells {
			t.Fatalf("shard %+v: %+v, %v", s, did, err)
		}
	}
	m, missing, err := plan.Merge(directory)
	if err != nil || missing != nil {
		t.Fatalf("merge: %v, missing %v", err, missing)
	}
	return m
}

// TestShardsDoNotMatter: the same table however the cells were shared out, in
// which order, and how often they were run.
func TestShardsDoNotMatter(t *testing.T) {
	plan := testPlan(t)
	whole := finish(t, plan, t.TempDir(), Shard{1, 1})
	for _, shards := range [][]Shard{
		{{2, 3}, {3, 3}, {1, 3}}, {{1, 2}, {1, 2}, {2, 2}},
		{{20, 20}, {1, 20}, {2, 5}, {3, 5}, {4, 5}, {5, 5}, {1, 5}},
	} {
		if got := finish(t, plan, t.TempDir(), shards...); !reflect.DeepEqual(got, whole) {
			t.Errorf("shards %v give %v, want %v", shards, got, whole)
		}
	}
	wantHeader := []string{"load", "policy", "quantity", "value", "half_width", "result.load"}
	if !reflect.DeepEqual(whole.Header, wantHeader) {
		t.Errorf("header %q", whole.Header)
	}
	// Loads 0.5 + seeds 5 and 6: mean 6, half width sqrt(2 x 0.09)/2; the row that
	// one replicate lacks is left out.
	want := []string{"0.5", "jsq", "mean", "6", "0.21213203435596426", "x"}
	if !reflect.DeepEqual(whole.Rows[0], want) || len(whole.Rows) != 14 {
		t.Errorf("%d rows, the first is %q, want %q", len(whole.Rows), whole.Rows[0], want)
	}
}

// TestShardCount: the shards of any division hold all cells once.
func TestShardCount(t *testing.T) {
	plan := testPlan(t)
	for n := 1; n <= 20; n++ {
		total := 0
		for k := 1; k <= n; k++ {
			total += Shard{k, n}.Count(plan)
		}
		if total != len(plan.Cells) {
			t.Errorf("%d shards hold %d cells, want %d", n, total, len(plan.Cells))
		}
	}
}

// TestDamagedAndMissing: whatever is wrong with a file, its cell counts as
// missing, is computed again, and the result is what it would have been.
func TestDamagedAndMissing(t *testing.T) {
	plan, directory := testPlan(t), t.TempDir()
	whole := finish(t, plan, directory, Shard{1, 1})
	for what, damage := range map[string]func(text string) string{
		"cut off":       func(text string) string { return text[:len(text)/2] },
		"empty":         func(string) string { return "" },
		"other outcome": func(text string) string { return strings.Replace(text, `"7"`, `"8"`, 1) },
		"other plan":    func(text string) string { return strings.Replace(text, plan.ID, "0", 1) },
		"other command": func(text string) string { return strings.Replace(text, "--load=0.5", "--load=0.6", 1) },
	} {
		name := FileName(directory, plan.Cells[2])
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(damage(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
		merged, missing, err := plan.Merge(directory)
		if merged != nil || err != nil || len(missing) != 1 || missing[0].Cell.ID != plan.Cells[2].ID {
			t.Errorf("%s: merge gives %v, %v, %v", what, merged, missing, err)
		}
		if got := finish(t, plan, directory, Shard{1, 1}); !reflect.DeepEqual(got, whole) {
			t.Errorf("%s: the repaired sweep differs", what)
		}
	}
}

// TestFailedCell: the others go on; a later run computes what failed.
func TestFailedCell(t *testing.T) {
	plan, directory := testPlan(t), t.TempDir()
	bad := errors.New("bad day")
	did, err := plan.Run(context.Background(), directory, Shard{1, 1}, func(ctx context.Context, a []string) (Outcome, error) {
		if a[len(a)-2] == "--policy=i1f" {
			return Outcome{}, bad
		}
		return measured(ctx, a)
	}, quiet)
	if err != nil || len(did.Failed) != 2 || !errors.Is(did.Failed[0].Err, bad) || did.Computed != 12 {
		t.Fatalf("%+v, %v", did, err)
	}
	if _, missing, _ := plan.Merge(directory); len(missing) != 2 {
		t.Errorf("missing %v", missing)
	}
	did, err = plan.Run(context.Background(), directory, Shard{1, 1}, measured, quiet)
	if err != nil || did.Finished != 12 || did.Computed != 2 {
		t.Errorf("second run: %+v, %v", did, err)
	}
}

// TestInterrupted: what is finished stays, the cell under way leaves nothing.
func TestInterrupted(t *testing.T) {
	plan, directory := testPlan(t), t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	did, err := plan.Run(ctx, directory, Shard{1, 1}, func(ctx context.Context, a []string) (Outcome, error) {
		if n++; n == 4 {
			cancel()
		}
		return measured(ctx, a)
	}, quiet)
	if !errors.Is(err, context.Canceled) || did.Computed != 3 {
		t.Errorf("%+v, %v", did, err)
	}
	if entries, _ := os.ReadDir(directory); len(entries) != 3 {
		t.Errorf("%d files, want 3", len(entries))
	}
}

func TestUnequalReplicates(t *testing.T) {
	one := Outcome{Header: []string{"quantity", "value", "half_width"}, Rows: [][]string{{"m", "1", ""}}}
	two := Outcome{Header: one.Header, Rows: [][]string{{"m", "2", ""}}}
	if _, err := pool([]Outcome{one, two}); err == nil {
		t.Error("exact values that differ were pooled")
	}
	empty := Outcome{Header: one.Header, Rows: [][]string{{"m", "", ""}}}
	if got, err := pool([]Outcome{one, empty}); err != nil || got.Rows[0][1] != "" {
		t.Errorf("a value that one replicate lacks: %v, %v", got, err)
	}
}

func TestSpecRefusals(t *testing.T) {
	for text, wanted := range map[string]string{
		``:                                         "command",
		`command = 3`:                              "line 1",
		`comand = "simulate"`:                      "unknown key comand",
		`command = "simulate"`:                     "[[grid]]",
		"command = \"x\"\nseed = -1":               "seed = -1",
		"command = \"x\"\nreplicates = 0":          "replicates = 0",
		"command = \"x\"\n[[grid]]\nload = []":     "load = []",
		"command = \"x\"\n[[grid]]\nload = [1, 1]": "twice",
		"command = \"x\"\n[[grid]]\nload = [[1]]":  "must be a text",
		"command = \"x\"\n[[grid]]\nload = [nan]":  "must be a text",
		"command = \"x\"\n[[grid]]\nseed = [1]":    "not for single cells",
		"command = \"x\"\n[fixed]\noutput = \"f\"\n[[grid]]\nload = 1":  "not for single cells",
		"command = \"x\"\n[fixed]\nload = 2\n[[grid]]\nload = 1":        "[fixed] too",
		"command = \"x\"\nreplicates = 1000000\n[[grid]]\nload = [1,2]": "2000000 cells",
		strings.Repeat("#", MaxSpecSize+1):                              "larger",
	} {
		if _, err := ParseSpec(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%.60q: error %v, want %q", text, err, wanted)
		}
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{"a/b.json": "a/b.json", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$x": "'$x'"} {
		if got := Quote(text); got != want {
			t.Errorf("%q becomes %s, want %s", text, got, want)
		}
	}
}

func FuzzParseSpec(f *testing.F) {
	f.Add(specText)
	f.Add("command = \"simulate\"\n[[grid]]\nload = [0.5]")
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := ParseSpec(strings.NewReader(text))
		if err != nil || spec.cellCount() > 1000 {
			return
		}
		plan, err := NewPlan(spec, manifest.Program{})
		if err != nil {
			t.Fatal(err)
		}
		written, err := plan.Text()
		if err != nil {
			t.Fatal(err)
		}
		if read, err := ParsePlan(strings.NewReader(string(written))); err != nil || read.ID != plan.ID {
			t.Errorf("the plan of %q is not read back: %v", text, err)
		}
	})
}

func FuzzParsePlan(f *testing.F) {
	f.Add(`{"schema":1,"command":["x"],"cells":[{}],"replicates":1}`)
	f.Add(`{}`)
	f.Fuzz(func(t *testing.T, text string) {
		if plan, err := ParsePlan(strings.NewReader(text)); err == nil && len(plan.Cells) == 0 {
			t.Error("accepted without cells")
		}
	})
}
