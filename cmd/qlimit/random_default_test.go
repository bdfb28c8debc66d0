//go:build !long

package main

const randomSystems = 15
