package main

// page is a page of the reference.
type page struct {
	file, title, about string
	topics             []topic
}

// topic is a family of functions, methods and types of package lazy, in the order in which
// one reads of them. A method of Tensor goes by its name alone, of another type as
// Trace.Read; lazy.Trace is the type where Tensor has such a method. Methods that write in place, with an underscore, go with those that do not.
type topic struct{ title, names string }

// packages are those that go with lazy, on a page of their own.
var packages = []string{"optim", "data", "data/digits", "soa/npy", "soa/safetensors", "model", "lazy/vars"}

// The topics of rows of the op table that no topic names.
const (
	restElementwise = "Exponentials and other functions"
	rest            = "Products and layers"
)

var pages = []page{
	{"elementwise.md", "Elementwise functions", "Each element of the result is computed from the elements at its place. Operands broadcast as NumPy does: shapes are aligned at the last axis, and a dimension of 1 is repeated.", []topic{
		{"Arithmetic", "Add Sub Mul Div Rem Pow Neg Abs Sign Maximum Minimum AddScalar SubScalar MulScalar DivScalar PowScalar MaximumScalar MinimumScalar"},
		{restElementwise, "Exp Expm1 Log Log1p Sqrt Rsqrt Sin Cos Erf"},
		{"Activations", "ReLU GELU Sigmoid Tanh Softmax LogSoftmax"},
		{"Rounding and conversion", "Floor Ceil Round Convert"},
		{"Comparisons and choices", "Equal NotEqual Less LessEqual Greater GreaterEqual EqualScalar NotEqualScalar LessScalar LessEqualScalar GreaterScalar GreaterEqualScalar Where WhereScalar"},
		{"Bits and logic", "And Or Xor Not ShiftLeft ShiftRight CountLeadingZeros"},
	}},
	{"shapes.md", "Making, shaping and indexing tensors", "Views share their elements with the tensor that they show: see [views](../use/views.md).", []topic{
		{"Making tensors", "From Borrow FromView Full Zeros Ones Iota NewScalar Trace.Scalar Place"},
		{"Views", "Reshape Transpose BroadcastTo Unsqueeze Squeeze Slice Narrow Select Diagonal AsStrided Trace.View"},
		{"Joining and moving", "Concatenate Pad PadZeros Reverse SliceScatter AsStridedScatter Clone"},
		{"Rows and places", "Gather ScatterAdd OneHot"},
		{"Writing", "Assign Copy_ Fill_"},
		{"What a tensor is", "Tensor Shape DType Type Rank Dim Name Named Device Trace IsVariable Err"},
	}},
	{"reductions.md", "Reductions, products, layers", "", []topic{
		{"Reductions", "Sum Mean Max Min SumKeep MeanKeep MaxKeep MinKeep ArgMax"},
		{"Order", "Sort ArgSort TopK"},
		{rest, "MatMul Conv ConvOptions MaxPool AvgPool SumPool PoolOptions LayerNorm Attention AttentionOptions CrossEntropy"},
		{"Gradients", "Grad Backward Gradients Gradients.Of"},
	}},
	{"random.md", "Random numbers and initial values", "", []topic{
		{"Random numbers", "Random NewRandom RandomFrom Random.Uniform Random.Normal Random.RandInt Random.Bits Random.Bernoulli Random.BernoulliOf Random.Categorical Random.Permutation Random.Dropout Random.DropoutOf Random.Fork Random.State Random.SetState RandomState RandomState.MarshalText RandomState.UnmarshalText RandomState.MarshalBinary RandomState.UnmarshalBinary"},
		{"Initial values", "Initializer Init SetValues Constant Normal TruncatedNormal Uniform HeNormal HeUniform GlorotNormal GlorotUniform KaimingUniform"},
	}},
	{"steps.md", "Devices, steps, values and functions", "", []topic{
		{"Devices", "lazy.Device Open Default SetDefault UseDevice WithDevice DeviceFrom Device.Variable Device.Wait Device.Close Device.Name Device.Devices Device.OpenedAt"},
		{"Options of a device", "Option Threads Seed TF32 Compiled Tiers Strict Ordered OpByOp CheckIndices CheckNaNs ImplicitSyncs SyncMode MemoryLimit MemoryCacheLimit ProgramCacheLimit GraphLimit Profiled TrackLive ObserveOps OpRun Logger Environment EnvVar"},
		{"Steps", "lazy.Trace NewTrace Trace.Read Trace.MarkStep Trace.MarkStepContext Trace.Wait Trace.Warmup Trace.WarmupContext Trace.AfterStep Trace.Discard Trace.Reuse Trace.NameStep Trace.Scope Trace.ImplicitSyncs Trace.Device"},
		{"Values", "Value ValueContext ToSlice ToSliceContext Item ItemContext Float Set Keep Donate Release To CopyOption As Async WithContext"},
		{"Functions and composites", "Func Function Traceable Function.Call Function.CallAll Function.Warmup Function.Export Function.Report Exported Input Define DefineAll Composite Attrs Attrs.DType Attrs.Flag Attrs.Float Attrs.Int Callable Callable.Call Callable.CallAll Callable.Doc"},
	}},
	{"reports.md", "Reports, metrics and errors", "", []topic{
		{"Reports", "Trace.Report Report Report.Syncs Compile SyncSite SyncReason Device.Profile ProgramProfile Trace.Dump Format Trace.StableHLO Trace.GraphHash Trace.Parameters Parameter Trace.OnNode NodeInfo"},
		{"Metrics", "Device.Metrics Device.ResetMetrics SumMetrics Metrics Metrics.Metric Metrics.MetricNames Metrics.Counter Metrics.CounterNames Metrics.Only Metric MetricKind Counter Percentile"},
		{"Memory", "Device.MemoryStats MemoryStats Device.LiveTensors LiveReport LiveLine Device.ProgramCacheStats ProgramCacheStats Device.FreeMemoryCache"},
		{"Errors", "OpError StepError ErrStale ErrReleased ErrConflict ErrPlacement ErrType ErrUsage ErrFallback ErrIndex ErrNaN ErrSync ErrMemory ErrCancelled ErrClosed"},
	}},
}
