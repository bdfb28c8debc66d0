package figure

import (
	"math"
	"strconv"
	"strings"
)

// A placedTick is a tick in axis coordinates; minor ticks have no label.
type placedTick struct {
	at    float64
	label string
}

// A fitTest reports whether the labelled ticks can stand next to each other.
type fitTest func(ticks []placedTick) bool

// ticks returns the densest of the customary tick sets that fits, the
// labelled ticks first, then the minor ones at least minorGap apart in axis
// coordinates.
func (s span) ticks(fits fitTest, minorGap float64) (major, minor []placedTick) {
	if s.scale == Linear {
		return s.linearTicks(fits, minorGap)
	}
	return s.logTicks(fits, minorGap)
}

// A step is a distance of ticks m·10^k with m = 1, 2 or 5. Ticks are integer
// multiples of it, so that labels are made from integers and never show
// rounding.
type step struct{ m, k int }

// stepsFor lists steps from fine to coarse for an axis of the given length.
func stepsFor(length float64) []step {
	k := int(math.Floor(math.Log10(length))) - 1
	var steps []step
	for range 3 {
		for _, m := range []int{1, 2, 5} {
			if count := length / (float64(m) * math.Pow10(k)); count <= 8.5 {
				steps = append(steps, step{m, k})
			}
		}
		k++
	}
	return steps
}

func (d step) size() float64 { return d.value(1) }

// value is i steps; dividing by a power of ten keeps decimal fractions exact
// to the last bit.
func (d step) value(i int) float64 {
	n := float64(i) * float64(d.m)
	if d.k < 0 && d.k > -300 {
		return n / math.Pow10(-d.k)
	}
	return n * math.Pow10(d.k)
}

// multiples lists the i for which i steps lie between lo and hi, with a hair
// of tolerance at the ends.
func (d step) multiples(lo, hi float64) (first, last int) {
	const hair = 1e-6
	return int(math.Ceil(lo/d.size() - hair)), int(math.Floor(hi/d.size() + hair))
}

func (s span) linearTicks(fits fitTest, minorGap float64) (major, minor []placedTick) {
	for _, d := range stepsFor(s.hi - s.lo) {
		candidate := s.linearMajor(d, s.lo, s.hi)
		if len(candidate) < 2 && major != nil {
			break
		}
		major = candidate
		minor = s.linearMinor(d, minorGap)
		if fits(major) {
			break
		}
	}
	return major, minor
}

func (s span) linearMajor(d step, lo, hi float64) []placedTick {
	style := labelStyle(lo, hi, d)
	first, last := d.multiples(lo, hi)
	var ticks []placedTick
	for i := first; i <= last; i++ {
		place := s.scale.coordinate(d.value(i))
		ticks = append(ticks, placedTick{clamp(place, s.lo, s.hi), style.label(i*d.m, d.k)})
	}
	return ticks
}

// linearMinor divides each step into five, or into four when that gives the
// rounder numbers.
func (s span) linearMinor(d step, minorGap float64) []placedTick {
	parts, fine := 5, step{2, d.k - 1}
	switch d.m {
	case 2:
		parts, fine = 4, step{5, d.k - 1}
	case 5:
		fine = step{1, d.k}
	}
	if fine.size() < minorGap {
		return nil
	}
	first, last := fine.multiples(s.lo, s.hi)
	var ticks []placedTick
	for i := first; i <= last; i++ {
		if i%parts != 0 {
			ticks = append(ticks, placedTick{at: clamp(fine.value(i), s.lo, s.hi)})
		}
	}
	return ticks
}

// logHair forgives the rounding of logarithms at the ends of an axis.
const logHair = 1e-9

// logTicks labels powers of ten; on an axis too short for two of them it
// labels multiples of one, or even steps when it is shorter still.
func (s span) logTicks(fits fitTest, minorGap float64) (major, minor []placedTick) {
	first, last := int(math.Ceil(s.lo-logHair)), int(math.Floor(s.hi+logHair))
	if last-first < 1 {
		return s.shortLogTicks(fits, minorGap), s.withinDecades(minorGap)
	}
	for _, every := range []int{1, 2, 3, 5, 10, 20, 50, 100, 200} {
		candidate := s.decades(first, last, every)
		if len(candidate) < 2 && major != nil {
			break
		}
		major = candidate
		if every == 1 {
			minor = s.withinDecades(minorGap)
		} else {
			minor = s.unlabelledDecades(first, last, every, minorGap)
		}
		if len(major) <= 9 && fits(major) {
			break
		}
	}
	return major, minor
}

func (s span) decades(first, last, every int) []placedTick {
	var ticks []placedTick
	for e := first; e <= last; e++ {
		if e%every == 0 {
			ticks = append(ticks, placedTick{clamp(float64(e), s.lo, s.hi), "10" + superscript(e)})
		}
	}
	return ticks
}

// unlabelledDecades subdivides the labelled powers of ten as finely as there
// is room for.
func (s span) unlabelledDecades(first, last, every int, minorGap float64) []placedTick {
	var ticks []placedTick
	for _, fine := range []int{1, 2, 5, 10, 20, 50} {
		if every%fine != 0 || fine >= every || float64(fine) < minorGap {
			continue
		}
		for e := first; e <= last; e++ {
			if e%fine == 0 && e%every != 0 {
				ticks = append(ticks, placedTick{at: clamp(float64(e), s.lo, s.hi)})
			}
		}
		break
	}
	return ticks
}

// withinDecades places unlabelled ticks at 2, 3, ..., 9 times each power of
// ten, unless a decade is too short to hold them.
func (s span) withinDecades(minorGap float64) []placedTick {
	if math.Log10(10.0/9) < minorGap/2 {
		return nil
	}
	var ticks []placedTick
	for e := int(math.Floor(s.lo)); e <= int(math.Floor(s.hi)); e++ {
		for n := 2; n <= 9; n++ {
			if place, ok := s.multiple(n, e); ok {
				ticks = append(ticks, placedTick{at: place})
			}
		}
	}
	return ticks
}

// multiple is the place of n·10^exponent on a log axis, false when outside.
func (s span) multiple(n, exponent int) (float64, bool) {
	place := float64(exponent) + math.Log10(float64(n))
	clamped := clamp(place, s.lo, s.hi)
	return clamped, math.Abs(place-clamped) < logHair
}

func (s span) shortLogTicks(fits fitTest, minorGap float64) []placedTick {
	for _, multiples := range [][]int{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 5, 7}, {1, 2, 3, 5}, {1, 2, 5}, {1, 3}} {
		var ticks []placedTick
		for e := int(math.Floor(s.lo)); e <= int(math.Floor(s.hi)); e++ {
			for _, n := range multiples {
				if place, ok := s.multiple(n, e); ok {
					ticks = append(ticks, placedTick{place, multipleLabel(n, e)})
				}
			}
		}
		if len(ticks) < 3 {
			break
		}
		if fits(ticks) {
			return ticks
		}
	}
	return s.evenLogTicks(fits)
}

// evenLogTicks steps evenly in the value itself, for an axis over which the
// logarithm is nearly straight.
func (s span) evenLogTicks(fits fitTest) []placedTick {
	lo, hi := math.Pow(10, s.lo), math.Pow(10, s.hi)
	var ticks []placedTick
	for _, d := range stepsFor(hi - lo) {
		candidate := s.linearMajor(d, math.Max(lo, d.size()), hi)
		if len(candidate) < 2 && ticks != nil {
			break
		}
		ticks = candidate
		if fits(ticks) {
			break
		}
	}
	return ticks
}

// A numberStyle says how all the labels of one axis are written: plain, or
// as a multiple of one power of ten.
type numberStyle struct {
	scientific bool
	exponent   int
}

// labelStyle keeps labels plain while they stay within about five digits.
func labelStyle(lo, hi float64, d step) numberStyle {
	largest := math.Max(math.Abs(lo), math.Abs(hi))
	exponent := int(math.Floor(math.Log10(largest) + 1e-9))
	return numberStyle{exponent >= 5 || exponent < -3, exponent}
}

func multipleLabel(n, exponent int) string {
	return numberStyle{exponent >= 5 || exponent < -3, exponent}.label(n, exponent)
}

// label writes n·10^k.
func (f numberStyle) label(n, k int) string {
	if n == 0 {
		return "0"
	}
	if f.scientific {
		return decimal(n, k-f.exponent) + "×10" + superscript(f.exponent)
	}
	return decimal(n, k)
}

// decimal writes n·10^k in full, with a true minus sign.
func decimal(n, k int) string {
	sign := ""
	if n < 0 {
		sign, n = "−", -n
	}
	digits := strconv.Itoa(n)
	if k >= 0 {
		return sign + digits + strings.Repeat("0", k)
	}
	if missing := 1 - k - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) + k
	return sign + digits[:point] + "." + digits[point:]
}

var superscripts = strings.NewReplacer(
	"-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
	"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

func superscript(n int) string {
	return superscripts.Replace(strconv.Itoa(n))
}

func clamp(v, lo, hi float64) float64 {
	return math.Min(math.Max(v, lo), hi)
}

// placed puts the caller's own ticks on the axis and drops those outside it.
func (a *Axis) placed(s span) (major, minor []placedTick) {
	for _, t := range a.Ticks {
		place := a.Scale.coordinate(t.At)
		switch {
		case !s.shows(place):
		case t.Label == "":
			minor = append(minor, placedTick{at: place})
		default:
			major = append(major, placedTick{place, t.Label})
		}
	}
	return major, minor
}
