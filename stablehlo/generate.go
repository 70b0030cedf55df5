package stablehlo

//go:generate go run ./gen
