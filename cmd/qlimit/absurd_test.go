package main

import (
	"runtime"
	"strings"
	"testing"
)

// absurdRequests would take more memory or time than there is, or name numbers
// that no system has. Each is refused at once.
var absurdRequests = []string{
	"ctmc stationary -n 1e15 --load 0.9",
	"ctmc stationary -n 1e15 --load 0.9 --buffer 2147483647",
	"ctmc stationary -n 100 --load 0.9 --buffer 100 --max-states 9000000000000000000",
	"ctmc stationary -n 100 --load 0.9 --buffer 100 --max-states 1e12",
	"ctmc stationary -n 1 --load 0.9 --buffer 100000000 --max-states 1e12",
	"ctmc stationary -n 1 --load 0.9999999 --max-states 1e12",
	"ctmc stationary -n 4 --load 0.9 --max-states 1e12 --buffer 1000",
	"ctmc transient -n 1e15 --load 0.9 --at 1",
	"ctmc transient -n 1e7 --load 0.7 --buffer 1 --at 10",
	"ctmc transient -n 1 --load 0.7 --buffer 1e7 --at 1e6",
	"ctmc response -n 1e15 --load 0.9",
	"meanfield equilibrium --load 0.9 --buffer 2147483647",
	"meanfield refine -n 10 --load 0.9 --policy random --buffer 2147483647",
	"meanfield refine -n 10 --load 0.9 --policy pod:d=1e15",
	"meanfield refine -n 10 --load 0.9 --policy pod:d=2 --service coxian:mean=1,scv=1e6",
	"meanfield spectrum --load 0.9 --policy random --buffer 2147483647",
	"meanfield trajectory --load 0.9 --at 1 --start jobs=2147483647",
	"meanfield trajectory --load 0.9 --at 1 --start jobs=16000 --policy jiq --method radau5",
	"meanfield trajectory --load 0.9 --at 1.7e308 --service coxian:mean=1e-10,scv=2",
	"bound pooled --rates 1x1e9 --load 0.9",
	"bound pooled --rates 1x10 --load 1e-300",
	"bound resources --load 0.9 --memory 1e15",
	"bound resources --load 0.9 --simulate --servers 1e15",
	"bound class-pi --rates 1x1e6 --policy sq:d=2",
	"bound class-pi --rates 1x10 --levels 1048576",
	"bound stability --rates 1x5,10x5 --policy jiq --slots 1e15",
	"bound terms -n 10 --load 0.9 --buffer 3 --samples 1e15",
	"diffusion path --spare 1 --points 1e9",
	"diffusion path --spare 1 --until 1e18",
	"diffusion path --spare 1 --step 1e-300",
	"diffusion price --spare 1e300",
	"diffusion stationary --process averaged-jsq -n 1e15 --load 0.9",
	"diffusion transient --spare 1 --at 1 --cells 1e9",
	"diffusion transient --spare 1 --at 1e308",
	"simulate -n 1e15 --load 0.9",
	"simulate -n 10 --load 0.9 --replications 1e15",
	"simulate -n 10 --load 0.9 --events 1e18",
	"simulate -n 10 --load 0.99999999 --policy random",
	"simulate -n 1 --load 0.999999",
	"simulate -n 10 --load 0.9 --warmup 1e300",
	"simulate -n 10 --load 0.9 --warmup 1e6 --compare jsq,jiq",
	"simulate -n 10 --load 0.9 --samples own.csv --sample-count 1e15",
	"simulate -n 10 --load 0.9 --samples own.csv --sample-every 1e300",
	"simulate -n 10 --load 0.9 --samples own.csv --sample-every 1e308",
	"simulate jobs -n 1e4 --load 0.999999 --policy random",
	"simulate jobs -n 10 --load 0.9 --warmup 1e300",
	"simulate jobs -n 1e15 --load 0.9",
	"simulate jobs -n 10 --load 0.9 --jobs 1e15",
	"simulate jobs -n 10 --load 0.9 --policy sq:d=2,m=2147483647",
	"simulate jobs -n 10 --load 0.9 --policy ll:d=2147483647",
	"simulate jobs -n 1e6 --load 0.9 --policy pull:memory=1e15,rate=1e50",
	"simulate slotted --rates 1x1e9 --load 0.9",
	"simulate slotted --rates 1x10 --load 0.9 --slots 1e15",
	"simulate slotted --rates 1x10 --load 0.9 --policy sq:d=2,m=1e15",
	"simulate slotted --rates 1x10 --load 0.9 --arrivals binomial:n=1e15",
	"simulate slotted --rates 1x1e6 --dispatchers 10000 --load 0.9 --policy lsq:push=1",
	"simulate slotted --rates 1x1e6 --dispatchers 10000 --load 0.9 --policy jiq",
	"simulate slotted --rates 1x1e6 --dispatchers 10000 --load 0.9 --policy sq:d=2,m=1e5",
	"service fit --scv 1e300",
	"figure delay-resources --servers 1e15,1e14",
	"sweep run three.json --shard 1/1e12",
}

// TestAbsurdRequests: what is too large is refused before memory is asked for.
func TestAbsurdRequests(t *testing.T) {
	const most = 1 << 30 // bytes, all that a request allocates
	t.Chdir(t.TempDir())
	for _, line := range absurdRequests {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		o := invoke(append(strings.Fields(line), "--quiet")...)
		runtime.ReadMemStats(&after)
		if o.code != exitRequest || o.stdout != "" || !strings.HasPrefix(o.stderr, "qlimit: ") || !strings.Contains(o.stderr, "must be") || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %.300q", line, o.code, o.stderr)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > most {
			t.Errorf("%s: allocated %d MiB before it was refused", line, used>>20)
		}
	}
}
