package stein

import "math"

// The two tail lemmas of the state-space collapse. V is a function of the
// state that changes by at most ν with a transition, qν bounds ν times the
// total rate of the transitions that raise V over the states with V > B - 2ν,
// and a = qν/(qν + g). For j = 0, 1, 2, ..
//
//	(L1) drift of V <= -g where V > B:
//	     P(V > B + 2νj) <= a^(j+1)
//	(L2) drift <= -g where V >= B in a set E, <= d where V >= B outside E:
//	     P(V > B + 2νj) <= a^(j+1) + (1 + d/g) P(outside E)
//
// Proof: E[Gf] = 0 for f = max(c, V), c = B + 2νj - ν. The states with
// c - ν < V <= c + ν contribute at most qν each, those above c + ν their drift:
// (g + qν) P(V > c + ν) <= qν P(V > c - ν) + (g + d) P(outside E), which is
// iterated from V > B - 2ν on.
//
// Sources: Bertsimas, Gamarnik, Tsitsiklis, Ann. Appl. Probab. 11 (2001) for
// (L1); the iterative form in Liu, Gong, Ying, Nav. Res. Logist. (2022).

// logTail is the logarithm of the bound of (L2), and of (L1) where logOutside,
// the logarithm of P(outside E), is -Inf.
func logTail(upRate, drift, outside, jumps, logOutside float64) float64 {
	inside := -(jumps + 1) * math.Log1p(drift/upRate)
	if math.IsInf(logOutside, -1) {
		return inside
	}
	return logSum(inside, math.Log1p(math.Max(outside/drift, -1))+logOutside)
}

// logSum is log(e^x + e^y).
func logSum(x, y float64) float64 {
	if x < y {
		x, y = y, x
	}
	if math.IsInf(y, -1) {
		return x
	}
	return x + math.Log1p(math.Exp(y-x))
}
