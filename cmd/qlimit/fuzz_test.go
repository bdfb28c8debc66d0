package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"qlimit/internal/sweep"
)

// FuzzReadColumn: numbers that are read are finite, and written one to a line
// they are read again as the same.
func FuzzReadColumn(f *testing.F) {
	for _, text := range []string{"1\n2.5\n", "seconds\n1\n", "id,seconds\n1,0.5\n2, 1.5\n", "\"1\"\n", "1e308\n-1e308\n", "1e-320\n", "1,2\n3\n", "\"1\n", "\ufeff1\n", "1\r\n2\r\n"} {
		f.Add(text, "")
		f.Add(text, "2")
		f.Add(text, "seconds")
	}
	f.Fuzz(func(t *testing.T, text, column string) {
		sample, err := readColumn(strings.NewReader(text), column)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		var b strings.Builder
		for _, x := range sample {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("%q: %g", text, x)
			}
			b.WriteString(strconv.FormatFloat(x, 'g', -1, 64) + "\n")
		}
		if again, err := readColumn(strings.NewReader(b.String()), ""); err != nil || !slices.Equal(again, sample) {
			t.Errorf("%q: %v, written out %v, %v", text, sample, again, err)
		}
	})
}

// FuzzParsePlot: a plot that is read has finite values, lines with a command,
// and command lines that leave no {x}.
func FuzzParsePlot(f *testing.F) {
	const axes = "[x]\nflag = \"load\"\nvalues = [0.5, 0.7]\n[y]\nquantity = \"mean_jobs\"\n"
	for _, text := range []string{
		axes + "[fixed]\nservers = 100\n[[line]]\ncommand = \"simulate\"\npolicy = [\"jsq\", \"pod:d=2\"]\nevents = 1e6\n",
		"[x]\nfrom = 1\nto = 1e6\npoints = 7\nscale = \"log\"\n[y]\nquantity = \"tail.2\"\n[[line]]\ncommand = \"predict\"\nmethod = \"mean-field\"\nservers = \"{x}\"\ngroup = 2\nstyle = \"line\"\nlabel = \"a\"\n",
		"[x]\nfrom = -1e308\nto = 1e308\npoints = 3\nflag = \"a\"\n[y]\nquantity = \"q\"\n[[line]]\ncommand = \"x\"\n",
		"[x]\nfrom = -inf\nto = inf\npoints = 3\nflag = \"a\"\n[y]\nquantity = \"q\"\n[[line]]\ncommand = \"x\"\n",
		axes + "[[line]]\ncommand = 1\nlabel = 2\nstyle = 3\n", axes + "[[line]]\ncommand = \"a\"\np = []\n", axes + "[[line]]\ncommand = \"a\"\np = [[1]]\n", "[x", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		oneLine := func(err error) {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v", text, err)
			}
		}
		p, err := parsePlot(strings.NewReader(text))
		if err != nil {
			oneLine(err)
			return
		}
		if len(p.X.Values) == 0 || len(p.X.Values) > maxPlotPoints+len(text) {
			t.Fatalf("%q: %d values of x", text, len(p.X.Values))
		}
		for _, x := range p.X.Values {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("%q: x = %g", text, x)
			}
		}
		lines, err := p.lines()
		if err != nil {
			oneLine(err)
			return
		}
		if len(lines) == 0 {
			t.Errorf("%q: no lines", text)
		}
		for _, line := range lines {
			if len(line.command) == 0 || strings.Contains(strings.Join(line.arguments(p.X.Flag, p.X.Values[0], 1)[len(line.command):], " "), "{x}") {
				t.Errorf("%q: line %+v", text, line)
			}
		}
	})
}

// FuzzFlagValues: a value that a flag takes is one that it prints and takes
// again as the same, within its range.
func FuzzFlagValues(f *testing.F) {
	for _, text := range []string{"1", "1e9", "0.5", "-0", "1%", "auto", "none", "30s", "1/4", "1e3/1e4", "0,1,2", "9223372036854775807", "1e-320", "1e999", "0x10", "1_000", "+5", "", "1,,2", "2562047h47m16.854775807s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var n, again int64
		limits := func(target *int64) *count { return &count{target, -5, 1 << 60, ""} }
		if limits(&n).Set(text) == nil {
			if n < -5 || n > 1<<60 || limits(&again).Set(shortCount(n)) != nil || again != n {
				t.Errorf("count %q is %d, printed %s, read %d", text, n, shortCount(n), again)
			}
		}
		var x, y float64
		if v := (&decimal{target: &x, accept: positive, percent: true}); v.Set(text) == nil {
			if !(x > 0) || math.IsInf(x, 1) || (&decimal{target: &y, accept: positive}).Set(v.String()) != nil || y != x {
				t.Errorf("decimal %q is %g, printed %s, read %g", text, x, v, y)
			}
		}
		var list, listAgain []float64
		if v := (&decimals{&list}); v.Set(text) == nil {
			if (&decimals{&listAgain}).Set(v.String()) != nil || !slices.Equal(list, listAgain) {
				t.Errorf("numbers %q are %v, printed %s, read %v", text, list, v, listAgain)
			}
		}
		var lengths []int64
		if (&lengthList{&lengths}).Set(text) == nil && slices.Min(lengths) < 0 {
			t.Errorf("lengths %q are %v", text, lengths)
		}
		var warmUp, warmUpAgain warmUpTime
		if warmUp.Set(text) == nil && (warmUp.time < 0 || warmUpAgain.Set(warmUp.String()) != nil || warmUpAgain != warmUp) {
			t.Errorf("warm-up %q is %+v, printed %s, read %+v", text, warmUp, &warmUp, warmUpAgain)
		}
		var limit, limitAgain time.Duration
		if v := (&timeLimit{&limit}); v.Set(text) == nil && (limit <= 0 || (&timeLimit{&limitAgain}).Set(v.String()) != nil || limitAgain != limit) {
			t.Errorf("time %q is %v, read %v", text, limit, limitAgain)
		}
		var shard, shardAgain sweep.Shard
		if v := (&shardValue{&shard}); v.Set(text) == nil && (shard.K < 1 || shard.K > shard.N || (&shardValue{&shardAgain}).Set(v.String()) != nil || shardAgain != shard) {
			t.Errorf("shard %q is %+v, printed %s, read %+v", text, shard, v, shardAgain)
		}
	})
}
