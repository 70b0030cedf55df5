package tokenizer

import (
	"slices"
	"strings"
)

// readProcessor reads a post-processor; nil if it is missing.
func readProcessor(v *value, t *Tokenizer) (processor, error) {
	if v.missing() {
		return nil, nil
	}
	if err := v.want(object); err != nil {
		return nil, err
	}
	switch v.get("type").text {
	case "Sequence":
		var all processors
		return all, readList(v.get("processors"), func(x *value) error {
			p, err := readProcessor(x, t)
			if inner, ok := p.(processors); ok {
				all = append(all, inner...)
			} else if p != nil {
				all = append(all, p)
			}
			return err
		})
	case "ByteLevel":
		trim, err := v.get("trim_offsets").flagOr(true)
		if err != nil {
			return nil, err
		}
		space, err := v.get("add_prefix_space").flagOr(true)
		if !trim {
			return processors{}, err
		}
		return offsetTrimmer{space}, err
	case "BertProcessing":
		return readClassic(v, t, false)
	case "RobertaProcessing":
		return readClassic(v, t, true)
	case "TemplateProcessing":
		return readTemplate(v, t)
	}
	return nil, unknownType(v, "TemplateProcessing", "BertProcessing", "RobertaProcessing", "ByteLevel", "Sequence")
}

// special returns a part of a template for tokens.
func special(ids []int32, tokens []string, typeID int32) item {
	e := repeat(len(ids), 0, typeID, 1, "")
	copy(e.IDs, ids)
	copy(e.Tokens, tokens)
	return item{text: -1, tokens: e}
}

// readClassic reads the processor of BERT or RoBERTa.
func readClassic(v *value, t *Tokenizer, roberta bool) (processor, error) {
	read := func(key string, typeID int32) (item, error) {
		x := v.get(key)
		if x.kind != array || len(x.items) != 2 {
			return item{}, x.fail("must be an array of a token and its id")
		}
		token, err := x.items[0].str()
		if err != nil {
			return item{}, err
		}
		id, err := x.items[1].integer(t.VocabSize() - 1)
		return special([]int32{int32(id)}, []string{token}, typeID), err
	}
	cls, err := read("cls", 0)
	if err != nil {
		return nil, err
	}
	sep, err := read("sep", 0)
	if err != nil {
		return nil, err
	}
	a := item{text: 0}
	if !roberta {
		last, _ := read("sep", 1)
		return template{[]item{cls, a, sep}, []item{cls, a, sep, {text: 1, typeID: 1}, last}}, nil
	}
	p := processors{template{[]item{cls, a, sep}, []item{cls, a, sep, sep, {text: 1}, sep}}}
	trim, err := v.get("trim_offsets").flagOr(true)
	if err != nil {
		return nil, err
	}
	space, err := v.get("add_prefix_space").flagOr(true)
	if trim {
		p = slices.Insert(p, 0, processor(offsetTrimmer{space}))
	}
	return p, err
}

func readTemplate(v *value, t *Tokenizer) (processor, error) {
	var x template
	var err error
	if x.single, err = readItems(v.get("single"), v.get("special_tokens"), t, 1); err != nil {
		return nil, err
	}
	x.pair, err = readItems(v.get("pair"), v.get("special_tokens"), t, 2)
	return x, err
}

// readItems reads the parts of a template of so many texts.
func readItems(v, tokens *value, t *Tokenizer, texts int) (all []item, err error) {
	return all, readList(v, func(x *value) error {
		kind := "SpecialToken"
		if x.get(kind).kind == absent {
			kind = "Sequence"
		}
		y := x.get(kind)
		id, err := y.get("id").str()
		if err != nil {
			return err
		}
		typeID, err := y.get("type_id").integer(1 << 20)
		if err != nil {
			return err
		}
		if kind == "Sequence" {
			text := strings.Index("AB", id)
			if len(id) != 1 || text < 0 || text >= texts {
				return y.get("id").fail("is %q: it must be one of %q", id, "AB"[:texts])
			}
			all = append(all, item{text: text, typeID: int32(typeID)})
			return nil
		}
		ids, names := tokens.get(id).get("ids"), tokens.get(id).get("tokens")
		if ids.kind != array || names.kind != array || len(ids.items) != len(names.items) {
			return tokens.get(id).fail("must have as many ids as tokens")
		}
		var numbers []int32
		var strs []string
		for i, n := range ids.items {
			number, err := n.integer(t.VocabSize() - 1)
			if err != nil {
				return err
			}
			name, err := names.items[i].str()
			if err != nil {
				return err
			}
			numbers, strs = append(numbers, int32(number)), append(strs, name)
		}
		all = append(all, special(numbers, strs, int32(typeID)))
		return nil
	})
}
