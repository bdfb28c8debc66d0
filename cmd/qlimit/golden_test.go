package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
)

var updateGolden = flag.Bool("update", false, "write testdata/golden anew")

// shapedCommands have the JSON shape of every command recorded, by calls that
// together show its fields. They run in order: sweep run needs its plan.
var shapedCommands = []string{
	"version",
	"cite ctmc",
	"service show --at 0,1.5",
	"service fit --scv 4",
	"service fit --data times.csv",
	"meanfield equilibrium --load 0.9 --policy pod:d=2 --service coxian:mean=1,scv=4",
	"meanfield equilibrium --load 0.9 --policy pull:memory=1,rate=1",
	"meanfield refine -n 10 --policy pod:d=2,replacement=true --load 0.7",
	"meanfield spectrum --policy random --load 0.5 --buffer 3",
	"meanfield trajectory --load 0.5 --start jobs=2 --at 0.5,1",
	"ctmc stationary -n 2 --load 0.9 --buffer 3",
	"ctmc response -n 2 --load 0.5 --at 0,1",
	"ctmc transient -n 2 --load 0.5 --buffer 3 --at 1,2 --total",
	"ctmc autocovariance -n 2 --load 0.5 --buffer 3 --at 0,1",
	"bound class-pi --policy sq:d=2 --rates 1x2 --levels 2",
	"bound class-pi --policy sq:d=2 --rates 1x2 --state 0,1",
	"bound collapse -n 10 --load 0.5 --buffer 2",
	"bound pooled -n 10 --load 0.5",
	"bound resources --load 0.5",
	"bound stability --policy sq:d=2 --rates 1x2",
	"bound stein -n 1e8 --load-exponent 0.2 --buffer 2",
	"bound terms -n 2 --load 0.5 --buffer 2 --samples 2000",
	"diffusion path --spare 1 --points 3",
	"diffusion price --spare 1",
	"diffusion stationary --spare 1",
	"diffusion stationary --process averaged-jsq -n 10 --spare 1",
	"diffusion transient --spare 1 --at 0.1",
	"figure list",
	"figure chain-total -n 2 --load 0.5 --buffer 2",
	"figure choices-tail --d 2 --servers 20 --events 2e4",
	"figure class-pi-examples",
	"figure collapse -n 10 --load 0.5 --buffer 2",
	"figure delay-resources --servers 10,20 --jobs 1e4",
	"figure expansion-error --servers 2,3",
	"figure expansion-means",
	"figure expansion-transient --servers 2 --buffer 2",
	"figure heavy-traffic --policies jsq,lsq:push=2 --slacks 1,0.5,0.25 --slots 2e4",
	"figure least-loaded --d 2",
	"figure nds-densities",
	"figure nds-growth --events 1e4",
	"figure nds-price --servers 20 --simulate 1 --events 1e4",
	"figure nds-response",
	"figure nds-transient",
	"figure nds-variability",
	"figure pull-surface --memories 1,2",
	"figure resource-map",
	"figure response-tail -n 2 --load 0.5 --buffer 2",
	"figure slotted-bursty --policies jsq,jiq --loads 0.9,0.95 --slots 2e4",
	"figure slotted-delay --T 1,100 --slots 2e4",
	"figure slotted-heavy --policies jsq,jiq --loads 0.9,0.95 --slots 2e4",
	"figure slotted-large --policies jsq,jiq --loads 0.9,0.95 --slots 2e4",
	"figure slotted-message-table --policies jsq,jiq --loads 0.5,0.9 --slots 2e4",
	"figure slotted-messages --T 1,100 --slots 2e4",
	"figure slotted-response --policies jsq,jiq --loads 0.5,0.9 --slots 2e4",
	"figure slotted-throughput --policies jsq,sq:d=2 --loads 0.2,0.4 --slots 2e4",
	"figure stein-bounds --servers 4 --events 1e4",
	"figure trajectory --policy jsq --load 0.9 --start jobs=2 --until 1",
	"figure plot load.toml",
	"simulate -n 5 --load 0.9 --buffer 3 --events 2e4",
	"simulate -n 5 --load 0.9 --policy pull:memory=1,rate=1 --events 2e4",
	"simulate --compare jsq,random -n 5 --load 0.9 --events 2e4",
	"simulate -n 5 --load 0.9 --samples own.csv --sample-count 2000",
	"simulate jobs -n 5 --load 0.9 --jobs 2e4",
	"simulate slotted --rates 1x2,3x2 --dispatchers 2 --policy lsq:push=1 --load 0.7 --slots 2e4",
	"simulate slotted --rates 1x2,3x2 --compare jsq,jiq --load 0.7 --slots 2e4",
	"predict -n 3 --load 0.5 --simulate --events 2e4",
	"validate mine.toml",
	"validate --data results.csv",
	"validate --stein samples.csv -n 10 --load 0.8",
	"sweep plan three.toml",
	"sweep run three.json",
	"sweep merge three.json",
	"rerun show.json.manifest.json",
}

// unshapedCommands print no JSON object of their own.
var unshapedCommands = map[string]string{
	"man":         "a page for man",
	"sweep slurm": "a script",
	"completion":  "a script",
	"figure all":  "needs a directory, and says where the files are",
}

// TestGoldenShapes: the JSON of each command has the fields, in the order and
// of the types, and its CSV the columns that testdata/golden records. Numbers
// have their own tests. Where a change is meant,
//
//	go test ./cmd/qlimit -run TestGoldenShapes -update
//
// records it; a field that is gone or means something else raises
// schemaVersion.
func TestGoldenShapes(t *testing.T) {
	golden := filepath.Join(projectRoot, "cmd", "qlimit", "testdata", "golden")
	t.Chdir(goldenFiles(t))
	shapes := map[string]string{}
	for _, line := range shapedCommands {
		name, shape := calledCommand(t, line), shapeOfCommand(t, line)
		if !strings.Contains(shape, "\ncommand = "+name) && name != "sweep plan" { // a plan has the command of its cells
			t.Errorf("%s answers under another name:\n%s", line, shape)
		}
		shapes[name] += "$ qlimit " + line + "\n" + shape + columnsOfCommand(t, line) + "\n"
	}
	for _, name := range workingCommands() {
		_, unshaped := unshapedCommands[name]
		if _, shaped := shapes[name]; shaped == unshaped {
			t.Errorf("qlimit %s is neither among the shapes nor excused from them, or both", name)
		}
	}
	if *updateGolden {
		writeGolden(t, golden, shapes)
	}
	for name, got := range shapes {
		want, err := os.ReadFile(goldenFile(golden, name))
		if err != nil {
			t.Errorf("%v (run with -update)", err)
		} else if string(want) != got {
			t.Errorf("qlimit %s answers in another shape:\n%s", name, lineDifference(string(want), got))
		}
	}
	checkFieldsDocumented(t, shapes)
	files, err := os.ReadDir(golden)
	if err != nil || len(files) != len(shapes) {
		t.Errorf("%d files for %d commands, %v", len(files), len(shapes), err)
	}
}

// envelope are the fields that docs/formats.md explains for all commands.
var envelope = []string{"schema", "command", "system", "service", "kind", "kinds", "status", "warnings"}

// checkFieldsDocumented holds the list of fields at the end of docs/formats.md
// against the shapes.
func checkFieldsDocumented(t *testing.T, shapes map[string]string) {
	t.Helper()
	var b strings.Builder
	for _, name := range workingCommands() {
		if reason, ok := unshapedCommands[name]; ok {
			fmt.Fprintf(&b, "- `%s`: %s\n", name, reason)
			continue
		}
		var fields []string
		for _, line := range strings.Split(shapes[name], "\n") {
			field, _, isField := strings.Cut(strings.TrimSuffix(line, "?"), ":")
			if isField && field == strings.TrimSpace(field) && !strings.HasPrefix(line, "$") && !slices.Contains(envelope, field) && !slices.Contains(fields, field) {
				fields = append(fields, field)
			}
		}
		fmt.Fprintf(&b, "- `%s`: %s\n", name, strings.Join(fields, ", "))
	}
	page := filepath.Join(projectRoot, "docs", "formats.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, listed, found := strings.Cut(string(text), "\n- `")
	if *updateGolden {
		if err := os.WriteFile(page, []byte(strings.TrimRight(before, "\n")+"\n\n"+b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if listed = "- `" + listed; !found || listed != b.String() {
		t.Errorf("docs/formats.md lists other fields:\n%s", lineDifference(listed, b.String()))
	}
}

// goldenFiles are the files of the documents, with the plan of a small sweep and a saved
// result.
func goldenFiles(t *testing.T) string {
	t.Helper()
	dir := documentedFiles(t)
	t.Chdir(dir)
	small := "command = \"simulate\"\nreplicates = 2\n[fixed]\nevents = 2e4\nservers = 5\n[[grid]]\npolicy = [\"jsq\", \"jiq\"]\nload = [0.8]\n"
	if err := os.WriteFile("three.toml", []byte(small), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"sweep plan three.toml --output three.json", "service show --format json --output show.json"} {
		if o := invoke(append(strings.Fields(line), "--quiet")...); o.code != exitDone {
			t.Fatal(o.stderr)
		}
	}
	return dir
}

func goldenFile(dir, command string) string {
	return filepath.Join(dir, strings.ReplaceAll(command, " ", "-")+".txt")
}

func writeGolden(t *testing.T, dir string, shapes map[string]string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range shapes {
		if err := os.WriteFile(goldenFile(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// calledCommand is the command that a line calls, without its arguments.
func calledCommand(t *testing.T, line string) string {
	t.Helper()
	c, _, err := newRoot(&environment{}).Find(strings.Fields(line))
	if err != nil {
		t.Fatal(err)
	}
	return commandName(c)
}

// workingCommands are the commands that do something; those that only hold
// others print their help.
func workingCommands() []string {
	var names []string
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.HasParent() && c.Name() != "help" && c.Parent().Name() != "completion" && c.Runnable() && (!c.HasAvailableSubCommands() || c.HasLocalFlags() && c.LocalNonPersistentFlags().HasAvailableFlags()) {
			names = append(names, commandName(c))
		}
		for _, child := range c.Commands() {
			visit(child)
		}
	}
	visit(newRoot(&environment{}))
	return names
}

func shapeOfCommand(t *testing.T, line string) string {
	t.Helper()
	o := invoke(append(strings.Fields(line), "--format", "json", "--quiet")...)
	if o.code != exitDone {
		t.Errorf("%s: exit code %d: %s", line, o.code, o.stderr)
		return ""
	}
	if strings.HasPrefix(line, "figure ") {
		checkPointKinds(t, line, o.stdout)
	}
	decoder := json.NewDecoder(strings.NewReader(o.stdout))
	value, err := readShape(decoder)
	if err != nil {
		t.Errorf("%s: %v", line, err)
		return ""
	}
	if _, err := decoder.Token(); err != io.EOF {
		t.Errorf("%s: more than one JSON value", line)
	}
	var b strings.Builder
	value.write(&b, "")
	return b.String()
}

// columnsOfCommand is the header of the CSV output; a plan has none.
func columnsOfCommand(t *testing.T, line string) string {
	t.Helper()
	o := invoke(append(strings.Fields(line), "--format", "csv", "--quiet")...)
	header, _, found := strings.Cut(o.stdout, "\n")
	if o.code != exitDone || !found {
		t.Errorf("%s as CSV: exit code %d: %s", line, o.code, o.stderr)
	}
	if header == "{" {
		return ""
	}
	return "csv = " + header + "\n"
}

// saidKinds are the kinds that the words of a legend promise.
var saidKinds = map[string]ctmc.Kind{
	"exact": ctmc.Exact, "limit": ctmc.Limit, "averaged": ctmc.Conjecture, "simulat": ctmc.Estimate,
	"upper bound": ctmc.UpperBound, "lower bound": ctmc.LowerBound,
}

// checkPointKinds: each number of a figure says what it is, as its legend does.
func checkPointKinds(t *testing.T, line, output string) {
	t.Helper()
	var figure struct {
		Kind   *ctmc.Kind
		Points []struct {
			Series    string
			Low, High *float64
			Kind      ctmc.Kind
		}
	}
	if err := json.Unmarshal([]byte(output), &figure); err != nil {
		t.Errorf("%s: %v", line, err)
	}
	for _, p := range figure.Points {
		if p.Kind == 0 || figure.Kind != nil && p.Kind != *figure.Kind {
			t.Errorf("%s: a point of series %q has kind %v, the figure %v", line, p.Series, p.Kind, figure.Kind)
			return
		}
		if p.Kind == ctmc.Estimate && (p.Low == nil || p.High == nil) {
			t.Errorf("%s: an estimate of series %q has no interval", line, p.Series)
			return
		}
		for word, kind := range saidKinds {
			if strings.Contains(p.Series, word) && p.Kind != kind {
				t.Errorf("%s: a point of series %q has kind %v", line, p.Series, p.Kind)
				return
			}
		}
	}
}

// shape is what is recorded of a JSON value: which types it has, for an object
// its fields, for an array the union of its entries, and the words that name
// the command and the kind of a number.
type shape struct {
	types  []string
	fields []*shapeField
	entry  *shape
	count  int // how often the value was met
}

type shapeField struct {
	name  string
	value *shape
	words []string
}

// wordFields are texts that are part of the contract.
var wordFields = []string{"command", "kind", "schema"}

// changingFields are of a type that depends on the circumstances: no warnings
// are an empty array, a build without version control has no revision.
var changingFields = map[string]string{"warnings": "array of string", "revision": "null | string"}

func readShape(d *json.Decoder) (*shape, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	s := &shape{count: 1}
	switch token := token.(type) {
	case json.Delim:
		if token == '[' {
			s.types = []string{"array"}
			for d.More() {
				entry, err := readShape(d)
				if err != nil {
					return nil, err
				}
				s.entry = union(s.entry, entry)
			}
			_, err := d.Token()
			return s, err
		}
		s.types = []string{"object"}
		for d.More() {
			if err := s.readField(d); err != nil {
				return nil, err
			}
		}
		_, err := d.Token()
		return s, err
	case nil:
		s.types = []string{"null"}
	case bool:
		s.types = []string{"bool"}
	case float64:
		s.types = []string{"number"}
	case string:
		s.types = []string{"string"}
	}
	return s, nil
}

func (s *shape) readField(d *json.Decoder) error {
	name, err := d.Token()
	if err != nil {
		return err
	}
	f := &shapeField{name: name.(string)}
	if slices.ContainsFunc(s.fields, func(other *shapeField) bool { return other.name == f.name }) {
		return fmt.Errorf("the field %s is there twice", f.name)
	}
	s.fields = append(s.fields, f)
	var text json.RawMessage
	if err := d.Decode(&text); err != nil {
		return err
	}
	if slices.Contains(wordFields, f.name) && !strings.ContainsAny(string(text[:1]), "[{") {
		f.words, f.value = []string{strings.Trim(string(text), `"`)}, &shape{count: 1}
		return nil
	}
	f.value, err = readShape(json.NewDecoder(bytes.NewReader(text)))
	return err
}

// union is a shape that fits both.
func union(a, b *shape) *shape {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	both := &shape{count: a.count + b.count, entry: union(a.entry, b.entry), types: slices.Clone(a.types), fields: a.fields}
	for _, name := range b.types {
		if !slices.Contains(both.types, name) {
			both.types = append(both.types, name)
		}
	}
	slices.Sort(both.types)
	for _, f := range b.fields {
		i := slices.IndexFunc(both.fields, func(other *shapeField) bool { return other.name == f.name })
		if i < 0 {
			both.fields = append(both.fields, f)
			continue
		}
		known := both.fields[i]
		known.value = union(known.value, f.value)
		for _, word := range f.words {
			if !slices.Contains(known.words, word) {
				known.words = append(known.words, word)
			}
		}
		slices.Sort(known.words)
	}
	return both
}

// write lists the shape, a field to a line; ? marks those that not every
// object of an array has.
func (s *shape) write(b *strings.Builder, indent string) {
	for _, f := range s.fields {
		mark := ""
		if f.value.count < s.count {
			mark = "?"
		}
		if f.words != nil {
			fmt.Fprintf(b, "%s%s%s = %s\n", indent, f.name, mark, strings.Join(f.words, " | "))
			continue
		}
		text, inner := f.value.text(), f.value.inner()
		if always, ok := changingFields[f.name]; ok {
			text = always
		}
		fmt.Fprintf(b, "%s%s%s: %s\n", indent, f.name, mark, text)
		if inner.common() == "" {
			inner.write(b, indent+"  ")
		}
	}
}

// commonObjects stand in many places and are recorded by their name. Numbers
// that do not exist are null in them.
var commonObjects = map[string]string{
	"estimate half_width level effective_sample standard_error degrees_of_freedom batches lag1 correlation_times kind status warnings": "estimate",
	"mu1 p mu2 mean scv skewness text": "law",
}

// common is the name of an object that is one of those.
func (s *shape) common() string {
	var names []string
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	return commonObjects[strings.Join(names, " ")]
}

// text names the types and what an array holds.
func (s *shape) text() string {
	list := strings.Join(s.types, " | ")
	if name := s.common(); name != "" {
		list = strings.Replace(list, "object", name, 1)
	}
	if s.entry != nil {
		list += " of " + s.entry.text()
	}
	return list
}

// inner is the shape whose fields follow: the innermost entry of arrays.
func (s *shape) inner() *shape {
	for s.entry != nil {
		s = s.entry
	}
	return s
}

// lineDifference lists the lines that only one of two texts has.
func lineDifference(want, got string) string {
	var b strings.Builder
	a, c := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range a {
		if !slices.Contains(c, line) {
			fmt.Fprintf(&b, "- %s\n", line)
		}
	}
	for _, line := range c {
		if !slices.Contains(a, line) {
			fmt.Fprintf(&b, "+ %s\n", line)
		}
	}
	if b.Len() == 0 {
		b.WriteString("the order of the fields, or where they stand\n")
	}
	return b.String()
}

// TestShape: a field renamed, gone, moved or of another type is another shape.
func TestShape(t *testing.T) {
	text := func(object string) string {
		s, err := readShape(json.NewDecoder(strings.NewReader(object)))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		s.write(&b, "")
		return b.String()
	}
	base := `{"schema":1,"a":2,"kind":"exact","rows":[{"x":1,"y":"u"},{"x":null}]}`
	want := "schema = 1\na: number\nkind = exact\nrows: array of object\n  x: null | number\n  y?: string\n"
	if got := text(base); got != want {
		t.Errorf("%s has shape\n%s", base, got)
	}
	for _, other := range [][2]string{{`"a"`, `"b"`}, {`"a":2,`, ``}, {`"x":1,"y":"u"`, `"y":"u","x":1`}, {`exact`, `limit`}, {`:2`, `:"2"`}, {`"schema":1`, `"schema":2`}, {`"y":"u"`, `"y":{}`}} {
		if changed := strings.Replace(base, other[0], other[1], 1); text(changed) == want {
			t.Errorf("%s has the same shape", changed)
		}
	}
	if _, err := readShape(json.NewDecoder(strings.NewReader(`{"a":1,"a":2}`))); err == nil {
		t.Error("a field twice is taken")
	}
}
