// Package tokenizer turns text into the ids of tokens that models take, and ids back into text. Its
// central type is [Tokenizer].
//
// [Load] reads a tokenizer.json of the library tokenizers, with the models WordPiece (BERT), BPE (GPT,
// Llama, Qwen) and Unigram (T5, XLM-RoBERTa), or a vocab.txt of BERT. [FromGGUF] builds one from the
// metadata of a GGUF file. [Tokenizer.Encode] gives the ids that the library gives, and the bytes of
// the text that each token comes from. [Tokenizer.Decode] gives text; [Tokenizer.Stream] gives it
// token by token.
//
// The package imports only ltc/internal/diag and golang.org/x/text/unicode/norm.
package tokenizer
