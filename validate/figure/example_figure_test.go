package figure_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"qlimit/validate/figure"
)

// A figure that cannot be drawn says which series is at fault, before anything is
// written.
func ExampleFigure_Validate() {
	f := figure.Figure{Name: "price", Series: []figure.Series{{Name: "limit", X: []float64{1, 2, 3}, Y: []float64{1, 2}}}}
	fmt.Println(f.Validate())
	// Output: figure "price": series "limit": length of Y is 2, of X 3
}

// The same figure gives the same bytes, here as pgfplots source for a paper.
func ExampleFigure_Render() {
	f := figure.Figure{
		X: figure.Axis{Label: "α"}, Y: figure.Axis{Label: "N²"},
		Series: []figure.Series{{Name: "limit", X: []float64{1, 2}, Y: []float64{1, 4}}},
		Marks:  []figure.Mark{{Direction: figure.Vertical, At: 1.5, Label: "critical"}},
	}
	var first, second bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &second} {
		if err := f.Render(w, figure.TeX); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(bytes.Equal(first.Bytes(), second.Bytes()), strings.Contains(first.String(), `\alpha`))
	// Output: true true
}

// The format of a file by its extension.
func ExampleParseFormat() {
	f, err := figure.ParseFormat(".SVG")
	if err != nil {
		log.Fatal(err)
	}
	_, err = figure.ParseFormat("jpg")
	fmt.Println(f, err != nil)
	// Output: svg true
}

// A band with a line through it, and a step function.
func ExampleSeries() {
	f := figure.Figure{Series: []figure.Series{
		{Name: "half of the paths", Style: figure.Band, X: []float64{0, 1}, Low: []float64{1, 0.8}, High: []float64{1, 1.4}, Y: []float64{1, 1.1}},
		{Name: "one path", Style: figure.Step, Faint: true, X: []float64{0, 0.5, 1}, Y: []float64{1, 1.2, 0.9}},
	}}
	if err := f.Validate(); err != nil {
		log.Fatal(err)
	}
	var table bytes.Buffer
	if err := f.WriteData(&table); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Count(table.String(), "\n"), "lines of data")
	// Output: 6 lines of data
}
