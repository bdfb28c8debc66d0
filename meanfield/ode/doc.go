// Package ode integrates initial value problems
//
//	y' = F(t, y),   y(t0) = y0,   forward or backward to t1.
//
// # Pieces
//
// They are orthogonal: a [Problem] (the right-hand side, its Jacobian and the
// [Structure] of that), a [Method], tolerances and a [Controller], events
// ([Event]), and the output (at given Times, at every step, or as a
// [Trajectory]). [Integrate] puts them together; an [Integrator] hands out the
// single steps to callers with a logic of their own between them, such as
// piecewise smooth systems whose right-hand side changes at events.
//
//	decay := ode.Problem{Dim: 1, F: func(t float64, y, slope []float64) { slope[0] = -y[0] }}
//	s, err := ode.Integrate(ctx, decay, 0, []float64{1}, 1, ode.Settings{RelTol: 1e-9})
//	// s.State[0] is e^-1, s.Stats the work it took, s.Err() nil unless it ended early
//
// # Choosing a method
//
// [Tsitouras5], the default, for problems that are not stiff; [DormandPrince5]
// has the same order and cost and is there for comparison with other programs.
// [RadauIIA5] for stiff problems: when some components relax much faster than
// the solution moves, or when Stats.StabilityLimited is a large part of
// Stats.Accepted (at tolerances of 1e-6 and below it may be small all the
// same). It is reliable down to a relative tolerance of 1e-12. Give it the
// Jacobian, or at least its structure ([Banded], [Sparse]): differences cost
// one evaluation of F for each group of columns without a common row.
//
// # Accuracy
//
// The local error of every component is kept below AbsTol + RelTol·|y_i|, in
// the maximum norm. On well-conditioned problems the error of the solution,
// between the steps as well as at their ends, then is a small multiple of the
// tolerance: at most 5 in the tests, which compare with closed forms and with
// published values for tolerances from 1e-3 to 1e-12. A problem that amplifies
// errors amplifies these.
//
// # Dense output and events
//
// Between the ends of a step the solution is a polynomial of the step's order:
// local error O(h⁶) for the explicit methods and O(h⁵) for RadauIIA5, stiff
// components included. Events are located on it to the last place of the time;
// the error of an event time is that of the solution divided by the rate at
// which the event function passes zero.
//
// # Outcome
//
// Data outside their range are an error that names the field. An integration
// that does not reach its end is no error but a [Status], with the solution so
// far; [Solution.Err] turns it into one. Results never hold NaN or Inf. After
// set-up a step allocates no memory.
//
// # Limits
//
// Real problems in double precision, no mass matrix, no delays. Linear systems are
// dense or banded. A steady state is judged by the slope ([SteadyState]), which is
// no bound of the distance to it.
//
// # References
//
// E. Hairer, S. P. Nørsett, G. Wanner: Solving Ordinary Differential Equations
// I. Springer, 2nd edition 1993. E. Hairer, G. Wanner: Solving Ordinary
// Differential Equations II. Springer, 2nd edition 1996. Ch. Tsitouras, Comput.
// Math. Appl. 62 (2011). J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6
// (1980). The other sources are named where they are used; docs/ode.md has
// measured work against error.
package ode
