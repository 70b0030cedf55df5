// Package fourier writes discrete Fourier transforms as stages of kernels. Its central type is
// [Passes]: a transform of one length by a product of small radices, a stage for each (Cooley and
// Tukey, 1965). Each stage transforms as many elements as its radix, which lie apart, in
// registers. The stages before the last one leave elements side by side along what is still to be
// transformed: loads, stores and roots of unity run along vectors there. The last stage puts
// elements into their order as it stores them.
//
// The package imports only ltc/backends/kit/kernel and ltc/ir/types.
package fourier
