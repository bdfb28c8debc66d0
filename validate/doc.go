// Package validate holds predictions against simulations, row by row.
//
// An [Experiment] is systems × methods × quantities. [Run] computes each
// prediction, simulates each system once and compares: every [Row] says which
// number is held against which, what kind of number the theory gives, how far
// apart they may be and why, and the verdict.
//
// # Tolerances
//
// A row's tolerance is a number of standard errors (four by default: with a
// hundred rows a false alarm is expected in fewer than one run in a hundred)
// plus an allowance for the error that the prediction itself owns up to:
//
//   - exact: the error indication of the linear solve and the truncation of an
//     unlimited buffer;
//   - mean-field (kind limit): the known order of the finite-size error, see
//     docs/validation.md;
//   - refined-1, refined-2 (kind limit): the size of the next term of the
//     expansion; where the expansion cannot be trusted the row is skipped;
//   - published: the published standard error, combined with ours.
//
// The built-in experiment ([BuiltIn]) is an embedded experiment file and
// serves as an example of the format.
package validate
