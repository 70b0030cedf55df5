// Package prebuilt has the objects of what most matrix products are made of, of the loops of tiles
// and of sorts, so that the first run of a program need not wait for a compiler. Its central
// function is [Object].
//
// They are what libLLVM makes of the units that Usual of package gemm lists, and Units of package
// tileloops, for processors of x86-64-v3 and v4. Those of bf16 are for v4 with AVX512-BF16, and
// those of package rowsort for v4. go
// generate writes them and the index, which says by which version and of which
// texts. Tests compare both.
//
// The package imports only the standard library.
package prebuilt
