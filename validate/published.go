package validate

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"qlimit/coxian"
	"qlimit/ctmc"
)

//go:embed data/published_power_of_d.csv
var publishedPowerOfD string

// PublishedRow is one system of the published power-of-d data: exponential
// service, sampling with replacement.
type PublishedRow struct {
	D             int64      // number of servers sampled
	Load          float64    // below 1
	Servers       int64      // N
	Runs          int64      // averaged over
	MeanJobs      float64    // per server
	StandardError float64    // of MeanJobs
	AtLeast       [3]float64 // fractions of servers with at least 1, 2, 3 jobs
}

// PublishedReference says where the published data come from.
const PublishedReference = "N. Gast, rmf_tool repository (MIT licence), simulation of power-of-d with replacement; averages over runs recomputed"

// PublishedPowerOfD returns the simulation averages published by others that
// are shipped with the program, see data/README.md. An error means that the
// program was built with a damaged file.
func PublishedPowerOfD() ([]PublishedRow, error) {
	return readPublished(strings.NewReader(publishedPowerOfD))
}

func readPublished(r io.Reader) ([]PublishedRow, error) {
	reader := csv.NewReader(r)
	reader.Comment = '#'
	records, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("published data: %w", err)
	}
	if len(records) < 2 {
		return nil, fmt.Errorf("published data: no rows")
	}
	var rows []PublishedRow
	for i, record := range records[1:] {
		var values [9]float64
		for k := range values {
			if values[k], err = strconv.ParseFloat(record[k], 64); err != nil {
				return nil, fmt.Errorf("published data, row %d, column %s: %w", i+1, records[0][k], err)
			}
		}
		rows = append(rows, PublishedRow{
			D: int64(values[0]), Load: values[1], Servers: int64(values[2]), Runs: int64(values[3]),
			MeanJobs: values[4], StandardError: values[5], AtLeast: [3]float64{values[6], values[7], values[8]},
		})
	}
	return rows, nil
}

// System is the system that a published row speaks of.
func (r PublishedRow) System() ctmc.System {
	return ctmc.System{Servers: r.Servers, Load: r.Load, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1},
		Policy: ctmc.PowerOfD(r.D, true)}
}
