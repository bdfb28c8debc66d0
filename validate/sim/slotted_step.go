package sim

import (
	"math"
	"math/rand/v2"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/internal/stream"
)

// slottedDraws are the arrivals and the service of a replication. All policies
// that are compared see the same.
type slottedDraws struct {
	arrivalLaw                    slotted.Law
	serviceLaws                   []slotted.Law
	arrivalRandom, serviceRandom  *rand.PCG
	arrived, service              []int64 // of this slot, by dispatcher, by server
	totalArrived, totalService    int64
	pooled                        int64 // q, resource pooling
	sumArrived, sumService        float64
	sumPooled, sumPooledUnusedTwo float64 // Σ q, Σ u²
	decisions                     int64   // dispatchers with arrivals
}

func newSlottedDraws(m *slotted.Model, seed uint64, replication int) (*slottedDraws, error) {
	arrivals, err := m.ArrivalLaw()
	if err != nil {
		return nil, err
	}
	services, err := m.ServiceLaws()
	if err != nil {
		return nil, err
	}
	return &slottedDraws{
		arrivalLaw: arrivals, serviceLaws: services,
		arrivalRandom: slottedStream(m, seed, replication, stream.Arrivals),
		serviceRandom: slottedStream(m, seed, replication, stream.Service),
		arrived:       make([]int64, m.DispatcherCount()), service: make([]int64, m.Servers()),
	}, nil
}

func slottedStream(m *slotted.Model, seed uint64, replication int, purpose stream.Purpose) *rand.PCG {
	return stream.New(stream.Key{Seed: seed, Cell: m.Environment(), Replication: replication, Purpose: purpose})
}

// next draws the arrivals and the service of a slot and moves the pooled queue.
func (d *slottedDraws) next() {
	d.totalArrived, d.totalService = 0, 0
	for i := range d.arrived {
		a := d.arrivalLaw.Sample(d.arrivalRandom)
		d.arrived[i] = a
		d.totalArrived += a
		if a > 0 {
			d.decisions++
		}
	}
	for n, law := range d.serviceLaws {
		s := law.Sample(d.serviceRandom)
		d.service[n] = s
		d.totalService += s
	}
	d.pooled += d.totalArrived - d.totalService
	if d.pooled < 0 {
		unused := float64(-d.pooled)
		d.sumPooledUnusedTwo += unused * unused
		d.pooled = 0
	}
	d.sumArrived += float64(d.totalArrived)
	d.sumService += float64(d.totalService)
	d.sumPooled += float64(d.pooled)
}

func (d *slottedDraws) clear() {
	d.sumArrived, d.sumService, d.sumPooled, d.sumPooledUnusedTwo, d.decisions = 0, 0, 0, 0, 0
}

// slottedState is the state of one system in a replication and the sums of
// what is measured, from slot to slot.
type slottedState struct {
	view       slotted.View
	dispatcher slotted.Dispatcher
	estimating slotted.Estimating // nil if the policy keeps no estimates
	chosen     []int              // by dispatcher

	level int64 // about the average queue, to subtract before squaring
	sums  slottedSums
}

// slottedSums over the slots of a cell. Q is the total queue when the next slot
// begins, U the unused service of the slot.
type slottedSums struct {
	queue, cross, unused, unusedTwo, served float64 // Σ Q, Σ QU, Σ U, Σ U², jobs served
	across, acrossTwo, acrossFour           float64 // Σ ‖Q_⊥‖ and its 2nd and 4th power
	errors, errorsTwo                       float64 // Σ |Q_n - estimate| and its square, summed over pairs

	queues, sent, errorsOf []float64 // by server; nil where not wanted
}

func newSlottedState(m *slotted.Model, p slotted.Policy, seed uint64, replication int, perServer bool) *slottedState {
	servers := m.Servers()
	s := &slottedState{chosen: make([]int, m.DispatcherCount())}
	s.view = slotted.View{
		Lengths: make([]int64, servers), Served: make([]int64, servers), Arrived: make([]int64, m.DispatcherCount()),
		Routing: slottedStream(m, seed, replication, stream.Routing),
		Upkeep:  slottedStream(m, seed, replication, stream.Upkeep),
	}
	s.dispatcher = p.Dispatcher(m, &s.view)
	s.estimating, _ = s.dispatcher.(slotted.Estimating)
	if perServer {
		s.sums.queues, s.sums.sent = make([]float64, servers), make([]float64, servers)
		if s.estimating != nil {
			s.sums.errorsOf = make([]float64, servers)
		}
	}
	return s
}

// advance passes a slot: all dispatchers decide on the lengths of its start,
// then come arrivals, service and messages.
func (s *slottedState) advance(d *slottedDraws) {
	v := &s.view
	for i, a := range d.arrived {
		v.Arrived[i] = a
		if a > 0 {
			s.chosen[i] = s.dispatcher.Choose(v, i, a)
		}
	}
	for i, a := range d.arrived {
		if a == 0 {
			continue
		}
		v.Lengths[s.chosen[i]] += a
		if s.sums.sent != nil {
			s.sums.sent[s.chosen[i]] += float64(a)
		}
	}
	s.serve(d)
	s.dispatcher.EndOfSlot(v)
	if s.estimating != nil {
		s.addErrors()
	}
}

func (s *slottedState) serve(d *slottedDraws) {
	v, sums := &s.view, &s.sums
	lengths, service, completed := v.Lengths, d.service, v.Served
	total, served, squares := int64(0), int64(0), 0.0
	for n, q := range lengths {
		done := min(q, service[n])
		q -= done
		lengths[n], completed[n] = q, done
		total += q
		served += done
		beyond := float64(q - s.level)
		squares += beyond * beyond
	}
	if sums.queues != nil {
		for n, q := range lengths {
			sums.queues[n] += float64(q)
		}
	}
	servers := int64(len(lengths))
	beyond := float64(total - s.level*servers)
	across := math.Max(squares-beyond*beyond/float64(servers), 0)
	s.level = total / servers
	unused := float64(d.totalService - served)
	sums.queue += float64(total)
	sums.cross += float64(total) * unused
	sums.unused += unused
	sums.unusedTwo += unused * unused
	sums.served += float64(served)
	sums.across += math.Sqrt(across)
	sums.acrossTwo += across
	sums.acrossFour += across * across
}

func (s *slottedState) addErrors() {
	sums := &s.sums
	for i := range s.chosen {
		for n, estimate := range s.estimating.Estimates(i) {
			off := math.Abs(float64(s.view.Lengths[n] - estimate))
			sums.errors += off
			sums.errorsTwo += off * off
			if sums.errorsOf != nil {
				sums.errorsOf[n] += off
			}
		}
	}
}

// clear ends a cell.
func (s *slottedState) clear() {
	kept := slottedSums{queues: s.sums.queues, sent: s.sums.sent, errorsOf: s.sums.errorsOf}
	clear(kept.queues)
	clear(kept.sent)
	clear(kept.errorsOf)
	s.sums = kept
	s.view.Messages = [ctmc.MessageKinds]int64{}
}
