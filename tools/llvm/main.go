// Command llvm prints which libLLVM the compiler for CPUs uses, after compiling a
// function with it. Exit status 1 says that there is none, and why.
package main

import (
	"context"
	"fmt"
	"os"

	"ltc/backends/reference/llvm/libllvm"
)

func main() {
	l, err := libllvm.Open()
	if err == nil {
		_, err = l.Compile(context.Background(), "define i32 @k(ptr %args) {\n  ret i32 0\n}\n", libllvm.Options{})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%v in %s\n", l, l.Path())
}
