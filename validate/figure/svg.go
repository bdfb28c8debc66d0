package figure

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"gonum.org/v1/plot/vg"
)

// An svgSheet writes an SVG image whose user unit is the point.
type svgSheet struct {
	height float64
	out    bytes.Buffer
}

func newSVG(width, height float64, f *Figure) *svgSheet {
	s := &svgSheet{height: height}
	w, h := appendLength(nil, width), appendLength(nil, height)
	fmt.Fprintf(&s.out, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+
		`<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %s %s" role="img"`+
		` fill="none" stroke-linejoin="round">`+"\n", w, h, w, h)
	s.element("title", firstNonEmpty(f.Title, f.Name))
	s.element("desc", f.Caption)
	fmt.Fprintf(&s.out, `<rect width="%s" height="%s" fill="#FFFFFF"/>`+"\n", w, h)
	return s
}

func firstNonEmpty(texts ...string) string {
	for _, text := range texts {
		if cleaned := clean(text); cleaned != "" {
			return cleaned
		}
	}
	return ""
}

// element writes words for those who cannot see the image.
func (s *svgSheet) element(name, text string) {
	if text = clean(text); text == "" {
		return
	}
	fmt.Fprintf(&s.out, "<%s>", name)
	xml.EscapeText(&s.out, []byte(text)) // a Buffer does not fail
	fmt.Fprintf(&s.out, "</%s>\n", name)
}

func (s *svgSheet) Fill(path vg.Path, with ink) {
	s.out.WriteString(`<path`)
	s.paint("fill", with)
	s.path(path)
}

func (s *svgSheet) Stroke(path vg.Path, with pen) {
	s.out.WriteString(`<path`)
	s.paint("stroke", with.ink)
	fmt.Fprintf(&s.out, ` stroke-width="%s"`, appendLength(nil, with.Width))
	if len(with.Dash) > 0 {
		s.out.WriteString(` stroke-dasharray="`)
		for i, length := range with.Dash {
			if i > 0 {
				s.out.WriteByte(' ')
			}
			s.out.Write(appendLength(nil, length))
		}
		s.out.WriteByte('"')
	}
	s.path(path)
}

func (s *svgSheet) paint(attribute string, i ink) {
	fmt.Fprintf(&s.out, ` %s="#%02X%02X%02X"`, attribute, i.R, i.G, i.B)
	if i.Cover < 1 {
		fmt.Fprintf(&s.out, ` %s-opacity="%.3g"`, attribute, i.Cover)
	}
}

func (s *svgSheet) path(path vg.Path) {
	s.out.WriteString(` d="`)
	for _, c := range path {
		switch c.Type {
		case vg.MoveComp:
			s.command('M', c.Pos)
		case vg.LineComp:
			s.command('L', c.Pos)
		case vg.CurveComp:
			if len(c.Control) == 1 {
				s.command('Q', c.Control[0], c.Pos)
			} else {
				first, second := cubic(vg.Point{}, c)
				s.command('C', first, second, c.Pos)
			}
		case vg.CloseComp:
			s.out.WriteByte('Z')
		default:
			panic(fmt.Sprintf("path component %d", c.Type))
		}
	}
	s.out.WriteString("\"/>\n")
}

// command writes a path command; SVG counts y downwards from the top.
func (s *svgSheet) command(letter byte, points ...vg.Point) {
	s.out.WriteByte(letter)
	for i, p := range points {
		if i > 0 {
			s.out.WriteByte(' ')
		}
		s.out.Write(appendLength(nil, float64(p.X)))
		s.out.WriteByte(' ')
		s.out.Write(appendLength(nil, s.height-float64(p.Y)))
	}
}

func (s *svgSheet) bytes() []byte {
	s.out.WriteString("</svg>\n")
	return s.out.Bytes()
}
