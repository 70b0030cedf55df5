package lazy

// Checked switches the checks of LTC_CHECK on until the function returned is called, for
// what is asked for in each run.
func Checked() (end func()) {
	was := checking
	checking = true
	return func() { checking = was }
}
