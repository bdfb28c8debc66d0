package estimate

import (
	"bytes"
	"encoding/gob"
	"errors"
)

// saved mirrors a series in a file.
type saved struct {
	Columns, MaxCells int
	Replications      []savedReplication
}

type savedReplication struct {
	Cells    []float64
	Partial  [][]float64
	Appended int
}

// MarshalBinary writes the series with every bit of its numbers.
func (s *Series) MarshalBinary() ([]byte, error) {
	out := saved{Columns: s.columns, MaxCells: s.maxCells}
	for _, r := range s.replications {
		out.Replications = append(out.Replications, savedReplication{r.cells, r.partial, r.appended})
	}
	var text bytes.Buffer
	err := gob.NewEncoder(&text).Encode(out)
	return text.Bytes(), err
}

// UnmarshalBinary replaces the contents of a series by those that MarshalBinary
// wrote for one of the same shape. Errors: a text that is no series, or one of
// another shape.
func (s *Series) UnmarshalBinary(text []byte) error {
	var in saved
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&in); err != nil {
		return err
	}
	if in.Columns != s.columns || in.MaxCells != s.maxCells || len(in.Replications) != len(s.replications) {
		return errors.New("the saved series has another shape")
	}
	restored := make([]replication, len(in.Replications))
	for k, r := range in.Replications {
		if len(r.Cells)%s.columns != 0 || len(r.Cells)/s.columns > s.maxCells || r.Appended < 0 || len(r.Partial) > 62 ||
			r.Appended>>len(r.Partial) != len(r.Cells)/s.columns {
			return errors.New("the saved series contradicts itself")
		}
		for _, part := range r.Partial {
			if len(part) != s.columns {
				return errors.New("the saved series contradicts itself")
			}
		}
		restored[k] = replication{cells: r.Cells, partial: r.Partial, appended: r.Appended, carry: make([]float64, s.columns)}
	}
	s.replications = restored
	return nil
}
