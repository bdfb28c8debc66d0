package figure

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"gonum.org/v1/plot/vg"
)

// A pdfSheet writes a PDF 1.4 file of one page. It is written here rather
// than by a library because figures need only paths, and no library at hand
// leaves out the date, joins lines round, and keeps Unicode in the title.
type pdfSheet struct {
	width, height float64
	title         string
	subject       string
	content       []byte
	covers        []float64 // the transparencies in use, in order of first use
}

func newPDF(width, height float64, f *Figure) *pdfSheet {
	return &pdfSheet{
		width: width, height: height,
		title: firstNonEmpty(f.Title, f.Name), subject: clean(f.Caption),
		content: []byte("1 j\n"), // round joins
	}
}

func (s *pdfSheet) Fill(path vg.Path, with ink) {
	s.colour(with, "rg")
	s.path(path)
	s.content = append(s.content, "f\n"...)
}

func (s *pdfSheet) Stroke(path vg.Path, with pen) {
	s.colour(with.ink, "RG")
	s.lengths(with.Width)
	s.content = append(s.content, "w ["...)
	s.lengths(with.Dash...)
	s.content = append(s.content, "] 0 d\n"...)
	s.path(path)
	s.content = append(s.content, "S\n"...)
}

func (s *pdfSheet) colour(i ink, operator string) {
	n := slices.Index(s.covers, i.Cover)
	if n < 0 {
		n = len(s.covers)
		s.covers = append(s.covers, i.Cover)
	}
	s.content = fmt.Appendf(s.content, "/G%d gs %.3f %.3f %.3f %s\n", n,
		float64(i.R)/255, float64(i.G)/255, float64(i.B)/255, operator)
}

func (s *pdfSheet) lengths(values ...float64) {
	for _, v := range values {
		s.content = append(appendLength(s.content, v), ' ')
	}
}

func (s *pdfSheet) points(points ...vg.Point) {
	for _, p := range points {
		s.lengths(float64(p.X), float64(p.Y))
	}
}

func (s *pdfSheet) path(path vg.Path) {
	var current vg.Point
	for _, c := range path {
		operator := ""
		switch c.Type {
		case vg.MoveComp:
			s.points(c.Pos)
			operator = "m\n"
		case vg.LineComp:
			s.points(c.Pos)
			operator = "l\n"
		case vg.CurveComp:
			first, second := cubic(current, c)
			s.points(first, second, c.Pos)
			operator = "c\n"
		case vg.CloseComp:
			operator = "h\n"
		default:
			panic(fmt.Sprintf("path component %d", c.Type))
		}
		s.content = append(s.content, operator...)
		current = c.Pos
	}
}

// bytes assembles the file: objects one after the other, then the table of
// their places.
func (s *pdfSheet) bytes() ([]byte, error) {
	stream, err := deflated(s.content)
	if err != nil {
		return nil, err
	}
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /DisplayDocTitle true >> >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		s.pageObject(),
		fmt.Sprintf("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", len(stream), stream),
		fmt.Sprintf("<< /Title %s /Subject %s /Producer (qlimit) >>", pdfText(s.title), pdfText(s.subject)),
	}
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n%\xE2\xE3\xCF\xD3\n")
	var places []int
	for i, object := range objects {
		places = append(places, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, place := range places {
		fmt.Fprintf(&out, "%010d 00000 n \n", place)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return out.Bytes(), nil
}

func (s *pdfSheet) pageObject() string {
	var states strings.Builder
	for i, cover := range s.covers {
		fmt.Fprintf(&states, " /G%d << /ca %.3f /CA %.3f >>", i, cover, cover)
	}
	return fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %s %s] /Contents 4 0 R"+
		" /Group << /S /Transparency /CS /DeviceRGB >> /Resources << /ExtGState <<%s >> >> >>",
		appendLength(nil, s.width), appendLength(nil, s.height), states.String())
}

func deflated(content []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := zlib.NewWriterLevel(&out, zlib.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// pdfText writes a string as UTF-16 in hexadecimal, which needs no escapes.
func pdfText(text string) string {
	var out strings.Builder
	out.WriteString("<FEFF")
	for _, unit := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&out, "%04X", unit)
	}
	out.WriteString(">")
	return out.String()
}
