package soa_test

import (
	"errors"
	"fmt"
	"log"
	"runtime"

	"ltc/soa"
)

// The examples are the snippets of docs/soa.md.

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Jet is a jet of particles.
type Jet struct {
	Pt, Eta, Phi float32
	Cov          [3][3]float32
	Label        int32
	Energy       float32 `soa:"ECM,scalar"`
}

func ExampleOf() {
	jets := soa.Of[Jet](40) // one aligned block of memory, a column a field
	check(jets.Err())
	check(soa.SetScalar(jets.Columns, "ECM", float32(13000)))

	jets.At(2).Store(Jet{Pt: 250, Eta: -1.5, Label: 1})
	fmt.Println(jets.At(2).Load().Pt)
	pt, err := soa.Elements[float32](jets.Col("Pt")) // the column itself
	check(err)
	pt[2] *= 2
	fmt.Println(jets.At(2).Load().Pt)
	fmt.Print(jets)
	// Output:
	// 250
	// 500
	// Jet: 40 elements, aligned to 128 bytes (enforced), 3456 bytes
	//   offset  bytes  stride  column
	//        0    256      64  Pt f32
	//      256    256      64  Eta f32
	//      512    256      64  Phi f32
	//      768   2304      64  Cov f32[3,3]
	//     3072    256      64  Label i32
	//     3328    128      32  ECM f32 scalar
}

func ExampleLayout_Place() {
	l, err := soa.LayoutOf[Jet]()
	check(err)
	for _, n := range []int{0, 1, 32, 33} {
		fields, bytes, err := l.Place(n)
		check(err)
		fmt.Println(n, bytes, fields[3].Name, fields[3].Offset, fields[3].Stride)
	}
	// Output:
	// 0 128 Cov 0 0
	// 1 1792 Cov 384 32
	// 32 1792 Cov 384 32
	// 33 3456 Cov 768 64
}

func ExampleLayout_New() {
	l, err := soa.LayoutOf[Jet]()
	check(err)
	size, err := l.Size(1000)
	check(err)
	b, err := soa.OffHeap(size) // or Wrap, HugePages, MapFile, CreateShared, OpenShared
	check(err)
	columns, err := l.New(1000, soa.In(b, 0))
	check(err)
	jets, err := soa.As[Jet](columns)
	check(err)
	fmt.Println(jets.Len(), jets.Bytes())

	_, err = l.New(2000, soa.In(b, 0))
	fmt.Println(err)
	_, err = l.New(10, soa.In(b, 64))
	fmt.Println(err)
	// Output:
	// 1000 53376
	// layout Jet: column Cov: it ends at byte 96768 of 104960 for 2000 elements, but the memory has 53376 bytes
	// layout Jet: column Pt: its memory starts 64 bytes after a multiple of 128: start it there (NewAligned), or give the layout the option Relaxed
}

func ExampleBuffer_Release() {
	b := soa.NewAligned(4096, 128)
	jets := soa.Of[Jet](10, soa.In(b, 0))
	b.Release()
	_, err := jets.Col("Pt").View()
	fmt.Println(err)
	fmt.Println(errors.Is(err, soa.ErrReleased))
	// Output:
	// layout Jet: column Pt: its memory was released
	// true
}

func ExampleCollection() {
	jets := soa.Of[Jet](40)
	in := soa.NewCollection(40)
	check(in.Add("kinematics", jets.Col("Pt"), jets.Col("Phi"))) // not adjacent: one tensor all the same
	check(in.Add("cov", jets.Col("Cov")))
	check(in.Add("energy", jets.Col("ECM")))
	check(in.Add("any", jets.Col("Phi"), jets.Col("Pt"), jets.Col("Eta")))
	check(in.ChangeOrder("energy", "kinematics", "cov", "any"))
	fmt.Println(in)
	fmt.Println(in.Add("mixed", jets.Col("Pt"), jets.Col("Label")))
	fmt.Println(in.Copied(), "bytes copied")
	// Output:
	// 40 elements
	// energy: f32[40,1] strides [0 0] of ECM
	// kinematics: f32[40,2] strides [1 128] of Pt, Phi
	// cov: f32[40,3,3] strides [1 64 192] of Cov
	// any: f32[40,3] strides [1 0] table along axis 1 of Phi, Pt, Eta
	// tensor mixed: layout Jet: column Label: the dtype is i32, but layout Jet: column Pt has f32: all columns of a tensor have one dtype
	// 0 bytes copied
}

func ExampleCollection_Batch() {
	jets := soa.Of[Jet](70)
	in := soa.NewCollection(70)
	check(in.AddBatched("kinematics", 32, jets.Col("Pt"), jets.Col("Eta")))
	var batch soa.Collection
	for i := range in.Batches() {
		check(in.Batch(i, &batch))
		fmt.Println(batch.Tensor(0))
	}
	// Output:
	// f32[32,2] strides [1 96]
	// f32[32,2] strides [1 96]
	// f32[6,2] strides [1 96]
}

// Shower is a shower of particles, of which each has some.
type Shower struct {
	Energy    float32
	Particles []struct{ Pt, Eta float32 }
}

func ExampleCollection_AddPadded() {
	showers := soa.Of[Shower](3, soa.Count("Particles", 6))
	check(showers.SetLengths("Particles", []int{2, 0, 4}))
	pt, err := soa.Elements[float32](showers.Col("Particles.Pt"))
	check(err)
	for i := range pt {
		pt[i] = float32(i + 1)
	}
	fmt.Println(showers.At(0).Load())

	in := soa.NewCollection(3)
	check(in.AddRagged("ragged", showers.Col("Particles.Pt"), showers.Col("Particles.Eta"))) // in place
	check(in.AddPadded("padded", 3, showers.Col("Particles.Pt")))                            // a copy
	fmt.Println(in)
	padded, err := in.Lookup("padded")
	check(err)
	fmt.Println(soa.Slice[float32](padded), in.Copied(), "bytes copied")
	// Output:
	// {0 [{1 0} {2 0}]}
	// 3 elements
	// ragged: f32[6,2] strides [1 32] of Particles.Pt, Particles.Eta
	// ragged.offsets: i64[4] dense of Particles.offsets
	// padded: f32[3,3,1] dense, a copy
	// padded.mask: bool[3,3] dense, a copy
	// [1 2 0 0 0 0 3 4 5] 20 bytes copied
}

func ExampleJoin() {
	type Tag struct{ Score float32 }
	jets, tags := soa.Of[Jet](5), soa.Of[Tag](5)
	both, err := soa.Join("tagged", jets.Columns, tags.Columns)
	check(err)
	type Tagged struct{ Pt, Score float32 } // any of the columns
	r, err := soa.As[Tagged](both)
	check(err)
	r.At(4).Store(Tagged{Pt: 30, Score: 0.5})
	fmt.Println(jets.At(4).Load().Pt, tags.At(4).Load().Score)
	// Output:
	// 30 0.5
}

func ExampleCollection_Writable() {
	jets := soa.Of[Jet](5)
	in, out := soa.NewCollection(5), soa.NewCollection(5)
	check(in.Add("x", jets.Col("Pt"), jets.Col("Eta")))
	check(out.Add("label", jets.Col("Label")))
	fmt.Println(out.Writable(in))
	check(out.Add("scaled", jets.Col("Eta")))
	fmt.Println(out.Writable(in))
	// Output:
	// <nil>
	// output scaled: layout Jet: column Eta: its memory is also that of input x, layout Jet: column Eta
}

func ExampleNewAccess() {
	hits, err := NewHitView(1000) // generated for type Hit
	check(err)
	for i := range hits.Len() {
		hit := hits.At(i)
		hit.SetX(float32(i))
		x, y := hit.X(), hit.Y()
		hit.SetZ(x*x + y*y)
	}
	fmt.Println(hits.At(30).Z())

	var sum float32
	for hit := range hits.All() {
		sum += hit.X()
	}
	fmt.Println(sum)

	x, z := hits.Const().XEntries(), hits.ZEntries() // for loops that wait for nothing else
	for i := range x.Len() {
		z.Set(i, 2*x.At(i))
	}
	fmt.Println(hits.At(30).Z())

	tracks, err := NewTrackView(1000) // its plain columns are of 4 bytes each
	check(err)
	all := tracks.Entries()
	for i := range all.Len() {
		track := all.At(i)
		track.SetPt(track.Dir(0)*track.Dir(0) + track.Dir(1)*track.Dir(1) + 1)
	}
	fmt.Println(tracks.At(30).Pt())
	runtime.KeepAlive(hits)
	// Output:
	// 900
	// 499500
	// 60
	// 1
}
