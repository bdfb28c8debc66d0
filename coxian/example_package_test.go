package coxian_test

import (
	"fmt"
	"log"

	"qlimit/coxian"
)

// Jobs take a second on average, with a squared coefficient of variation of 4. How
// long do they wait at one server of load 0.9? By Pollaczek and Khinchine the load
// over 1 - load times the mean rest of a service.
func Example() {
	service, err := coxian.FitMeanSCV(1, 4)
	if err != nil {
		log.Fatal(err)
	}
	const load = 0.9
	rest := service.Residual().Mean() // (1 + scv)/2
	fmt.Printf("%v: rest %.4f s, wait %.4f s\n", service, rest, load/(1-load)*rest)
	// Output: coxian:mu1=2,p=0.125,mu2=0.25: rest 2.5000 s, wait 22.5000 s
}
