package main

import (
	"context"

	"github.com/spf13/cobra"

	"qlimit/validate"
	"qlimit/validate/figure"
)

func newClassPiFigureCommand(env *environment) *cobra.Command {
	o := &figureOptions{environment: env}
	return o.figureCommand("class-pi-examples", "Six dispatching distributions: tilted, δ-tilted, neither", `  qlimit figure class-pi-examples --output class-pi.pdf`,
		func(context.Context) (*figure.Figure, error) { return validate.ClassPiExamples(), nil })
}
