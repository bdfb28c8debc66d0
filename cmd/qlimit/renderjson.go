package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// renderJSON writes one object with a member on each line.
func renderJSON(w io.Writer, r *report) error {
	object := orderedObject{{"schema", schemaVersion}, {"command", r.command}}
	if r.system != nil {
		object = append(object, member{"system", systemObject(r)})
	} else if r.service != nil {
		object = append(object, member{"service", factsObject(lawFacts(*r.service))})
	}
	if r.kind != 0 {
		object = append(object, member{"kind", r.kind.String()})
	}
	for _, q := range r.quantities {
		object = append(object, member{q.name, jsonValue(q.value)})
	}
	if len(r.kinds) > 0 {
		kinds := orderedObject{}
		for _, q := range r.quantities {
			kinds = append(kinds, member{q.name, r.kindOf(q).String()})
		}
		object = append(object, member{"kinds", kinds})
	}
	for _, t := range r.tables {
		for _, c := range t.columns {
			object = append(object, member{c.name, jsonVector(c.values)})
		}
		if t.matrix != nil {
			object = append(object, member{t.matrix.name, t.matrix.rows})
		}
	}
	for _, list := range r.lists() {
		object = append(object, member{list.name, list.objects()})
	}
	object = append(object, factsObject(r.work)...)
	if r.status != "" {
		object = append(object, member{"status", r.status})
	}
	warnings := append([]string{}, r.warnings...)
	object = append(object, member{"warnings", warnings})
	return object.writeLines(w)
}

func systemObject(r *report) orderedObject {
	object := factsObject(systemFacts(*r.system))
	return append(object, member{"service", factsObject(lawFacts(r.system.Service))})
}

func factsObject(facts []fact) orderedObject {
	object := orderedObject{}
	for _, f := range facts {
		object = append(object, member{f.name, jsonValue(f.value)})
	}
	return object
}

func jsonVector(values []any) []any {
	vector := make([]any, len(values))
	for i, v := range values {
		vector[i] = jsonValue(v)
	}
	return vector
}

// jsonValue maps a value to what encoding/json takes; a number that is not
// finite does not exist and becomes null.
func jsonValue(v any) any {
	switch x := v.(type) {
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	case estimate.Estimate:
		return estimateObject(x)
	}
	return v
}

func estimateObject(e estimate.Estimate) orderedObject {
	number := func(x float64) any {
		if e.Status == estimate.Undefined {
			return nil
		}
		return jsonValue(x)
	}
	return orderedObject{
		{"estimate", number(e.Value)},
		{"half_width", number(e.HalfWidth)},
		{"level", e.Level},
		{"effective_sample", number(e.EffectiveSample)},
		{"standard_error", number(e.StandardError)},
		{"degrees_of_freedom", number(e.DegreesOfFreedom)},
		{"batches", e.Batches},
		{"lag1", number(e.Lag1)},
		{"correlation_times", number(e.CorrelationTimes)},
		{"kind", ctmc.Estimate.String()},
		{"status", e.Status.String()},
		{"warnings", append([]string{}, e.Warnings...)},
	}
}

// orderedObject is a JSON object whose members keep their order.
type orderedObject []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the object without line breaks.
func (o orderedObject) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := m.write(&b, ":"); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// writeLines writes the object with a member on each line.
func (o orderedObject) writeLines(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString("{\n")
	for i, m := range o {
		b.WriteString("  ")
		if err := m.write(&b, ": "); err != nil {
			return err
		}
		if i < len(o)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	_, err := w.Write(b.Bytes())
	return err
}

func (m member) write(b *bytes.Buffer, colon string) error {
	fmt.Fprintf(b, "%q%s", m.name, colon)
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(m.value); err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	b.Truncate(b.Len() - 1) // the encoder ends with a line break
	return nil
}
