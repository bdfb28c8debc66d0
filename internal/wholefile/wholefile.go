// Package wholefile writes files that appear complete or not at all: the text
// goes to a temporary file beside the final one, which takes its name when all is
// written. A run that is killed or meets a full disk leaves the old file.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Check finds out before long work whether a file could be written.
func Check(name string) error {
	target, special, err := resolve(name)
	if err != nil || special {
		return err
	}
	probe, err := createBeside(target)
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// resolve follows links to the file that is to be replaced. A device or
// pipe is special: it is written to, never replaced.
func resolve(name string) (target string, special bool, err error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name, false, nil
	case err != nil:
		return "", false, err
	case info.IsDir():
		return "", false, errors.New("is a directory")
	case !info.Mode().IsRegular():
		return name, true, nil
	}
	if err := checkWritable(name); err != nil {
		return "", false, err
	}
	target, err = filepath.EvalSymlinks(name)
	return target, false, err
}

// checkWritable refuses to replace a file that could not be written to.
func checkWritable(name string) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return file.Close()
}

// Write writes a file by way of a temporary one beside it, so that at any
// moment there is the old file or the new one, never a part.
func Write(name string, text []byte) error {
	return Stream(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Stream is [Write] for a text that is produced while it is written.
func Stream(name string, produce func(w io.Writer) error) error {
	target, special, err := resolve(name)
	if err != nil {
		return err
	}
	if special {
		return writeThrough(target, produce)
	}
	file, err := createBeside(target)
	if err != nil {
		return err
	}
	if err = fill(file, produce); err == nil {
		err = os.Rename(file.Name(), target)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// createBeside creates a temporary file in the directory of the target, with
// the permissions of the file it will replace or those of any new file.
func createBeside(target string) (*os.File, error) {
	name := fmt.Sprintf(".qlimit-%d-%d", os.Getpid(), time.Now().UnixNano())
	file, err := os.OpenFile(filepath.Join(filepath.Dir(target), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(target); err == nil {
		_ = file.Chmod(info.Mode().Perm()) // some file systems have no permissions
	}
	return file, nil
}

func fill(file *os.File, produce func(w io.Writer) error) error {
	err := produce(file)
	return errors.Join(err, file.Sync(), file.Close())
}

func writeThrough(name string, produce func(w io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(produce(file), file.Close())
}
