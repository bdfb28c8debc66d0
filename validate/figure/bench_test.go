package figure

import (
	"io"
	"testing"
)

func benchmarkRender(b *testing.B, f *Figure, format Format) {
	b.ReportAllocs()
	for b.Loop() {
		if err := f.Render(io.Discard, format); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTheoryPDF(b *testing.B)       { benchmarkRender(b, theorySample(), PDF) }
func BenchmarkTheorySVG(b *testing.B)       { benchmarkRender(b, theorySample(), SVG) }
func BenchmarkTheoryPNG(b *testing.B)       { benchmarkRender(b, theorySample(), PNG) }
func BenchmarkTrajectoriesPDF(b *testing.B) { benchmarkRender(b, trajectorySample(), PDF) }
func BenchmarkTrajectoriesPNG(b *testing.B) { benchmarkRender(b, trajectorySample(), PNG) }
