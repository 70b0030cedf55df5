//go:build linux && (amd64 || arm64)

package libllvm

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// lite is the interface of the LLVM inside of Python's llvmlite, which leaves
// out the C API. It cannot be told to report fatal errors or diagnostics, and its
// pipeline is one of LLVM's own.
type lite struct {
	getVersionInfo, getTargetFromTriple         fn
	createTargetMachine, disposeTargetMachine   fn
	contextCreate, contextDispose               fn
	parseAssembly, verifyModule, disposeModule  fn
	setTarget, setDataLayout                    fn
	createTargetMachineData, copyStringRepOf    fn
	disposeTargetData                           fn
	createPipelineTuningOptions                 fn
	disposePipelineTuningOptions                fn
	createPassBuilder, disposePassBuilder       fn
	defaultPipeline, disposeModulePassManager   fn
	runModulePassManager                        fn
	emitToMemory, getBufferStart, getBufferSize fn
	disposeMemoryBuffer, disposeString          fn

	initialise []fn
	once       sync.Once
}

// symbols lists the functions that are needed, with their names after LLVMPY_.
func (c *lite) symbols() map[string]*fn {
	return map[string]*fn{
		"GetVersionInfo": &c.getVersionInfo, "GetTargetFromTriple": &c.getTargetFromTriple,
		"CreateTargetMachine": &c.createTargetMachine, "DisposeTargetMachine": &c.disposeTargetMachine,
		"ContextCreate": &c.contextCreate, "ContextDispose": &c.contextDispose,
		"ParseAssembly": &c.parseAssembly, "VerifyModule": &c.verifyModule, "DisposeModule": &c.disposeModule,
		"SetTarget": &c.setTarget, "SetDataLayout": &c.setDataLayout,
		"CreateTargetMachineData": &c.createTargetMachineData, "CopyStringRepOfTargetData": &c.copyStringRepOf,
		"DisposeTargetData":           &c.disposeTargetData,
		"CreatePipelineTuningOptions": &c.createPipelineTuningOptions, "DisposePipelineTuningOptions": &c.disposePipelineTuningOptions,
		"CreatePassBuilder": &c.createPassBuilder, "DisposePassBuilder": &c.disposePassBuilder,
		"buildPerModuleDefaultPipeline": &c.defaultPipeline, "DisposeNewModulePassManger": &c.disposeModulePassManager,
		"RunNewModulePassManager":   &c.runModulePassManager,
		"TargetMachineEmitToMemory": &c.emitToMemory, "GetBufferStart": &c.getBufferStart, "GetBufferSize": &c.getBufferSize,
		"DisposeMemoryBuffer": &c.disposeMemoryBuffer, "DisposeString": &c.disposeString,
	}
}

// newLite finds the functions of a libllvmlite that has been loaded.
func newLite(handle uintptr) (*lite, error) {
	c := &lite{}
	table := c.symbols()
	c.initialise = make([]fn, 5)
	for i, name := range []string{"AllTargetInfos", "AllTargets", "AllTargetMCs", "AllAsmPrinters", "NativeAsmParser"} {
		table["Initialize"+name] = &c.initialise[i]
	}
	for name, f := range table {
		p, err := purego.Dlsym(handle, "LLVMPY_"+name)
		if err != nil {
			return nil, fmt.Errorf("it has no LLVMPY_%s", name)
		}
		*f = fn(p)
	}
	return c, nil
}

func (c *lite) version() Version {
	v := int(c.getVersionInfo.call())
	return Version{v >> 16 & 0xff, v >> 8 & 0xff, v & 0xff}
}

func (c *lite) compile(text string, o Options, between func()) ([]byte, error) {
	c.once.Do(func() {
		for _, f := range c.initialise {
			f.call()
		}
	})
	tm, err := c.targetMachine(o)
	if err != nil {
		return nil, err
	}
	defer c.disposeTargetMachine.call(tm)
	context := c.contextCreate.call()
	defer c.contextDispose.call(context)
	var message uintptr
	m := c.parseAssembly.call(context, uintptr(unsafe.Pointer(cString(text))), uintptr(unsafe.Pointer(&message)))
	if said := c.take(message); m == 0 {
		return nil, parseFailed(said, text)
	}
	defer c.disposeModule.call(m)
	if o.Verify {
		message = 0
		bad := c.verifyModule.call(m, uintptr(unsafe.Pointer(&message)))
		if said := c.take(message); uint8(bad) != 0 {
			return nil, fmt.Errorf("verify: %s", strings.TrimSpace(said))
		}
	}
	c.setTarget.call(m, uintptr(unsafe.Pointer(cString(o.triple()))))
	layout := c.createTargetMachineData.call(tm)
	var description uintptr
	c.copyStringRepOf.call(layout, uintptr(unsafe.Pointer(&description)))
	c.disposeTargetData.call(layout)
	c.setDataLayout.call(m, description)
	c.take(description)
	between()
	c.passes(m, tm)
	between()
	return c.emit(m, tm, o.Assembly)
}

func (c *lite) targetMachine(o Options) (uintptr, error) {
	triple := cString(o.triple())
	var message uintptr
	target := c.getTargetFromTriple.call(uintptr(unsafe.Pointer(triple)), uintptr(unsafe.Pointer(&message)))
	if said := c.take(message); target == 0 {
		return 0, fmt.Errorf("this libLLVM makes no code for %s: %s", o.arch(), said)
	}
	none := cString("") // the processor, features: those of functions count
	tm := c.createTargetMachine.call(target, uintptr(unsafe.Pointer(triple)),
		uintptr(unsafe.Pointer(none)), uintptr(unsafe.Pointer(none)), codegen,
		uintptr(unsafe.Pointer(cString("pic"))), uintptr(unsafe.Pointer(cString("small"))), 0, 0, uintptr(unsafe.Pointer(none)))
	if tm == 0 {
		return 0, fmt.Errorf("target %s: no target machine", o.triple())
	}
	return tm, nil
}

// passes runs the pipeline nearest to the one that other libraries run: -O1.
func (c *lite) passes(m, tm uintptr) {
	tuning := c.createPipelineTuningOptions.call()
	defer c.disposePipelineTuningOptions.call(tuning)
	builder := c.createPassBuilder.call(tm, tuning)
	defer c.disposePassBuilder.call(builder)
	manager := c.defaultPipeline.call(builder, 1, 0)
	defer c.disposeModulePassManager.call(manager)
	c.runModulePassManager.call(manager, m, builder)
}

func (c *lite) emit(m, tm uintptr, assembly bool) ([]byte, error) {
	kind := uintptr(1)
	if assembly {
		kind = 0
	}
	var message uintptr
	buffer := c.emitToMemory.call(tm, m, kind, uintptr(unsafe.Pointer(&message)))
	if said := c.take(message); buffer == 0 {
		return nil, fmt.Errorf("make code: %s", said)
	}
	defer c.disposeMemoryBuffer.call(buffer)
	return goBytes(c.getBufferStart.call(buffer), int(c.getBufferSize.call(buffer)))
}

// take copies a string of the library's and gives it back.
func (c *lite) take(message uintptr) string { return take(message, c.disposeString) }
