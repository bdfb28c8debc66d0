package validate_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"qlimit/coxian"
	"qlimit/ctmc/slotted"
	"qlimit/validate"
	"qlimit/validate/sim"
)

// A file with a mistake: the error says where.
func ExampleParse() {
	_, err := validate.Parse(strings.NewReader("[simulation]\nevnts = 1e5\n"))
	fmt.Println(err)
	// Output: experiment file: line 2, column 1: unknown key simulation.evnts
}

// Up to which load is a slotted policy stable? By theory where there is one.
func ExampleFindCriticalLoad() {
	rates, err := slotted.ParseRates("1x5,10x5")
	if err != nil {
		log.Fatal(err)
	}
	m := &slotted.Model{Rates: rates, Load: 0.4}
	c, err := validate.FindCriticalLoad(context.Background(), m, slotted.SQ(2, false), validate.AnyMethod, 0.01, sim.SlottedSettings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Fraction, c.Kind, c.Method)
	// Output: 9/22 exact theory
}

// What do policies need, and how long do jobs wait as servers grow many?
func ExampleResourceStudy_Table() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	study := validate.ResourceStudy{Load: 0.9, Law: sim.CoxianLaw(exponential), Choices: 2}
	rows, err := study.Table()
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range rows {
		switch row.Name {
		case "random", "ll:d=2", "jiq":
			fmt.Printf("%s: %s bits, %s messages, wait %.6f\n", row.Name, row.Memory, row.Messages, row.Delay)
		}
	}
	// Output:
	// random: 0 bits, 0 messages, wait 9.000000
	// ll:d=2: 0 bits, 4λn messages, wait 1.050285
	// jiq: n bits, <= λn messages, wait 0.000000
}

// A figure of the literature, as data: response under the least work of two.
func ExampleLeastLoadedFigure() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	f, err := validate.LeastLoadedFigure([]int64{2}, exponential)
	if err != nil {
		log.Fatal(err)
	}
	for _, series := range f.Series {
		fmt.Println(series.Name)
	}
	directory, err := os.MkdirTemp("", "figure")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	if err := f.WriteFile(directory + "/least-loaded.svg"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// LL(2)
	// SQ(2)
}
