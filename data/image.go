package data

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // registers the format
	_ "image/png"  // registers the format
	"io"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"

	"ltc/internal/diag"
	"ltc/internal/files"
	"ltc/ir/types"
	"ltc/soa"
)

// Picture is an image as numbers: those of a channel row by row, channel after channel.
type Picture struct {
	Channels, Height, Width int
	Values                  []float32 // Values[(c*Height+y)*Width+x]
}

// check returns an error if the sizes do not fit the values.
func (p Picture) check() error {
	if p.Channels < 1 || p.Height < 1 || p.Width < 1 || len(p.Values) != product(p.Channels, p.Height, p.Width) {
		return fmt.Errorf("a picture of %d×%d×%d has %s", p.Channels, p.Height, p.Width, diag.Count(len(p.Values), "value"))
	}
	return nil
}

func blank(channels, height, width int) Picture {
	return Picture{channels, height, width, make([]float32, channels*height*width)}
}

// mostPixels is the most pixels that [ReadImage] decodes: a small file may declare any number.
const mostPixels = 1 << 26

// sized returns an error if a picture of these sizes has no pixels, or does not fit in memory with what Resize needs for
// a row and a column.
func sized(what string, channels, height, width int) error {
	if height < 1 || width < 1 {
		return fmt.Errorf("%s to %d×%d: sizes must be positive", what, height, width)
	}
	if err := soa.Fits(product(height, width, 4*channels+48)); err != nil {
		return fmt.Errorf("%s to %d×%d: %w", what, height, width, err)
	}
	return nil
}

// product multiplies numbers that are not negative: -1 if the product overflows.
func product(all ...int) int {
	n := 1
	for _, m := range all {
		if m > 0 && n > math.MaxInt/m {
			return -1
		}
		n *= m
	}
	return n
}

// ReadImage reads a PNG or a JPEG as a picture of 1 channel (luminance) or 3 (red, green, blue) from 0 to 1. Transparent
// pixels are black. name is the file's, for errors. Other formats can be registered as package image describes.
func ReadImage(name string, r io.Reader, channels int) (Picture, error) {
	if isNil(r) || channels != 1 && channels != 3 {
		return Picture{}, fmt.Errorf("%s: give a reader, and 1 or 3 channels, not %d", name, channels)
	}
	file, err := files.AtMost(name, r, files.MostPiped)
	if err != nil {
		return Picture{}, err
	}
	c, format, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return Picture{}, fmt.Errorf("%s: %w", name, err)
	}
	if c.Width < 1 || c.Height < 1 || c.Width > mostPixels/c.Height {
		return Picture{}, fmt.Errorf("%s: its size is %d×%d: a %s of at most %s is read", name, c.Width, c.Height, format, diag.Count(mostPixels, "pixel"))
	}
	if err := soa.Fits(c.Width * c.Height * (24 + 4*channels)); err != nil { // as progressive JPEG and PNG of 16 bits need
		return Picture{}, fmt.Errorf("%s: %w", name, err)
	}
	img, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return Picture{}, fmt.Errorf("%s: %w", name, err)
	}
	return FromImage(img, channels), nil
}

// isNil reports whether a reader is nil, or a nil pointer.
func isNil(r io.Reader) bool {
	v := reflect.ValueOf(r)
	return r == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// ReadImageFile is [ReadImage] of the file at path.
func ReadImageFile(path string, channels int) (Picture, error) {
	f, err := os.Open(path)
	if err != nil {
		return Picture{}, fmt.Errorf("read image: %w", err)
	}
	defer f.Close()
	return ReadImage(path, f, channels)
}

// FromImage returns an image as [ReadImage] does. Channels other than 3 count as 1. That of nil
// is the zero Picture.
func FromImage(img image.Image, channels int) Picture {
	if img == nil {
		return Picture{}
	}
	if channels != 3 {
		channels = 1
	}
	b := img.Bounds()
	p := blank(channels, b.Dy(), b.Dx())
	n := p.Height * p.Width
	for y := range p.Height {
		for x := range p.Width {
			at := y*p.Width + x
			c := img.At(b.Min.X+x, b.Min.Y+y)
			if channels == 1 {
				p.Values[at] = float32(color.Gray16Model.Convert(c).(color.Gray16).Y) / 0xffff
				continue
			}
			r, g, bl, _ := c.RGBA()
			p.Values[at], p.Values[n+at], p.Values[2*n+at] = float32(r)/0xffff, float32(g)/0xffff, float32(bl)/0xffff
		}
	}
	return p
}

// Image returns the picture as an image, for package image/png: gray if it has 1 channel, else of the first 3. Values
// below 0 and above 1 count as these. A picture whose sizes do not fit its values is an empty image.
func (p Picture) Image() image.Image {
	if p.check() != nil {
		return image.NewRGBA(image.Rectangle{})
	}
	img := image.NewRGBA(image.Rect(0, 0, p.Width, p.Height))
	byteOf := func(c, y, x int) uint8 {
		v := p.Values[(c*p.Height+y)*p.Width+x]
		return uint8(math.Round(255 * float64(min(max(v, 0), 1))))
	}
	for y := range p.Height {
		for x := range p.Width {
			r := byteOf(0, y, x)
			g, b := r, r
			if p.Channels >= 3 {
				g, b = byteOf(1, y, x), byteOf(2, y, x)
			}
			img.SetRGBA(x, y, color.RGBA{r, g, b, 255})
		}
	}
	return img
}

// Transform makes a picture of another, for which it may draw random numbers. It does not change p.
type Transform func(p Picture, random *rand.Rand) (Picture, error)

// ApplyTransforms applies transforms to the images[n, channels, height, width] of a batch, bytes or f32, one after the other.
// The result is f32; bytes 0 to 255 are 0 to 1 before the first transform. Images[n, height, width] have 1 channel.
func ApplyTransforms(images soa.View, b Batch, all ...Transform) (soa.View, error) {
	shape := slices.Clone(images.Type.Shape)
	if len(shape) == 3 {
		shape = []int{shape[0], 1, shape[1], shape[2]}
	}
	if len(shape) != 4 || shape[0] != len(b.Rows) || images.Type.DType != types.U8 && images.Type.DType != types.F32 {
		return soa.View{}, fmt.Errorf("data: transform %v: want u8 or f32 [%d, channels, height, width], an image for each row of the batch", images.Type, len(b.Rows))
	}
	if !images.IsDense() {
		return soa.View{}, fmt.Errorf("data: transform %v: its layout must be dense", images.Type)
	}
	if err := checkTransforms(all); err != nil {
		return soa.View{}, err
	}
	if images.Type.Elements() == 0 && len(b.Rows) > 0 {
		return soa.View{}, fmt.Errorf("data: transform %v: the images have no pixels", images.Type)
	}
	if err := images.Check(); err != nil {
		return soa.View{}, fmt.Errorf("data: transform: %w", err)
	}
	n := shape[1] * shape[2] * shape[3]
	return stack(b, shape, all, func(i int) (Picture, error) {
		return Picture{shape[1], shape[2], shape[3], floats(images, i*n, n)}, nil
	})
}

// checkTransforms returns an error if a transform is nil.
func checkTransforms(all []Transform) error {
	for i, t := range all {
		if t == nil {
			return fmt.Errorf("data: transform %d is nil", i)
		}
	}
	return nil
}

// stack returns the pictures of a batch, transformed, as images[n, channels, height, width]; without rows with the given shape.
func stack(b Batch, shape []int, all []Transform, picture func(i int) (Picture, error)) (soa.View, error) {
	var values []float32
	shape = slices.Clone(shape)
	for i := range b.Rows {
		p, err := picture(i)
		random := b.Random(i)
		for k := 0; k < len(all) && err == nil; k++ {
			if p, err = all[k](p, random); err == nil {
				err = p.check()
			}
		}
		if err != nil {
			return soa.View{}, fmt.Errorf("data: row %d: %w", b.Rows[i], err)
		}
		if i == 0 {
			shape = []int{len(b.Rows), p.Channels, p.Height, p.Width}
		}
		if p.Channels != shape[1] || p.Height != shape[2] || p.Width != shape[3] {
			return soa.View{}, fmt.Errorf("data: row %d is %d×%d×%d, and row %d %d×%d×%d: resize or crop them to one size", b.Rows[i], p.Channels, p.Height, p.Width, b.Rows[0], shape[1], shape[2], shape[3])
		}
		values = append(values, p.Values...)
	}
	return soa.Borrow(values, types.Of(types.F32, shape...))
}

// floats returns a copy of n elements of an array from one on; bytes from 0 to 1.
func floats(v soa.View, first, n int) []float32 {
	to := make([]float32, n)
	if v.Type.DType == types.F32 {
		soa.With(v, func(s []float32) { copy(to, s[first:]) })
		return to
	}
	soa.With(v, func(s []uint8) {
		for i, x := range s[first : first+n] {
			to[i] = float32(x) / 255
		}
	})
	return to
}

// Normalize subtracts the mean of each channel and divides by its standard deviation.
func Normalize(mean, std []float32) Transform {
	return func(p Picture, _ *rand.Rand) (Picture, error) {
		if len(mean) != p.Channels || len(std) != p.Channels {
			return p, fmt.Errorf("normalize %s by %s and %s", diag.Count(p.Channels, "channel"), diag.Count(len(mean), "mean"), diag.Count(len(std), "deviation"))
		}
		for i, x := range std {
			if !(x > 0) {
				return p, fmt.Errorf("normalize channel %d by a deviation of %v: it must be positive", i, x)
			}
		}
		q := blank(p.Channels, p.Height, p.Width)
		n := p.Height * p.Width
		for i, x := range p.Values {
			q.Values[i] = (x - mean[i/n]) / std[i/n]
		}
		return q, nil
	}
}

// Flip mirrors a picture left to right with a probability.
func Flip(probability float64) Transform {
	return func(p Picture, random *rand.Rand) (Picture, error) {
		if !(probability >= 0 && probability <= 1) {
			return p, fmt.Errorf("flip with a probability of %v: it must be from 0 to 1", probability)
		}
		if random.Float64() >= probability {
			return p, nil
		}
		q := blank(p.Channels, p.Height, p.Width)
		for i := range q.Values {
			x := i % p.Width
			q.Values[i] = p.Values[i-x+p.Width-1-x]
		}
		return q, nil
	}
}

// CenterCrop takes the middle of a picture; places beyond it are 0.
func CenterCrop(height, width int) Transform {
	return func(p Picture, _ *rand.Rand) (Picture, error) {
		return p.crop((p.Height-height)/2, (p.Width-width)/2, height, width)
	}
}

// RandomCrop takes a part of a picture that has padding zeros on all sides; all offsets are equally likely.
func RandomCrop(height, width, padding int) Transform {
	return func(p Picture, random *rand.Rand) (Picture, error) {
		down, right := p.Height+2*padding-height, p.Width+2*padding-width
		if down < 0 || right < 0 || padding < 0 || padding > mostPixels {
			return p, fmt.Errorf("crop %d×%d of %d×%d with a padding of %d", height, width, p.Height, p.Width, padding)
		}
		return p.crop(random.IntN(down+1)-padding, random.IntN(right+1)-padding, height, width)
	}
}

// crop takes the part from row y and column x on.
func (p Picture) crop(y, x, height, width int) (Picture, error) {
	if err := sized("crop", p.Channels, height, width); err != nil {
		return p, err
	}
	q := blank(p.Channels, height, width)
	from, end := max(x, 0), min(x+width, p.Width)
	for c := range p.Channels {
		for row := max(y, 0); row < min(y+height, p.Height) && from < end; row++ {
			to := (c*height+row-y)*width + from - x
			copy(q.Values[to:to+end-from], p.Values[(c*p.Height+row)*p.Width+from:])
		}
	}
	return q, nil
}

// Resize gives a picture another size by linear interpolation between the centers of pixels, as torch's
// interpolate(mode="bilinear", align_corners=False) does. Pixels of pictures made smaller are not averaged.
func Resize(height, width int) Transform {
	return func(p Picture, _ *rand.Rand) (Picture, error) {
		if err := sized("resize", p.Channels, height, width); err != nil {
			return p, err
		}
		q := blank(p.Channels, height, width)
		rows, columns := samples(p.Height, height), samples(p.Width, width)
		for c := range p.Channels {
			for y, r := range rows {
				a := p.Values[(c*p.Height+r.low)*p.Width:][:p.Width]
				b := p.Values[(c*p.Height+r.high)*p.Width:][:p.Width]
				to := q.Values[(c*height+y)*width:][:width]
				for x, k := range columns {
					above := a[k.low]*(1-k.part) + a[k.high]*k.part
					below := b[k.low]*(1-k.part) + b[k.high]*k.part
					to[x] = above*(1-r.part) + below*r.part
				}
			}
		}
		return q, nil
	}
}

// sample is between two pixels: part of the way from low to high.
type sample struct {
	low, high int
	part      float32
}

// samples returns the samples among n pixels of m pixels in their stead.
func samples(n, m int) []sample {
	all := make([]sample, m)
	for i := range all {
		at := max((float64(i)+0.5)*float64(n)/float64(m)-0.5, 0)
		low := min(int(at), n-1)
		all[i] = sample{low, min(low+1, n-1), float32(at - float64(low))}
	}
	return all
}
