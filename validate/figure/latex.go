package figure

import (
	"fmt"
	"strings"
)

// latexOf gives LaTeX source for characters that mean something to TeX, or
// that the fonts of an ordinary document do not have.
var latexOf = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '%': `\%`, '_': `\_`, '&': `\&`,
	'#': `\#`, '$': `\$`, '^': `\textasciicircum{}`, '~': `\textasciitilde{}`,
	'<': `\ensuremath{<}`, '>': `\ensuremath{>}`, '|': `\ensuremath{|}`, '"': `\textquotedbl{}`,
	'−': `\ensuremath{-}`, '±': `\ensuremath{\pm}`, '×': `\ensuremath{\times}`, '·': `\ensuremath{\cdot}`,
	'≤': `\ensuremath{\le}`, '≥': `\ensuremath{\ge}`, '≠': `\ensuremath{\ne}`, '≈': `\ensuremath{\approx}`,
	'∞': `\ensuremath{\infty}`, '→': `\ensuremath{\to}`, '√': `\ensuremath{\surd}`, '∝': `\ensuremath{\propto}`,
	'∈': `\ensuremath{\in}`, '∑': `\ensuremath{\sum}`, '∂': `\ensuremath{\partial}`, '′': `\ensuremath{'}`,
	'≪': `\ensuremath{\ll}`, '≫': `\ensuremath{\gg}`, '∼': `\ensuremath{\sim}`, 'ℓ': `\ensuremath{\ell}`,
	'⌊': `\ensuremath{\lfloor}`, '⌋': `\ensuremath{\rfloor}`, '⌈': `\ensuremath{\lceil}`, '⌉': `\ensuremath{\rceil}`,
	'–': `--`, '—': `---`, '…': `\ldots{}`, '“': "``", '”': `''`, '‘': "`", '’': `'`, '\u00a0': `~`, '\u2009': `\,`,
	'µ': `\ensuremath{\mu}`,
}

func init() {
	for _, name := range strings.Fields(`αalpha βbeta γgamma δdelta εvarepsilon ζzeta ηeta θtheta ιiota
		κkappa λlambda μmu νnu ξxi πpi ρrho σsigma ςvarsigma τtau υupsilon φvarphi ϕphi χchi ψpsi ωomega
		ϑvartheta ϵepsilon ΓGamma ΔDelta ΘTheta ΛLambda ΞXi ΠPi ΣSigma ΥUpsilon ΦPhi ΨPsi ΩOmega`) {
		letter := []rune(name)
		latexOf[letter[0]] = `\ensuremath{\` + string(letter[1:]) + `}`
	}
}

// raised and lowered map superscript and subscript characters to what they
// raise or lower.
var (
	raised  = runeTable("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni")
	lowered = runeTable("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢⱼₖₘ", "0123456789+-=()nijkm")
)

func runeTable(from, to string) map[rune]rune {
	table := map[rune]rune{}
	target := []rune(to)
	for i, r := range []rune(from) {
		table[r] = target[i]
	}
	return table
}

// accents maps combining marks to the commands that put them on a letter.
var accents = map[rune]string{
	'\u0300': "grave", '\u0301': "acute", '\u0302': "hat", '\u0303': "tilde",
	'\u0304': "bar", '\u0305': "bar", '\u0307': "dot", '\u0308': "ddot", '\u030c': "check",
}

// latex turns a label into LaTeX that any engine can set. Characters it does
// not know, other than those of Latin alphabets, are passed on and reported.
func latex(text string) (source string, unknown []rune) {
	var out strings.Builder
	runes := []rune(clean(text))
	for i := 0; i < len(runes); {
		if n := scripts(&out, runes[i:], raised, '^'); n > 0 {
			i += n
			continue
		}
		if n := scripts(&out, runes[i:], lowered, '_'); n > 0 {
			i += n
			continue
		}
		letter := string(runes[i])
		if known, ok := latexOf[runes[i]]; ok {
			letter = known
		} else if runes[i] > 0x17f {
			unknown = append(unknown, runes[i])
		}
		i++
		for ; i < len(runes) && accents[runes[i]] != ""; i++ {
			letter = fmt.Sprintf(`\ensuremath{\%s{%s}}`, accents[runes[i]], upright(letter))
		}
		out.WriteString(letter)
	}
	return out.String(), unknown
}

// upright keeps a plain letter under an accent in the shape of the text.
func upright(letter string) string {
	if strings.HasPrefix(letter, `\`) {
		return letter
	}
	return `\mathrm{` + letter + `}`
}

// scripts writes a run of superscript or subscript characters as one group
// and returns its length.
func scripts(out *strings.Builder, runes []rune, table map[rune]rune, mark rune) int {
	var group strings.Builder
	n := 0
	for n < len(runes) && table[runes[n]] != 0 {
		group.WriteRune(table[runes[n]])
		n++
	}
	if n > 0 {
		fmt.Fprintf(out, `\ensuremath{{}%c{%s}}`, mark, group.String())
	}
	return n
}
