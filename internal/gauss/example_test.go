package gauss_test

import (
	"fmt"
	"math"

	"qlimit/internal/gauss"
)

func ExampleIntegrate() {
	fmt.Printf("%.12f\n", gauss.Integrate(math.Sin, 0, math.Pi))
	// Output: 2.000000000000
}
