package main

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"qlimit/internal/manifest"
)

//go:embed literature.bib
var literature string

// programKey is the entry of the program itself, cited by every run.
const programKey = "qlimit"

// citation says that commands whose name begins so, run with a flag value that
// begins so, rest on some works.
type citation struct {
	command string
	flag    string // "" for every run of the command
	value   string
	keys    []string
}

var (
	exactChainWorks = []string{"GrassmannTaksarHeyman1985"}
	slottedWorks    = []string{"ZhouWuTanSunShroff2017", "ZhouShroffWierman2021"}
	resourceWorks   = []string{"GamarnikTsitsiklisZubeldia2018", "GamarnikTsitsiklisZubeldia2020"}
)

// citations are the works behind the commands.
var citations = []citation{
	{command: "meanfield", keys: []string{"Mitzenmacher2001"}},
	{command: "meanfield refine", keys: []string{"GastVanHoudt2017", "GastBortolussiTribastone2019"}},
	{command: "ctmc", keys: exactChainWorks},
	{command: "diffusion", keys: []string{"GuptaWalton2019"}},
	{command: "diffusion", flag: "process", value: "halfin-whitt", keys: []string{"HalfinWhitt1981"}},
	{command: "figure nds", keys: []string{"GuptaWalton2019"}},
	{command: "bound stein", keys: []string{"LiuGongYing2022", "LiuYing2020"}},
	{command: "bound collapse", keys: []string{"LiuGongYing2022", "LiuYing2020"}},
	{command: "bound pooled", keys: []string{"EryilmazSrikant2012"}},
	{command: "bound stability", keys: slottedWorks},
	{command: "bound class-pi", keys: slottedWorks},
	{command: "bound resources", keys: resourceWorks},
	{command: "simulate slotted", keys: slottedWorks},
	{command: "simulate slotted", flag: "policy", value: "lsq", keys: []string{"VargaftikKeslassyOrda2020"}},
	{command: "simulate slotted", flag: "policy", value: "local-", keys: []string{"VargaftikKeslassyOrda2020"}},
	{command: "figure slotted", keys: slottedWorks},
	{command: "simulate jobs", flag: "policy", value: "ll", keys: []string{"HellemansVanHoudt2018"}},
	{command: "", flag: "policy", value: "i1f", keys: []string{"GuptaWalton2019"}},
	{command: "", flag: "policy", value: "pull", keys: []string{"GamarnikTsitsiklisZubeldia2018"}},
	{command: "validate", keys: []string{"Mitzenmacher2001", "GrassmannTaksarHeyman1985"}},
	{command: "predict", keys: []string{"Mitzenmacher2001", "GrassmannTaksarHeyman1985", "GastVanHoudt2017",
		"GastBortolussiTribastone2019", "GuptaWalton2019", "HalfinWhitt1981", "LiuGongYing2022", "EryilmazSrikant2012", "GamarnikTsitsiklisZubeldia2020"}},
}

// citationsOf lists the keys of the works a run rests on, the program first.
func citationsOf(c *cobra.Command) []string {
	keys := citationKeys(commandName(c), func(flag string) string {
		if f := c.Flags().Lookup(flag); f != nil {
			return f.Value.String()
		}
		return ""
	})
	if key := c.Annotations[paperKey]; key != "" && !slices.Contains(keys, key) {
		keys = append(keys, key)
	}
	return keys
}

func citationKeys(command string, value func(flag string) string) []string {
	keys := []string{programKey}
	for _, c := range citations {
		applies := strings.HasPrefix(command, c.command) &&
			(c.flag == "" || strings.HasPrefix(value(c.flag), c.value))
		for _, key := range c.keys {
			if applies && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

type citeOptions struct {
	*environment
	of []string
}

func newCiteCommand(env *environment) *cobra.Command {
	o := &citeOptions{environment: env}
	c := leaf(&cobra.Command{
		Use:   "cite [MANIFEST | COMMAND...]",
		Short: "BibTeX entries of the program and of the methods that a run used",
		Long: `Print BibTeX entries: with the manifest of a saved result those of the methods
that the run used, with the words of a command those it rests on, without an
argument all. The entry of the program comes first.`,
		Example: `  qlimit cite
  qlimit cite diffusion price > references.bib
  qlimit simulate -n 10 --load 0.9 --policy i1f --events 1e5 --output run.csv --format csv
  qlimit cite run.csv.manifest.json`,
	}, o.run)
	c.Args = func(_ *cobra.Command, args []string) error {
		o.of = args
		return nil
	}
	c.ValidArgsFunction = offerCommands(cobra.ShellCompDirectiveDefault)
	return c
}

func (o *citeOptions) run(context.Context) error {
	entries := bibliography()
	keys, err := o.keys(entries)
	if err != nil {
		return err
	}
	if o.format == formatTable {
		var text strings.Builder
		for i, key := range keys {
			if i > 0 {
				text.WriteByte('\n')
			}
			text.WriteString(entries.text[key])
		}
		return o.deliver([]byte(text.String()), nil)
	}
	list := &records{name: "entries", group: -1, fields: []recordField{{name: "key", heading: "key"}, {name: "bibtex", heading: "bibtex"}}}
	for _, key := range keys {
		list.rows = append(list.rows, []any{key, entries.text[key]})
	}
	return o.show(&report{command: "cite", records: list})
}

func (o *citeOptions) keys(entries bibliographyEntries) ([]string, error) {
	switch {
	case len(o.of) == 0:
		return entries.keys, nil
	case len(o.of) == 1 && strings.Contains(o.of[0], "."):
		m, err := manifest.Read(o.of[0])
		if err != nil {
			return nil, badRequest("cannot use %s: %w%s", o.of[0], reason(err), manifestBeside(o.of[0]))
		}
		for _, key := range m.Cites {
			if entries.text[key] == "" {
				return nil, badRequest("%s: cites %q (must be among the keys that qlimit cite prints)", o.of[0], shortened(key))
			}
		}
		return m.Cites, nil
	}
	name := strings.Join(o.of, " ")
	root := newRoot(&environment{stdout: o.stdout, stderr: o.stderr})
	command, rest, err := root.Find(o.of)
	if err != nil || len(rest) > 0 || command == root {
		return nil, badRequest("cite %q (must be a manifest, FILE%s, or the words of a command such as diffusion price%s)", shortened(name), manifest.Suffix, wordSuggestion(root, o.of))
	}
	return citationsOf(command), nil
}

// bibliographyEntries are BibTeX entries by key, in their order.
type bibliographyEntries struct {
	keys []string
	text map[string]string
}

var entryKey = regexp.MustCompile(`^@\w+\{(\w+),`)

func bibliography() bibliographyEntries {
	entries := bibliographyEntries{text: map[string]string{}}
	for _, entry := range strings.Split(strings.TrimSpace(literature), "\n\n") {
		match := entryKey.FindStringSubmatch(entry)
		if match == nil {
			panic(fmt.Sprintf("literature.bib: no key in %q", entry))
		}
		key := match[1]
		entries.keys = append(entries.keys, key)
		entries.text[key] = strings.ReplaceAll(entry, "@VERSION@", programVersion()) + "\n"
	}
	return entries
}
