package figure

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image/color"
	"image/png"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// dotsPerInch is what journals ask of images with lines in them at least.
const dotsPerInch = 300

// A pngSheet draws on the raster canvas of gonum/plot.
type pngSheet struct{ canvas *vgimg.Canvas }

func newPNG(width, height float64) *pngSheet {
	return &pngSheet{vgimg.NewWith(vgimg.UseWH(vg.Length(width), vg.Length(height)), vgimg.UseDPI(dotsPerInch))}
}

func (s *pngSheet) Fill(path vg.Path, with ink) {
	s.canvas.SetColor(with.rgba())
	s.canvas.Fill(path)
}

func (s *pngSheet) Stroke(path vg.Path, with pen) {
	dash := make([]vg.Length, len(with.Dash))
	for i, length := range with.Dash {
		dash[i] = vg.Length(length)
	}
	s.canvas.SetColor(with.rgba())
	s.canvas.SetLineWidth(vg.Length(with.Width))
	s.canvas.SetLineDash(dash, 0)
	s.canvas.Stroke(path)
}

func (i ink) rgba() color.Color {
	return color.NRGBA{i.R, i.G, i.B, uint8(math.Round(255 * i.Cover))}
}

func (s *pngSheet) bytes() ([]byte, error) {
	var out bytes.Buffer
	if err := png.Encode(&out, s.canvas.Image()); err != nil {
		return nil, err
	}
	return withResolution(out.Bytes())
}

// headerEnd is where the first chunk of a PNG file, which has a fixed size,
// ends: 8 bytes of signature, 4 + 4 + 13 + 4 of chunk.
const headerEnd = 33

// withResolution inserts the physical size of a pixel (PNG, section 11.3.5.3),
// without which programs take 72 or 96 dots per inch and print the figure
// three or four times too large.
func withResolution(file []byte) ([]byte, error) {
	if len(file) < headerEnd || string(file[12:16]) != "IHDR" {
		return nil, errors.New("PNG encoder wrote no header")
	}
	perMetre := uint32(math.Round(dotsPerInch / 0.0254))
	chunk := []byte("pHYs")
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, 1) // the unit is the metre
	out := bytes.Clone(file[:headerEnd])
	out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-4))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, file[headerEnd:]...), nil
}
