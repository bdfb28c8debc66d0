package figure_test

import (
	"fmt"
	"os"

	"qlimit/ctmc"
	"qlimit/validate/figure"
)

// A theory curve and its simulated points share a group, and so a colour.
func Example() {
	f := figure.Figure{
		Name:  "mm1",
		Title: "M/M/1: mean number of jobs",
		X:     figure.Axis{Label: "Load ρ"},
		Y:     figure.Axis{Label: "Mean number of jobs", Scale: figure.Log},
		Series: []figure.Series{
			{Name: "ρ / (1 − ρ)", Kind: ctmc.Exact, Group: 1, X: []float64{0.5, 0.75, 0.9}, Y: []float64{1, 3, 9}},
			{
				Name: "simulated", Kind: ctmc.Estimate, Group: 1, Style: figure.Points,
				X: []float64{0.5, 0.75, 0.9}, Y: []float64{0.98, 3.05, 8.9},
				Low: []float64{0.93, 2.8, -0.4}, High: []float64{1.03, 3.3, 18.2},
			},
		},
	}
	directory, err := os.MkdirTemp("", "figure")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(directory)
	if err := f.WriteFile(directory + "/mm1.pdf"); err != nil {
		panic(err)
	}
	for _, w := range f.Warnings {
		fmt.Println("warning:", w)
	}
	if err := f.WriteData(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// warning: series "simulated": 1 interval cut at the bottom of the log axis: lower end not positive
	// figure,series,x,y,low,high,kind
	// mm1,ρ / (1 − ρ),0.5,1,,,exact
	// mm1,ρ / (1 − ρ),0.75,3,,,exact
	// mm1,ρ / (1 − ρ),0.9,9,,,exact
	// mm1,simulated,0.5,0.98,0.93,1.03,estimate
	// mm1,simulated,0.75,3.05,2.8,3.3,estimate
	// mm1,simulated,0.9,8.9,-0.4,18.2,estimate
}
