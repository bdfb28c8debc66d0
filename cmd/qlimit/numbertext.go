package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"qlimit/validate/estimate"
)

// significantDigits is the most a table prints of an exact number or a limit;
// JSON and CSV carry all digits.
const significantDigits = 10

// noNumber stands in tables for a number that does not exist.
const noNumber = "-"

// significant writes a number with up to ten significant digits.
func significant(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return noNumber
	}
	return strconv.FormatFloat(x, 'g', significantDigits, 64)
}

// circumstance writes a fact about the computation; of numbers that nobody
// will compute with, such as a residual or a duration, six digits are enough.
func circumstance(v any) string {
	x, ok := v.(float64)
	switch {
	case !ok:
		return plain(v)
	case math.IsNaN(x) || math.IsInf(x, 0):
		return noNumber
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// interval writes an estimate as value ± half width, the half width with two
// significant digits and the value to the same place.
func interval(e estimate.Estimate) string {
	switch {
	case e.Status == estimate.Undefined:
		return noNumber
	case e.HalfWidth == 0:
		return significant(e.Value)
	}
	size := math.Max(math.Abs(e.Value), e.HalfWidth)
	if size < 1e-4 || size >= 1e10 {
		return scientificInterval(e, size)
	}
	places := max(1-int(math.Floor(math.Log10(e.HalfWidth))), 0)
	return fixed(e.Value, places) + " ± " + fixed(e.HalfWidth, places)
}

// scientificInterval writes value and half width with a common power of ten.
func scientificInterval(e estimate.Estimate, size float64) string {
	exponent := math.Floor(math.Log10(size))
	unit := math.Pow(10, exponent)
	if unit == 0 || math.IsInf(unit, 0) {
		return significant(e.Value) + " ± " + strconv.FormatFloat(e.HalfWidth, 'g', 2, 64)
	}
	places := max(1-int(math.Floor(math.Log10(e.HalfWidth/unit))), 0)
	return fmt.Sprintf("(%s ± %s)e%+03d", fixed(e.Value/unit, places), fixed(e.HalfWidth/unit, places), int(exponent))
}

func fixed(x float64, places int) string {
	return strconv.FormatFloat(x, 'f', min(places, 17), 64)
}

// plain writes any value of a report for a reader.
func plain(v any) string {
	switch x := v.(type) {
	case nil:
		return noNumber
	case float64:
		return significant(x)
	case estimate.Estimate:
		return interval(x)
	case []string:
		return strings.Join(x, ", ")
	}
	return fmt.Sprint(v)
}

// alignPoints pads numbers on the left so that their decimal points stand
// below each other; other texts are left as they are.
func alignPoints(cells []string) {
	widest := 0
	for _, cell := range cells {
		if isNumber(cell) {
			widest = max(widest, beforePoint(cell))
		}
	}
	for i, cell := range cells {
		if isNumber(cell) {
			cells[i] = strings.Repeat(" ", widest-beforePoint(cell)) + cell
		}
	}
}

func isNumber(cell string) bool {
	return cell == noNumber || cell != "" && strings.ContainsRune("0123456789-(", rune(cell[0]))
}

// beforePoint is the width of a number up to its decimal point, opening
// parenthesis included.
func beforePoint(cell string) int {
	if i := strings.IndexFunc(cell, func(r rune) bool { return !strings.ContainsRune("0123456789-(", r) }); i >= 0 {
		return i
	}
	return len(cell)
}
