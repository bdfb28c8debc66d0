package manifest

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func sample() *Manifest {
	return &Manifest{
		Schema: Schema, Program: ThisProgram("v1"), Command: "simulate",
		Arguments: []string{"simulate", "-n", "10"},
		Settings:  []Setting{{"load", "0.9", true}},
		Inputs:    []File{}, Outputs: []File{{Name: "a.csv", Bytes: 3, SHA256: "00", Content: "01"}},
		Repeats: true, Seconds: 0.5, Cites: []string{"qlimit"},
	}
}

// TestRoundTrip: what is written is what is read.
func TestRoundTrip(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.csv"+Suffix)
	want := sample()
	if err := want.Write(name); err != nil {
		t.Fatal(err)
	}
	got, err := Read(name)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, written %+v", got, want)
	}
}

func TestRefusals(t *testing.T) {
	for text, wanted := range map[string]string{
		``:                           "EOF",
		`{`:                          "unexpected EOF",
		`{"schema":1,"colour":2}`:    "unknown field",
		`{"schema":2}`:               "schema = 2 (must be 1)",
		`{"schema":1}`:               "no command",
		`{"schema":1,"command":"x"}`: "no command",
		`{"schema":1,"command":"x","arguments":["x"]} {}`: "follows",
		strings.Repeat(" ", MaxSize+1):                    "larger",
	} {
		if _, err := Parse(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%.40q: error %v, want %q", text, err, wanted)
		}
	}
}

// TestHashes against the published digest of the text "abc" (FIPS 180-2).
func TestHashes(t *testing.T) {
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	name := filepath.Join(t.TempDir(), "abc")
	if err := os.WriteFile(name, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := HashFile(name)
	if err != nil || file.SHA256 != abc || file.Bytes != 3 {
		t.Errorf("%+v, %v", file, err)
	}
	if got := HashText([]byte("abc")); got != abc {
		t.Errorf("HashText gives %s", got)
	}
	if _, err := HashFile(name + "-missing"); err == nil {
		t.Error("a missing file has a hash")
	}
}

func TestSameCode(t *testing.T) {
	p := Program{Version: "v1", Go: "go1.26", Executable: "e"}
	q := p
	if !p.SameCode(q) {
		t.Error("equal programs differ")
	}
	q.Executable = "f"
	if p.SameCode(q) {
		t.Error("other program files without revision are the same")
	}
	p.Revision, q.Revision = "abc0d", "abc0d"
	if !p.SameCode(q) {
		t.Error("the same revision differs")
	}
	p.Revision += modifiedMark
	q.Revision += modifiedMark
	if p.SameCode(q) {
		t.Error("changed files pass for the same")
	}
}

// FuzzParse: any text is a manifest or an error, never a panic.
func FuzzParse(f *testing.F) {
	f.Add(`{"schema":1,"command":"x","arguments":["x"]}`)
	f.Add(`{"schema":1,"inputs":[{"name":"a"}]}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, text string) {
		if m, err := Parse(strings.NewReader(text)); err == nil && len(m.Arguments) == 0 {
			t.Error("accepted without arguments")
		}
	})
}
