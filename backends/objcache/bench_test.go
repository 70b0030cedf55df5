package objcache

import "testing"

// BenchmarkGet reads an object of 50 kernels.
func BenchmarkGet(b *testing.B) {
	c := New(Options{Dir: b.TempDir()})
	c.Put(parts(1), "", make([]byte, 200<<10))
	b.SetBytes(200 << 10)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := c.Get(parts(1).Key()); !ok {
			b.Fatal("not found")
		}
	}
}

func BenchmarkPut(b *testing.B) {
	c := New(Options{Dir: b.TempDir()})
	object := make([]byte, 200<<10)
	b.SetBytes(200 << 10)
	for i := 0; b.Loop(); i++ {
		c.Put(parts(i%100), "", object)
	}
}
