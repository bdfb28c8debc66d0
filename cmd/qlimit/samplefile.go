package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"qlimit/internal/boundedrows"
)

// Limits of a data file.
const (
	mostSampleBytes  = int64(1 << 30)
	mostSampleValues = 20_000_000
)

// readSample reads the numbers of one column of a CSV file. The column is
// given by its name in the header row or by its number, from 1; the default is
// the first. A first row that is no number is a header.
func readSample(name, column string) ([]float64, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, badRequest("cannot read --data %s: %w", name, reason(err))
	}
	defer file.Close()
	if err := checkSampleFile(file); err != nil {
		return nil, badRequest("--data %s: %w", name, err)
	}
	sample, err := readColumn(file, column)
	if err != nil {
		return nil, badRequest("--data %s: %w", name, err)
	}
	return sample, nil
}

func checkSampleFile(file *os.File) error {
	info, err := file.Stat()
	switch {
	case err != nil:
		return reason(err)
	case info.IsDir():
		return errors.New("is a directory")
	case info.Mode().IsRegular() && info.Size() > mostSampleBytes:
		return fmt.Errorf("%d bytes (must be at most %d)", info.Size(), mostSampleBytes)
	}
	return nil
}

func readColumn(r io.Reader, column string) ([]float64, error) {
	rows := csv.NewReader(boundedrows.NewReader(io.LimitReader(r, mostSampleBytes), boundedrows.Longest))
	rows.FieldsPerRecord = -1
	rows.ReuseRecord = true
	rows.TrimLeadingSpace = true
	var sample []float64
	index := -1
	for {
		row, err := rows.Read()
		switch {
		case err == io.EOF && len(sample) == 0:
			return nil, errors.New("holds no numbers")
		case err == io.EOF:
			return sample, nil
		case err != nil:
			return nil, err
		}
		line, _ := rows.FieldPos(0)
		if index < 0 {
			header := false
			if index, header, err = findColumn(row, column); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			if header {
				continue
			}
		}
		x, err := sampleValue(row, index)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if sample = append(sample, x); len(sample) > mostSampleValues {
			return nil, fmt.Errorf("more than %d numbers", mostSampleValues)
		}
	}
}

// findColumn picks the column by the first row and tells whether that row is
// a header.
func findColumn(first []string, column string) (index int, header bool, err error) {
	if column != "" {
		if n, err := strconv.Atoi(column); err != nil {
			return columnNamed(first, column)
		} else if index = n - 1; index < 0 || index >= len(first) {
			return 0, false, fmt.Errorf("column = %d (must be between 1 and %d)", n, len(first))
		}
	}
	_, err = parseDecimal(strings.TrimSpace(first[index]))
	return index, err != nil, nil
}

func columnNamed(header []string, name string) (int, bool, error) {
	names := make([]string, len(header))
	for i, text := range header {
		names[i] = strings.TrimSpace(text)
		if names[i] == name {
			return i, true, nil
		}
	}
	return 0, false, fmt.Errorf("column = %q (must be one of %s%s)", name, strings.Join(names, ", "), trailingSuggestion(name, names))
}

func sampleValue(row []string, index int) (float64, error) {
	if index >= len(row) {
		return 0, fmt.Errorf("has %d fields (column %d is missing)", len(row), index+1)
	}
	text := strings.TrimSpace(row[index])
	x, err := parseDecimal(text)
	if err != nil {
		return 0, fmt.Errorf("%q (must be a number)", shortened(text))
	}
	return x, nil
}
