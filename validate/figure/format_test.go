package figure

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"qlimit/ctmc"
)

func render(t *testing.T, f *Figure, format Format) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := f.Render(&out, format); err != nil {
		t.Fatalf("%s as %v: %v", f.Name, format, err)
	}
	return out.Bytes()
}

func TestSameBytesAgain(t *testing.T) {
	for _, f := range []*Figure{theorySample(), fanSample(), edgeSample()} {
		for _, format := range []Format{PDF, SVG, PNG, TeX} {
			if format == PNG && f.Name != "fan" {
				continue // slow, and drawn by the same steps
			}
			first := render(t, f, format)
			warnings := len(f.Warnings)
			if !bytes.Equal(first, render(t, f, format)) {
				t.Errorf("%s as %v differs the second time", f.Name, format)
			}
			if len(f.Warnings) != warnings {
				t.Errorf("%s: %d warnings, then %d", f.Name, warnings, len(f.Warnings))
			}
		}
	}
}

func TestPDFStructure(t *testing.T) {
	f := theorySample()
	file := render(t, f, PDF)
	if !bytes.HasPrefix(file, []byte("%PDF-1.4\n")) || !bytes.HasSuffix(file, []byte("%%EOF\n")) {
		t.Fatal("no PDF header or trailer")
	}
	if regexp.MustCompile(`Date|\(D:\d`).Match(file) {
		t.Error("the file has a date")
	}
	start := regexp.MustCompile(`startxref\n(\d+)\n`).FindSubmatch(file)
	table, _ := strconv.Atoi(string(start[1]))
	if !bytes.HasPrefix(file[table:], []byte("xref\n")) {
		t.Fatal("startxref does not lead to the table")
	}
	entries := regexp.MustCompile(`(?m)^(\d{10}) 00000 n $`).FindAllSubmatch(file[table:], -1)
	if len(entries) != 5 {
		t.Fatalf("%d objects", len(entries))
	}
	for i, entry := range entries {
		place, _ := strconv.Atoi(string(entry[1]))
		if !bytes.HasPrefix(file[place:], fmt.Appendf(nil, "%d 0 obj\n", i+1)) {
			t.Errorf("object %d is not where the table says", i+1)
		}
	}
	if !bytes.Contains(file, []byte("/MediaBox [0 0 240.94 ")) {
		t.Error("a single column is not 85 mm wide")
	}
	content := pdfContent(t, file)
	for line := range strings.SplitSeq(content, "\n") {
		if !regexp.MustCompile(`^([-0-9. ]*|/G\d+ gs .*|[0-9.]+ w .*)(m|l|c|h|f|S|rg|RG|d|j)$`).MatchString(line) && line != "" {
			t.Fatalf("content line %q", line)
		}
	}
}

// pdfContent inflates the stream and checks its stated length.
func pdfContent(t *testing.T, file []byte) string {
	t.Helper()
	m := regexp.MustCompile(`/Length (\d+) /Filter /FlateDecode >>\nstream\n`).FindSubmatchIndex(file)
	if m == nil {
		t.Fatal("no stream")
	}
	length, _ := strconv.Atoi(string(file[m[2]:m[3]]))
	if !bytes.HasPrefix(file[m[1]+length:], []byte("\nendstream")) {
		t.Fatal("stream has another length than stated")
	}
	r, err := zlib.NewReader(bytes.NewReader(file[m[1] : m[1]+length]))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestSVGStructure(t *testing.T) {
	f := theorySample()
	f.Title, f.Caption = `a < b & "c"`, "first ]]> second \x00"
	decoder := xml.NewDecoder(bytes.NewReader(render(t, f, SVG)))
	count, text := map[string]int{}, map[string]string{}
	element := ""
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			element = token.Name.Local
			count[element]++
			for _, a := range token.Attr {
				if element == "svg" && a.Name.Local == "viewBox" && !strings.HasPrefix(a.Value, "0 0 240.94 ") {
					t.Errorf("viewBox %q", a.Value)
				}
			}
		case xml.CharData:
			text[element] += string(token)
		}
	}
	if count["svg"] != 1 || count["path"] < 30 || count["text"] != 0 {
		t.Errorf("elements %v", count)
	}
	if got := strings.TrimSpace(text["title"]); got != `a < b & "c"` {
		t.Errorf("title %q", got)
	}
}

func TestPNGSizeAndResolution(t *testing.T) {
	f := logLogSample()
	file := render(t, f, PNG)
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if want := int(math.Round(85 / 25.4 * 300)); picture.Bounds().Dx() != want {
		t.Errorf("%d pixels wide, want %d", picture.Bounds().Dx(), want)
	}
	i := bytes.Index(file, []byte("pHYs"))
	if i < 0 || i > bytes.Index(file, []byte("IDAT")) {
		t.Fatal("no resolution before the image")
	}
	if x, y := binary.BigEndian.Uint32(file[i+4:]), binary.BigEndian.Uint32(file[i+8:]); x != 11811 || y != 11811 || file[i+12] != 1 {
		t.Errorf("resolution %d by %d, unit %d", x, y, file[i+12])
	}
	dark := 0
	bounds := picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if r, g, b, _ := picture.At(x, y).RGBA(); r+g+b < 0x10000 {
				dark++
			}
		}
	}
	if share := float64(dark) / float64(bounds.Dx()*bounds.Dy()); share < 0.01 || share > 0.3 {
		t.Errorf("%.3f of the picture is dark", share)
	}
}

func TestTeXEscapes(t *testing.T) {
	for text, want := range map[string]string{
		"50 % of_N & #1 $x^2 {a} ~b\\": `50 \% of\_N \& \#1 \$x\textasciicircum{}2 \{a\} \textasciitilde{}b\textbackslash{}`,
		"μ⁻¹":                          `\ensuremath{\mu}\ensuremath{{}^{-1}}`,
		"x₀ ≤ λ²":                      `x\ensuremath{{}_{0}} \ensuremath{\le} \ensuremath{\lambda}\ensuremath{{}^{2}}`,
		"Q\u0302 and λ\u0304":          `\ensuremath{\hat{\mathrm{Q}}} and \ensuremath{\bar{\ensuremath{\lambda}}}`,
		"Erdős, café":                  "Erdős, café",
	} {
		if got, unknown := latex(text); got != want || len(unknown) > 0 {
			t.Errorf("%q\n got %s (unknown %q)\nwant %s", text, got, unknown, want)
		}
	}
	if _, unknown := latex("漢"); len(unknown) != 1 {
		t.Error("a character LaTeX lacks is not reported")
	}
}

func TestTeXIsBalancedAndCarriesData(t *testing.T) {
	for name, f := range samples() {
		source := string(render(t, f, TeX))
		depth := 0
		for i, r := range source {
			if i > 0 && source[i-1] == '\\' {
				continue
			}
			switch r {
			case '{':
				depth++
			case '}':
				depth--
			}
			if depth < 0 {
				t.Fatalf("%s: brace closed at %d was not open", name, i)
			}
		}
		if depth != 0 || strings.Count(source, `\begin{`) != strings.Count(source, `\end{`) {
			t.Errorf("%s: unbalanced", name)
		}
	}
	if source := string(render(t, tailSample(), TeX)); !strings.Contains(source, "9 1.4916681462400413e-154 \\\\") {
		t.Errorf("2^-511 is not among the data at full precision:\n%s", source)
	}
}

func TestDataRoundTrip(t *testing.T) {
	f := logLogSample()
	f.Name = `a "quoted", name`
	f.Series[0].Kind, f.Series[1].Kinds = ctmc.LowerBound, make([]ctmc.Kind, len(f.Series[1].X))
	f.Series[1].Kinds[1] = ctmc.Exact
	f.Series = append(f.Series, Series{Name: "band", Style: Band, X: []float64{1. / 3}, Low: []float64{5e-324}, High: []float64{math.Pi}})
	var out bytes.Buffer
	if err := f.WriteData(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], ","); got != "figure,series,x,y,low,high,kind" {
		t.Errorf("header %s", got)
	}
	row := 1
	for _, s := range f.Series {
		for i := range s.X {
			r := rows[row]
			row++
			kind := ""
			if s.KindAt(i) != 0 {
				kind = s.KindAt(i).String()
			}
			if r[6] != kind {
				t.Errorf("row %d has kind %q, want %q", row, r[6], kind)
			}
			if r[0] != f.Name || r[1] != s.Name {
				t.Errorf("row %d is of %s, %s", row, r[0], r[1])
			}
			for j, column := range [][]float64{s.X, s.Y, s.Low, s.High} {
				if column == nil {
					if r[2+j] != "" {
						t.Errorf("row %d has %q where the series has nothing", row, r[2+j])
					}
				} else if v, err := strconv.ParseFloat(r[2+j], 64); err != nil || v != column[i] {
					t.Errorf("row %d: %q for %v", row, r[2+j], column[i])
				}
			}
		}
	}
	if row != len(rows) {
		t.Errorf("%d rows, want %d", len(rows), row)
	}
}

func TestParseFormat(t *testing.T) {
	for text, want := range map[string]Format{"pdf": PDF, ".SVG": SVG, "png": PNG, ".tex": TeX} {
		if got, err := ParseFormat(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", ".", "jpeg", "pdf.gz"} {
		if _, err := ParseFormat(text); err == nil {
			t.Errorf("%q accepted", text)
		}
	}
}

func TestFileAppearsWholeOrNotAtAll(t *testing.T) {
	directory := t.TempDir()
	content := func() (names []string) {
		entries, err := os.ReadDir(directory)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	good, bad := tailSample(), &Figure{Name: "empty"}
	path := filepath.Join(directory, "fig.svg")
	if err := bad.WriteFile(path); err == nil || len(content()) != 0 {
		t.Errorf("error %v, files %v", err, content())
	}
	if err := good.WriteFile(filepath.Join(directory, "missing", "fig.svg")); err == nil || len(content()) != 0 {
		t.Errorf("error %v, files %v", err, content())
	}
	if err := good.WriteFile(filepath.Join(directory, "fig")); err == nil || len(content()) != 0 {
		t.Errorf("no extension: error %v, files %v", err, content())
	}
	if err := good.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, render(t, good, SVG)) {
		t.Error("file differs from what is rendered")
	}
	// A failure late, at the renaming, must clean up; a directory in the
	// place of the file makes it fail whoever runs the test.
	if err := os.Mkdir(filepath.Join(directory, "taken.svg"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := good.WriteFile(filepath.Join(directory, "taken.svg")); err == nil {
		t.Error("a directory was overwritten")
	}
	if err := bad.WriteFile(path); err == nil {
		t.Error("an empty figure was written")
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Error("a failure damaged the existing file")
	}
	if got := strings.Join(content(), " "); got != "fig.svg taken.svg" {
		t.Errorf("left behind: %s", got)
	}
}
