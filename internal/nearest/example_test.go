package nearest_test

import (
	"fmt"

	"qlimit/internal/nearest"
)

func ExampleOf() {
	fmt.Println(nearest.Of("jqs", []string{"i1f", "jiq", "jsq", "pod"}), nearest.Distance("jqs", "jsq"))
	// Output: jsq 1
}
