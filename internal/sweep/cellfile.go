package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"qlimit/internal/manifest"
	"qlimit/internal/wholefile"
)

// Outcome is what a cell found: a table as the command writes it in CSV,
// without what the clock measured.
type Outcome struct {
	ExitCode int        `json:"exit_code"` // of the command
	Header   []string   `json:"header"`    // names of the columns
	Rows     [][]string `json:"rows"`      // as text
}

// cellFile is the file of a finished cell. Digest is the SHA-256 of the
// outcome, so that a damaged file counts as missing.
type cellFile struct {
	Schema    int             `json:"schema"`
	Plan      string          `json:"plan"`
	Cell      string          `json:"cell"`
	Arguments []string        `json:"arguments"`
	Seconds   float64         `json:"wall_seconds"`
	Digest    string          `json:"digest"`
	Outcome   json.RawMessage `json:"outcome"`
}

// FileName is the file of a cell in the directory of a sweep.
func FileName(directory string, c Cell) string {
	return filepath.Join(directory, c.ID+".json")
}

// WriteOutcome writes the file of a finished cell, all or nothing.
func (p *Plan) WriteOutcome(directory string, c Cell, o Outcome, seconds float64) error {
	outcome, err := json.Marshal(o)
	if err != nil {
		return err
	}
	text, err := json.Marshal(cellFile{
		Schema: Schema, Plan: p.ID, Cell: c.ID, Arguments: p.Arguments(c), Seconds: seconds,
		Digest: manifest.HashText(outcome), Outcome: outcome,
	})
	if err != nil {
		return err
	}
	return wholefile.Write(FileName(directory, c), append(text, '\n'))
}

// ReadOutcome reads the file of a cell; an error says why it counts as
// missing.
func (p *Plan) ReadOutcome(directory string, c Cell) (Outcome, error) {
	text, err := os.ReadFile(FileName(directory, c))
	if err != nil {
		return Outcome{}, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var f cellFile
	if err := decoder.Decode(&f); err != nil {
		return Outcome{}, fmt.Errorf("damaged: %w", err)
	}
	switch {
	case f.Schema != Schema || f.Plan != p.ID || f.Cell != c.ID || !slices.Equal(f.Arguments, p.Arguments(c)):
		return Outcome{}, fmt.Errorf("belongs to another plan")
	case f.Digest != manifest.HashText(f.Outcome):
		return Outcome{}, fmt.Errorf("damaged: the digest does not fit the outcome")
	}
	var o Outcome
	if err := json.Unmarshal(f.Outcome, &o); err != nil {
		return Outcome{}, fmt.Errorf("damaged: %w", err)
	}
	for _, row := range o.Rows {
		if len(row) != len(o.Header) {
			return Outcome{}, fmt.Errorf("damaged: a row of %d fields under a header of %d", len(row), len(o.Header))
		}
	}
	return o, nil
}
