package sim

import (
	"math"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
)

// Columns of the cell averages of a slotted experiment, per slot: what all
// policies share, then a block for each policy.
const (
	slotArrived = iota
	slotService
	slotDecisions
	slotPooled
	// Controls that all policies share, mean 0.
	slotPooledControl  // q - E q
	slotArrivedControl // A_Σ - λ_Σ
	slotServiceControl // S_Σ - μ_Σ
	slotUnusedControl  // u² - (ζ - 2ε E q)
	sharedSlotColumns
)

// Columns of a block.
const (
	slotQueue = iota
	slotCross
	slotUnused
	slotUnusedTwo
	slotServed
	slotAcross
	slotAcrossTwo
	slotAcrossFour
	slotErrors
	slotErrorsTwo
	// Controls, mean 0: U_Σ - ε, and the drift of Q_Σ²,
	// ζ - 2ε Q_Σ + 2 Q_Σ⁺ U_Σ - U_Σ².
	slotOwnUnusedControl
	slotDriftControl
	slotMessages
	slotServers = slotMessages + int(ctmc.MessageKinds) // then by server: queues, jobs sent, errors
)

// mostServersShown is the number of servers up to which each is measured by
// itself.
const mostServersShown = 200

// slottedLayout says which columns there are.
type slottedLayout struct {
	model      *slotted.Model
	perServer  int     // servers measured by themselves: N or 0
	zeta       float64 // σ_Σ² + ν_Σ² + ε²
	pooledMean float64 // E q; NaN if it is not known
}

func newSlottedLayout(m *slotted.Model, pooledMean float64) (*slottedLayout, error) {
	arrivals, service, err := m.Variances()
	if err != nil {
		return nil, err
	}
	l := &slottedLayout{model: m, pooledMean: pooledMean, zeta: arrivals + service + m.Slack()*m.Slack()}
	if m.Servers() <= mostServersShown {
		l.perServer = m.Servers()
	}
	return l, nil
}

func (l *slottedLayout) blockColumns() int { return slotServers + 3*l.perServer }

func (l *slottedLayout) columns(policies int) int {
	return sharedSlotColumns + policies*l.blockColumns()
}

// block is the first column of a policy.
func (l *slottedLayout) block(policy int) int { return sharedSlotColumns + policy*l.blockColumns() }

func (l *slottedLayout) serverQueue(policy, server int) int {
	return l.block(policy) + slotServers + server
}
func (l *slottedLayout) serverSent(policy, server int) int {
	return l.serverQueue(policy, server) + l.perServer
}
func (l *slottedLayout) serverError(policy, server int) int {
	return l.serverSent(policy, server) + l.perServer
}

// knowsPooled tells whether the control variates have known means.
func (l *slottedLayout) knowsPooled() bool { return !math.IsNaN(l.pooledMean) }

// groups are the controls of a policy.
func (l *slottedLayout) groups(policy int) [][]int {
	own := l.block(policy)
	return [][]int{
		{slotPooledControl}, {slotArrivedControl}, {slotServiceControl}, {slotUnusedControl},
		{own + slotOwnUnusedControl}, {own + slotDriftControl},
	}
}

// writeShared ends a cell of the draws.
func (l *slottedLayout) writeShared(d *slottedDraws, slots float64, row []float64) {
	m, slack := l.model, l.model.Slack()
	row[slotArrived] = d.sumArrived / slots
	row[slotService] = d.sumService / slots
	row[slotDecisions] = float64(d.decisions) / slots
	row[slotPooled] = d.sumPooled / slots
	if l.knowsPooled() {
		row[slotPooledControl] = row[slotPooled] - l.pooledMean
		row[slotArrivedControl] = row[slotArrived] - m.ArrivalRate()
		row[slotServiceControl] = row[slotService] - m.TotalRate()
		row[slotUnusedControl] = d.sumPooledUnusedTwo/slots - (l.zeta - 2*slack*l.pooledMean)
	}
	d.clear()
}

// write ends a cell of a policy.
func (l *slottedLayout) write(s *slottedState, policy int, slots float64, row []float64) {
	own, sums := row[l.block(policy):l.block(policy)+l.blockColumns()], &s.sums
	own[slotQueue] = sums.queue / slots
	own[slotCross] = sums.cross / slots
	own[slotUnused] = sums.unused / slots
	own[slotUnusedTwo] = sums.unusedTwo / slots
	own[slotServed] = sums.served / slots
	own[slotAcross] = sums.across / slots
	own[slotAcrossTwo] = sums.acrossTwo / slots
	own[slotAcrossFour] = sums.acrossFour / slots
	pairs := slots * float64(len(s.chosen)*len(s.view.Lengths))
	own[slotErrors] = sums.errors / pairs
	own[slotErrorsTwo] = sums.errorsTwo / pairs
	if l.knowsPooled() {
		slack := l.model.Slack()
		own[slotOwnUnusedControl] = own[slotUnused] - slack
		own[slotDriftControl] = l.zeta - 2*slack*own[slotQueue] + 2*own[slotCross] - own[slotUnusedTwo]
	}
	for kind, count := range s.view.Messages {
		own[slotMessages+kind] = float64(count) / slots
	}
	for n := range l.perServer {
		own[slotServers+n] = sums.queues[n] / slots
		own[slotServers+l.perServer+n] = sums.sent[n] / slots
		if sums.errorsOf != nil {
			own[slotServers+2*l.perServer+n] = sums.errorsOf[n] / slots / float64(len(s.chosen))
		}
	}
	s.clear()
}
