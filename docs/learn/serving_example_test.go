package learn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"ltc/backends"
	"ltc/checkpoint"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/model"
	"ltc/soa"
)

func Example_serving() {
	dir, err := os.MkdirTemp("", "model")
	check(err)
	defer os.RemoveAll(dir)

	// What was trained: a function of tensors, for any number of rows.
	dev, err := lazy.Open("cpu")
	check(err)
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2, 1), []float32{1, 10})
	score := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.MatMul(w) })
	x, err := score.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 2)}}, "score")
	check(err)
	check(checkpoint.SaveProgram(filepath.Join(dir, "score.mlir"), x))

	// The server needs the two files, and neither the function nor the device.
	m, err := open(filepath.Join(dir, "score.mlir"))
	check(err)
	server := httptest.NewServer(handler(m))
	defer server.Close()

	answer, err := http.Post(server.URL, "application/json", strings.NewReader("[[1, 2], [3, 4]]"))
	check(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(err)
	fmt.Println(string(text))
	// Output: [21,43]
}

// open makes a model of a program and of its weights, which it maps from their file.
func open(path string) (*model.Model, error) {
	p, err := checkpoint.OpenProgram(path)
	if err != nil {
		return nil, err
	}
	cpu, err := backends.Open("cpu")
	if err != nil {
		return nil, err
	}
	return model.New(context.Background(), cpu, backends.NewModule(p.Text), p.Constants, model.Name("score"))
}

// handler answers a list of rows by a list of scores. Requests run concurrently, each on a goroutine of its own.
func handler(m *model.Model) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var rows [][]float32
		if err := json.Unmarshal(body, &rows); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		x := soa.Make(types.Of(types.F32, len(rows), 2))
		for i, row := range rows {
			if len(row) != 2 {
				http.Error(w, fmt.Sprintf("row %d has %d numbers, not 2", i, len(row)), http.StatusBadRequest)
				return
			}
			copy(soa.Slice[float32](x)[2*i:], row)
		}
		scores, err := m.Call(r.Context(), x)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer, err := json.Marshal(soa.Slice[float32](scores[0]))
		if err != nil { // an infinity or a NaN is no JSON
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(answer)
	}
}
