package meanfield

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"qlimit/ctmc"
)

// Bounds of a start file, far above any that is meant: 2^14 levels of two
// phases make less than 2 MiB.
const (
	maxStartFile = 64 << 20
	maxStartLine = 1 << 20
)

// startReader passes a start file on without a UTF-8 byte order mark, and stops
// at a file or line that is too long.
type startReader struct {
	from       io.Reader
	size, line int
}

func newStartReader(r io.Reader) *startReader {
	buffered := bufio.NewReader(r)
	mark := []byte("\xef\xbb\xbf")
	if begin, _ := buffered.Peek(len(mark)); bytes.Equal(begin, mark) {
		_, _ = buffered.Discard(len(mark))
	}
	return &startReader{from: buffered}
}

func (s *startReader) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	s.size += n
	rest := p[:n]
	for at := bytes.IndexByte(rest, '\n'); at >= 0; at = bytes.IndexByte(rest, '\n') {
		if s.line+at > maxStartLine {
			return 0, tooLong("a line", "1 MiB")
		}
		rest, s.line = rest[at+1:], 0
	}
	s.line += len(rest)
	switch {
	case s.line > maxStartLine:
		return 0, tooLong("a line", "1 MiB")
	case s.size > maxStartFile:
		return 0, tooLong("a file", "64 MiB")
	}
	return n, err
}

func tooLong(what, limit string) error {
	return &ctmc.FieldError{Field: "start file", Value: fmt.Sprintf("%s of more than %s", what, limit), Allowed: "at most " + limit}
}
