package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

const (
	linePause  = 10 * time.Second       // between lines where there is no terminal
	barDelay   = 500 * time.Millisecond // work shorter than this shows no bar
	barSteps   = 1000
	barColumns = 40
)

// progress shows on standard error how far long work has come: a bar on a
// terminal, elsewhere a line every ten seconds, with --quiet nothing.
type progress struct {
	mu     sync.Mutex
	share  float64 // the last reported
	detail string
	show   func(share float64, detail string)
	end    func()
}

func (env *environment) newProgress(what string) *progress {
	switch {
	case env.quiet:
		return &progress{}
	case isCapableTerminal(terminalOf(env.stderr)):
		stop := func() {}
		if v, ok := env.stderr.(*voice); ok {
			stop = v.draw()
		}
		p := newBar(terminalOf(env.stderr), what)
		remove := p.end
		p.end = func() { remove(); stop() }
		return p
	}
	return newLines(env.stderr, what, time.Now)
}

// terminalOf is what a voice speaks to.
func terminalOf(w io.Writer) io.Writer {
	if v, ok := w.(*voice); ok {
		return v.to
	}
	return w
}

func isCapableTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb"
}

// report takes the share of the work done; it may fall where the work consists
// of several passes.
func (p *progress) report(share float64, detail string) {
	if math.IsNaN(share) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.share, p.detail = math.Max(0, math.Min(share, 1)), detail
	if p.show != nil {
		p.show(p.share, detail)
	}
}

// tells is [progress.report] as the libraries call it.
func (p *progress) tells(done, total float64, what string) {
	if what == "simulating" {
		what = ""
	}
	p.report(done/total, what)
}

// explain says of work that was interrupted without a result how far it had
// come; other errors stay as they are.
func (p *progress) explain(err error) error {
	if err == nil || !wasInterrupted(err) {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// The detail says more than the share, which may be that of a first pass.
	reached := p.detail
	if reached == "" {
		reached = fmt.Sprintf("%.0f%%", 100*p.share)
	}
	return &failure{exitInterrupted, fmt.Errorf("interrupted at %s, before there was a result", reached)}
}

// close removes the bar.
func (p *progress) close() {
	if p.end != nil {
		p.end()
	}
}

// newBar uses no colour, so that NO_COLOR asks for nothing more.
func newBar(stderr io.Writer, what string) *progress {
	delay := make(chan any)
	timer := time.AfterFunc(barDelay, func() { close(delay) })
	container := mpb.New(mpb.WithOutput(stderr), mpb.WithWidth(barColumns), mpb.WithRenderDelay(delay))
	var detail string
	var mu sync.Mutex
	bar := container.AddBar(barSteps,
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(what+" "), decor.NewPercentage("%d", decor.WC{W: 4}), decor.Name(" ")),
		mpb.AppendDecorators(
			decor.Any(func(decor.Statistics) string { mu.Lock(); defer mu.Unlock(); return detail }),
			decor.Name("  left "), decor.AverageETA(decor.ET_STYLE_GO)))
	return &progress{
		show: func(share float64, text string) {
			mu.Lock()
			detail = text
			mu.Unlock()
			// The last step is left to close: a full bar would vanish early.
			bar.SetCurrent(int64(share * (barSteps - 1)))
		},
		end: func() {
			timer.Stop()
			bar.Abort(true)
			container.Wait()
		},
	}
}

// newLines counts the passes of work whose share falls back: what is left is then
// that of the pass.
func newLines(stderr io.Writer, what string, now func() time.Time) *progress {
	begun := now()
	last, before, pass := begun, 0.0, 1
	return &progress{show: func(share float64, detail string) {
		t := now()
		if share < before-passDrop {
			pass++
			begun = t
		}
		before = share
		if t.Sub(last) < linePause {
			return
		}
		last = t
		name, left := what, timeLeft(share, t.Sub(begun))
		if pass > 1 {
			name = fmt.Sprintf("%s, pass %d", what, pass)
			left = strings.Replace(left, " left", " left of it", 1)
		}
		if detail != "" {
			detail = " (" + detail + ")"
		}
		fmt.Fprintf(stderr, "qlimit: %s: %.0f%%%s%s\n", name, 100*share, detail, left)
	}}
}

// passDrop is by how much the share falls back where another pass begins.
const passDrop = 0.05

// timeLeft says how much longer work will take that has done a share in the
// time since it began, if that says anything.
func timeLeft(share float64, since time.Duration) string {
	if !(share > 0 && share < 1) {
		return ""
	}
	left := since.Seconds() * (1 - share) / share
	switch {
	case left >= 100*365*86400:
		return ", centuries left at this rate"
	case left >= 2*86400:
		return fmt.Sprintf(", about %.3g days left", left/86400)
	}
	return fmt.Sprintf(", about %v left", time.Duration(left*float64(time.Second)).Round(time.Second))
}
