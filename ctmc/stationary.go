package ctmc

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// Method names a stationary solver.
type Method string

const (
	// Automatic takes elimination for small chains and Krylov for the rest.
	Automatic Method = "auto"
	// Elimination is the Grassmann-Taksar-Heyman state reduction: exact but
	// for rounding, free of subtractions, O(states³).
	Elimination Method = "gth"
	// GaussSeidel makes plain Gauss-Seidel sweeps: the yardstick.
	GaussSeidel Method = "gauss-seidel"
	// Aggregation follows each Gauss-Seidel sweep by the exact solution of
	// the chain aggregated over groups of states.
	Aggregation Method = "gauss-seidel-aggregation"
	// Krylov accelerates Aggregation by reduced rank extrapolation, which
	// finds the best combination of the latest iterates as GMRES does.
	Krylov Method = "krylov"
)

// Methods lists the stationary solvers by name.
func Methods() []string {
	return []string{string(Automatic), string(Elimination), string(GaussSeidel), string(Aggregation), string(Krylov)}
}

// SolverSettings are the settings of [Generator.Stationary]; the zero value
// is the documented default.
type SolverSettings struct {
	Method        Method                                // default Automatic
	Tolerance     float64                               // residual to reach; default 1e-12
	MaxIterations int                                   // sweeps; default 50,000
	Threads       int                                   // 0 = all cores; never changes a result
	Memory        int64                                 // most bytes for a chain and its solution; default DefaultMemory
	Progress      func(iteration int, residual float64) // told how it goes; nil = nobody listens

	start []float64 // first iterate in the order of storage, nil for none
}

// eliminationLimit is the largest chain that Automatic solves by elimination.
const eliminationLimit = 400

// Law is a stationary law with its quality.
type Law struct {
	Probability []float64 // non-negative, sums to 1
	Residual    float64   // flow imbalance as a fraction of the total flow, see Generator.Residual
	Error       float64   // indication of the error, from the rate of convergence: of probabilities, and of the mean group (number of jobs) relative to itself
	Iterations  int       // sweeps; 0 for elimination
	Method      Method    // that was used
	Status      Status    // Converged, or why the tolerance was not reached
}

// Stationary returns the stationary law π Q = 0, Σ π = 1 of an irreducible
// chain. Sweeps, aggregation and elimination add, multiply and divide positive
// numbers only, and extrapolation leaves alone what it would not keep positive:
// probabilities are never negative. Those far below the tolerance are no more
// than positive, except after elimination, which keeps the relative accuracy of
// all; the aggregation leaves groups some 280 decades below the most likely one
// at zero. When the tolerance is not reached the last iterate is returned with
// Status NotConverged or Stagnated.
//
// Sources: Grassmann, Taksar, Heyman, Oper. Res. 33 (1985); Koury, McAllister,
// Stewart, SIAM J. Alg. Disc. Meth. 5 (1984); Sidi, Vector Extrapolation
// Methods (2017).
func (g *Generator) Stationary(ctx context.Context, s SolverSettings) (*Law, error) {
	if s.Tolerance == 0 {
		s.Tolerance = 1e-12
	}
	if s.MaxIterations == 0 {
		s.MaxIterations = 50_000
	}
	if !(s.Tolerance > 0 && s.Tolerance < 1) {
		return nil, &FieldError{Field: "tolerance", Value: s.Tolerance, Allowed: "between 0 and 1"}
	}
	if s.Method == "" || s.Method == Automatic {
		s.Method = Krylov
		if g.States() <= eliminationLimit {
			s.Method = Elimination
		}
	}
	switch s.Method {
	case Elimination:
		return g.stationaryByElimination(s)
	case GaussSeidel, Aggregation, Krylov:
		return g.stationaryByIteration(ctx, s)
	}
	return nil, &FieldError{Field: "method", Value: string(s.Method), Allowed: "one of " + strings.Join(Methods(), ", ")}
}

func (g *Generator) stationaryByElimination(s SolverSettings) (*Law, error) {
	const most = 2000
	n := g.States()
	if n > most {
		return nil, &TooLargeError{What: "states", Value: float64(n), Limit: most, Hint: "use the method " + string(Krylov)}
	}
	dense := make([]float64, n*n)
	for j := 0; j < n; j++ {
		for t := g.starts[j]; t < g.starts[j+1]; t++ {
			dense[int(g.from[t])*n+j] += g.rate[t]
		}
	}
	law, err := Eliminate(n, dense)
	if err != nil {
		return nil, err
	}
	residual := g.residual(law, 1)
	result := &Law{Probability: g.byNumber(law), Residual: residual, Error: residual, Method: Elimination, Status: Converged}
	if residual > s.Tolerance {
		result.Status = Stagnated
	}
	return result, nil
}

// Eliminate returns the stationary law of an irreducible chain with n states
// given by its rates (or probabilities) q[i*n+j], i ≠ j, by the
// Grassmann-Taksar-Heyman algorithm; the diagonal is ignored and q is
// overwritten. Every component has a relative error of O(n) roundings
// (O'Cinneide, Numer. Math. 65 (1993)). A reducible chain is an error.
func Eliminate(n int, q []float64) ([]float64, error) {
	for k := n - 1; k > 0; k-- {
		row := q[k*n : k*n+k]
		out := 0.0
		for _, rate := range row {
			out += rate
		}
		if out == 0 {
			return nil, fmt.Errorf("chain: state %d cannot reach the states before it: the chain is reducible", k)
		}
		for i := 0; i < k; i++ {
			share := q[i*n+k] / out
			q[i*n+k] = share
			if share == 0 {
				continue
			}
			target := q[i*n : i*n+k]
			for j, rate := range row {
				target[j] += share * rate
			}
		}
	}
	law := make([]float64, n)
	law[0] = 1
	total := 1.0
	for k := 1; k < n; k++ {
		for i := 0; i < k; i++ {
			law[k] += law[i] * q[i*n+k]
		}
		total += law[k]
		if total > 1e200 {
			scale(law[:k+1], 1/total)
			total = 1
		}
	}
	if math.IsInf(total, 0) || math.IsNaN(total) {
		return nil, fmt.Errorf("chain: rates out of range for elimination")
	}
	scale(law, 1/total)
	return law, nil
}

func scale(x []float64, c float64) {
	for i := range x {
		x[i] *= c
	}
}
