package figure

import (
	"strings"
	"unicode/utf8"
)

// clean makes a label one line of valid text.
func clean(text string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
}

// wrap breaks text into at most maxLines lines no wider than width points.
// Words wider than a line are broken. The result is true when text was left
// out, which the last line then shows by an ellipsis.
func (w *writer) wrap(text string, size, width float64, maxLines int) ([]string, bool) {
	var lines []string
	line := ""
	for _, word := range strings.Fields(clean(text)) {
		joined := word
		if line != "" {
			joined = line + " " + word
		}
		if w.width(joined, size) <= width {
			line = joined
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for w.width(word, size) > width {
			head := w.longestPrefix(word, size, width)
			lines = append(lines, head)
			word = word[len(head):]
		}
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	if len(lines) <= maxLines {
		return lines, false
	}
	rest := strings.Join(lines[maxLines-1:], " ")
	last, _ := w.shorten(rest, size, width)
	return append(lines[:maxLines-1:maxLines-1], last), true
}

// longestPrefix returns as many characters as fit, at least one.
func (w *writer) longestPrefix(text string, size, width float64) string {
	end := 0
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		if end > 0 && w.width(text[:next], size) > width {
			break
		}
		end = next
	}
	return text[:end]
}

// shorten cuts text to the width and marks the cut; it reports whether it did.
func (w *writer) shorten(text string, size, width float64) (string, bool) {
	if w.width(text, size) <= width {
		return text, false
	}
	head := w.longestPrefix(text, size, width-w.width("…", size))
	return strings.TrimRight(head, " ") + "…", true
}

// widest is the greatest width among the lines.
func (w *writer) widest(lines []string, size float64) float64 {
	widest := 0.0
	for _, line := range lines {
		widest = max(widest, w.width(line, size))
	}
	return widest
}
