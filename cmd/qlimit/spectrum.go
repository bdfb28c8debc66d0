package main

import (
	"context"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
	"qlimit/meanfield"
)

type spectrumOptions struct {
	*environment
	system systemFlags
}

func newSpectrumCommand(env *environment, run func(context.Context, *spectrumOptions) error) *cobra.Command {
	o := &spectrumOptions{environment: env}
	c := leaf(&cobra.Command{
		Use:   "spectrum",
		Short: "How fast the mean-field limit returns to its equilibrium",
		Long: `Compute the eigenvalues of the linearisation of the mean-field limit at its
equilibrium, slowest first, the gap (the slowest rate of decay) and the
relaxation time 1/gap, in the unit of the service law. For policies with
priority levels the dynamics is that on the surface where the lowest levels stay
empty.`,
		Example: `  qlimit meanfield spectrum --policy pod:d=2 --load 0.9
  qlimit meanfield spectrum --policy i1f --load 1.2 --buffer 10 --service erlang2`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.system.addTo(c)
	return c
}

func runSpectrum(_ context.Context, o *spectrumOptions) error {
	system, err := o.system.system(manyServerLimit)
	if err != nil {
		return err
	}
	modes, err := meanfield.Spectrum(system)
	if err != nil {
		return err
	}
	return o.show(spectrumReport(system, modes))
}

func spectrumReport(system ctmc.System, m *meanfield.Modes) *report {
	r := &report{command: "meanfield spectrum", system: &system, kind: m.Kind}
	r.quantities = []quantity{{"gap", m.Gap, unitRate}, {"relaxation_time", m.RelaxationTime, unitTime}}
	list := &records{name: "eigenvalues", group: -1, fields: []recordField{{name: "re", heading: "re"}, {name: "im", heading: "im"}, {name: "error", heading: "error"}}}
	for _, e := range m.Eigenvalues {
		list.rows = append(list.rows, []any{e.Re, e.Im, e.Error})
	}
	r.records = list
	r.work = []fact{{"sliding_levels", m.Sliding}, {"repeats", m.Repeats}, {"levels", m.Levels}}
	r.addWarnings(m.Warnings...)
	return r
}
