package figure

import (
	"encoding/csv"
	"io"
	"strconv"

	"qlimit/ctmc"
)

// WriteData writes every point of every series as CSV in long form, one row a
// point, with the header figure,series,x,y,low,high,kind. Numbers have the
// shortest form that reads back to the same float64; a column a series does
// not have is empty. Points that an axis cannot show are written all the same.
func (f *Figure) WriteData(w io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	rows := [][]string{{"figure", "series", "x", "y", "low", "high", "kind"}}
	for _, s := range f.Series {
		for i := range s.X {
			rows = append(rows, []string{f.Name, s.Name, number(s.X[i]),
				cell(s.Y, i), cell(s.Low, i), cell(s.High, i), kindCell(s.KindAt(i))})
		}
	}
	return out.WriteAll(rows)
}

func cell(column []float64, i int) string {
	if column == nil {
		return ""
	}
	return number(column[i])
}

func kindCell(k ctmc.Kind) string {
	if k == 0 {
		return ""
	}
	return k.String()
}

func number(v float64) string {
	return strconv.FormatFloat(v, 'g', -1, 64)
}
