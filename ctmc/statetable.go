package ctmc

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// codeTable numbers byte strings in the order in which they are added. They
// are kept in one arena and found through an open hash table of numbers: some
// 20 bytes more than the string itself, none of them garbage.
type codeTable struct {
	seed  maphash.Seed
	arena []byte
	ends  []int   // string k is arena[ends[k]:ends[k+1]]
	slots []int32 // number + 1, 0 for a free slot; a power of two of them
}

func newCodeTable() *codeTable {
	return &codeTable{seed: maphash.MakeSeed(), ends: []int{0}, slots: make([]int32, 1<<10)}
}

func (t *codeTable) len() int { return len(t.ends) - 1 }

// code returns the string of a number.
func (t *codeTable) code(number int) []byte { return t.arena[t.ends[number]:t.ends[number+1]] }

// find returns the number of a string, or -1 and the slot where it belongs.
func (t *codeTable) find(code []byte) (number, slot int) {
	mask := len(t.slots) - 1
	for slot = int(maphash.Bytes(t.seed, code)) & mask; t.slots[slot] != 0; slot = (slot + 1) & mask {
		k := int(t.slots[slot] - 1)
		if bytes.Equal(t.code(k), code) {
			return k, slot
		}
	}
	return -1, slot
}

// add returns the number of a string, a new one for a new string.
func (t *codeTable) add(code []byte) (number int, isNew bool) {
	number, slot := t.find(code)
	if number >= 0 {
		return number, false
	}
	t.arena = append(t.arena, code...)
	t.ends = append(t.ends, len(t.arena))
	t.slots[slot] = int32(t.len())
	if 2*t.len() > len(t.slots) {
		t.grow()
	}
	return t.len() - 1, true
}

func (t *codeTable) grow() {
	t.slots = make([]int32, 2*len(t.slots))
	mask := len(t.slots) - 1
	for k := range t.len() {
		slot := int(maphash.Bytes(t.seed, t.code(k))) & mask
		for t.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.slots[slot] = int32(k + 1)
	}
}

// stateTable numbers the states of a chain, written as varints, a run of zeros
// as 0 and its length.
type stateTable struct {
	*codeTable
	width  int
	buffer []byte
}

func newStateTable(width int) *stateTable {
	return &stateTable{codeTable: newCodeTable(), width: width}
}

func (t *stateTable) encode(state []int64) []byte {
	out := t.buffer[:0]
	for i := 0; i < len(state); i++ {
		out = binary.AppendVarint(out, state[i])
		if state[i] == 0 {
			run := i
			for run < len(state) && state[run] == 0 {
				run++
			}
			out = binary.AppendUvarint(out, uint64(run-i))
			i = run - 1
		}
	}
	t.buffer = out
	return out
}

// write decodes the state of a number.
func (t *stateTable) write(number int64, state []int64) {
	code := t.code(int(number))
	for i := 0; i < len(state); i++ {
		value, n := binary.Varint(code)
		code = code[n:]
		state[i] = value
		if value == 0 {
			run, n := binary.Uvarint(code)
			code = code[n:]
			clear(state[i : i+int(run)])
			i += int(run) - 1
		}
	}
}

// number returns the number of a state, -1 for an unknown one.
func (t *stateTable) number(state []int64) int64 {
	if len(state) != t.width {
		return -1
	}
	number, _ := t.find(t.encode(state))
	return int64(number)
}

func (t *stateTable) addState(state []int64) { t.add(t.encode(state)) }
