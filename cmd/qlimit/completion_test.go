package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/validate/sim"
)

// complete is what a shell is offered after some words.
func complete(words ...string) (offers []string, directive string) {
	lines := strings.Split(strings.TrimSpace(invoke(append([]string{cobra.ShellCompRequestCmd}, words...)...).stdout), "\n")
	last := len(lines) - 1
	return lines[:last], lines[last]
}

// TestShellsOfferEveryPolicy: a form for every name that the flag takes, and none
// whose name it does not take.
func TestShellsOfferEveryPolicy(t *testing.T) {
	withoutPull := slices.DeleteFunc(ctmc.PolicyNames(), func(name string) bool { return name == "pull" })
	for command, names := range map[string][]string{
		"predict":          withoutPull,
		"simulate":         ctmc.PolicyNames(),
		"simulate jobs":    sim.JobPolicyNames(),
		"simulate slotted": slotted.PolicyNames(),
	} {
		offers, _ := complete(append(strings.Fields(command), "--policy", "")...)
		var offered []string
		for _, offer := range offers {
			name, _, _ := strings.Cut(offer, ":")
			if !slices.Contains(offered, name) {
				offered = append(offered, name)
			}
		}
		slices.Sort(offered)
		if !slices.Equal(offered, names) {
			t.Errorf("%s --policy offers %v, takes %v", command, offered, names)
		}
	}
}

// TestShellsWaitForValues: no blank after a form that is not over.
func TestShellsWaitForValues(t *testing.T) {
	for begun, want := range map[string]string{"pod": ":6", "jsq": ":4", "jiq": ":4", "jiq:": ":6"} {
		if _, directive := complete("simulate", "--policy", begun); directive != want {
			t.Errorf("--policy %s ends with %s, want %s", begun, directive, want)
		}
	}
}

// TestChoicesAreOffered: every flag that takes one of a list of names offers
// that list, and no description of a flag shows the quotes of its placeholder.
func TestChoicesAreOffered(t *testing.T) {
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		words := strings.Fields(c.CommandPath())[1:]
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if v, ok := f.Value.(*choice); ok {
				if offers, _ := complete(append(slices.Clone(words), "--"+f.Name+"=")...); !slices.Equal(offers, v.names) {
					t.Errorf("%s --%s offers %q, takes %q", c.CommandPath(), f.Name, offers, v.names)
				}
			}
		})
		if offers, _ := complete(append(words, "--")...); strings.Contains(strings.Join(offers, ""), "`") {
			t.Errorf("%s --: the shell would show %q", c.CommandPath(), offers)
		}
		for _, child := range c.Commands() {
			if child.IsAvailableCommand() {
				check(child)
			}
		}
	}
	check(newRoot(&environment{format: formatTable}))
}

// TestManualPagesAreThoseOfCommands: every page belongs to something that can be
// called, and none to the help command, which a group does not have.
func TestManualPagesAreThoseOfCommands(t *testing.T) {
	directory := t.TempDir()
	if r := invoke("man", "--output-dir", directory); r.code != exitDone {
		t.Fatal(r.stderr)
	}
	pages, err := os.ReadDir(directory)
	if err != nil || len(pages) < 50 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	if group, err := os.ReadFile(filepath.Join(directory, "qlimit-bound.1")); err != nil || !strings.Contains(string(group), "qlimit bound COMMAND") {
		t.Errorf("the page of a group asks for no command: %v\n%s", err, group)
	}
	for _, page := range pages {
		name := strings.TrimSuffix(page.Name(), filepath.Ext(page.Name()))
		if strings.HasSuffix(name, "-help") {
			t.Errorf("a page of %s", name)
		}
	}
}
