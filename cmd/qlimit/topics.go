package main

import (
	"github.com/spf13/cobra"
)

// topic is a page of help that is no command.
func topic(name, short, text string) *cobra.Command {
	return &cobra.Command{Use: name, Short: short, Long: text}
}

// helpTopics are the pages about what all commands share.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		topic("models", "What is modelled, and which method answers which question", `A dispatcher sends each job on at once to one of N FIFO servers.

Continuous time (all commands but those named slotted)
  Arrivals are Poisson with rate N x load / (mean service time); service is a
  Coxian law of two phases (qlimit help policies and --service in any command);
  a server holds at most --buffer jobs, the one in service included, and a job
  routed to a full server is lost; 0 is unlimited.
  Times are in the unit of the service law as written, means are per server.

  method                command                  kind         when
  all that apply        predict                  each its own one question, every theory
  exact chain           ctmc stationary,         exact        few servers, or few likely
                        transient, response                   states
  mean-field limit      meanfield equilibrium,   limit        many servers; jsq, jiq, i1f:
                        trajectory, spectrum                  N(1 - load) above about 3√N
  size expansion        meanfield refine         limit        pod:d=.., random; N from 100
  averaged              diffusion stationary     conjecture   jsq, jiq, i1f; N(1 - load)
  birth-death chain     --process averaged-jsq                below about 2
  diffusion limits      diffusion ...            limit,       N(1 - load) or √N(1 - load)
                                                 conjecture   fixed; explains, not predicts
  lower bounds          bound pooled, resources  lower-bound  what no policy can beat
  upper bounds          bound stein              upper-bound  finite buffer, very large N
  simulation            simulate                 estimate     any N up to 1e9
  job by job            simulate jobs            estimate     quantiles, renewal arrivals,
                                                              general laws

Time slots (simulate slotted, bound pooled, bound stability, bound class-pi)
  All arrivals of a slot at one dispatcher go to one server; servers have their
  own rates; there may be several dispatchers.

docs/choosing.md has the cost and the measured error of each method, and worked
cases.`),
		topic("policies", "Dispatching policies and service laws by name", `Continuous time (--policy)
  jsq               the shortest queue, the job in service included
  jiq, iqf          an idle server if there is one, else any server
  i1f               an idle server, else one with one job, else any
  pod:d=2, sq:d=2   the shortest of d sampled servers; replacement=true lets the
                    samples coincide (default false)
  random            any server
  pull:memory=M,rate=R  idle servers report at rate R, the dispatcher keeps at
                    most M identities; either may be inf
  jiq and i1f take fallback=pod:d=2. Ties are broken uniformly.

Job by job (simulate jobs --policy): all of these, and
  rr                round robin
  ll, ll:d=2        the least work, of all or of d sampled servers
  sq:d=2,m=3        the shortest of d sampled and m remembered servers
  sita              by size: each server takes its interval

Time slots (simulate slotted --policy)
  jsq, jiq, random, weighted, sed, sq:d=2, sq:d=2,m=3, jbt:d=2,T=1000,
  jbt:average,T=1000, jbtg:d=2,T=1000; on local estimates, which several
  dispatchers keep, lsq:push=D, lsq:pull=P, lsq:smart, lsq:refresh=P,
  local-sq:d=2,..., local-jba,...

Service laws (--service)
  exp, erlang2                          mean 1; mean= may be added
  coxian:mu1=2,p=0.25,mu2=0.5           p = probability of a second phase
  coxian:mean=1,scv=4                   mu1 = 2/mean, p = 1/(2 scv), mu2 = 1/(mean scv)
  coxian:mean=1,scv=4,skew=3.5          three moments
  hyperexp:p=0.1,mu1=0.2,mu2=1.8        p = probability of rate mu1`),
		topic("formats", "Formats of results and of figures, units, manifests", `Results (--format)
  table      for reading; numbers rounded to ten digits
  csv        one row for each number: quantity, index, value, kind; a list of rows
             as it is, with a column for each field; full precision
  json       one object, full precision; "schema" is raised when a field changes
             its meaning; a number that does not exist is null
  markdown   the table for a document
Unless it is given, --output FILE.csv, .json or .md chooses it.

Each number has its kind: exact, limit, upper-bound, lower-bound, conjecture or
estimate; estimates have half_width and level.

Figures (by the extension of --output): .pdf, .svg, .png (300 dpi), .tex; .csv,
.json and .md give the plotted series; --data FILE writes them as CSV too.

--output FILE writes the file whole or not at all, and beside it
FILE.manifest.json, from which qlimit rerun repeats the run.`),
		topic("exit-codes", "How the program says how it ended", `0    done
1    the environment failed: a file could not be written, or a fault of the program
2    the request is wrong: flags, values, or the contents of a file
3    a validation failed: theory and simulation disagree, a rerun differs, cells of
     a sweep are missing
4    an iteration did not converge; the best iterate is printed with its status
130  interrupted (Ctrl-C); what was finished is printed where that makes sense

Errors are one line on standard error, qlimit: what is wrong (value, allowed
range); results alone go to standard output.`),
	}
}
