package main

import "ltc/ir/ops"

// page is a page of the reference.
type page struct {
	file, title, about string
	topics             []topic
}

// topic is a family of functions, methods and types of package lazy, in the order in which
// one reads of them. A method of Tensor goes by its name alone, of another type as
// Trace.Read; lazy.Trace is the type where Tensor has such a method. Methods that write in
// place, with an underscore, go with those that do not. Rows of the op table have no names
// here: * stands for the rows whose family the title is.
type topic struct{ title, names string }

// packages are those that go with lazy, each with a page.
var packages = []string{"nn", "nn/module", "nn/layers", "nn/quantized", "nn/generate", "special", "linalg", "fft", "optim", "optim/amp", "data", "data/digits", "train", "tokenizer", "checkpoint", "checkpoint/gguf", "checkpoint/torch", "soa/npy", "soa/safetensors", "model", "lazy/vars", "ltctest"}

// elementwiseAbout goes before elementwise functions.
const elementwiseAbout = "Each element of the result is computed from the elements at its place. Operands broadcast as NumPy does: shapes are aligned at the last axis, and a dimension of 1 is repeated. Operands of different dtypes [promote](../pytorch.md#types)."

var pages = []page{
	{"elementwise.md", "Arithmetic and rounding", elementwiseAbout, []topic{
		{string(ops.Arithmetic), "* AddScalar SubScalar MulScalar DivScalar PowScalar RSubScalar RDivScalar RPowScalar RemScalar RemainderScalar FloorDivideScalar ClampScalar MaximumScalar MinimumScalar"},
		{string(ops.Rounding), "* AsType CommonDType"},
	}},
	{"mathematics.md", "Mathematical functions", elementwiseAbout, []topic{
		{string(ops.Exponentials), "*"},
		{string(ops.Activations), "*"},
	}},
	{"comparisons.md", "Comparisons, choices and bits", elementwiseAbout, []topic{
		{string(ops.Comparisons), "Equal NotEqual Less LessEqual Greater GreaterEqual EqualScalar NotEqualScalar LessScalar LessEqualScalar GreaterScalar GreaterEqualScalar * WhereScalar ScalarWhere MaskedFill"},
		{string(ops.Bits), "* AndScalar OrScalar XorScalar ShiftLeftScalar ShiftRightScalar"},
	}},
	{"complex.md", "Complex numbers", "Complex numbers are of dtype c64 or c128: see [complex numbers](../complex.md). Package `fft` has Fourier transforms.", []topic{
		{string(ops.ComplexNumbers), "* FullComplex FourierTransform FourierKind"},
	}},
	{"shapes.md", "Making tensors, their sizes", "", []topic{
		{string(ops.Making), "From Borrow Share FromView ShareView Full Zeros Ones ARange LinSpace LogSpace Eye HannWindow HammingWindow BlackmanWindow BartlettWindow KaiserWindow Const * NewScalar Trace.Scalar Place"},
		{"Writing", "Assign Copy_ Fill_"},
		{"Open sizes", "lazy.Dim OpenDim OpenShape Size SizeAdd SizeSub SizeMul SizeDiv SizeMin SizeMax"},
		{"What a tensor is", "Tensor Shape DType Type Rank Dim Name Named Device Trace IsVariable Err"},
	}},
	{"views.md", "Views, joining and moving", "Views share their elements with the tensor that they show: see [views](../use/views.md).", []topic{
		{string(ops.Views), "* Trace.View Split SplitSizes Chunk TensorSplit Unbind AtLeast1D AtLeast2D AtLeast3D BroadcastTensors"},
		{string(ops.Joining), "* PadZeros Stack HStack VStack DStack ColumnStack BlockDiag Meshgrid Clone"},
	}},
	{"rows.md", "Rows and elements by index", "Indices say which elements of a tensor are taken, added to or replaced; elements are chosen by masks, too.", []topic{
		{string(ops.Rows), "* UniqueAlong Index IndexPut MaskedScatter TakeAlong Take Put IndexFill SelectScatter DiagonalScatter Within"},
	}},
	{"reductions.md", "Reductions, scans, order", "Reductions drop axes, scans keep them, and sorting puts elements along an axis in order.", []topic{
		{string(ops.Reductions), "* SumKeep MeanKeep MaxKeep MinKeep ArgMaxKeep ArgMinKeep MaxWithIndicesKeep MinWithIndicesKeep NaNSumKeep NaNMeanKeep ProdKeep AnyKeep AllKeep VarKeep StdKeep LogSumExpKeep NormKeep VarMean StdMean AMinMax"},
		{string(ops.Scans), "*"},
		{string(ops.Order), "* UniqueAll"},
	}},
	{"products.md", "Products, layers, gradients", "", []topic{
		{string(ops.Products), "* Einsum ConvOptions"},
		{string(ops.LinearAlgebra), "*"},
		{string(ops.Pooling), "* PoolOptions"},
		{string(ops.Layers), "* AttentionOptions"},
		{"Gradients", "lazy.Grad GradOrNil VJP JVP Jacobian Hessian Backward Grad ZeroGrad SetRequiresGrad RequiresGrad GradCheck GradError Checkpoint CheckpointAll Trace.NoGrad Detach OnGrad RetainGrad CustomGrad Trace.Autocast"},
	}},
	{"random.md", "Random numbers and initial values", "", []topic{
		{string(ops.RandomNumbers), "* Random NewRandom RandomFrom Random.Uniform Random.Normal Random.RandInt Random.Bits Random.Bernoulli Random.BernoulliOf Random.Categorical Random.Multinomial Random.Permutation Random.Dropout Random.DropoutOf Random.Fork Random.State Random.SetState RandomState RandomState.MarshalText RandomState.UnmarshalText RandomState.MarshalBinary RandomState.UnmarshalBinary"},
		{"Initial values", "Initializer InitializerFunc InitializerFunc.Values WithLayout Init SetValues SetView SetAll Constant Normal TruncatedNormal Uniform HeNormal HeUniform GlorotNormal GlorotUniform KaimingUniform"},
	}},
	{"control.md", "Control flow", "Closures that record branches and loops: see [control flow](../controlflow.md).", []topic{
		{string(ops.Control), "* If For ScanOptions Map Vmap VmapOptions"},
	}},
	{"steps.md", "Devices, steps and values", "", []topic{
		{"Devices", "lazy.Device Open Default SetDefault UseDevice WithDevice DeviceFrom Device.Variable Device.MappedVariable Device.Wait Device.Close Device.Name Device.Devices Device.OpenedAt"},
		{"Options of a device", "Option Threads Seed TF32 Compiled Tiers NumbersAsConstants StaticShapes Strict StrictTypes Ordered OpByOp CheckIndices CheckNaNs ImplicitSyncs SyncMode MemoryLimit MemoryCacheLimit ProgramCacheLimit GraphLimit Profiled TrackLive ObserveOps OpRun Logger Environment EnvVar"},
		{"Steps", "lazy.Trace NewTrace Trace.Read Trace.MarkStep Trace.MarkStepContext MarkSteps Trace.Wait Trace.Warmup Trace.WarmupContext Trace.AfterStep Trace.Discard Trace.Reuse Trace.LiveRoots Trace.NameStep Trace.Scope Trace.ImplicitSyncs Trace.Device"},
		{"Values", "Value ValueContext ToSlice ToSliceContext Into IntoView Item ItemContext ItemComplex Float Set Keep Donate Release To CopyOption As Async WithContext"},
	}},
	{"functions.md", "Functions", "A Go function that is compiled, a composite op that others expand, and a text for other machines: see [open sizes](../dynamic.md) and [models](../model.md).", []topic{
		{string(ops.Functions), "* Func Function Traceable Function.Call Function.CallAll Function.Warmup Function.Inputs Function.Export Function.Report Exported Input Host HostOp Import Imported Imported.Call Imported.CallAll Imported.Inputs Imported.Outputs Define DefineAll RecordAs Refuse Composite Attrs Attrs.DType Attrs.Flag Attrs.Float Attrs.Int Attrs.Ints Callable Callable.Call Callable.CallAll Callable.Doc"},
	}},
	{"reports.md", "Reports, metrics and errors", "", []topic{
		{"No more compiles", "Device.Freeze Trace.Freeze Function.Freeze"},
		{"Reports", "Trace.Report Device.Report Report Report.Syncs Compile Trace.Explain Device.Explain Function.Explain Explanation CompileKind Stacks SyncSite SyncReason Device.Profile ProgramProfile Trace.Dump Format Trace.Program Function.Program Trace.StableHLO Trace.GraphHash Trace.Parameters Parameter Trace.OnNode NodeInfo"},
		{"Metrics", "Device.Metrics Device.ResetMetrics SumMetrics Metrics Metrics.Metric Metrics.MetricNames Metrics.Counter Metrics.CounterNames Metrics.Only Metric MetricKind Counter Percentile"},
		{"Memory", "Device.MemoryStats MemoryStats Device.LiveTensors LiveReport LiveLine Device.ProgramCacheStats ProgramCacheStats Device.FreeMemoryCache Trace.WatchPeak Device.WatchPeak Function.WatchPeak Trace.MemoryPlan Function.MemoryPlan MaxBytes"},
		{"Errors", "OpError StepError ErrStale ErrReleased ErrConflict ErrPlacement ErrType ErrUsage ErrFallback ErrFrozen ErrIndex ErrNaN ErrSync ErrMemory ErrCancelled ErrClosed"},
	}},
}
