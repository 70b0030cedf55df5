package tokenizer_test

import (
	"fmt"

	"ltc/tokenizer"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func Example() {
	tok, err := tokenizer.Load("testdata/wordpiece.json")
	check(err)
	text := "Naïve résumé: 42!"
	e := tok.Encode(text)
	for i, token := range e.Tokens {
		o := e.Offsets[i]
		fmt.Printf("%d %s %q\n", e.IDs[i], token, text[o.Start:o.End])
	}
	fmt.Println(tok.Decode(e.IDs, true))
	// Output:
	// 2 [CLS] ""
	// 845 naive "Naïve"
	// 628 re "ré"
	// 609 ##su "su"
	// 601 ##me "mé"
	// 30 : ":"
	// 1018 42 "42"
	// 5 ! "!"
	// 3 [SEP] ""
	// naive resume : 42!
}

// A batch has rows of one length: IDs, TypeIDs and AttentionMask are tensors of [Rows, Length].
func ExampleTokenizer_EncodeBatch() {
	tok, err := tokenizer.Load("testdata/wordpiece.json")
	check(err)
	b := tok.EncodeBatch([]string{"testing", "no tests in there"}, tokenizer.MaxLength(6))
	fmt.Println(b.Rows, b.Length)
	for i := range b.Rows {
		fmt.Println(b.IDs[i*b.Length:(i+1)*b.Length], b.AttentionMask[i*b.Length:(i+1)*b.Length])
	}
	// Output:
	// 2 6
	// [2 666 614 581 3 0] [1 1 1 1 1 0]
	// [2 644 666 614 309 3] [1 1 1 1 1 1]
}

// A stream gives the text of tokens as a model produces them, but no part of a character.
func ExampleTokenizer_Stream() {
	tok, err := tokenizer.Load("testdata/bpe.json")
	check(err)
	stream := tok.Stream(true)
	for _, id := range tok.IDs("so 👍 le") {
		fmt.Printf("%q ", stream.Next(id))
	}
	fmt.Printf("%q\n", stream.Flush())
	// Output: "so" " " "" "👍" " le" ""
}

func ExampleTokenizer_EncodePair() {
	tok, err := tokenizer.Load("testdata/wordpiece.json")
	check(err)
	e := tok.EncodePair("is it?", "no")
	fmt.Println(e.Tokens)
	fmt.Println(e.TypeIDs)
	// Output:
	// [[CLS] i ##s it ? [SEP] no [SEP]]
	// [0 0 0 0 0 0 1 1]
}
