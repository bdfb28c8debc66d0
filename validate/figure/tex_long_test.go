//go:build long

package figure

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every sample compiles in a plain document, where LaTeX is installed.
func TestTeXCompiles(t *testing.T) {
	if exec.Command("kpsewhich", "pgfplots.sty").Run() != nil {
		t.Skip("no LaTeX with pgfplots")
	}
	directory := t.TempDir()
	var document strings.Builder
	document.WriteString("\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{pgfplots}\n" +
		"\\pgfplotsset{compat=1.16}\n\\begin{document}\n")
	all := samples()
	delete(all, "trajectories") // more points than pdfLaTeX's fixed memory holds
	for name, f := range all {
		if err := f.WriteFile(filepath.Join(directory, name+".tex")); err != nil {
			t.Fatal(err)
		}
		document.WriteString("\\input{" + name + "}\n\n")
	}
	document.WriteString("\\end{document}\n")
	if err := os.WriteFile(filepath.Join(directory, "all.tex"), []byte(document.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex")
	command.Dir = directory
	if log, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, log)
	}
}
