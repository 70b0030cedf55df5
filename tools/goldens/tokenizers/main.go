// Command tokenizers encodes texts with package tokenizer, for compare.py: a text in standard input
// is its length in bytes, 32 bits little-endian, and the text. The answer has the number of tokens,
// the id, start and end of each, and the decoded text like a text of the input.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"ltc/tokenizer"
)

func main() {
	if err := run(os.Args[1], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(path string, in io.Reader, out io.Writer) error {
	t, err := tokenizer.Load(path)
	if err != nil {
		return err
	}
	r, w := bufio.NewReaderSize(in, 1<<20), bufio.NewWriterSize(out, 1<<20)
	var answer []byte
	for {
		var size uint32
		if err := binary.Read(r, binary.LittleEndian, &size); errors.Is(err, io.EOF) {
			return w.Flush()
		} else if err != nil {
			return err
		}
		text := make([]byte, size)
		if _, err := io.ReadFull(r, text); err != nil {
			return err
		}
		e := t.Encode(string(text), tokenizer.NoPadding(), tokenizer.MaxLength(0))
		answer = binary.LittleEndian.AppendUint32(answer[:0], uint32(e.Len()))
		for i, id := range e.IDs {
			for _, x := range []int{int(id), e.Offsets[i].Start, e.Offsets[i].End} {
				answer = binary.LittleEndian.AppendUint32(answer, uint32(x))
			}
		}
		back := t.Decode(e.IDs, false)
		answer = append(binary.LittleEndian.AppendUint32(answer, uint32(len(back))), back...)
		if _, err := w.Write(answer); err != nil {
			return err
		}
	}
}
