// Command twice links two backends of the same name.
package main

import (
	"fmt"

	_ "mychip.example/chip"

	"ltc/backends"
	"ltc/lazy"
)

func init() {
	backends.Register("mychip", func(string) (backends.Backend, error) { return nil, nil })
}

func main() {
	_, err := lazy.Open("mychip")
	fmt.Println(err)
	_, err = lazy.Open("mychip:1")
	fmt.Println(err)
	_, err = lazy.Open("yourchip")
	fmt.Println(err)
}
