package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
)

// slottedFlags are the flags that describe a [slotted.Model], the same for all
// commands.
type slottedFlags struct {
	servers            int64
	rates              string
	load               systemFlags // its three flags for the load
	arrivals, services string
	dispatchers        int

	flags *pflag.FlagSet
}

const (
	lawsUsage          = "poisson, geometric, constant, burst:k=10 (10 or nothing) or binomial:n=20"
	slottedPolicyUsage = "dispatching policy `P`: jsq, sq:d=2, sq:d=2,m=3 (with memory), jiq, jbt:d=2,T=1000, jbtg:d=2,T=1000, jbt:average,T=1000, random, weighted, sed; on local estimates lsq:push=2, lsq:pull=0.5, lsq:smart, lsq:refresh=0.1, local-sq:d=2,push=2, local-jba:push=2"
)

func (f *slottedFlags) addTo(c *cobra.Command) {
	f.addServersTo(c)
	f.load.addLoadTo(f.flags)
	f.flags.Lookup("load").Usage = "load `L` = mean arrivals per slot / sum of the rates"
	f.flags.Lookup("spare").Usage = "slack `A`: mean arrivals per slot = sum of the rates - A"
}

// addServersTo adds all flags but those for the load.
func (f *slottedFlags) addServersTo(c *cobra.Command) {
	f.arrivals, f.services, f.dispatchers = "poisson", "poisson", 1
	f.flags = c.Flags()
	f.flags.SortFlags = false
	f.load.flags = f.flags
	f.flags.StringVar(&f.rates, "rates", "", "mean service per slot of each server, `RATExCOUNT,..`: 1x5,10x5 is five servers of rate 1 and five of rate 10")
	f.flags.VarP(&count{&f.servers, 1, slotted.MaxServers, "an integer between 1 and 1e6"}, "servers", "n", "`number` of servers of rate 1, instead of --rates")
	f.flags.StringVar(&f.arrivals, "arrivals", f.arrivals, "law `A` of the arrivals per slot at each dispatcher: "+lawsUsage)
	f.flags.StringVar(&f.services, "service-law", f.services, "law `S` of what a server can serve per slot: as --arrivals; or a list with a law for each group of --rates")
	f.flags.Var(&countInt{&f.dispatchers, 1, slotted.MaxDispatchers, "an integer between 1 and 10000"}, "dispatchers", "`number` of dispatchers M, each with its share of the arrivals")
}

// addPolicyTo adds --policy.
func (f *slottedFlags) addPolicyTo(c *cobra.Command, policy *string) {
	*policy = "jsq"
	c.Flags().StringVar(policy, "policy", *policy, slottedPolicyUsage)
	offer(c, "policy", &slottedOffered)
}

// model builds the model that the flags describe and checks every field.
func (f *slottedFlags) model() (*slotted.Model, error) {
	m, err := f.modelWithoutLoad()
	if err != nil {
		return nil, err
	}
	if m.Load, err = f.systemLoad(m); err != nil {
		return nil, err
	}
	return m, m.Validate()
}

// modelWithoutLoad leaves the load 0.
func (f *slottedFlags) modelWithoutLoad() (*slotted.Model, error) {
	m := &slotted.Model{Dispatchers: f.dispatchers}
	var err error
	if m.Rates, err = f.serverRates(); err != nil {
		return nil, err
	}
	if m.Arrivals, err = slotted.ParseFamily("arrivals", f.arrivals); err != nil {
		return nil, err
	}
	if m.Services, err = f.serviceFamilies(); err != nil {
		return nil, err
	}
	return m, m.Validate()
}

func (f *slottedFlags) serverRates() ([]float64, error) {
	byRates, byServers := f.flags.Changed("rates"), f.flags.Changed("servers")
	switch {
	case byRates && byServers:
		return nil, badRequest("--rates and --servers were both given (give one of them)")
	case byRates:
		return slotted.ParseRates(f.rates)
	case byServers:
		return slotted.ParseRates(fmt.Sprintf("1x%d", f.servers))
	}
	return nil, badRequest("the servers are missing (give --rates, such as 1x5,10x5, or --servers)")
}

// serviceFamilies reads one law for all servers, or one for each group of
// --rates.
func (f *slottedFlags) serviceFamilies() ([]slotted.Family, error) {
	texts := strings.Split(f.services, ",")
	var perServer []slotted.Family
	groups := strings.Split(f.rates, ",")
	for i, text := range texts {
		family, err := slotted.ParseFamily("service-law", text)
		if err != nil {
			return nil, err
		}
		if len(texts) == 1 {
			return []slotted.Family{family}, nil
		}
		if len(texts) != len(groups) {
			return nil, badRequest("service-law = %s (must be one law, or one for each group of --rates, %d)", f.services, len(groups))
		}
		group, err := slotted.ParseRates(groups[i])
		if err != nil {
			return nil, err
		}
		for range group {
			perServer = append(perServer, family)
		}
	}
	return perServer, nil
}

// systemLoad reads the load; spare is in units of service per slot.
func (f *slottedFlags) systemLoad(m *slotted.Model) (float64, error) {
	f.load.servers = int64(m.Servers())
	if given := f.load.loadFlagsGiven(); len(given) != 1 || given[0] != "spare" {
		return f.load.systemLoad()
	}
	spare, total := f.load.spare, m.TotalRate()
	load := 1 - spare/total
	if !(spare > 0 && spare < total) {
		return 0, &ctmc.FieldError{Field: "spare", Value: spare, Allowed: fmt.Sprintf("> 0 and < the sum of the rates, %g", total)}
	}
	return load, roundsToOne("spare", spare, load, ctmc.Unlimited)
}

// slottedFacts identify a model.
func slottedFacts(m *slotted.Model) orderedObject {
	return orderedObject{
		{"servers", m.Servers()}, {"rates", slotted.FormatRates(m.Rates)}, {"load", m.Load},
		{"arrival_rate", m.ArrivalRate()}, {"total_rate", m.TotalRate()}, {"slack", m.Slack()},
		{"arrivals", m.Arrivals.String()}, {"service_law", serviceLawText(m)},
		{"dispatchers", m.DispatcherCount()},
	}
}

// serviceLawText lists the laws of neighbouring servers once.
func serviceLawText(m *slotted.Model) string {
	var laws []string
	for i, family := range m.Services {
		if text := family.String(); i == 0 || laws[len(laws)-1] != text {
			laws = append(laws, text)
		}
	}
	return strings.Join(laws, ",")
}

// slottedText is a model, with its policy if there is one: an object in JSON, a
// line elsewhere.
type slottedText struct {
	orderedObject
	text string
}

func newSlottedText(m *slotted.Model, policy slotted.Policy) slottedText {
	object := slottedFacts(m)
	text := fmt.Sprintf("rates %s, arrivals %s, service %s", slotted.FormatRates(m.Rates), m.Arrivals, serviceLawText(m))
	if m.Load > 0 {
		text = fmt.Sprintf("load %s, %s", significant(m.Load), text)
	}
	if m.DispatcherCount() > 1 {
		text += fmt.Sprintf(", %d dispatchers", m.DispatcherCount())
	}
	if policy != nil {
		text = policy.String() + ", " + text
		object = append(object, member{"policy", policy.String()})
	}
	return slottedText{object, text}
}

func (s slottedText) String() string { return s.text }
