package estimate

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// studentQuantile is the t with P(|T| <= t) = level for the Student law.
func studentQuantile(level, degreesOfFreedom float64) float64 {
	return upperStudentQuantile((1-level)/2, degreesOfFreedom)
}

// upperStudentQuantile is the t with P(T > t) = tail. The lower tail is
// inverted: it keeps its digits when tail is tiny.
func upperStudentQuantile(tail, degreesOfFreedom float64) float64 {
	return -distuv.StudentsT{Mu: 0, Sigma: 1, Nu: degreesOfFreedom}.Quantile(tail)
}

// normalQuantile is the z with P(|Z| <= z) = level for the normal law.
func normalQuantile(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// normalTail is P(Z > z).
func normalTail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
