package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func onlyFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %v, want %v", dir, got, want)
	}
}

// TestOutputNamesTheFormat: the extension decides unless --format is given, for
// series of figures too.
func TestOutputNamesTheFormat(t *testing.T) {
	for _, command := range []string{"service show", "figure nds-price --curves-only --servers 20"} {
		for extension, want := range map[string]string{".csv": formatCSV, ".JSON": formatJSON, ".md": formatMarkdown, ".txt": formatTable} {
			for _, given := range []string{"", formatMarkdown} {
				name := filepath.Join(t.TempDir(), "result"+extension)
				saving := command + " --output " + name
				format := want
				if given != "" {
					saving, format = saving+" --format "+given, given
				}
				if o := invoke(strings.Fields(saving)...); o.code != exitDone {
					t.Fatalf("%s: %+v", saving, o)
				}
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if shown := invoke(strings.Fields(command + " --format " + format)...).stdout; string(text) != shown {
					t.Errorf("%s holds\n%s\nwant\n%s", saving, text, shown)
				}
			}
		}
	}
}

func TestOutputFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "law.json")
	o := invoke("service", "show", "--format", "json", "--output", name)
	if o.code != exitDone || o.stdout != "" || o.stderr != "" {
		t.Fatalf("%+v", o)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if want := invoke("service", "show", "--format", "json").stdout; string(text) != want {
		t.Errorf("file %q, standard output %q", text, want)
	}
	onlyFiles(t, dir, "law.json", "law.json.manifest.json")
}

// A file is replaced as a whole, keeps its permissions, and is left alone when
// the request is wrong.
func TestOutputReplacesWhole(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(name, link); err != nil {
		t.Skip("no symbolic links here")
	}
	if o := invoke("simulate", "-n", "10", "--load", "1.2", "--output", name); o.code != exitRequest {
		t.Errorf("exit code %d", o.code)
	}
	if text, _ := os.ReadFile(name); string(text) != "old" {
		t.Errorf("a refused request wrote %q", text)
	}
	if o := invoke("version", "--output", link); o.code != exitDone {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	if text, _ := os.ReadFile(name); !strings.HasPrefix(string(text), "qlimit version") {
		t.Errorf("the link was replaced, not the file: %q", text)
	}
	if info, _ := os.Stat(name); info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v, want 0600", info.Mode().Perm())
	}
	onlyFiles(t, dir, "a.txt", "b.txt", "b.txt.manifest.json")
}

func TestUnwritableOutput(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{filepath.Join(dir, "missing", "x.json"), dir} {
		for _, command := range []string{"version", "ctmc stationary -n 2 --load 0.5", "simulate -n 2 --load 0.5 --events 1e12", "meanfield equilibrium --load 0.5"} {
			o := invoke(append(strings.Fields(command), "--output", name)...)
			if o.code != exitEnvironment || o.stdout != "" || !strings.Contains(o.stderr, "cannot write --output "+name) {
				t.Errorf("%s: %+v", command, o)
			}
		}
	}
	onlyFiles(t, dir)
}

// A device is written to, never replaced.
func TestOutputToDevice(t *testing.T) {
	if o := invoke("version", "--output", os.DevNull); o.code != exitDone {
		t.Errorf("%+v", o)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is no device any more", os.DevNull)
	}
}
