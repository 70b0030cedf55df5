package gemm

// Plain is how many of a schedule's tiles are not flat: the number of the first that is.
func Plain(s *Schedule) int { return s.flat }
