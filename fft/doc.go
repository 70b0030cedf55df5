// Package fft has the discrete Fourier transforms of torch.fft. Its central function is [FFT]. Its
// rows in the op table (ir/ops/fft.go) say what each takes and returns; the functions here say how
// it is computed from the ops of package lazy.
//
// A transform of real numbers takes f32 or f64, and integers as f32. One of complex numbers takes
// c64 or c128, too. Gradients are those of PyTorch. The sizes of the axes that are transformed must
// be numbers: of other axes they may be open.
//
// [STFT] and [ISTFT] are those of torch.
//
// The package imports only ltc/lazy, ltc/ir/ops, ltc/ir/types, ltc/ir/dims, ltc/shapeinfer, ltc/soa and ltc/internal/functions.
package fft
