package quantized

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ltc/internal/hostmem"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// isInterleaved reports whether a load makes a copy. One that is there gets the new values, since programs may read it.
func (w *Weight) isInterleaved() bool {
	return (w.copy != nil || !w.InPlace && !w.ManyRows) && formats[w.Format].words > 0 && w.Rows%dotLanes == 0
}

// matMulCopy records x·weightᵀ by the copy, which has the same operands for any number of rows: programs of open sizes take it too.
func (w *Weight) matMulCopy(x *lazy.Tensor) *lazy.Tensor {
	shape := slices.Clone(x.OpenShape())
	rows := x.Convert(lazy.F32).Reshape(-1, w.Features/dotCodes, dotCodes)
	y := dot.Call(lazy.Attrs{"offset": formats[w.Format].copyOffset}, rows, w.copy)
	return y.Reshape(append(shape[:len(shape)-1], w.Rows)...)
}

// interleaving is a weight whose copy is being made.
type interleaving struct {
	of             *loaded
	raw            soa.View // the blocks, u8[rows, bytes of a row]
	groups, blocks int
	size           int      // words of the blocks of 16 rows
	copy           soa.View // u32[groups, blocks, size]
}

// chunk is a range of groups of a weight.
type chunk struct {
	of       *interleaving
	from, to int
}

// interleave makes the copies of weights that have the blocks of a file, on all processors. It gives back the file's pages.
func interleave(all []loaded) error {
	const align, chunkBytes, trimFrom = 64, 1 << 20, 32 << 20
	var (
		bytes  int // of all copies
		place  []func(*soa.Buffer)
		copies []*interleaving
		chunks []chunk
	)
	for i := range all {
		w := all[i].w
		if !w.isInterleaved() {
			continue
		}
		c := &interleaving{of: &all[i], raw: all[i].t.Blocks.Raw(), groups: w.Rows / dotLanes, blocks: w.Features / dotCodes, size: blockWords(formats[w.Format].words, w.Min != nil)}
		at, t := bytes, types.Of(types.U32, c.groups, c.blocks, c.size)
		bytes += (t.Bytes() + align - 1) / align * align
		place = append(place, func(b *soa.Buffer) { c.copy = b.ViewAt(at, t) })
		copies = append(copies, c)
		step := max(1, c.groups*chunkBytes/c.raw.Type.Bytes())
		for from := 0; from < c.groups; from += step {
			chunks = append(chunks, chunk{c, from, min(from+step, c.groups)})
		}
	}
	if len(copies) == 0 {
		return nil
	}
	if bytes >= trimFrom { // the peak of a process that loads is here: what its start took need not be part of it
		hostmem.Trim()
	}
	memory, err := soa.OffHeap(bytes) // together they are worth large pages
	if err != nil {
		return err
	}
	for _, f := range place {
		f(memory)
	}
	if err := copyAll(chunks); err != nil {
		return err
	}
	for _, c := range copies {
		c.raw.Unload() // pages that two chunks share, and neighbours that came with a page
		if err := c.set(); err != nil {
			return fmt.Errorf("%s: %w", c.of.path, err)
		}
	}
	return nil
}

// copyAll copies chunks, on as many goroutines as there are processors.
func copyAll(chunks []chunk) error {
	errs := make([]error, len(chunks))
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(chunks)) {
		running.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(chunks); i = int(next.Add(1)) - 1 {
				errs[i] = chunks[i].copy()
			}
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// copy writes the groups of a chunk, and gives back the pages that it alone has read.
func (k chunk) copy() error {
	c := k.of
	file, err := c.raw.Slice(0, k.from*dotLanes, k.to*dotLanes, 1)
	if err != nil {
		return err
	}
	to, err := c.copy.Slice(0, k.from, k.to, 1)
	if err != nil {
		return err
	}
	soa.With(file, func(file []uint8) {
		soa.With(to, func(to []uint32) { writeGroups(to, file, c.blocks, formats[c.of.w.Format], c.of.w.Min != nil) })
	})
	file.Unload()
	return nil
}

// writeGroups fills groups of a copy with the rows of a file. A block of the file is its scale, its minimum if the format
// has one, and its codes.
func writeGroups(to []uint32, file []byte, blocks int, f format, minima bool) {
	const half, word = 2, 4 // bytes
	head := half
	if minima {
		head += half
	}
	size, numbers := head+f.words*word, head*dotLanes/word
	row := blocks * size
	for ; len(file) > 0; file = file[dotLanes*row:] {
		for j := range blocks {
			codes := to[numbers:]
			for lane := range dotLanes {
				block := file[lane*row+j*size:][:size:size]
				shift := lane % 2 * 16
				if shift == 0 {
					to[lane/2] = 0
				}
				to[lane/2] |= uint32(binary.LittleEndian.Uint16(block)) << shift
				if minima {
					at := (dotLanes + lane) / 2
					if shift == 0 {
						to[at] = 0
					}
					to[at] |= uint32(binary.LittleEndian.Uint16(block[half:])) << shift
				}
				for c := 0; c < f.words; c += 4 { // by arrays: one check of bounds for 4 words
					from, codes := (*[4 * word]byte)(block[head+c*word:]), (*[3*dotLanes + 1]uint32)(codes[c*dotLanes+lane:])
					codes[0] = binary.LittleEndian.Uint32(from[0:]) ^ f.flip
					codes[dotLanes] = binary.LittleEndian.Uint32(from[word:]) ^ f.flip
					codes[2*dotLanes] = binary.LittleEndian.Uint32(from[2*word:]) ^ f.flip
					codes[3*dotLanes] = binary.LittleEndian.Uint32(from[3*word:]) ^ f.flip
				}
			}
			to = to[numbers+f.words*dotLanes:]
		}
	}
}

// set gives the weight's variable the copy.
func (c *interleaving) set() error {
	w := c.of.w
	if w.copy == nil || !w.copy.Type().Equal(c.copy.Type) {
		w.copy = w.Codes.Device().MappedVariable(c.of.path+".interleaved", types.U32, c.copy.Type.Shape...).SetRequiresGrad(false)
	}
	return lazy.SetView(w.copy, c.copy).Err()
}
