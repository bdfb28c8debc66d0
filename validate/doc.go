// Package validate holds predictions against simulations and against the
// user's own data, and puts one system to every method.
//
// # One system, every method
//
// [Ask] evaluates all methods that apply to a system (exact chain, mean field and
// its size expansion, averaged birth-death chain, limits, bounds, if asked for a
// simulation) and recommends the one with the smallest expected error; every
// [Answer] carries its [ctmc.Kind] and that error.
//
//	answers, err := validate.Ask(ctx, system, stein.FixedLoad(system.Load), validate.QuestionSettings{})
//	best := answers.Answers[answers.Recommended] // -1 if nothing is expected within 5%
//
// # Experiments
//
// An [Experiment] is systems × methods × quantities, read by [Parse] from a TOML
// file or built in ([BuiltIn], an example of the format). [Run] computes each
// prediction, simulates each system once and compares: every [Row] says which
// number is held against which, what kind of number the theory gives, how far
// apart they may be and why, and the verdict.
//
// A row's tolerance is a number of standard errors (four by default: with a
// hundred rows a false alarm is expected in fewer than one run in a hundred)
// plus an allowance for the error that the prediction itself owns up to:
//
//   - exact: the error indication of the linear solve and the truncation of an
//     unlimited buffer;
//   - mean-field (kind limit): the known order of the finite-size error,
//     λ²(1+c²)/(2N(1-λ)) jobs per server, see docs/validation.md;
//   - refined-1, refined-2 (kind limit): the size of the next term of the
//     expansion; where the expansion cannot be trusted the row is skipped;
//   - published: the published standard error, combined with ours.
//
// A row is inconclusive where agreement would say nothing.
//
// # The user's own results
//
// [ReadData] and [CompareData] hold a CSV file of somebody's simulations against
// the best that is known of each system, and try the usual mistakes (a [Reading])
// where they disagree. [NewSamples] and [TestOutput] test samples of the occupancy
// against the claim that they come from a stationary run of a stated system,
// without knowing its law: E[Gf] = 0 for a basis of test functions, by
// Hotelling's T².
//
// # Bounds beside the truth, critical loads
//
// [Decompose], [Collapse] and [AuditCollapse] evaluate the terms and the sets of
// package stein exactly or by simulation. [FindCriticalLoad] finds the critical
// load of a slotted policy by theory, by saturation or by detection.
// [ResourceStudy] tables policies by memory, messages and delay.
//
// # Figures
//
// Functions that return a figure.Figure, and the studies with such a method,
// compute the figures of the literature with our simulations beside the curves.
//
// # Errors and limits
//
// Bad files are errors that name line and key. Predictions that cannot be made
// are listed ([Skipped]), not dropped. At most [MaxCases] systems and a file of
// [MaxFileSize] bytes. The expected errors of Ask are measured envelopes
// (docs/accuracy.md), not bounds.
//
// # References
//
// N. Gast, B. Van Houdt, Proc. ACM Meas. Anal. Comput. Syst. 1(2) (2017), and
// [PublishedReference], for the published values. H. Hotelling, Ann. Math. Stat. 2
// (1931). docs/validation.md, docs/outputtest.md.
package validate
