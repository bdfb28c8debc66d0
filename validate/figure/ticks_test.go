package figure

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func anyTicks([]placedTick) bool { return true }

func labelsOf(ticks []placedTick) string {
	var labels []string
	for _, t := range ticks {
		labels = append(labels, t.label)
	}
	return strings.Join(labels, " ")
}

func TestCustomaryTicks(t *testing.T) {
	for _, c := range []struct {
		s    span
		want string
	}{
		{span{Linear, 0, 1}, "0 0.2 0.4 0.6 0.8 1.0"},
		{span{Linear, 0, 8}, "0 1 2 3 4 5 6 7 8"},
		{span{Linear, -1, 1}, "−1.0 −0.5 0 0.5 1.0"},
		{span{Linear, 0, 50000}, "0 10000 20000 30000 40000 50000"},
		{span{Linear, 0, 2e6}, "0 0.5×10⁶ 1.0×10⁶ 1.5×10⁶ 2.0×10⁶"},
		{span{Linear, 0, 3e-7}, "0 0.5×10⁻⁷ 1.0×10⁻⁷ 1.5×10⁻⁷ 2.0×10⁻⁷ 2.5×10⁻⁷ 3.0×10⁻⁷"},
		{span{Log, -2, 1}, "10⁻² 10⁻¹ 10⁰ 10¹"},
		{span{Log, -300, 0}, "10⁻³⁰⁰ 10⁻²⁵⁰ 10⁻²⁰⁰ 10⁻¹⁵⁰ 10⁻¹⁰⁰ 10⁻⁵⁰ 10⁰"},
		{span{Log, math.Log10(2), math.Log10(60)}, "2 3 4 5 6 7 8 9 10 20 30 40 50 60"},
		{span{Log, -7, math.Log10(5e-7)}, "1×10⁻⁷ 2×10⁻⁷ 3×10⁻⁷ 4×10⁻⁷ 5×10⁻⁷"},
		{span{Log, math.Log10(1.05), math.Log10(1.19)}, "1.06 1.08 1.10 1.12 1.14 1.16 1.18"},
	} {
		major, _ := c.s.ticks(anyTicks, (c.s.hi-c.s.lo)/1000)
		if got := labelsOf(major); got != c.want {
			t.Errorf("%+v\n got %s\nwant %s", c.s, got, c.want)
		}
	}
}

// parseLabel reads a label back into a number.
func parseLabel(label string) (float64, error) {
	plain := strings.NewReplacer("−", "-", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4",
		"⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9").Replace(label)
	if mantissa, exponent, found := strings.Cut(plain, "×10"); found {
		plain = mantissa + "e" + exponent
	} else if strings.HasPrefix(label, "10") && strings.ContainsAny(label, "⁰¹²³⁴⁵⁶⁷⁸⁹") {
		plain = "1e" + plain[2:]
	}
	return strconv.ParseFloat(plain, 64)
}

// On any axis there are labelled ticks, in order and inside, and what a label
// says is where its tick stands.
func TestTicksSayWhereTheyStand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Axis{Scale: Scale(rapid.IntRange(0, 1).Draw(t, "scale"))}
		value := rapid.Custom(func(t *rapid.T) float64 {
			v := rapid.Float64Range(1, 10).Draw(t, "mantissa") * math.Pow10(rapid.IntRange(-290, 290).Draw(t, "exponent"))
			if a.Scale == Linear && rapid.Bool().Draw(t, "negative") {
				v = -v
			}
			return v
		})
		first := value.Draw(t, "first")
		second := first * (1 + rapid.SampledFrom([]float64{0, 1e-12, 1e-6, 1e-3, 0.1, 1}).Draw(t, "apart"))
		if rapid.Bool().Draw(t, "independent") {
			second = value.Draw(t, "second")
		}
		data := noExtent()
		data.include(a.Scale.coordinate(first), a.Scale.coordinate(second))
		s := a.ySpan(data)
		if !s.shows(data.lo) || !s.shows(data.hi) || !(s.hi > s.lo) {
			t.Fatalf("span %+v does not show %+v", s, data)
		}
		few := func(ticks []placedTick) bool { return len(ticks) <= 8 }
		major, minor := s.ticks(few, (s.hi-s.lo)/100)
		if len(major) < 2 {
			t.Fatalf("%+v: only %q", s, labelsOf(major))
		}
		for i, tick := range slices.Concat(major, minor) {
			if !s.shows(tick.at) {
				t.Fatalf("%+v: tick %+v outside", s, tick)
			}
			if i > 0 && i < len(major) && major[i-1].at >= tick.at {
				t.Fatalf("%+v: ticks not in order: %+v", s, major)
			}
		}
		for _, tick := range major {
			said, err := parseLabel(tick.label)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(a.Scale.coordinate(said)-tick.at) > 2e-6*(s.hi-s.lo) {
				t.Fatalf("%+v: tick at %v says %s", s, tick.at, tick.label)
			}
		}
	})
}

func TestSpanOfDegenerateData(t *testing.T) {
	for _, c := range []struct {
		name  string
		axis  Axis
		value float64
		want  span
	}{
		{"zero", Axis{}, 0, span{Linear, -1.08, 1.08}},
		{"constant", Axis{}, 5, span{Linear, 4.46, 5.54}},
		{"limit beyond the data", Axis{Min: new(10.0)}, 5, span{Linear, 10, 12.08}},
		{"limit below the data", Axis{Max: new(-10.0)}, 5, span{Linear, -12.08, -10}},
		{"log", Axis{Scale: Log}, 100, span{Log, 1.46, 2.54}},
	} {
		data := noExtent()
		data.include(c.axis.Scale.coordinate(c.value))
		got := c.axis.ySpan(data)
		if math.Abs(got.lo-c.want.lo) > 1e-12 || math.Abs(got.hi-c.want.hi) > 1e-12 || got.scale != c.want.scale {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
