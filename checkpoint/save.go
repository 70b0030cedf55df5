package checkpoint

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/files"
	"ltc/soa"
	"ltc/soa/safetensors"
)

// Save writes the tensors and the metadata of states to one file of safetensors. The file replaces
// one at path when it is whole and on disk: a program that is killed while it saves leaves the one
// before. Who has opened that one keeps its content. No two tensors and no two values of the
// states may have one name.
func Save(path string, states ...*State) error {
	s, err := merge(states)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return s.write(path, nil)
}

// SaveSharded is Save to several files of at most shardBytes of elements each, if one would have
// more, with an index at path that [Open] reads. A larger tensor has a file of its own. The files
// are next to the index. Name the index model.safetensors.index.json for other programs. The new
// index replaces one at path when all its files are on disk. The shards of the old index are removed
// then, but for those that another index in the folder names. A program that is killed while it
// saves leaves shards that no index names.
func SaveSharded(path string, shardBytes int, states ...*State) error {
	s, err := merge(states)
	if err == nil && shardBytes <= 0 {
		err = fmt.Errorf("shards of %s: want more", diag.Count(shardBytes, "byte"))
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return s.write(path, s.shards(shardBytes))
}

// merge returns a state with what all states have.
func merge(states []*State) (*State, error) {
	all := &State{Metadata: Metadata{}}
	for i, s := range states {
		if s == nil {
			return nil, fmt.Errorf("state %d is nil", i)
		}
		for _, t := range s.tensors {
			if err := all.add(t); err != nil {
				return nil, err
			}
		}
		for name, x := range s.Metadata {
			if _, twice := all.Metadata[name]; twice {
				return nil, fmt.Errorf("value %s is there twice: names differ within a file", name)
			}
			all.Metadata[name] = x
		}
	}
	return all, nil
}

// shards distributes the tensors, in order, over files; nil if one file is enough.
func (s *State) shards(most int) [][]*Tensor {
	var all [][]*Tensor
	left := -1
	for _, t := range s.tensors {
		if n := t.Type.Bytes(); n > left {
			all, left = append(all, nil), most
		}
		all[len(all)-1] = append(all[len(all)-1], t)
		left -= t.Type.Bytes()
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// write writes the state: to path if there are no shards, else as an index.
func (s *State) write(path string, shards [][]*Tensor) error {
	texts, err := s.Metadata.texts()
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	old := listed(path)
	if shards == nil {
		err = writeTensors(path, s.tensors, texts)
	} else {
		err = s.writeShards(path, shards, texts)
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	removeShards(path, old)
	return nil
}

func writeTensors(path string, tensors []*Tensor, metadata map[string]string) error {
	f := &safetensors.File{Metadata: metadata}
	for _, t := range tensors {
		v, err := t.View()
		if err != nil {
			return err
		}
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: t.Name, View: v})
	}
	return safetensors.WriteFile(path, f)
}

// index is the content of an index file.
type index struct {
	Metadata  map[string]any    `json:"metadata,omitempty"`
	WeightMap map[string]string `json:"weight_map"` // from names of tensors to files
}

// writeShards writes the shards and then the index. Names of shards have a random stamp, since
// readers of the old index may be opening the old shards.
func (s *State) writeShards(path string, shards [][]*Tensor, metadata map[string]string) (err error) {
	var random [4]byte
	rand.Read(random[:])
	stamp := hex.EncodeToString(random[:])
	x := index{Metadata: map[string]any{}, WeightMap: map[string]string{}}
	for name, text := range metadata {
		x.Metadata[name] = text
	}
	total := 0
	defer func() {
		if err != nil {
			for _, f := range slices.Collect(maps.Values(x.WeightMap)) {
				os.Remove(filepath.Join(filepath.Dir(path), f))
			}
		}
	}()
	for i, tensors := range shards {
		name := fmt.Sprintf("%s-%s-%05d-of-%05d.safetensors", stem(path), stamp, i+1, len(shards))
		for _, t := range tensors {
			x.WeightMap[t.Name] = name
			total += t.Type.Bytes()
		}
		if err := writeTensors(filepath.Join(filepath.Dir(path), name), tensors, nil); err != nil {
			return err
		}
	}
	x.Metadata["total_size"] = total
	text, err := json.MarshalIndent(x, "", "  ")
	if err != nil {
		return err
	}
	return files.Write(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// stem returns the name of the index without its endings.
func stem(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".json"), ".index"), ".safetensors")
}

// shardName is the name of a shard that SaveSharded wrote.
var shardName = regexp.MustCompile(`^[^/\\]*-[0-9a-f]{8}-\d{5,}-of-\d{5,}\.safetensors$`)

// listed returns the shards of an index that was at path.
func listed(path string) map[string]bool {
	all := map[string]bool{}
	x, err := readIndex(path)
	if err != nil {
		return all
	}
	for _, f := range x.WeightMap {
		all[f] = true
	}
	return all
}

// removeShards removes the shards of the index that the file at path replaced, but for those that an
// index in its folder names.
func removeShards(at string, old map[string]bool) {
	dir := filepath.Dir(at)
	if len(old) == 0 {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || filepath.Ext(path) == ".safetensors" {
			continue
		}
		x, err := readIndex(path)
		if err != nil {
			if strings.HasSuffix(path, ".index.json") && e.Name() != filepath.Base(at) {
				return // its shards are not known
			}
			continue
		}
		for _, f := range x.WeightMap {
			delete(old, f)
		}
	}
	for f := range old {
		path := filepath.Join(dir, f)
		if info, err := os.Lstat(path); shardName.MatchString(f) && err == nil && info.Mode().IsRegular() {
			os.Remove(path)
		}
	}
}

// maxIndex bounds the bytes of an index.
const maxIndex = 64 << 20

func readIndex(path string) (*index, error) {
	b, err := soa.MapFile(path)
	if err != nil {
		return nil, err
	}
	defer b.Release()
	if n := len(b.Bytes()); n > maxIndex {
		return nil, fmt.Errorf("%s: an index of %s: at most %d are read", path, diag.Count(n, "byte"), maxIndex)
	}
	if n := len(b.Bytes()); n == 0 || b.Bytes()[0] != '{' {
		return nil, fmt.Errorf("%s is no index", path)
	}
	var x index
	if err := json.Unmarshal(b.Bytes(), &x); err != nil {
		return nil, fmt.Errorf("%s: an index of shards: %w", path, err)
	}
	if x.WeightMap == nil {
		return nil, fmt.Errorf("%s: a JSON file without a weight_map: no index of shards", path)
	}
	return &x, nil
}

// openIndex opens an index with all its shards, which are in its folder.
func openIndex(path string) (*File, error) {
	x, err := readIndex(path)
	if err != nil {
		return nil, err
	}
	f := &File{State: State{name: path, Metadata: Metadata{}}, Format: Safetensors}
	for name, value := range x.Metadata {
		f.Metadata[name] = value
	}
	shards := slices.Compact(slices.Sorted(maps.Values(x.WeightMap)))
	for _, shard := range shards {
		if shard != filepath.Base(shard) || !filepath.IsLocal(shard) {
			f.Close()
			return nil, fmt.Errorf("%s: shard %q: want a file of the index's folder", path, shard)
		}
		accept := func(name string) error {
			switch of, ok := x.WeightMap[name]; {
			case !ok:
				return fmt.Errorf("tensor %s is not in the index %s", name, path)
			case of != shard:
				return fmt.Errorf("tensor %s is here, and in %s by the index %s", name, of, path)
			}
			return nil
		}
		if err := f.addSafetensors(filepath.Join(filepath.Dir(path), shard), accept); err != nil {
			f.Close()
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x.WeightMap)) {
		if _, ok := f.index[name]; !ok {
			f.Close()
			return nil, fmt.Errorf("%s: tensor %s is not in %s", path, name, x.WeightMap[name])
		}
	}
	return f, nil
}
