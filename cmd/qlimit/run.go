package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// Exit codes of the program.
const (
	exitDone         = 0
	exitEnvironment  = 1 // a file could not be written, or a fault of the program itself
	exitRequest      = 2 // flags, values or the contents of a file
	exitValidation   = 3 // theory and simulation disagree
	exitNotConverged = 4
	exitInterrupted  = 130
)

// failure is an error together with the exit code it ends the program with.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func badRequest(format string, args ...any) error {
	return &failure{exitRequest, fmt.Errorf(format, args...)}
}

func environmentFailed(format string, args ...any) error {
	return &failure{exitEnvironment, fmt.Errorf(format, args...)}
}

// run is the whole program: it interprets the arguments, writes results to
// stdout and everything else to stderr, and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	speaking := &voice{to: stderr}
	defer speaking.end()
	env := &environment{stdout: &watchedWriter{to: stdout}, stderr: speaking, format: formatTable, seed: 1}
	return env.run(ctx, args)
}

func (env *environment) run(ctx context.Context, args []string) (code int) {
	defer func() {
		if fault := recover(); fault != nil {
			code = exitEnvironment
			complain(env.stderr, fmt.Sprintf("internal error: %v (please report it with the command that led here)", fault))
		}
	}()
	env.record.begin(args)
	root := newRoot(env)
	root.SetArgs(args)
	if len(args) > 0 && args[0] == cobra.ShellCompRequestCmd {
		describePlainly(root)
	}
	executed, err := root.ExecuteContextC(ctx)
	if failed := env.writeManifest(executed, err); failed != nil && err == nil {
		err = failed
	}
	if env.stdout.err != nil {
		complain(env.stderr, fmt.Sprintf("cannot write to standard output: %v", reason(env.stdout.err)))
		return exitEnvironment
	}
	if err == nil {
		return exitDone
	}
	complain(env.stderr, err.Error())
	return exitCode(err)
}

// watchedWriter remembers the first error, which cobra's help and completion
// do not report.
type watchedWriter struct {
	to  io.Writer
	err error
}

func (w *watchedWriter) Write(text []byte) (int, error) {
	n, err := w.to.Write(text)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}

// complain writes one line to stderr.
func complain(stderr io.Writer, text string) {
	fmt.Fprintf(stderr, "qlimit: %s\n", strings.Join(strings.Fields(text), " "))
}

// exitCode tells whose fault an error is. What is no failure yet was found
// before a command began to run, while its flags and arguments were read.
func exitCode(err error) int {
	var f *failure
	if errors.As(err, &f) {
		return f.code
	}
	return exitRequest
}

// classified gives the errors of the libraries their exit codes.
func classified(err error) error {
	var known *failure
	var stuck *ctmc.NotConvergedError
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case wasInterrupted(err):
		return &failure{exitInterrupted, errors.New("interrupted before there was a result")}
	case errors.As(err, &stuck):
		return &failure{exitNotConverged, err}
	case concernsRequest(err):
		return &failure{exitRequest, err}
	}
	return &failure{exitEnvironment, err}
}

func wasInterrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func concernsRequest(err error) bool {
	var (
		field        *ctmc.FieldError
		tooLarge     *ctmc.TooLargeError
		notUnique    *ctmc.NotUniqueError
		parameter    *coxian.ParameterError
		unattainable *coxian.AttainableError
	)
	return errors.As(err, &field) || errors.As(err, &tooLarge) || errors.As(err, &notUnique) ||
		errors.As(err, &parameter) || errors.As(err, &unattainable)
}
