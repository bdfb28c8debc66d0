package coxian

// String writes the law in the grammar of [Parse], so that Parse(d.String())
// has exactly the parameters of d: as exp or erlang2, with a mean, where those
// words give the same parameters, else as coxian:mu1=..,p=..,mu2=...
func (d Dist) String() string {
	for _, named := range []struct {
		name  string
		build func(float64) (Dist, error)
	}{{"exp", Exponential}, {"erlang2", Erlang2}} {
		mean := d.Mean()
		if e, err := named.build(mean); err != nil || !d.sameParameters(e) {
			continue
		}
		if mean == 1 {
			return named.name
		}
		return named.name + ":mean=" + formatFloat(mean)
	}
	return "coxian:mu1=" + formatFloat(d.Mu1) + ",p=" + formatFloat(d.P) + ",mu2=" + formatFloat(d.Mu2)
}

func (d Dist) sameParameters(other Dist) bool {
	return d.Mu1 == other.Mu1 && d.P == other.P && d.Mu2 == other.Mu2
}
