package calls

import (
	"strings"

	"ltc/fft"
	"ltc/ir/ops"
	"ltc/lazy"
)

// fourier has the transforms of package fft, which take options.
var fourier = []Op{
	transforms("FFT", fft.FFT), transforms("IFFT", fft.IFFT), transforms("RFFT", fft.RFFT),
	transforms("IRFFT", fft.IRFFT), transforms("HFFT", fft.HFFT), transforms("IHFFT", fft.IHFFT),
	transforms("FFT2", fft.FFT2), transforms("IFFT2", fft.IFFT2), transforms("RFFT2", fft.RFFT2),
	transforms("IRFFT2", fft.IRFFT2), transforms("HFFT2", fft.HFFT2), transforms("IHFFT2", fft.IHFFT2),
	transforms("FFTN", fft.FFTN), transforms("IFFTN", fft.IFFTN), transforms("RFFTN", fft.RFFTN),
	transforms("IRFFTN", fft.IRFFTN), transforms("HFFTN", fft.HFFTN), transforms("IHFFTN", fft.IHFFTN),
	framed("STFT", fft.STFT, ops.Attr{Name: "padding", Kind: ops.Int}),
	framed("ISTFT", fft.ISTFT, ops.Attr{Name: "complex", Kind: ops.Flag}, ops.Attr{Name: "length", Kind: ops.Int}),
}

// framed is a transform of frames, with the attributes that it alone has.
func framed(name string, f func(x *lazy.Tensor, n int, o fft.STFTOptions) *lazy.Tensor, own ...ops.Attr) Op {
	row := ops.Op{Package: "fft", Name: name, Text: strings.ToLower(name), Operands: append(operands("x"), ops.Operand{Name: "window", Optional: true}),
		Attrs: append([]ops.Attr{{Name: "n", Kind: ops.Int}, {Name: "hop", Kind: ops.Int}, {Name: "width", Kind: ops.Int}, {Name: "uncentered", Kind: ops.Flag},
			{Name: "normalized", Kind: ops.Flag}, {Name: "twoSided", Kind: ops.Flag}}, own...)}
	for _, o := range ops.PackageRows("fft") {
		if o.Name == name {
			row.Doc = o.Doc
		}
	}
	return Op{Op: &row, Static: true, optional: "hop width padding length", call: func(c *Call) []*lazy.Tensor {
		return one(f(c.X[0], c.Int("n"), fft.STFTOptions{Hop: c.Int("hop"), Width: c.Int("width"), Window: c.given(1), Uncentered: c.Flag("uncentered"), Normalized: c.Flag("normalized"), TwoSided: c.Flag("twoSided"),
			Padding: fft.Padding(c.Int("padding")), Complex: c.Flag("complex"), Length: c.Int("length")}))
	}}
}

func transforms(name string, f func(x *lazy.Tensor, o fft.Options) *lazy.Tensor) Op {
	row := ops.Op{Package: "fft", Name: name, Text: strings.ToLower(name), Operands: operands("x"),
		Attrs: []ops.Attr{{Name: "lengths", Kind: ops.Ints}, {Name: "axes", Kind: ops.Ints}, {Name: "norm", Kind: ops.Int}}}
	for _, o := range ops.PackageRows("fft") {
		if o.Name == name {
			row.Doc = o.Doc
		}
	}
	return Op{Op: &row, Static: true, optional: "norm", call: func(c *Call) []*lazy.Tensor {
		return one(f(c.X[0], fft.Options{Lengths: c.Ints("lengths"), Axes: c.Ints("axes"), Norm: fft.Norm(c.Int("norm"))}))
	}}
}
