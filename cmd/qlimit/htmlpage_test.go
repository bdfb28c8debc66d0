package main

import (
	"encoding/xml"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// reportPage runs a command with --report and returns the page and its file.
func reportPage(t *testing.T, want int, args ...string) (page, name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "report.html")
	if o := invoke(append(args, "--quiet", "--report", name)...); o.code != want {
		t.Fatalf("%v: exit code %d: %s", args, o.code, o.stderr)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), name
}

// hostile is an experiment whose words are markup.
const hostile = `title = "<script>alert(1)</script> & \"quotes\""
[simulation]
events = 1e5
[[system]]
group = "<img src=x onerror=alert(2)>"
servers = [2, 3]
load = 0.5
buffer = 3
policy = "jsq"
methods = "exact"
`

// pages are one of each mode.
func pages(t *testing.T) map[string]string {
	t.Helper()
	dir := documentedFiles(t)
	toml := filepath.Join(dir, "hostile.toml")
	if err := os.WriteFile(toml, []byte(hostile), 0o666); err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	list["experiment"], _ = reportPage(t, exitDone, "validate", toml)
	list["data"], _ = reportPage(t, exitDone, "validate", "--data", filepath.Join(dir, "results.csv"))
	list["samples"], _ = reportPage(t, exitDone, "validate", "--stein", filepath.Join(dir, "samples.csv"), "-n", "10", "--load", "0.8")
	list["rejected"], _ = reportPage(t, exitValidation, "validate", "--stein", filepath.Join(dir, "samples.csv"), "-n", "10", "--load", "0.7")
	return list
}

// TestReportPage: a page is well formed, holds nothing from outside and no
// markup of the user's, and says in words what it shows.
func TestReportPage(t *testing.T) {
	outside := regexp.MustCompile(`(?i)^(script|img|iframe|link|object|embed|src|href|srcset|xlink|on.*)$`)
	for mode, page := range pages(t) {
		// HTML that is XML apart from the void elements and the doctype.
		text := strings.NewReplacer("<!DOCTYPE html>", "", `charset="utf-8">`, `charset="utf-8"/>`, `initial-scale=1">`, `initial-scale=1"/>`, `light dark">`, `light dark"/>`).Replace(page)
		decoder := xml.NewDecoder(strings.NewReader(text))
		count := map[string]int{}
		for {
			token, err := decoder.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: not well formed: %v", mode, err)
			}
			if start, ok := token.(xml.StartElement); ok {
				count[start.Name.Local]++
				names := []string{start.Name.Local}
				for _, attribute := range start.Attr {
					names = append(names, attribute.Name.Local)
				}
				for _, one := range names {
					if outside.MatchString(one) {
						t.Errorf("%s: %s in <%s>: the page refers to something outside or holds foreign markup", mode, one, start.Name.Local)
					}
				}
			}
		}
		if strings.Contains(page, "url(") || strings.Contains(page, "@import") {
			t.Errorf("%s: the style refers to something outside", mode)
		}
		for _, want := range []string{`<html lang="en">`, `name="viewport"`, `prefers-color-scheme: dark`, `role="img" aria-label="`, `<th scope="col">`, `<th scope="row">`, `&#34;program&#34;`, `--policy`} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %s", mode, want)
			}
		}
		if count["svg"] != 1 || count["title"] < 2 || count["desc"] != 1 || count["caption"] != count["table"] || count["h1"] != 1 || count["main"] != 1 {
			t.Errorf("%s: elements %v", mode, count)
		}
		if marks := count["circle"] + count["rect"] - 1; marks < 2 {
			t.Errorf("%s: %d marks in the picture", mode, marks)
		}
	}
}

// TestReportRepeats: the page of a run does not depend on the clock.
func TestReportRepeats(t *testing.T) {
	dir := documentedFiles(t)
	t.Chdir(dir)
	read := func() string {
		if o := invoke(strings.Fields("validate mine.toml --quiet --report page.html")...); o.code != exitDone {
			t.Fatal(o.stderr)
		}
		text, err := os.ReadFile("page.html")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if first := read(); first != read() {
		t.Error("the page changes from run to run")
	}
}

func TestReportRefusals(t *testing.T) {
	if o := invoke("validate", "mine.toml", "--report", ""); o.code != exitRequest || !strings.Contains(o.stderr, "report = ") {
		t.Errorf("empty name: exit code %d, stderr %q", o.code, o.stderr)
	}
	t.Chdir(documentedFiles(t))
	if o := invoke("validate", "mine.toml", "--report", filepath.Join("nowhere", "x.html")); o.code != exitEnvironment || !strings.Contains(o.stderr, "cannot write --report") {
		t.Errorf("no directory: exit code %d, stderr %q", o.code, o.stderr)
	}
}

// TestReportInBrowser opens a page in headless Chromium, where there is one, as
// wide as a phone and in the dark.
func TestReportInBrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("no Chromium")
	}
	_, name := reportPage(t, exitDone, "validate", "--data", filepath.Join(documentedFiles(t), "results.csv"))
	picture := filepath.Join(t.TempDir(), "page.png")
	address := url.URL{Scheme: "file", Path: name}
	command := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=390,844", "--screenshot="+picture, address.String())
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if info, err := os.Stat(picture); err != nil || info.Size() < 5000 {
		t.Errorf("screenshot: %v, %v", info, err)
	}
	dump, err := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", address.String()).Output()
	if err != nil || !strings.Contains(string(dump), "every row is explained by theory") {
		t.Errorf("%v: the page shows\n%.300s", err, dump)
	}
}
