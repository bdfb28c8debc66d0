// Package figure draws the figures of a study: theory curves, simulated
// points with their intervals, trajectories and bands.
//
// A [Figure] is data first. It holds the numbers as they were computed, the
// words that go on the axes, and what kind of mark each series is; it knows
// nothing of fonts, pixels or drawing libraries. Three things can be done
// with it:
//
//   - [Figure.Render] and [Figure.WriteFile] draw it as PDF, SVG, PNG (300
//     dots per inch) or pgfplots source for a LaTeX paper;
//   - [Figure.WriteData] writes the plotted numbers as CSV at full precision,
//     so that a figure can always be redrawn elsewhere;
//   - [Figure.Validate] says which series is malformed, and why.
//
// A typical figure is a curve and its simulated points:
//
//	f := figure.Figure{
//		Name: "price", X: figure.Axis{Label: "α"}, Y: figure.Axis{Label: "ratio"},
//		Series: []figure.Series{
//			{Name: "limit", Kind: ctmc.Limit, Group: 1, X: alpha, Y: ratio},
//			{Name: "simulated", Kind: ctmc.Estimate, Group: 1, Style: figure.Points, X: x, Y: y, Low: low, High: high},
//		},
//	}
//	err := f.WriteFile("price.pdf")
//
// A [Series] is a curve, a cloud of points or a band ([Style]), an [Axis] is linear
// or logarithmic ([Scale]), a [Mark] is a reference line, a [Size] the format it is
// made for. The package computes nothing: package validate has the figures of the
// literature.
//
// # What the numbers are
//
// A figure mixes limits, bounds, exact values and simulations. Each [Series] says
// which it is, in the words of [ctmc.Kind], and the data file repeats it at every
// point. Published numbers are what their authors computed: estimates where they
// simulated, with the source in the caption.
//
// # Colours, dashes and markers
//
// Series that belong together, a theory curve and its simulated points, say,
// carry the same Group and get the same colour. Colours are those of Okabe
// and Ito (Color Universal Design, 2008), which people with the common forms
// of colour blindness tell apart. Lines differ in dash pattern and points in
// shape as well, so a grey print stays legible.
//
// # Text
//
// Text is drawn as the outlines of DejaVu Sans, never as text in a font the
// reader may lack: λ, α, μ, ε, ≤, ² and ⁻¹ look the same in every format and
// the files are self-contained. Labels are plain Unicode. In pgfplots source
// the same labels become LaTeX, with Greek letters and superscripts in math.
//
// # What is never done silently
//
// A value that cannot be shown, zero on a log axis or a point outside the
// limits the caller set, is left out and named in [Figure.Warnings]; so is a
// label that had to be cut. NaN and infinities are errors.
//
// # Reproducibility
//
// The same figure gives the same bytes: no dates, no random identifiers, no
// locale. PNG bytes may change with the version of Go's compressor.
package figure
