# Needs Go and nothing else, but for `make race` (a C compiler), `make ptxas`
# (Python's pip) and `make judge` (Python and ../shared), which say so and skip
# without, and `make inputs` (pip, and apt-get for fashion), which fails.

GO       ?= go
PYTHON   ?= python3
FUZZTIME ?= 10s
FUZZGUIDE ?= -fuzz .
JUDGE    ?= ../shared/conformance/judge

# Which Python make judge-torch runs PyTorch with, and on which backend ours are judged.
TORCH_PYTHON ?= python3
BACKEND  ?= eval
# More flags for go test and for the benchmark: make test TESTFLAGS=-short
TESTFLAGS ?=
BENCHFLAGS ?=
COMPAREFLAGS ?=
INPUTS ?=
PTXASFLAGS ?=
GENERATEFLAGS ?=
# Besides that of CUDA 13.0: those whose compilers drivers have, from 525 on.
PTXAS_VERSIONS ?= 12.0.140 12.2.140 12.4.131 12.6.85 12.8.93
GPUFLAGS ?=
# How much make soak does: 1 all, which takes some hours of one processor, 0.1 a tenth.
SOAK     ?= 1

# Tests without cgo, whatever the environment says; make race sets its own.
export CGO_ENABLED = 0

# The libLLVM that make llvm has put into out, where it is not told which to use.
ifeq ($(LTC_LIBLLVM),)
ifneq ($(wildcard out/llvm/libllvmlite.so),)
export LTC_LIBLLVM := $(CURDIR)/out/llvm/libllvmlite.so
endif
endif

# Modules of their own live below these, with `replace` pointing here.
MODULES   := . bench $(patsubst %/go.mod,%,$(wildcard examples/*/go.mod integrations/*/go.mod plugins/*/go.mod))
# Where make judge looks for programs; out/digits has the step that make run wrote.
# (of ltc-dump's sessions not those about tests that fail on purpose).
PROGRAMS  := $(filter-out %/check.txtar %/expect.txtar,$(wildcard testdata backends/kit/testdata/workloads cmd/ltc-dump/testdata/*.txtar backends/backendtest/testdata out/digits))
PLATFORMS := linux/amd64 linux/arm64 darwin/arm64 windows/amd64
# Those of them that build-all leaves out.
BUILT     ?=

# Tests and the compiler spend a sixth of their time collecting small heaps: they collect
# a quarter as often. The largest process takes less than 1 GiB all the same.
test race: export GOGC := $(or $(GOGC),400)

# Packages whose tests take longest begin first, so that none runs alone at the end.
LONGEST   := ./backends/cuda/ptx/gemm ./backends/cuda/ptx/attention ./backends/cuda/ptx ./backends/cuda ./lazy ./backends/reference/eval ./backends/reference ./backends/reference/llvm ./backends/reference/llvm/gemm

.PHONY: help inputs run test llvm race lint ptxas soak judge judge-torch gpu-tests test-gpu bench bench-gpu compare generate fuzz rename build-all clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r t d; do printf '  make %-10s %s\n' "$$t" "$$d"; done

inputs: ## fetch the models and the data of the examples into out/inputs; INPUTS="minilm fashion" chooses
	@tools/inputs/fetch.sh $(INPUTS)

run: ## set up, then train a classifier on handwritten digits and print its accuracy
	@mkdir -p bin out
	cd examples/digits && $(GO) build -o ../../bin/digits .
	./bin/digits

test: ## set up, then vet and test every module
	@r=0; for m in $(MODULES); do (cd $$m && $(GO) test -vet=all -timeout 30m $(TESTFLAGS) $$([ $$m != . ] || echo $(LONGEST)) ./...) || r=1; done; exit $$r

llvm: ## install libLLVM, for the compiler for CPUs, unless there is one
	@GO="$(GO)" PYTHON="$(PYTHON)" tools/llvm/install.sh

race: ## test packages with goroutines, as internal/trials/again.txt lists them, under the race detector; needs a C compiler
	@cc=$$($(GO) env CC | cut -d' ' -f1); \
	if ! command -v "$$cc" >/dev/null 2>&1; then \
		echo "SKIPPED: make race: no C compiler ($$cc), which the race detector needs" >&2; \
	else \
		GORACE="$$GORACE atexit_sleep_ms=50" CGO_ENABLED=1 $(GO) test -race -gcflags='./internal/test/ptxsim=-race=false -d=checkptr=0' -vet=off -timeout 30m $(TESTFLAGS) $$(internal/trials/again.sh race); \
	fi

lint: ## find sentences of over 35 words, links that lead nowhere, pages of over 15 KiB, exported names without documentation, messages such as "1 operands"
	@$(GO) run ./tools/lint

ptxas: ## assemble every kernel for GPUs that tests emit, with NVIDIA's assemblers, which pip installs; PTXASFLAGS=-update writes the table of registers anew; PTXAS_VERSIONS= is one version alone, and no disassembler; all take over an hour, and a run that was ended goes on where it was
	@GO="$(GO)" PYTHON="$(PYTHON)" PTXAS_VERSIONS="$(PTXAS_VERSIONS)" tools/ptxas/run.sh $(PTXASFLAGS)

soak: ## run a million steps, and a million reads, and watch memory; compare 100,000 random programs with an eager library, and 120,000 compiled ones with the evaluator, and control flow with what it is written out; 100,000 random calls of ops with the evaluator; the suite and the dialect's tests on GPUs that are not there; SOAK=0.1 does a tenth
	@start=$$(date +%s); export LTC_SOAK=$(SOAK) LTC_CACHE=off; \
	soak() { echo "soak: $$*"; $(GO) test -count 1 -timeout 4h -v "$$@" || { echo "make soak: FAILED: see above" >&2; exit 1; }; }; \
	soak -run 'KeepMemoryFlat|AliasedPrograms|RandomControlFlow|RandomVmap|RandomIndices|IndicesOfExamples|VmapRandomOps|RandomProgramsOfManySizes|RandomProgramsWithSizesOfData' ./lazy; \
	soak -run ManyPrograms ./internal/test/manyprograms; \
	soak -run '^TestGoldens$$' ./internal/test/torchgolden; \
	soak -run '^TestRandomCalls$$' ./internal/calls; \
	soak -run KilledWriters ./backends/objcache; \
	soak -run KilledProcesses ./checkpoint; \
	soak -run Soak ./backends/kit/simplify; \
	soak -run RandomProgramsOfOpenSizes ./backends/reference; \
	soak -run '^TestRandom$$|RandomPrograms|StandInsAreExact|RandomUpdates|Networks|TestThreads|LargePrograms|^TestConvolutions$$|^TestSelectAndScatter$$|DeepAndWide|Billions|^TestContractions$$|^TestOps$$|^TestExponentialsOfRows$$|^TestRecords$$|^TestBlocksOfRows$$|CellsHaveShortBlocks|RandomFirstOfRows|RandomSorts|^TestSortsOnVectors$$' ./backends/reference/llvm; \
	soak -run '^TestProducts$$|^TestPackedBits$$' ./backends/reference/llvm/gemm; \
	soak -run '^TestRandom$$|^TestTop$$' ./internal/test/cudafake ./backends/cuda/ptx ./backends/cuda/ptx/sorts; \
	soak -run DenseRoundTrip ./mlir; \
	soak -run 'LikeEvaluator|^TestNEON$$' ./backends/reference/llvm/vector; \
	soak -run '^TestRandom|^TestSuite|^TestInterpreter$$' ./backends/cuda; \
	soak -run '^TestConformance$$' ./internal/test/cudasim; \
	soak -run '^TestRandomPrograms$$' ./model ./lift; \
	soak -run MillionDraws ./lazy; \
	soak -run ThisRepository ./tools/rename; \
	make -s fuzz FUZZTIME=$$(awk 'BEGIN { print 60 * $(SOAK) }')s || exit 1; \
	echo "make soak: all passed, SOAK=$(SOAK), in $$(($$(date +%s) - start)) s"

judge: ## run every golden program on XLA too and compare; needs Python and ../shared
	@if [ ! -f $(JUDGE)/run_with_xla.py ]; then \
		echo "SKIPPED: make judge: no $(JUDGE)/run_with_xla.py" >&2; exit 0; fi; \
	if ! command -v $(PYTHON) >/dev/null 2>&1; then \
		echo "SKIPPED: make judge: no $(PYTHON)" >&2; exit 0; fi; \
	set -e; reqs=$$($(PYTHON) -c 'import sys; print("requirements.txt" if sys.version_info >= (3, 13) else "requirements-py311.txt")'); \
	if ! cmp -s $(JUDGE)/$$reqs .venv-judge/installed.txt; then \
		$(PYTHON) -m venv .venv-judge; \
		.venv-judge/bin/python -m pip install -q --disable-pip-version-check -r $(JUDGE)/$$reqs; \
		cp $(JUDGE)/$$reqs .venv-judge/installed.txt; \
	fi; \
	$(GO) run ./internal/test/judge -python .venv-judge/bin/python -xla $(JUDGE)/run_with_xla.py $(PROGRAMS)

judge-torch: ## run the samples of PyTorch's own tests of operators; needs a Python with torch, which TORCH_PYTHON names
	@if ! $(TORCH_PYTHON) -c 'import torch.testing._internal.common_methods_invocations' >/dev/null 2>&1; then \
		echo "SKIPPED: make judge-torch: $(TORCH_PYTHON) has no torch and expecttest: pip install -r tools/torchjudge/requirements.txt" >&2; exit 0; fi; \
	$(GO) build -o bin/ltc-dump ./cmd/ltc-dump && \
	$(TORCH_PYTHON) tools/torchjudge/judge.py bin/ltc-dump -backend $(BACKEND) $(if $(ROWS),-rows $(ROWS)) $(if $(PAGE),-page $(PAGE)) $(if $(SUMMARY),-summary $(SUMMARY)) $(if $(MOST),-most $(MOST)) $(OPS)

gpu-tests: ## build out/gpu, which a machine with a GPU but without Go can take: gpu there is make test-gpu, and bench.sh make bench-gpu
	@GO="$(GO)" tools/gpu/build.sh out/gpu

test-gpu: gpu-tests ## run the tests of the CUDA backend on this machine's GPU, each group in a process with a time limit, and compare it with the interpreter bit by bit; GPUFLAGS="-run Swizzle" chooses
	@out/gpu/gpu $(GPUFLAGS)

bench: ## measure the workloads and print them as a table; BENCHFLAGS="-threads 2 -run matmul -json" chooses
	@$(GO) -C bench build -o ../bin/bench .
	bin/bench $(BENCHFLAGS)

bench-gpu: gpu-tests ## measure the workloads on this machine's GPU, beside PyTorch and JAX where Python has them; writes docs/performance-gpu.md; BENCHFLAGS="-run attention" chooses
	@out/gpu/bench.sh -o docs/performance-gpu.md $(BENCHFLAGS)

compare: ## measure the workloads here and in the peers of ../shared/bench/peers by turns; writes docs/performance.md, or with COMPAREFLAGS=-models whole programs and docs/performance-models.md
	@$(GO) -C bench build -o ../bin/compare ./compare
	bin/compare $(COMPAREFLAGS)

generate: ## write the generated files anew
	@for m in . bench; do $(GO) -C $$m generate $(GENERATEFLAGS) ./... || exit 1; done

# Before 1.27 Go calls it a failure, now and then, that the time is over:
# go.dev/issue/75804. That alone passes here, with no input that failed.
# The tests of a package are linked once for all of its targets, and were vetted already.
# Coverage guides the fuzzer, and all packages are compiled anew for that. With FUZZGUIDE= inputs are
# random: in a few seconds guided ones do not get beyond the seeds either.
fuzz: ## run every fuzz target for FUZZTIME (10s)
	@set -e; targets=$$(grep -rE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*\(' . | sed -E 's|/[^/]*:func (Fuzz[A-Za-z0-9_]*).*|:\1|' | sort); \
	test -n "$$targets" || { echo "make fuzz: no fuzz targets found" >&2; exit 1; }; \
	dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; found=$$($(GO) env GOCACHE)/fuzz; last=; \
	for t in $$targets; do \
		echo "fuzz $$t"; \
		p=$${t%:*}; \
		test "$$p" = "$$last" || $(GO) test -c -vet=off $(FUZZGUIDE) -o "$$dir/test" "$$p"; \
		last=$$p; \
		out=$$(cd "$$p" && "$$dir/test" -test.timeout 10m -test.run '^$$' -test.fuzz "^$${t#*:}$$" -test.fuzztime $(FUZZTIME) -test.fuzzcachedir "$$found/$$($(GO) list)" 2>&1) || { \
			echo "$$out" | grep -qx '    context deadline exceeded' || { echo "$$out"; exit 1; }; \
			if echo "$$out" | grep -q 'Failing input\|_test\.go:\|panic:'; then echo "$$out"; exit 1; fi; \
			out="no input failed: the clock ended the last one, which go test calls a failure"; \
		}; \
		echo "$$out" | tail -n 2; \
	done

rename: ## change the module path everywhere: make rename MODULE=example.org/x
	$(GO) run ./tools/rename "$(MODULE)"

# Of the commands one is linked, which has all of the main module: linking each of
# them takes half of the time and finds nothing more.
build-all: ## compile every module for every platform, and link ltc-dump
	@set -e; for p in $(filter-out $(BUILT),$(PLATFORMS)); do export GOOS=$${p%/*} GOARCH=$${p#*/}; for m in $(MODULES); do \
		echo "build $$m for $$p"; (cd $$m && $(GO) list -export ./... >/dev/null); \
	done; $(GO) build -o $(if $(filter windows%,$(OS)),NUL,/dev/null) ./cmd/ltc-dump; done

clean: ## remove what was built
	rm -rf bin out .venv-judge .venv-ptxas
