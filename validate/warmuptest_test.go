package validate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"qlimit/ctmc"
	"qlimit/validate/sim"
)

// equilibriumSettings are those of a stationary run.
func equilibriumSettings(s ctmc.System, seed uint64, rows int64) sim.SnapshotSettings {
	tail, tailPhase2 := fluidTails(s)
	return sim.SnapshotSettings{Seed: seed, Start: sim.RoundedStart(s.Servers, tail, tailPhase2), WarmUp: 500, Every: 1, Count: rows}
}

// rightSamples are samples of our own simulator, as from a file.
func rightSamples(s ctmc.System, settings sim.SnapshotSettings, levels int) io.Reader {
	reader, writer := io.Pipe()
	go func() {
		out := bufio.NewWriter(writer)
		writeHeader(out, s, levels)
		err := writeSamples(out, s, settings, levels)
		_ = out.Flush()
		_ = writer.CloseWithError(err)
	}()
	return reader
}

func writeHeader(out io.Writer, s ctmc.System, levels int) {
	fmt.Fprint(out, "idle")
	for i := 1; i <= levels; i++ {
		for m := 1; m <= s.Phases(); m++ {
			fmt.Fprintf(out, ",%d.%d", i, m)
		}
	}
	fmt.Fprintln(out)
}

func writeSamples(out *bufio.Writer, s ctmc.System, settings sim.SnapshotSettings, levels int) error {
	classes := 1 + levels*s.Phases()
	var row []byte
	return sim.Snapshots(context.Background(), s, settings, func(_ float64, counts []int64) error {
		row = row[:0]
		for c := range classes {
			n := int64(0)
			if c < len(counts) {
				n = counts[c]
			}
			row = append(fmt.Append(row, n), ',')
		}
		row[len(row)-1] = '\n'
		_, err := out.Write(row)
		return err
	})
}

// restarted is a run whose first tenth is made of runs of ten samples from
// empty.
func restarted(s ctmc.System, rows int64) io.Reader {
	const levels = 30
	reader, writer := io.Pipe()
	go func() {
		out := bufio.NewWriter(writer)
		writeHeader(out, s, levels)
		for k := int64(0); k < rows/100; k++ {
			_ = writeSamples(out, s, sim.SnapshotSettings{Seed: uint64(k), Every: 1, Count: 10}, levels)
		}
		err := writeSamples(out, s, equilibriumSettings(s, 9, rows-rows/10), levels)
		_ = out.Flush()
		_ = writer.CloseWithError(err)
	}()
	return reader
}

func testOf(t *testing.T, file io.Reader, s ctmc.System) *OutputTest {
	t.Helper()
	samples, err := NewSamples(file, s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := TestOutput(context.Background(), samples, 0.05, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func checkWarmUp(t *testing.T, name string, r *OutputTest) {
	t.Helper()
	t.Logf("%s, N=%d: p = %.2g (identities %.2g, stationary %.2g): %s", name, r.System.Servers, r.P, r.Joint.P, r.Stationary.P, r.Suggestion)
	if !r.Rejected() || !strings.Contains(r.Suggestion, "not stationary") {
		t.Errorf("%s, N=%d: warm-up not seen, p = %g: %s", name, r.System.Servers, r.P, r.Suggestion)
	}
}

// TestWarmUpLeftIn: the beginning of a run from empty is seen.
func TestWarmUpLeftIn(t *testing.T) {
	for _, servers := range []int64{10, 100} {
		s := ctmc.System{Servers: servers, Load: 0.8, Service: exponential, Policy: ctmc.JSQ()}
		rows := 10_000_000 / servers / 10
		checkWarmUp(t, "from empty", testOf(t, rightSamples(s, sim.SnapshotSettings{Seed: 3, Every: 1, Count: rows}, 30), s))
		checkWarmUp(t, "first tenth from empty", testOf(t, restarted(s, rows), s))
	}
}
