package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ltc/internal/calls"
	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// callRequest is a line that op -serve reads.
type callRequest struct {
	Op         string            `json:"op"`
	Attrs      map[string]string `json:"attrs"`
	Inputs     []array           `json:"inputs"`
	Grad       bool              `json:"grad"`
	Cotangents []array           `json:"cotangents"` // of the floating-point results; none: ones
	Grad2      bool              `json:"grad2"`
	Weights    []array           `json:"weights"` // of the gradients for floating-point inputs; none: ones
}

// callResponse is a line that op -serve writes.
type callResponse struct {
	Results   []*array `json:"results,omitempty"`
	Gradients []*array `json:"gradients,omitempty"` // null for an input that is not floating point
	Seconds   []*array `json:"seconds,omitempty"`   // of the weighted sum of the gradients; null as in gradients
	Tangents  []*array `json:"tangents,omitempty"`  // of that sum, for each cotangent
	Error     string   `json:"error,omitempty"`
}

// array is a tensor in JSON.
type array struct {
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	Data  []byte `json:"data"` // the elements in row-major order, little-endian, in base64
}

// serve answers requests until its input ends. A line that is no request, and a call that fails,
// is answered with its error.
func serve(c *call, dev *lazy.Device) error {
	in, out := bufio.NewReader(c.stdin), json.NewEncoder(c.stdout)
	for {
		line, readErr := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := out.Encode(answerLine(dev, line)); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(readErr, io.EOF):
			return nil
		case readErr != nil:
			return fmt.Errorf("requests: %w", readErr)
		}
	}
}

// answerLine answers the request of a line.
func answerLine(dev *lazy.Device, line []byte) callResponse {
	var r callRequest
	if err := json.Unmarshal(line, &r); err != nil {
		return callResponse{Error: fmt.Sprintf("request: %v: want a JSON object on one line", err)}
	}
	answer, err := r.answer(dev)
	if err != nil {
		return callResponse{Error: err.Error()}
	}
	return answer
}

// answer calls the op of a request.
func (r *callRequest) answer(dev *lazy.Device) (callResponse, error) {
	op, err := calls.Find(r.Op)
	if err != nil {
		return callResponse{}, err
	}
	request := calls.Request{Op: op, Gradients: r.Grad, Second: r.Grad2}
	if request.Attrs, err = op.Parse(r.Attrs); err != nil {
		return callResponse{}, err
	}
	if request.Inputs, err = viewsOf(r.Inputs); err != nil {
		return callResponse{}, fmt.Errorf("inputs: %w", err)
	}
	if request.Cotangents, err = viewsOf(r.Cotangents); err != nil {
		return callResponse{}, fmt.Errorf("cotangents: %w", err)
	}
	if request.Weights, err = viewsOf(r.Weights); err != nil {
		return callResponse{}, fmt.Errorf("weights: %w", err)
	}
	got, err := calls.Run(dev, request)
	if err != nil {
		return callResponse{}, err
	}
	var answer callResponse
	for _, part := range []struct {
		to   *[]*array
		from []soa.View
	}{{&answer.Results, got.Results}, {&answer.Gradients, got.Gradients}, {&answer.Seconds, got.Seconds}, {&answer.Tangents, got.Tangents}} {
		if *part.to, err = arraysOf(part.from); err != nil {
			return callResponse{}, err
		}
	}
	return answer, nil
}

func viewsOf(arrays []array) ([]soa.View, error) {
	var all []soa.View
	for i, a := range arrays {
		d, ok := types.ParseDType(a.DType)
		if !ok {
			return nil, fmt.Errorf("%d: unknown dtype %q", i, a.DType)
		}
		v, err := samples.FromBytes(types.Of(d, a.Shape...), a.Data)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", i, err)
		}
		all = append(all, v)
	}
	return all, nil
}

// arraysOf returns views as arrays, nil for one that is not there.
func arraysOf(views []soa.View) ([]*array, error) {
	var all []*array
	for _, v := range views {
		if v.IsZero() {
			all = append(all, nil)
			continue
		}
		data, err := samples.Bytes(v)
		if err != nil {
			return nil, err
		}
		all = append(all, &array{v.Type.DType.String(), append([]int{}, v.Type.Shape...), append([]byte{}, data...)})
	}
	return all, nil
}
