package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"qlimit/internal/manifest"
	"qlimit/internal/wholefile"
)

// Schema is raised when a field of a plan or of a cell changes its meaning.
const Schema = 1

// MaxPlanSize is the largest plan that ReadPlan takes, in bytes.
const MaxPlanSize = 1 << 30

// Plan is the immutable list of cells of a sweep. ID is the SHA-256 of the
// rest, so that a plan that was edited is refused.
type Plan struct {
	Schema     int              `json:"schema"`     // of this layout
	ID         string           `json:"id"`         // hash of all the rest
	Title      string           `json:"title"`      // as in the spec
	Program    manifest.Program `json:"program"`    // whose results count
	Command    []string         `json:"command"`    // its words
	Fixed      []Flag           `json:"fixed"`      // flags that stay the same
	Seed       uint64           `json:"seed"`       // of the first replicate
	Replicates int              `json:"replicates"` // runs of each combination
	Cells      []Cell           `json:"cells"`      // in order
}

// Cell is one run of the command. ID is its place in the plan followed by the
// hash of its parameters and of the program, so that cells sort in the order of
// the plan and results of other code are not taken for those of this one.
type Cell struct {
	ID         string `json:"id"`         // place and hash
	Parameters []Flag `json:"parameters"` // those that vary
	Replicate  int    `json:"replicate"`  // 0, 1, ..
	Seed       uint64 `json:"seed"`       // of its replicate
}

// NewPlan lists the cells of a sweep: the grids one after the other, in each
// the last flag fastest, the replicates of a combination together.
func NewPlan(s Spec, program manifest.Program) (*Plan, error) {
	p := &Plan{Schema: Schema, Title: s.Title, Program: program, Command: s.Command, Fixed: s.Fixed, Seed: s.Seed, Replicates: s.Replicates, Cells: []Cell{}}
	if p.Fixed == nil {
		p.Fixed = []Flag{}
	}
	seen := map[string]bool{}
	for _, axes := range s.Grids {
		for combination := range combinations(axes) {
			text, err := json.Marshal(combination)
			if err != nil {
				return nil, err
			}
			if seen[string(text)] {
				continue // grids may overlap
			}
			seen[string(text)] = true
			for k := range s.Replicates {
				p.Cells = append(p.Cells, Cell{Parameters: combination, Replicate: k, Seed: s.Seed + uint64(k)})
			}
		}
	}
	for i := range p.Cells {
		p.Cells[i].ID = p.cellID(i)
	}
	p.ID = p.digest()
	return p, nil
}

// combinations yields one value of each axis, the last axis fastest.
func combinations(axes []Axis) func(yield func([]Flag) bool) {
	return func(yield func([]Flag) bool) {
		at := make([]int, len(axes))
		for {
			flags := make([]Flag, len(axes))
			for i, axis := range axes {
				flags[i] = Flag{axis.Name, axis.Values[at[i]]}
			}
			if !yield(flags) {
				return
			}
			i := len(axes) - 1
			for ; i >= 0; i-- {
				if at[i]++; at[i] < len(axes[i].Values) {
					break
				}
				at[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// Arguments is the command line of a cell.
func (p *Plan) Arguments(c Cell) []string {
	arguments := append([]string{}, p.Command...)
	for _, f := range append(append([]Flag{}, p.Fixed...), c.Parameters...) {
		arguments = append(arguments, "--"+f.Name+"="+f.Value)
	}
	return append(arguments, "--seed="+strconv.FormatUint(c.Seed, 10))
}

func (p *Plan) cellID(i int) string {
	text, _ := json.Marshal(p.Arguments(p.Cells[i])) // strings always can
	sum := sha256.Sum256(append([]byte(p.Program.Code()+"\n"), text...))
	return fmt.Sprintf("%06d-%s", i+1, hex.EncodeToString(sum[:8]))
}

// digest is the SHA-256 of the plan without its ID.
func (p *Plan) digest() string {
	bare := *p
	bare.ID = ""
	text, _ := json.Marshal(&bare) // strings and integers always can
	return manifest.HashText(text)
}

// Text is the plan as a file.
func (p *Plan) Text() ([]byte, error) {
	text, err := json.MarshalIndent(p, "", " ")
	return append(text, '\n'), err
}

// ReadPlan reads a plan and refuses one that was changed after it was made.
func ReadPlan(name string) (*Plan, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ParsePlan(file)
}

// ParsePlan is [ReadPlan] for what has been opened already.
func ParsePlan(r io.Reader) (*Plan, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxPlanSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxPlanSize {
		return nil, fmt.Errorf("plan: larger than %d bytes", MaxPlanSize)
	}
	p := &Plan{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(p); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("plan: something follows the object")
	}
	switch {
	case p.Schema != Schema:
		return nil, fmt.Errorf("plan: schema = %d (must be %d)", p.Schema, Schema)
	case len(p.Command) == 0 || len(p.Cells) == 0 || p.Replicates < 1 || len(p.Cells)%p.Replicates != 0:
		return nil, errors.New("plan: has no command or no cells")
	case p.ID != p.digest():
		return nil, errors.New("plan: was changed after it was made (its id is not the hash of its contents); make a new one with sweep plan")
	}
	return p, nil
}

// Write writes the plan. A file that holds another plan, or anything else, is
// not replaced.
func (p *Plan) Write(name string) error {
	text, err := p.Text()
	if err != nil {
		return err
	}
	old, err := os.ReadFile(name)
	switch {
	case err == nil && bytes.Equal(old, text):
		return nil
	case err == nil && len(old) > 0:
		return fmt.Errorf("%s exists and holds something else (a plan is never changed; choose another name)", name)
	}
	return wholefile.Write(name, text)
}
