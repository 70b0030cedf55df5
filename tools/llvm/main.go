// Command llvm prints which libLLVM the compiler for CPUs uses, or which program
// in its place, after compiling a function with it. Exit status 1 says that there
// is neither, and why. With the argument -library a program does not count.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"ltc/backends/reference/llvm/libllvm"
)

func main() {
	l, err := libllvm.Open()
	if err == nil {
		_, err = l.Compile(context.Background(), "define i32 @k(ptr %args) {\n  ret i32 0\n}\n", libllvm.Options{})
	}
	if err == nil && l.External() && slices.Contains(os.Args[1:], "-library") {
		err = fmt.Errorf("no libLLVM, but %v in %s", l, l.Path())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%v in %s\n", l, l.Path())
}
