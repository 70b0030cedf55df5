package tokenizer

import (
	"fmt"
	"os"

	"ltc/internal/diag"
)

// Load reads a tokenizer from a file: a tokenizer.json of the library tokenizers, or a vocab.txt of
// BERT, with its usual options, if the name ends with .txt. Errors name the file and the field.
func Load(path string) (*Tokenizer, error) {
	if len(path) > 4 && path[len(path)-4:] == ".txt" {
		return LoadVocab(path, BERT{LowerCase: true})
	}
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// readFile reads a file of an acceptable size.
func readFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: %s is more than a tokenizer has: at most %s", path, diag.Bytes(len(data)), diag.Bytes(maxFile))
	}
	return data, nil
}

// Parse reads a tokenizer from the content of a tokenizer.json. Errors begin with the name.
func Parse(name string, data []byte) (*Tokenizer, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: %s is more than a tokenizer has: at most %s", name, diag.Bytes(len(data)), diag.Bytes(maxFile))
	}
	t, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func parse(data []byte) (*Tokenizer, error) {
	r := &reader{data: data, later: func(v *value) bool {
		return (v.key == "vocab" || v.key == "merges") && v.in != nil && v.in.key == "model" && v.in.in != nil && v.in.in.in == nil
	}}
	root, err := r.value(nil, "", -1, 0)
	if err != nil {
		return nil, err
	}
	if r.next() != 0 || r.pos < len(data) {
		return nil, r.errorAt("text follows the end")
	}
	if err := root.want(object); err != nil {
		return nil, err
	}
	if v := root.get("version"); !v.missing() && v.text != "1.0" {
		return nil, v.fail("is %q: 1.0 is the only version known", v.text)
	}
	t := new(Tokenizer)
	if t.model, t.vocabulary, err = readModel(root.get("model"), data); err != nil {
		return nil, err
	}
	t.vocabulary.seal()
	if t.normalizer, err = readNormalizer(root.get("normalizer")); err != nil {
		return nil, err
	}
	if t.preTokenizers, err = readPreTokenizers(root.get("pre_tokenizer"), nil); err != nil {
		return nil, err
	}
	added, err := readAdded(root.get("added_tokens"), t.vocabulary)
	if err != nil {
		return nil, err
	}
	t.added.set(added, t.normalizer)
	if t.processor, err = readProcessor(root.get("post_processor"), t); err != nil {
		return nil, err
	}
	if v := root.get("decoder"); !v.missing() {
		if t.decoders, err = readDecoders(v, []decoder{}); err != nil {
			return nil, err
		}
	}
	if t.truncation, err = readTruncation(root.get("truncation")); err != nil {
		return nil, err
	}
	if t.padding, err = readPadding(root.get("padding"), t); err != nil {
		return nil, err
	}
	t.useBytes()
	return t, nil
}

// useBytes has the last pre-tokenizer leave bytes as they are if it and the model are of bytes: the
// model takes them for the characters that would stand for them.
func (t *Tokenizer) useBytes() {
	m, ok := t.model.(*bpe)
	n := len(t.preTokenizers) - 1
	if !ok || n < 0 || m.prefix != "" || m.suffix != "" || m.fallback != nil {
		return
	}
	if b, ok := t.preTokenizers[n].(byteLevel); ok {
		for _, p := range t.preTokenizers[:n] {
			if _, ok := p.(byteLevel); ok {
				return
			}
		}
		b.last = true
		t.preTokenizers[n] = b
		m.setBytes()
	}
}

// readAdded reads the added tokens. Those that the vocabulary has already have its id.
func readAdded(v *value, vocabulary *vocabulary) ([]AddedToken, error) {
	if v.missing() {
		return nil, nil
	}
	if err := v.want(array); err != nil {
		return nil, err
	}
	all := make([]AddedToken, 0, len(v.items))
	for _, x := range v.items {
		var a AddedToken
		id, err := x.get("id").integer(maxID(vocabulary.count + len(v.items)))
		if err != nil {
			return nil, err
		}
		if a.Content, err = x.get("content").str(); err != nil {
			return nil, err
		}
		if len(a.Content) > maxToken {
			return nil, x.fail("a token of %s: at most %s", diag.Bytes(len(a.Content)), diag.Bytes(maxToken))
		}
		for key, to := range map[string]*bool{"single_word": &a.SingleWord, "lstrip": &a.LStrip, "rstrip": &a.RStrip, "normalized": &a.Normalized, "special": &a.Special} {
			if *to, err = x.get(key).flagOr(false); err != nil {
				return nil, err
			}
		}
		if a.Content == "" {
			continue
		}
		if known, ok := vocabulary.idOf(a.Content); ok {
			id = known
		} else if vocabulary.has(id) {
			return nil, x.get("id").fail("is %d, which is the id of %q in model.vocab: give the token %q an id of its own", id, clip(vocabulary.bytes(id)), a.Content)
		}
		a.ID = int32(id)
		all = append(all, a)
	}
	return all, nil
}

func readTruncation(v *value) (*Truncation, error) {
	if v.missing() {
		return nil, nil
	}
	var t Truncation
	var err error
	if t.MaxLength, err = v.get("max_length").integer(MaxText); err != nil {
		return nil, err
	}
	strategy, ok := map[string]Strategy{"": LongestFirst, "LongestFirst": LongestFirst, "OnlyFirst": OnlyFirst, "OnlySecond": OnlySecond}[v.get("strategy").text]
	if !ok {
		return nil, v.get("strategy").fail("is %q: it must be LongestFirst, OnlyFirst or OnlySecond", v.get("strategy").text)
	}
	t.Strategy = strategy
	t.Left, err = readSide(v.get("direction"))
	return &t, err
}

// readSide reads a direction: whether it is Left.
func readSide(v *value) (left bool, err error) {
	side, err := v.optional()
	if err == nil && side != "" && side != "Left" && side != "Right" {
		err = v.fail("is %q: it must be Left or Right", side)
	}
	return side == "Left", err
}

// maxPadding is the largest length that a file may ask to fill up to.
const maxPadding = 1 << 20

func readPadding(v *value, t *Tokenizer) (*Padding, error) {
	if v.missing() {
		return nil, nil
	}
	var p Padding
	strategy := v.get("strategy")
	if fixed := strategy.get("Fixed"); fixed.kind != absent {
		n, err := fixed.integer(maxPadding)
		if err != nil {
			return nil, err
		}
		p.Length = n
	} else if strategy.text != "BatchLongest" {
		return nil, strategy.fail(`must be "BatchLongest" or {"Fixed": length}`)
	}
	var err error
	if m := v.get("pad_to_multiple_of"); !m.missing() {
		if p.MultipleOf, err = m.integer(maxPadding); err != nil {
			return nil, err
		}
	}
	if p.Left, err = readSide(v.get("direction")); err != nil {
		return nil, err
	}
	id, err := v.get("pad_id").integer(t.VocabSize() - 1)
	if err != nil {
		return nil, err
	}
	typeID := 0
	if x := v.get("pad_type_id"); !x.missing() {
		if typeID, err = x.integer(1 << 20); err != nil {
			return nil, err
		}
	}
	p.ID, p.TypeID = int32(id), int32(typeID)
	p.Token, err = v.get("pad_token").optional()
	return &p, err
}
