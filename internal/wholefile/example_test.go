package wholefile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"qlimit/internal/wholefile"
)

// A result whose making fails leaves the file that was there.
func ExampleStream() {
	directory, err := os.MkdirTemp("", "wholefile")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(directory)
	name := filepath.Join(directory, "result.csv")
	if err := wholefile.Write(name, []byte("old\n")); err != nil {
		fmt.Println(err)
		return
	}
	err = wholefile.Stream(name, func(w io.Writer) error {
		fmt.Fprintln(w, "half of the new one")
		return errors.New("interrupted")
	})
	text, _ := os.ReadFile(name)
	fmt.Printf("%v, %q\n", err, text)
	// Output: interrupted, "old\n"
}
