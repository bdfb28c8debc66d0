package nearest

import (
	"testing"

	"pgregory.net/rapid"
)

func TestOf(t *testing.T) {
	known := []string{"i1f", "jiq", "jsq", "pod", "random"}
	for given, want := range map[string]string{"jqs": "jsq", "podd": "pod", "randm": "random", "jisq": "jiq", "": ""} {
		if got := Of(given, known); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
	if got := Of("x", nil); got != "" {
		t.Errorf("nothing known: %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"λμ", "μλ", 1}, {"ca", "abc", 3}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%q %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringN(0, 8, -1).Draw(t, "a"), rapid.StringN(0, 8, -1).Draw(t, "b")
		d := Distance(a, b)
		if d != Distance(b, a) || (d == 0) != (a == b) || d > max(len([]rune(a)), len([]rune(b))) {
			t.Fatalf("%q %q: %d, back %d", a, b, d, Distance(b, a))
		}
	})
}
