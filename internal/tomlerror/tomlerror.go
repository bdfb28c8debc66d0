// Package tomlerror words the errors of the TOML decoder for the writer of a
// file: line, column and key, on one line, without the decoder's own terms.
package tomlerror

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Readable shows line and column, or the unknown key.
func Readable(err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		first := strict.Errors[0]
		line, column := first.Position()
		return fmt.Errorf("line %d, column %d: unknown key %s", line, column, strings.Join(first.Key(), "."))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, column := decode.Position()
		return fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(decode.Error(), "toml: "))
	}
	return err
}
