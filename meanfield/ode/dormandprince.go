package ode

// dormandPrince is the pair RK5(4)7M of J. R. Dormand & P. J. Prince, "A
// family of embedded Runge–Kutta formulae", Journal of Computational and
// Applied Mathematics 6 (1980) 19–26, with the free continuous extension of
// Hairer, Nørsett & Wanner (1993, §II.6). Taken as it is, the difference of its
// two solutions allows errors about three times those of the Tsitouras pair.
var dormandPrince = tableau{
	nodes: [stages]float64{0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1},
	a: [stages][]float64{
		{},
		{1. / 5},
		{3. / 40, 9. / 40},
		{44. / 45, -56. / 15, 32. / 9},
		{19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
		{9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
		{35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
	},
	err: [stages]float64{
		71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40,
	},
	caution: 3,
	quartic: [stages]float64{
		-12715105075. / 11282082432, 0, 87487479700. / 32700410799,
		-10690763975. / 1880347072, 701980252875. / 199316789632,
		-1453857185. / 822651844, 69997945. / 29380423,
	},
	stability: 3.3066,
}
