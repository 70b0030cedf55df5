package tokenizer

import (
	"encoding/base64"
	"strings"
)

// unknownType returns the error about a step whose type is none of those known.
func unknownType(v *value, known ...string) error {
	t := v.get("type")
	if t.missing() {
		return t.fail("is missing: the types known are %s", strings.Join(known, ", "))
	}
	return t.fail("is %q: the types known are %s", t.text, strings.Join(known, ", "))
}

// readList reads an array of steps.
func readList(v *value, each func(*value) error) error {
	if err := v.want(array); err != nil {
		return err
	}
	for _, x := range v.items {
		if err := each(x); err != nil {
			return err
		}
	}
	return nil
}

// readNormalizer reads a normalizer; nil if it is missing.
func readNormalizer(v *value) (normalizer, error) {
	if v.missing() {
		return nil, nil
	}
	if err := v.want(object); err != nil {
		return nil, err
	}
	switch v.get("type").text {
	case "Sequence":
		var all normalizers
		return all, readList(v.get("normalizers"), func(x *value) error {
			n, err := readNormalizer(x)
			if n != nil {
				all = append(all, n)
			}
			return err
		})
	case "BertNormalizer":
		return readBERTNormalizer(v)
	case "NFC":
		return form{composed: true}, nil
	case "NFD":
		return form{}, nil
	case "NFKC":
		return form{compatible: true, composed: true}, nil
	case "NFKD":
		return form{compatible: true}, nil
	case "Lowercase":
		return lowercaseNormalizer{}, nil
	case "StripAccents":
		return accentNormalizer{}, nil
	case "Nmt":
		return nmtNormalizer{}, nil
	case "ByteLevel":
		return byteNormalizer{}, nil
	case "Strip":
		left, err := v.get("strip_left").flagOr(true)
		if err != nil {
			return nil, err
		}
		right, err := v.get("strip_right").flagOr(true)
		return stripNormalizer{left, right}, err
	case "Prepend":
		prefix, err := v.get("prepend").str()
		return prependNormalizer{prefix}, err
	case "Replace":
		p, content, err := readReplace(v)
		return replaceNormalizer{p, content}, err
	case "Precompiled":
		x := v.get("precompiled_charsmap")
		text, err := x.str()
		if err != nil {
			return nil, err
		}
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, x.fail("%w", err)
		}
		n, err := newPrecompiled(data)
		if err != nil {
			return nil, x.fail("%w", err)
		}
		return n, nil
	}
	return nil, unknownType(v, "BertNormalizer", "NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Strip", "Replace", "Prepend", "Precompiled", "Nmt", "ByteLevel", "Sequence")
}

func readBERTNormalizer(v *value) (normalizer, error) {
	var n bertNormalizer
	var err error
	if n.clean, err = v.get("clean_text").flagOr(true); err != nil {
		return nil, err
	}
	if n.ideographs, err = v.get("handle_chinese_chars").flagOr(true); err != nil {
		return nil, err
	}
	if n.lowercase, err = v.get("lowercase").flagOr(true); err != nil {
		return nil, err
	}
	n.accents, err = v.get("strip_accents").flagOr(n.lowercase)
	return n, err
}

// readReplace reads a pattern and what is written in its place.
func readReplace(v *value) (pattern, string, error) {
	p, err := readPattern(v.get("pattern"))
	if err != nil {
		return nil, "", err
	}
	content, err := v.get("content").str()
	return p, content, err
}

// readPattern reads {"String": text} or {"Regex": expression}.
func readPattern(v *value) (pattern, error) {
	if s := v.get("String"); s.kind != absent {
		text, err := s.str()
		if err == nil && text == "" {
			err = s.fail("is empty: it must have a character")
		}
		return literalPattern(text), err
	}
	x := v.get("Regex")
	if x.kind == absent {
		return nil, v.fail(`must be {"String": text} or {"Regex": expression}`)
	}
	expression, err := x.str()
	if err != nil {
		return nil, err
	}
	p, err := compilePattern(expression)
	if err != nil {
		return nil, x.fail("%w", err)
	}
	return p, nil
}

// readPreTokenizers appends the steps that a pre-tokenizer has.
func readPreTokenizers(v *value, all []preTokenizer) ([]preTokenizer, error) {
	if v.missing() {
		return all, nil
	}
	if err := v.want(object); err != nil {
		return nil, err
	}
	if v.get("type").text == "Sequence" {
		return all, readList(v.get("pretokenizers"), func(x *value) (err error) {
			all, err = readPreTokenizers(x, all)
			return err
		})
	}
	if v.get("type").text == "Whitespace" { // words, and what is neither a word nor white space
		return append(all, splitter{pattern: classPattern(white), behavior: removed}, splitter{pattern: scanner(wordOrSymbols), behavior: isolated}), nil
	}
	p, err := readPreTokenizer(v)
	return append(all, p), err
}

func readPreTokenizer(v *value) (preTokenizer, error) {
	switch v.get("type").text {
	case "BertPreTokenizer":
		return bertSplitter{}, nil
	case "WhitespaceSplit":
		return splitter{pattern: classPattern(white), behavior: removed}, nil
	case "Punctuation":
		b, err := readBehavior(v.get("behavior"))
		return splitter{pattern: classPattern(bertPunct), behavior: b}, err
	case "Digits":
		each, err := v.get("individual_digits").flagOr(false)
		b := contiguous
		if each {
			b = isolated
		}
		return splitter{pattern: classPattern(numeric), behavior: b}, err
	case "CharDelimiterSplit", "Delimiter":
		r, err := v.get("delimiter").rune()
		return splitter{pattern: runePattern(r), behavior: removed}, err
	case "FixedLength":
		n := 5
		var err error
		if x := v.get("length"); !x.missing() {
			n, err = x.integer(MaxText)
			if err == nil && n == 0 {
				err = x.fail("is 0: it must be the number of characters")
			}
		}
		return fixedLength(n), err
	case "ByteLevel":
		space, err := v.get("add_prefix_space").flagOr(true)
		if err != nil {
			return nil, err
		}
		b := byteLevel{prefixSpace: space}
		words, err := v.get("use_regex").flagOr(true)
		if words {
			b.scan = gpt2Word
		}
		return b, err
	case "Metaspace":
		return readMetaspace(v)
	case "Split":
		p, err := readPattern(v.get("pattern"))
		if err != nil {
			return nil, err
		}
		b, err := readBehavior(v.get("behavior"))
		if err != nil {
			return nil, err
		}
		inverted, err := v.get("invert").flagOr(false)
		return splitter{p, b, inverted}, err
	}
	return nil, unknownType(v, "BertPreTokenizer", "ByteLevel", "Whitespace", "WhitespaceSplit", "Metaspace", "Digits", "Punctuation", "Split", "CharDelimiterSplit", "FixedLength", "Sequence")
}

func readBehavior(v *value) (behavior, error) {
	if v.missing() {
		return isolated, nil
	}
	b, ok := behaviors[v.text]
	if !ok {
		return 0, v.fail("is %q: it must be Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous", v.text)
	}
	return b, nil
}

func readMetaspace(v *value) (metaspace, error) {
	m := metaspace{}
	var err error
	if m.replacement, err = v.get("replacement").rune(); err != nil {
		return m, err
	}
	scheme := v.get("prepend_scheme")
	switch scheme.text {
	case "":
	case "always":
	case "first":
		m.first = firstOnly
	case "never":
		m.first = never
	default:
		return m, scheme.fail("is %q: it must be always, first or never", scheme.text)
	}
	space, err := v.get("add_prefix_space").flagOr(true)
	if err != nil {
		return m, err
	}
	if !space {
		if m.first != never && !scheme.missing() {
			return m, v.get("add_prefix_space").fail("is false, but prepend_scheme is %q: it must be never then", scheme.text)
		}
		m.first = never
	}
	m.splits, err = v.get("split").flagOr(true)
	return m, err
}

// readDecoders appends the steps that a decoder has.
func readDecoders(v *value, all []decoder) ([]decoder, error) {
	if err := v.want(object); err != nil {
		return nil, err
	}
	if v.get("type").text == "Sequence" {
		return all, readList(v.get("decoders"), func(x *value) (err error) {
			all, err = readDecoders(x, all)
			return err
		})
	}
	d, err := readDecoder(v)
	return append(all, d), err
}

func readDecoder(v *value) (decoder, error) {
	switch v.get("type").text {
	case "WordPiece":
		prefix, err := v.get("prefix").str()
		if err != nil {
			return nil, err
		}
		clean, err := v.get("cleanup").flagOr(true)
		return wordPieceDecoder{prefix, clean}, err
	case "ByteLevel":
		return byteLevelDecoder{}, nil
	case "Metaspace":
		m, err := readMetaspace(v)
		return metaspaceDecoder{m.replacement, m.first == never}, err
	case "BPEDecoder":
		s := v.get("suffix")
		suffix, err := s.str()
		if err == nil && suffix == "" {
			err = s.fail("is empty: it must be how words end, such as </w>")
		}
		return bpeDecoder{suffix}, err
	case "Fuse":
		return fuseDecoder{}, nil
	case "ByteFallback":
		return fallbackDecoder{}, nil
	case "Replace":
		p, content, err := readReplace(v)
		return replaceDecoder{p, content}, err
	case "Strip":
		r, err := v.get("content").rune()
		if err != nil {
			return nil, err
		}
		start, err := v.get("start").integer(MaxText)
		if err != nil {
			return nil, err
		}
		stop, err := v.get("stop").integer(MaxText)
		return stripDecoder{r, start, stop}, err
	case "CTC":
		pad, err := v.get("pad_token").str()
		if err != nil {
			return nil, err
		}
		delimiter, err := v.get("word_delimiter_token").str()
		if err != nil {
			return nil, err
		}
		clean, err := v.get("cleanup").flagOr(true)
		return ctcDecoder{pad, delimiter, clean}, err
	}
	return nil, unknownType(v, "WordPiece", "ByteLevel", "Metaspace", "BPEDecoder", "Replace", "Fuse", "Strip", "ByteFallback", "CTC", "Sequence")
}
