package main

import "github.com/spf13/cobra"

func newBoundCommand(env *environment) *cobra.Command {
	return group("bound", "Bounds at finite N and what limited resources can achieve", `Bounds that hold for the system as given or, where said so, in the limit of many
servers: resource pooling, Stein's method, limited memory and messages, and the
loads a dispatcher can carry.`,
		newResourcesCommand(env, runResources),
		newSteinCommand(env, runStein),
		newCollapseCommand(env, runCollapse),
		newTermsCommand(env, runTerms),
		newPooledCommand(env, runPooled),
		newClassPiCommand(env, runClassPi),
		newStabilityCommand(env, runStability),
	)
}
