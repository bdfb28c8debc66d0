package boundedrows

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// endless is a text without end.
type endless byte

func (b endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

// TestEndlessRows: a parser gets an error that names the line, not all memory.
func TestEndlessRows(t *testing.T) {
	for name, c := range map[string]struct {
		text io.Reader
		want string
	}{
		"one line":            {endless('1'), "line 1: longer than 100 bytes"},
		"third line":          {io.MultiReader(strings.NewReader("a\n2\n"), endless(',')), "line 3: longer than 100 bytes"},
		"line feeds, quoted":  {io.MultiReader(strings.NewReader("a\n\""), endless('\n')), "line 2: longer than 100 bytes"},
		"one byte at a time":  {iotest.OneByteReader(endless('x')), "line 1: longer than 100 bytes"},
		"quote within quotes": {io.MultiReader(strings.NewReader("\"a\"\"\n"), endless('b')), "line 1: longer than 100 bytes"},
	} {
		_, err := csv.NewReader(NewReader(c.text, 100)).ReadAll()
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestShortRows pass unchanged, with the error at their end.
func TestShortRows(t *testing.T) {
	const text = "# 5\" 6\na,b\n\"1\n2\",3\n" + "123456789\n"
	got, err := io.ReadAll(NewReader(iotest.DataErrReader(strings.NewReader(text)), 10))
	if string(got) != text || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(NewReader(io.MultiReader(strings.NewReader("1\n"), iotest.ErrReader(broken)), 10)); !errors.Is(err, broken) {
		t.Errorf("%v, want the error of the file", err)
	}
}
