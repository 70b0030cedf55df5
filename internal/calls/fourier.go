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
