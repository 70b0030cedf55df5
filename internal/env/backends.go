package env

// Variables that backends read. They are declared here, and not by those who
// read them, because a program that does not import a backend may be run with
// its variables set all the same, and because docs/environment.md lists all.
var (
	// LibLLVM names the libLLVM of the compiler for CPUs.
	LibLLVM = Declare(Var{Name: "LTC_LIBLLVM", Allowed: "the file or the name of a shared library, or `none`",
		Doc: "The libLLVM that the compiler for CPUs loads (15 or later), as in `libLLVM-15.so.1`, or llvmlite's `libllvmlite.so`; no other is looked for. `none`: do without, as if there were none. Without it: 19.1, 20 to 22, 18 to 15, then llvmlite's, from where the system and Python keep theirs. What `make llvm` had to put into `out/llvm`, because it was not root, is found by `make` alone: elsewhere name it here."})

	// LibCUDA names the library of NVIDIA's driver.
	LibCUDA = Declare(Var{Name: "LTC_LIBCUDA", Allowed: "the file or the name of a shared library, or `none`",
		Doc: "The library of NVIDIA's driver that the backend for GPUs loads; no other is looked for. `none`: do without, as if there were none. Without it: the system's `libcuda.so.1`."})

	// LibCUBLASLt names NVIDIA's library for products of matrices.
	LibCUBLASLt = Declare(Var{Name: "LTC_LIBCUBLASLT", Allowed: "the file or the name of a shared library, or `none`",
		Doc: "The cuBLASLt, of version 12 or 13, that the backend for GPUs loads for large products of matrices; no other is looked for. `none`: do without; its own kernels compute them. Without it: `libcublasLt.so.13`, then `.12`, each from where the system, Python's packages (`nvidia-cublas`, PyTorch's) and CUDA's toolkits keep theirs."})

	// CPULevel is what of the processor compiled code uses.
	CPULevel = Declare(Var{Name: "LTC_CPU_LEVEL", Allowed: "`sse2`, `avx2`, `avx512`, `avx512bf16`, `neon`",
		Doc:   "The vector instructions that compiled code may use, at most those of the processor, to find out what they are worth. Without it: the processor's.",
		Check: OneOf("sse2", "avx2", "avx512", "avx512bf16", "neon")})

	// Cache switches the cache on disk of compiled objects and of plans.
	Cache = Declare(Var{Name: "LTC_CACHE", Default: "on", Allowed: "`on`, `off`",
		Doc:   "`off` neither reads nor writes compiled objects and plans of programs on disk.",
		Check: OneOf("on", "off")})

	// CacheDir is where they are kept.
	CacheDir = Declare(Var{Name: "LTC_CACHE_DIR", Allowed: "a directory, which need not exist",
		Doc: "Where compiled objects and plans of programs are kept. Its directory `objects` must be your own, and closed to writes of others. Without it: `ltc` in the user's directory for caches (`$XDG_CACHE_HOME` or `~/.cache` on Linux)."})

	// CacheLimit is how many bytes they may take.
	CacheLimit = Declare(Var{Name: "LTC_DISK_CACHE_BYTES", Default: "1GiB", Allowed: Size,
		Doc:   "The most bytes that compiled objects and plans take on disk; those used longest ago are dropped first.",
		Check: CheckBytes})

	// Compiled refuses programs that a backend would run uncompiled.
	Compiled = Switch("LTC_COMPILED",
		"`1` makes it an error of compiling, instead of a warning, that the evaluator would run a program or an op of it for `cpu` or `cuda`, many times slower than compiled code. Also `lazy.Compiled` and `model.Compiled`.")

	// Tiers says which code stands in for code that is still being compiled.
	Tiers = Declare(Var{Name: "LTC_TIERS", Allowed: "`0`, `1`", Check: OneOf("0", "1"), Doc: "`1` lets any built-in code, or plain Go, stand in for kernels of programs for `cpu` that libLLVM has not compiled yet. Without it only code with the bits of these kernels does; with `0` none does, and runs wait, in programs without the option `Tiers`. With `1`, the last bits of results depend on the time that compiling takes: do not use it where runs are to be repeated bit by bit. Also `lazy.Tiers` and `model.Tiers`."})

	// Update has package ltctest write lock files anew.
	Update = Switch("LTC_UPDATE",
		"`1` has `ltctest.Lock` write the programs that tests run into their lock files, instead of comparing them.")

	// Checks switches on what finds mistakes of the library and of its users, and
	// takes time. Package lazy and backends read it.
	Checks = Switch("LTC_CHECK",
		"`1` checks every program when it is recorded and between the stages of its compilation. Borrowed data must not change before the step that reads it has run. A run that fails must have written nothing. Indices and labels must exist also where a device with memory of its own has them (`lazy.CheckIndices`). Memory that is used again is filled with NaNs.")
)
