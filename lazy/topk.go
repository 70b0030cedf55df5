package lazy

func checkTopK(x *Tensor, k, axis int) *breach {
	if d := x.Dim(axis); k < 0 || k > d {
		return breaks(topKK, "k is %d, axis %d has %d elements", k, axis, d)
	}
	return nil
}

func computeTopK(x *Tensor, k, axis int) (values, indices *Tensor) {
	values, indices = x.Sort(axis, true)
	return values.Narrow(axis, 0, k), indices.Narrow(axis, 0, k)
}
