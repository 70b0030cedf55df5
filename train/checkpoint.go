package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"slices"
	"strconv"

	"ltc/checkpoint"
	"ltc/data"
	"ltc/lazy"
	"ltc/nn/module"
	"ltc/soa"
)

// progress is what a checkpoint has besides tensors.
type progress struct {
	Net      []string           `json:"net"` // names of the network's variables
	Step     int                `json:"step"`
	Position data.Position      `json:"position"`
	Batches  data.Batches       `json:"batches"`
	LR       float64            `json:"lr"`
	Random   []lazy.RandomState `json:"random"`
	Sums     Means              `json:"sums"`
	Examples int                `json:"examples"`
	Trained  bool               `json:"trained"`
	History  []Epoch            `json:"history"`
}

// MarshalJSON writes values that are no numbers of JSON as "NaN", "+Inf" and "-Inf".
func (m Means) MarshalJSON() ([]byte, error) {
	all := make(map[string]any, len(m))
	for name, x := range m {
		if all[name] = x; math.IsNaN(x) || math.IsInf(x, 0) {
			all[name] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return json.Marshal(all)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Means) UnmarshalJSON(data []byte) error {
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*m = Means{}
	for name, x := range all {
		switch x := x.(type) {
		case float64:
			(*m)[name] = x
		case string:
			value, err := strconv.ParseFloat(x, 64)
			if err != nil {
				return fmt.Errorf("value %s: %w", name, err)
			}
			(*m)[name] = value
		default:
			return fmt.Errorf("value %s is %v: want a number", name, x)
		}
	}
	return nil
}

// owned is a variable under its name in checkpoints, with the field of the loop that has it.
type owned struct {
	field, name string
	v           *lazy.Tensor
}

// owned are the network's variables, by their paths, and by their names those of the optimizer, the scaler, the averages and
// State.
func (l *Loop) owned() (all []owned) {
	for name, v := range module.State(l.Net) {
		all = append(all, owned{"Net", name, v})
	}
	add := func(field string, variables ...*lazy.Tensor) {
		for _, v := range variables {
			all = append(all, owned{field, v.Name(), v})
		}
	}
	add("Optimizer", l.Optimizer.State()...)
	add("Scaler", l.Scaler.State()...)
	add("Average", l.Average.State()...)
	for i, v := range l.State {
		add(fmt.Sprintf("State[%d]", i), v)
	}
	return all
}

// variables are those that checkpoints keep.
func (l *Loop) variables() iter.Seq2[string, *lazy.Tensor] {
	return func(yield func(string, *lazy.Tensor) bool) {
		for _, o := range l.owned() {
			if !yield(o.name, o.v) {
				return
			}
		}
	}
}

// checkNames returns an error if two variables have one name in checkpoints.
func (l *Loop) checkNames() error {
	seen := map[string]owned{}
	for _, o := range l.owned() {
		first, ok := seen[o.name]
		switch {
		case !ok:
			seen[o.name] = o
		case first.v == o.v:
			return fmt.Errorf("train: %s is the variable %s of %s, which checkpoints keep already: leave it out of State", o.field, o.name, first.field)
		default:
			return fmt.Errorf("train: %s and %s have two variables of the name %s, and a checkpoint keeps one of a name: give one another name, or save it in another file with package checkpoint", first.field, o.field, o.name)
		}
	}
	return nil
}

// Save writes a checkpoint, as checkpoint.Save does: the variables of the network, the optimizer, the scaler, the averages and
// State, the streams of Random, the loader's position, and what the epochs found. A loop that loads it goes on with the same bits.
func (l *Loop) Save(path string) error {
	if err := l.check(); err != nil {
		return err
	}
	state, err := checkpoint.StateOf(l.variables())
	if err != nil {
		return fmt.Errorf("train: save: %w", err)
	}
	net := []string{} // not nil, even of a network without variables
	for name := range module.State(l.Net) {
		net = append(net, name)
	}
	p := progress{net, l.step, l.Train.Position(), l.Train.Batches, l.Optimizer.LR(), l.randomStates(), l.sums, l.examples, l.trained, l.History}
	state.Metadata = checkpoint.Metadata{"train": p}
	if err := checkpoint.Save(path, state); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

// Load goes on from a checkpoint of Save. The batches of Train must be those of the loop that saved. If the checkpoint has no
// averages, those of the loop begin anew: the next step copies the parameters. After an error nothing has changed. If there is
// no such file, the error is an fs.ErrNotExist.
func (l *Loop) Load(path string) error {
	if l.stepping {
		return fmt.Errorf("train: load %s: the steps of an epoch are under way: load in OnEpoch, or before Run", path)
	}
	if err := l.check(); err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("train: load: %w", err)
	}
	f, err := checkpoint.Open(path)
	if err != nil {
		return fmt.Errorf("train: load: %w", err)
	}
	defer f.Close()
	var p progress
	if err := f.Metadata.Value("train", &p); err != nil {
		return fmt.Errorf("train: load %s: %w: want a file of Save of this package; LoadWeights loads weights alone", path, err)
	}
	if len(p.Random) != len(l.Random) {
		return fmt.Errorf("train: load %s: it has the states of %d random streams, and Random %d: give the same streams as when it was saved", path, len(p.Random), len(l.Random))
	}
	if p.Batches != l.Train.Batches {
		return fmt.Errorf("train: load %s: saved with batches %+v, and Train has %+v: give the same rows, size, seed and order", path, p.Batches, l.Train.Batches)
	}
	if err := l.beginAverages(&f.State); err != nil {
		return fmt.Errorf("train: load %s: %w", path, err)
	}
	at := l.Train.Position()
	if err := l.Train.Seek(p.Position); err != nil {
		return fmt.Errorf("train: load %s: %w", path, err)
	}
	if err := checkpoint.LoadInto(l.variables(), &f.State, checkpoint.Options{}); err != nil {
		_ = l.Train.Seek(at)
		if e, ok := errors.AsType[*checkpoint.LoadError](err); ok {
			e.NoOptions = true
			return fmt.Errorf("train: %w\na loop loads all variables: give it the Net, Optimizer, Scaler, Average and State of the one that saved; LoadWeights loads the network alone", err)
		}
		return fmt.Errorf("train: %w", err)
	}
	for i, r := range l.Random {
		r.SetState(p.Random[i])
	}
	l.Optimizer.SetLR(p.LR)
	l.step, l.sums, l.examples, l.trained, l.History = p.Step, p.Sums, p.Examples, p.Trained, p.History
	return nil
}

// beginAverages adds averages of no updates to a state without any.
func (l *Loop) beginAverages(s *checkpoint.State) error {
	averages, names := l.Average.State(), s.Names()
	if slices.ContainsFunc(averages, func(v *lazy.Tensor) bool { return slices.Contains(names, v.Name()) }) {
		return nil
	}
	for _, v := range averages {
		if err := s.Add(v.Name(), soa.Make(v.Type())); err != nil {
			return err
		}
	}
	return nil
}

// LoadWeights gives the variables of a network the values of a file: the network's part of a checkpoint of [Loop.Save], or all
// tensors of another file, as checkpoint.Load does. After an error nothing has changed.
func LoadWeights(path string, net any) error {
	if err := module.Check(net); err != nil {
		return fmt.Errorf("train: load %s: %w", path, err)
	}
	f, err := checkpoint.Open(path)
	if err != nil {
		return fmt.Errorf("train: load: %w", err)
	}
	defer f.Close()
	var o checkpoint.Options
	var p progress
	if f.Metadata.Value("train", &p) == nil {
		if p.Net == nil {
			return fmt.Errorf("train: load %s: saved by an earlier version, without the names of the network's variables: load it with Loop.Load, and save it again", path)
		}
		o.Rename = func(name string) string {
			if !slices.Contains(p.Net, name) {
				return ""
			}
			return name
		}
	}
	if err := checkpoint.LoadInto(module.State(net), &f.State, o); err != nil {
		if e, ok := errors.AsType[*checkpoint.LoadError](err); ok {
			e.NoOptions = true
			return fmt.Errorf("train: %w\nthe file must have all variables of the network and no others; checkpoint.Load has options to allow both", err)
		}
		return fmt.Errorf("train: %w", err)
	}
	return nil
}
