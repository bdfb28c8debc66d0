package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	if err := os.WriteFile(filepath.Join(dir, "mine.toml"), []byte(mine), 0o666); err != nil {
		t.Fatal(err)
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
	if !matches(s.output, strings.Split(strings.TrimRight(o.stdout, "\n"), "\n")) {
		t.Errorf("the document shows\n%s\nthe program prints\n%s", strings.Join(s.output, "\n"), o.stdout)
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
