package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What a shell offers after --policy and --service. A form that ends in = or :
// waits for a value.
var (
	servicesOffered = []string{"exp", "erlang2", "coxian:", "hyperexp:"}
	policiesOffered = []string{"jsq", "jiq", "jiq:fallback=pod:d=", "iqf", "i1f", "i1f:fallback=pod:d=", "random", "pod:d=", "sq:d="}
	pullOffered     = "pull:memory="
	jobsOffered     = slices.Concat(policiesOffered, []string{pullOffered, "rr", "ll", "ll:d=", "sita"})
	slottedOffered  = []string{"jsq", "jiq", "iqf", "random", "weighted", "sed", "sq:d=", "pod:d=", "jbt:d=", "jbt:average,T=", "jbtg:d=",
		"lsq:push=", "lsq:pull=", "lsq:smart", "lsq:refresh=", "local-sq:d=", "local-jba:"}
)

// offer completes a flag by the forms it takes; the word is not over while all
// that fit wait for a value.
func offer(c *cobra.Command, flag string, forms *[]string) {
	_ = c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		var fitting []string
		directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		for _, form := range *forms {
			if !strings.HasPrefix(form, begun) {
				continue
			}
			fitting = append(fitting, form)
			if !strings.HasSuffix(form, "=") && !strings.HasSuffix(form, ":") {
				directive = cobra.ShellCompDirectiveNoFileComp
			}
		}
		return fitting, directive
	})
}

// offerChoices completes every flag that takes one name of a list.
func offerChoices(c *cobra.Command) {
	add := func(f *pflag.Flag) {
		if v, ok := f.Value.(*choice); ok {
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(v.names, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	c.LocalFlags().VisitAll(add)
	for _, child := range c.Commands() {
		offerChoices(child)
	}
}

// offerCommands completes the words of a command after help, man or cite.
func offerCommands(otherwise cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(c *cobra.Command, words []string, begun string) ([]string, cobra.ShellCompDirective) {
		parent := c.Root()
		for _, word := range words {
			if parent = childNamed(parent, word); parent == nil {
				return nil, otherwise
			}
		}
		var names []string
		for _, child := range parent.Commands() {
			if (child.IsAvailableCommand() || child.IsAdditionalHelpTopicCommand()) && strings.HasPrefix(child.Name(), begun) {
				names = append(names, child.Name()+"\t"+child.Short)
			}
		}
		return names, otherwise
	}
}

// describePlainly takes the quotes that mark a placeholder out of the usage of
// the flags: help and manual pages know them, a shell would show them.
func describePlainly(c *cobra.Command) {
	plain := func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) }
	c.PersistentFlags().VisitAll(plain)
	c.LocalNonPersistentFlags().VisitAll(plain)
	for _, child := range c.Commands() {
		describePlainly(child)
	}
}
