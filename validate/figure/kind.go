package figure

import "qlimit/ctmc"

// KindAt is the kind of point i.
func (s *Series) KindAt(i int) ctmc.Kind {
	if s.Kinds != nil {
		return s.Kinds[i]
	}
	return s.Kind
}

// Kind is the kind of all points of all series, 0 where they differ.
func (f *Figure) Kind() ctmc.Kind {
	var common ctmc.Kind
	for k := range f.Series {
		s := &f.Series[k]
		for i := range s.X {
			kind := s.KindAt(i)
			if common == 0 {
				common = kind
			}
			if kind != common || kind == 0 {
				return 0
			}
		}
	}
	return common
}
