package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"qlimit/internal/nearest"
)

// environment holds the streams and the flags that every command shares.
type environment struct {
	stdout *watchedWriter
	stderr io.Writer

	format  string
	output  string
	quiet   bool
	seed    uint64
	threads int

	record  record               // of the files written, for the manifest
	capture func(content []byte) // takes the result instead of any file, if not nil
}

func newRoot(env *environment) *cobra.Command {
	root := group("qlimit", "Theory of load-balanced queues, held against simulation",
		`qlimit computes what theory says about N parallel servers behind a dispatcher
(join-the-shortest-queue, join-the-idle-queue, idle-one-first, power-of-d) and
holds it against exact chains and simulation.

Times are in the unit of the service law as written; a law without explicit
rates has mean 1. Means are per server. Every number carries its kind: exact,
limit, upper-bound, lower-bound, conjecture or estimate.`,
		newPredictCommand(env),
		newServiceCommand(env),
		newMeanFieldCommand(env),
		newChainCommand(env),
		newDiffusionCommand(env),
		newBoundCommand(env),
		withSubcommands(newSimulateCommand(env, runSimulate), newJobsCommand(env, runJobs), newSimulateSlottedCommand(env, runSimulateSlotted)),
		newValidateCommand(env, runValidate),
		newFigureCommand(env),
		newSweepCommand(env),
		newRerunCommand(env),
		newCiteCommand(env),
		newManCommand(env),
		newVersionCommand(env, runVersion),
	)
	root.AddCommand(helpTopics()...)
	root.Example = `  qlimit validate
  qlimit meanfield equilibrium --policy pod:d=2 --load 0.9
  qlimit ctmc stationary --servers 10 --policy jsq --load 0.9 --buffer 4
  qlimit simulate --servers 1000 --policy jiq --load 0.95 --service coxian:mean=1,scv=4`
	root.Version = programVersion()
	root.SetVersionTemplate("qlimit {{.Version}}\n")
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	root.PersistentPreRun = func(c *cobra.Command, _ []string) {
		if named := formatOf(env.output); named != "" && !c.Flags().Changed("format") {
			env.format = named
		}
		if v, ok := env.stderr.(*voice); ok && !env.quiet {
			v.begin()
		}
	}
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.SetFlagErrorFunc(explainFlagError)
	root.SetUsageTemplate(usageTemplate(root.UsageTemplate()))
	root.SetHelpCommand(newHelpCommand())
	env.addGlobalFlags(root)
	addCompletion(root)
	offerChoices(root)
	return root
}

// usageTemplate wraps the flags to the width of a page and keeps groups from
// showing a usage of their own.
func usageTemplate(original string) string {
	return strings.NewReplacer(
		".FlagUsages", ".FlagUsagesWrapped 96",
		"{{if .Runnable}}", `{{if and .Runnable (not (index .Annotations "group"))}}`,
	).Replace(original)
}

func (env *environment) addGlobalFlags(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.SortFlags = false
	flags.Var(&choice{&env.format, formats}, "format", "`format` of the result: table, csv, json or markdown; unless given, by the extension of --output: .csv, .json, .md")
	flags.Var(&fileName{&env.output}, "output", "write the result to `file` (all or nothing) instead of standard output")
	flags.BoolVar(&env.quiet, "quiet", false, "no progress on standard error")
	flags.Var(&unsigned{&env.seed}, "seed", "`seed` of all random numbers")
	flags.Var(&countInt{&env.threads, 0, 1 << 20, "an integer >= 0, 0 = all cores"}, "threads", "`number` of threads, 0 = all cores; never changes a result")
}

// formatOf is the format that the name of a file asks for, "" for none.
func formatOf(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
		return formatCSV
	case ".json":
		return formatJSON
	case ".md":
		return formatMarkdown
	}
	return ""
}

// addCompletion adds cobra's completion command, which would answer a mistyped
// shell with its help.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion := childNamed(root, "completion")
	completion.Short = "Completion script for a shell"
	completion.Args = noArguments
	completion.RunE = showHelp
}

func showHelp(c *cobra.Command, _ []string) error { return c.Help() }

// group is a command that only holds others: alone it shows its help, and an
// argument it does not know is refused with the nearest name.
func group(use, short, long string, members ...*cobra.Command) *cobra.Command {
	command := &cobra.Command{
		Use:   use + " COMMAND",
		Short: short,
		Long:  long,
		Args:  noArguments,
		RunE:  showHelp,

		Annotations: map[string]string{"group": "yes"},
	}
	command.AddCommand(members...)
	return command
}

// leaf makes a command run a function; errors from there on are classified,
// those before concern the request.
func leaf(command *cobra.Command, run func(context.Context) error) *cobra.Command {
	command.Args = noArguments
	command.RunE = func(c *cobra.Command, _ []string) error { return classified(run(c.Context())) }
	return command
}

// noArguments takes none: what is left over is a mistyped command.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !c.HasAvailableSubCommands() {
		return badRequest("unexpected argument %q for %q (all settings are flags)", args[0], c.CommandPath())
	}
	names := commandNames(c)
	return badRequest("unknown command %q for %q (%s%s)", args[0], c.CommandPath(), suggestion(args[0], names), "one of "+strings.Join(names, ", "))
}

func commandNames(c *cobra.Command) []string {
	var names []string
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() || child.Name() == "help" || child.IsAdditionalHelpTopicCommand() {
			names = append(names, child.Name())
		}
	}
	return names
}

func suggestion(given string, known []string) string {
	if guess := nearest.Of(given, known); guess != "" {
		return "did you mean " + guess + "? "
	}
	return ""
}

// explainFlagError words the complaints of the flag parser.
func explainFlagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var noValue *pflag.ValueRequiredError
	var badValue *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		// A mistyped command does not know its flags either.
		if words := c.Flags().Args(); len(words) > 0 && c.Args != nil {
			if err := c.Args(c, words); err != nil {
				return err
			}
		}
		if unknown.GetSpecifiedShortnames() != "" {
			return badRequest("unknown flag -%s for %q (see %s --help)", unknown.GetSpecifiedName(), c.CommandPath(), c.CommandPath())
		}
		name := unknown.GetSpecifiedName()
		return badRequest("unknown flag --%s for %q (%ssee %s --help)", name, c.CommandPath(), flagSuggestion(c, name), c.CommandPath())
	case errors.As(err, &noValue):
		return badRequest("--%s has no value (see %s --help)", noValue.GetFlag().Name, c.CommandPath())
	case errors.As(err, &badValue):
		return explainFlagValue(badValue)
	}
	return badRequest("%v", err)
}

func explainFlagValue(err *pflag.InvalidValueError) error {
	flag := err.GetFlag()
	if _, ours := flag.Value.(explaining); ours {
		return badRequest("%s %w", flag.Name, err.Unwrap())
	}
	return badRequest("%s = %q (must be a %s)", flag.Name, err.GetValue(), flag.Value.Type())
}

func flagSuggestion(c *cobra.Command, name string) string {
	var known []string
	add := func(f *pflag.Flag) { known = append(known, f.Name) }
	c.Flags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	if guess := nearest.Of(name, known); guess != "" {
		return "did you mean --" + guess + "? "
	}
	return ""
}

// newHelpCommand is cobra's help command, except that an unknown topic is an
// error.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		Args:  cobra.ArbitraryArgs,

		ValidArgsFunction: offerCommands(cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, args []string) error {
			target := c.Root()
			for _, name := range args {
				next := childNamed(target, name)
				if next == nil {
					return noArguments(target, []string{name})
				}
				target = next
			}
			target.InitDefaultHelpFlag()
			return target.Help()
		},
	}
}

// wordSuggestion names the command nearest to words that name none.
func wordSuggestion(root *cobra.Command, words []string) string {
	parent := root
	for i, word := range words {
		next := childNamed(parent, word)
		if next == nil {
			right := append(slices.Clone(words[:i]), nearest.Of(word, commandNames(parent)))
			return "; did you mean " + strings.TrimSpace(strings.Join(right, " ")) + "?"
		}
		parent = next
	}
	return ""
}

func childNamed(c *cobra.Command, name string) *cobra.Command {
	for _, child := range c.Commands() {
		if child.Name() == name || child.HasAlias(name) {
			return child
		}
	}
	return nil
}
