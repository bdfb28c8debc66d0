// Package boundedrows keeps a table with an endless row from filling the memory:
// a reader that fails at a row of more than a given number of bytes, before a
// parser has gathered it.
package boundedrows

import (
	"fmt"
	"io"
)

// Longest is a length that rows of measurements do not come near.
const Longest = 1 << 20

// Reader reads a table whose rows end at line feeds outside of quotes; in rows
// that begin with # quotes mean nothing.
type Reader struct {
	from io.Reader
	most int

	length  int  // of the row so far
	comment bool // the row begins with #
	quoted  bool // within quotes, so that a line feed is part of the row
	line    int  // lines before this one
	start   int  // line on which the row began, from 0
	err     error
}

// NewReader refuses rows of more than most bytes.
func NewReader(r io.Reader, most int) *Reader { return &Reader{from: r, most: most} }

// Read passes on what the rows hold up to the first that is too long.
func (r *Reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.from.Read(p)
	for i, b := range p[:n] {
		if r.length == 0 {
			r.comment = b == '#'
		}
		switch {
		case b == '"':
			r.quoted = !r.quoted && !r.comment
		case b == '\n':
			r.line++
			if !r.quoted {
				r.length, r.start = 0, r.line
				continue
			}
		}
		if r.length++; r.length > r.most {
			r.err = fmt.Errorf("line %d: longer than %d bytes", r.start+1, r.most)
			return i, r.err
		}
	}
	return n, err
}
