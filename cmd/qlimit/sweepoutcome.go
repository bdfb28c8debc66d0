package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"

	"qlimit/internal/sweep"
)

// outcomeOf reads the CSV of a command and leaves out the rows that are no
// results.
func outcomeOf(code int, text []byte) (sweep.Outcome, error) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		return sweep.Outcome{}, fmt.Errorf("the result is no table: %w", err)
	}
	o := sweep.Outcome{ExitCode: code, Header: rows[0], Rows: rows[1:]}
	if kind := slices.Index(o.Header, "kind"); kind >= 0 {
		o.Rows = slices.DeleteFunc(o.Rows, func(row []string) bool {
			return slices.Contains([]string{rowInput, rowWork, rowNote}, row[kind])
		})
	}
	return o, nil
}
