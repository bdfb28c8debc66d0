package figure

// measures are the lengths, in points, of one figure size.
type measures struct {
	width, frameHeight                    float64
	titleSize, labelSize, tickSize        float64
	lineWidth, ruleWidth, thinWidth       float64
	markerRadius, capWidth                float64
	tickLength, gap, margin, legendSample float64
}

const millimetre = 72 / 25.4

var measuresOf = map[Size]measures{
	SingleColumn: {
		width: 85 * millimetre, frameHeight: 134,
		titleSize: 8.5, labelSize: 8, tickSize: 7,
		lineWidth: 1.1, ruleWidth: 0.6, thinWidth: 0.4,
		markerRadius: 2.1, capWidth: 3.4,
		tickLength: 3, gap: 3, margin: 3, legendSample: 20,
	},
	DoubleColumn: {
		width: 178 * millimetre, frameHeight: 220,
		titleSize: 10, labelSize: 9, tickSize: 8,
		lineWidth: 1.3, ruleWidth: 0.7, thinWidth: 0.45,
		markerRadius: 2.5, capWidth: 4,
		tickLength: 3.5, gap: 4, margin: 4, legendSample: 24,
	},
	Screen: {
		width: 576, frameHeight: 290,
		titleSize: 13, labelSize: 11, tickSize: 10,
		lineWidth: 1.6, ruleWidth: 0.8, thinWidth: 0.5,
		markerRadius: 3.1, capWidth: 5,
		tickLength: 4, gap: 5, margin: 6, legendSample: 30,
	},
}

// Limits on words, so that a plot remains between them.
const (
	titleLines     = 5
	axisLines      = 3
	legendLines    = 2
	tickLabelShare = 0.25 // of the width of the figure
	insideShare    = 0.55 // of the frame, for a legend inside it
	insideEntries  = 6
)
