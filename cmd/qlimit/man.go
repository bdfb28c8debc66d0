package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"qlimit/internal/wholefile"
)

// pageDate stands at the foot of the manual pages, which are the same bytes
// whenever they are made.
var pageDate = time.Date(2026, time.November, 30, 0, 0, 0, 0, time.UTC)

func newManCommand(env *environment) *cobra.Command {
	var directory string
	c := &cobra.Command{
		Use:   "man [COMMAND...]",
		Short: "Manual pages",
		Long: `Print the manual page of a command, or write those of all commands into a
directory, where man finds them if it is named man1 on the MANPATH.`,
		Example: `  qlimit man simulate
  qlimit man --output-dir share/man/man1`,
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return classified(env.writeManualPages(c.Root(), args, directory))
	}
	c.Flags().Var(&fileName{&directory}, "output-dir", "write all pages into this `directory`")
	_ = c.MarkFlagDirname("output-dir")
	c.ValidArgsFunction = offerCommands(cobra.ShellCompDirectiveNoFileComp)
	return c
}

func (env *environment) writeManualPages(root *cobra.Command, words []string, directory string) error {
	if directory == "" {
		command, rest, err := root.Find(words)
		if err != nil || len(rest) > 0 {
			return badRequest("man %q (must be the words of a command, such as ctmc stationary%s)", shortened(strings.Join(words, " ")), wordSuggestion(root, words))
		}
		page, err := manualPage(command)
		if err != nil {
			return err
		}
		return env.deliver(page, nil)
	}
	if len(words) > 0 {
		return badRequest("man takes a command or --output-dir, not both")
	}
	if err := os.MkdirAll(directory, 0o777); err != nil {
		return environmentFailed("cannot create --output-dir %s: %w", directory, reason(err))
	}
	return env.writeTree(root, directory)
}

// writeTree writes the pages of a command and of those below it.
func (env *environment) writeTree(c *cobra.Command, directory string) error {
	page, err := manualPage(c)
	if err != nil {
		return err
	}
	name := filepath.Join(directory, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
	if err := wholefile.Write(name, page); err != nil {
		return environmentFailed("cannot write %s: %w", name, reason(err))
	}
	for _, child := range c.Commands() {
		if child.Name() == "help" {
			continue // which cobra gives to every group while it writes its page
		}
		if err := env.writeTree(child, directory); err != nil {
			return err
		}
	}
	return nil
}

func manualPage(c *cobra.Command) ([]byte, error) {
	var page bytes.Buffer
	c.DisableAutoGenTag = true
	date := pageDate
	header := &doc.GenManHeader{Section: "1", Date: &date, Source: "qlimit " + programVersion(), Manual: "qlimit"}
	err := doc.GenMan(c, header, &page)
	return page.Bytes(), err
}
