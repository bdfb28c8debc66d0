package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// shown is a command in a document with the output printed below it; a line
// "..." stands for any lines.
type shown struct {
	place   string
	command string
	output  []string
}

// commandsShown reads the console blocks of a document.
func commandsShown(t *testing.T, path string) []shown {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []shown
	inside := false
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case inside && strings.HasPrefix(line, "$ "):
			list = append(list, shown{place: filepath.Base(path), command: strings.TrimPrefix(line, "$ ")})
		case inside && len(list) > 0:
			last := &list[len(list)-1]
			last.output = append(last.output, line)
		}
	}
	return list
}

// TestDocumentedCommands runs every command shown in the README and the docs
// and compares its output with what is printed there.
func TestDocumentedCommands(t *testing.T) {
	documents, err := filepath.Glob(filepath.Join(projectRoot, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	t.Chdir(documentedFiles(t))
	for _, path := range append(documents, filepath.Join(projectRoot, "README.md")) {
		for _, s := range commandsShown(t, path) {
			count++
			t.Run(s.place+": "+s.command, func(t *testing.T) { s.check(t) })
		}
	}
	if count < 5 {
		t.Errorf("only %d commands found in the documents", count)
	}
}

// projectRoot is the top of the project, noted before any change of directory.
var projectRoot = func() string {
	root, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return root
}()

// documentedFiles makes a directory with the files that documents speak of.
func documentedFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	mine := "[simulation]\nevents = 1e5\n[[system]]\nservers = 3\nload = 0.5\nbuffer = 3\npolicy = \"jsq\"\nmethods = \"exact\"\n"
	times := "seconds\n" + strings.Repeat("0.2\n0.9\n1.4\n0.1\n5.5\n", 8)
	results := "policy,servers,load,quantity,value,half_width\njsq,2,0.8,mean_jobs,2.365,0.004\nrandom,4,0.5,mean_response,2.003,0.01\n"
	three := "command = \"simulate\"\nreplicates = 2\n[fixed]\nevents = 2e4\n[[grid]]\npolicy = [\"jsq\", \"jiq\", \"i1f\"]\nservers = [10, 100]\nload = [0.8, 0.9, 0.95]\n"
	load := "title = \"Mean response\"\n[x]\nflag = \"load\"\nvalues = [0.5, 0.7, 0.9]\n[y]\nquantity = \"mean_response\"\n[fixed]\nservers = 100\n" +
		"[[line]]\ncommand = \"meanfield equilibrium\"\npolicy = [\"jsq\", \"pod:d=2\"]\n[[line]]\ncommand = \"simulate\"\npolicy = [\"jsq\", \"pod:d=2\"]\nevents = 2e4\n"
	for name, text := range map[string]string{"results.csv": results, "load.toml": load, "mine.toml": mine, "times.csv": times, "three.toml": three} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	samples := invoke("simulate", "-n", "10", "--load", "0.8", "--sample-count", "20000", "--samples", filepath.Join(dir, "samples.csv"), "--quiet")
	if samples.code != exitDone {
		t.Fatal(samples.stderr)
	}
	return dir
}

func (s shown) check(t *testing.T) {
	words := strings.Fields(s.command)
	if words[0] != "qlimit" {
		t.Fatalf("not a command of this program")
	}
	o := invoke(words[1:]...)
	if o.code != exitDone {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	var printed []string
	if o.stdout != "" {
		printed = strings.Split(strings.TrimRight(o.stdout, "\n"), "\n")
	}
	if !matches(s.output, printed) {
		t.Errorf("the document shows\n%s\nthe program prints\n%s", strings.Join(s.output, "\n"), o.stdout)
	}
}

// TestStudies runs the worked studies with short simulations and looks whether
// every line of their figures is there.
func TestStudies(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(projectRoot, "examples", "studies", "*", "README.md"))
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d studies, %v", len(pages), err)
	}
	events := regexp.MustCompile(`events = \S+`)
	for _, page := range pages {
		t.Run(filepath.Base(filepath.Dir(page)), func(t *testing.T) {
			plot, err := os.ReadFile(filepath.Join(filepath.Dir(page), "plot.toml"))
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			if err := os.WriteFile("plot.toml", events.ReplaceAll(plot, []byte("events = 2e4")), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, s := range commandsShown(t, page) {
				s.check(t)
			}
			spec, err := parsePlot(bytes.NewReader(plot))
			if err != nil {
				t.Fatal(err)
			}
			lines, err := spec.lines()
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile("figure.csv")
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range lines {
				if !strings.Contains(string(data), line.label) {
					t.Errorf("the figure lacks the line %q", line.label)
				}
			}
		})
	}
}

// matches compares lines; "..." matches any number of them.
func matches(want, got []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case want[0] == "...":
		for skip := 0; skip <= len(got); skip++ {
			if matches(want[1:], got[skip:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && want[0] == got[0] && matches(want[1:], got[1:])
}

// TestMatches: the comparison can fail.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		want, got string
		ok        bool
	}{{"a b", "a b", true}, {"a ...", "a b c", true}, {"a ... c", "a b c", true}, {"a ... d", "a b c", false}, {"a", "a b", false}, {"...", "", true}} {
		if matches(strings.Fields(c.want), strings.Fields(c.got)) != c.ok {
			t.Errorf("%q against %q: not %v", c.want, c.got, c.ok)
		}
	}
}

// TestLinks: every relative link of the documents leads to a file.
func TestLinks(t *testing.T) {
	documents, err := filepath.Glob(filepath.Join(projectRoot, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	documents = append(documents, filepath.Join(projectRoot, "README.md"), filepath.Join(projectRoot, "CONTRIBUTING.md"), filepath.Join(projectRoot, "examples", "README.md"))
	studies, err := filepath.Glob(filepath.Join(projectRoot, "examples", "studies", "*", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	documents = append(documents, studies...)
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(document), match[1])); err != nil {
				t.Errorf("%s: %v", filepath.Base(document), err)
			}
		}
	}
}

// exampleWords splits an example of --help as a shell does (nothing quoted has
// spaces) and adds what makes a simulation in it short.
func exampleWords(line string) []string {
	words := strings.Fields(strings.ReplaceAll(line, `"`, ""))
	if at := slices.Index(words, ">"); at > 0 {
		words = words[:at]
	}
	if len(words) < 3 {
		return words
	}
	simulates := words[1] == "simulate" || words[1] == "predict" && slices.Contains(words, "--simulate")
	switch name := words[2]; {
	case words[1] == "figure" && strings.HasPrefix(name, "slotted-"), words[1] == "simulate" && name == "slotted":
		return append(words, "--slots", "2e4")
	case words[1] == "simulate" && name == "jobs":
		return append(words, "--jobs", "1e5")
	case simulates, name == "nds-growth", name == "nds-price" && !slices.Contains(words, "--curves-only"):
		return append(words, "--events", "2e5")
	}
	return words
}

// TestExamplesOfHelp runs the examples that --help shows, simulations with
// fewer events and the built-in experiment not at all: it has its own test.
func TestExamplesOfHelp(t *testing.T) {
	t.Chdir(documentedFiles(t))
	count := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, line := range strings.Split(c.Example, "\n") {
			words := exampleWords(line)
			if len(words) < 2 || strings.Join(words, " ") == "qlimit validate" || strings.Contains(line, "--output-dir") {
				continue
			}
			count++
			t.Run(strings.TrimSpace(line), func(t *testing.T) {
				if o := invoke(words[1:]...); o.code != exitDone {
					t.Errorf("exit code %d: %s", o.code, o.stderr)
				}
			})
		}
		for _, child := range c.Commands() {
			visit(child)
		}
	}
	visit(newRoot(&environment{}))
	if count < 12 {
		t.Errorf("only %d examples found", count)
	}
}

// TestReadmeNamesTheTwoCommands that set up the project.
func TestReadmeNamesTheTwoCommands(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(projectRoot, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"go run ./cmd/qlimit validate", "go test ./..."} {
		if !strings.Contains(string(text), command) {
			t.Errorf("README does not show %q", command)
		}
	}
}
