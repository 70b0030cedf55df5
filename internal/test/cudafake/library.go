package cudafake

// What is the same of all libraries, which differ in the type of their statuses.

// objectOf returns what a handle that a library has given out stands for; if it is none,
// the status that the library then returns.
func objectOf[T any, S ~int32](f *Fake, h uintptr, what string, wrong S) (v T, s S) {
	v, code := find[T](f, h, what)
	if code != 0 {
		return v, wrong
	}
	return v, s
}

// destroyObject destroys it.
func destroyObject[T any, S ~int32](f *Fake, h uintptr, what, by string, wrong S) S {
	_, s := objectOf[T](f, h, what, wrong)
	if s == 0 {
		f.handles[h] = destroyed{by}
	}
	return s
}

// misused notes a violation and returns the status that the library does.
func misused[S ~int32](f *Fake, wrong S, format string, args ...any) S {
	f.violate(BadArgument, format, args...)
	return wrong
}
