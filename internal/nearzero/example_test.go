package nearzero_test

import (
	"fmt"

	"qlimit/internal/nearzero"
)

// Written out, e^z - 1 - z is 0 here.
func ExampleExpm1Minus() {
	fmt.Printf("%.6e\n", real(nearzero.Expm1Minus(1e-12)))
	// Output: 5.000000e-25
}
