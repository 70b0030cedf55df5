package quantized

// Dot is the composite of products by interleaved weights.
var Dot = dot
