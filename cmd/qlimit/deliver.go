package main

import (
	"errors"
	"io/fs"

	"qlimit/internal/wholefile"
)

// deliver writes a finished result to --output or to standard output. What of
// it repeats in another run is the content.
func (env *environment) deliver(text, content []byte) error {
	if env.capture != nil {
		env.capture(content)
		return nil
	}
	if env.output == "" {
		if _, err := env.stdout.Write(text); err != nil {
			return environmentFailed("cannot write the result: %w", err)
		}
		return nil
	}
	if err := wholefile.Write(env.output, text); err != nil {
		return environmentFailed("cannot write --output %s: %w", env.output, reason(err))
	}
	return env.record.saved(env.output, content)
}

// checkOutput finds out before long work whether --output can be written.
func (env *environment) checkOutput() error {
	if env.output == "" {
		return nil
	}
	return outputProblem(env.output, wholefile.Check(env.output))
}

func outputProblem(name string, err error) error {
	if err == nil {
		return nil
	}
	return environmentFailed("cannot write --output %s: %w", name, reason(err))
}

// reason is an error without the name of the temporary file it speaks of.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
