package main

import (
	"slices"
	"strings"
	"testing"

	"qlimit/ctmc/slotted"
	"qlimit/validate/sim"
)

// TestTopicsAreComplete: the pages name every policy, format and exit code.
func TestTopicsAreComplete(t *testing.T) {
	page := func(name string) string { return invoke("help", name).stdout }
	for _, policy := range slices.Concat(sim.JobPolicyNames(), slotted.PolicyNames()) {
		if !strings.Contains(page("policies"), "  "+policy) && !strings.Contains(page("policies"), ", "+policy) {
			t.Errorf("help policies does not name %s", policy)
		}
	}
	for _, format := range formats {
		if !strings.Contains(page("formats"), "\n  "+format) {
			t.Errorf("help formats does not name %s", format)
		}
	}
	for _, code := range []string{"0 ", "1 ", "2 ", "3 ", "4 ", "130 "} {
		if !strings.Contains("\n"+page("exit-codes"), "\n"+code) {
			t.Errorf("help exit-codes does not name %s", code)
		}
	}
}
