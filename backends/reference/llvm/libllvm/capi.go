//go:build linux && (amd64 || arm64)

package libllvm

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// capi is LLVM's own C API. Names and types are those of the headers llvm-c.
type capi struct {
	handle uintptr
	major  int

	contextCreate, contextDispose, contextSetDiagnosticHandler fn
	getDiagInfoDescription, getDiagInfoSeverity                fn
	createMemoryBufferWithMemoryRangeCopy                      fn
	parseIRInContext, verifyModule, disposeModule              fn
	setTarget, setModuleDataLayout                             fn
	getTargetFromTriple, createTargetMachine                   fn
	disposeTargetMachine                                       fn
	createTargetDataLayout, disposeTargetData                  fn
	createPassBuilderOptions, disposePassBuilderOptions        fn
	setLoopVectorization, setSLPVectorization                  fn
	setLoopUnrolling, setLoopInterleaving                      fn
	runPasses, getErrorMessage, disposeErrorMessage            fn
	emitToMemoryBuffer, getBufferStart, getBufferSize          fn
	disposeMemoryBuffer, disposeMessage                        fn
	installFatalErrorHandler, parseCommandLineOptions          fn

	initialised map[string]error     // by architecture
	idle        map[string][]uintptr // target machines that nobody uses, by triple
	mu          sync.Mutex

	tuning sync.RWMutex // held for reading by who compiles
	tuned  string       // the architecture that the library has options for
}

// fn is the address of a C function whose arguments are integers and pointers.
type fn uintptr

//go:uintptrescapes
func (f fn) call(args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(uintptr(f), args...)
	return r
}

// symbols lists the functions that are needed, with their names.
func (c *capi) symbols() map[string]*fn {
	return map[string]*fn{
		"LLVMContextCreate":                          &c.contextCreate,
		"LLVMContextDispose":                         &c.contextDispose,
		"LLVMContextSetDiagnosticHandler":            &c.contextSetDiagnosticHandler,
		"LLVMGetDiagInfoDescription":                 &c.getDiagInfoDescription,
		"LLVMGetDiagInfoSeverity":                    &c.getDiagInfoSeverity,
		"LLVMCreateMemoryBufferWithMemoryRangeCopy":  &c.createMemoryBufferWithMemoryRangeCopy,
		"LLVMParseIRInContext":                       &c.parseIRInContext,
		"LLVMVerifyModule":                           &c.verifyModule,
		"LLVMDisposeModule":                          &c.disposeModule,
		"LLVMSetTarget":                              &c.setTarget,
		"LLVMSetModuleDataLayout":                    &c.setModuleDataLayout,
		"LLVMGetTargetFromTriple":                    &c.getTargetFromTriple,
		"LLVMCreateTargetMachine":                    &c.createTargetMachine,
		"LLVMDisposeTargetMachine":                   &c.disposeTargetMachine,
		"LLVMCreateTargetDataLayout":                 &c.createTargetDataLayout,
		"LLVMDisposeTargetData":                      &c.disposeTargetData,
		"LLVMCreatePassBuilderOptions":               &c.createPassBuilderOptions,
		"LLVMDisposePassBuilderOptions":              &c.disposePassBuilderOptions,
		"LLVMPassBuilderOptionsSetLoopVectorization": &c.setLoopVectorization,
		"LLVMPassBuilderOptionsSetSLPVectorization":  &c.setSLPVectorization,
		"LLVMPassBuilderOptionsSetLoopUnrolling":     &c.setLoopUnrolling,
		"LLVMPassBuilderOptionsSetLoopInterleaving":  &c.setLoopInterleaving,
		"LLVMRunPasses":                              &c.runPasses,
		"LLVMGetErrorMessage":                        &c.getErrorMessage,
		"LLVMDisposeErrorMessage":                    &c.disposeErrorMessage,
		"LLVMTargetMachineEmitToMemoryBuffer":        &c.emitToMemoryBuffer,
		"LLVMGetBufferStart":                         &c.getBufferStart,
		"LLVMGetBufferSize":                          &c.getBufferSize,
		"LLVMDisposeMemoryBuffer":                    &c.disposeMemoryBuffer,
		"LLVMDisposeMessage":                         &c.disposeMessage,
		"LLVMInstallFatalErrorHandler":               &c.installFatalErrorHandler,
		"LLVMParseCommandLineOptions":                &c.parseCommandLineOptions,
	}
}

// newCAPI finds the functions of a libLLVM that has been loaded. The version is
// for what the library does not say.
func newCAPI(handle uintptr, named Version) (*capi, error) {
	c := &capi{handle: handle, major: named.Major, initialised: map[string]error{}, idle: map[string][]uintptr{}}
	for name, f := range c.symbols() {
		p, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, fmt.Errorf("it has no %s", name)
		}
		*f = fn(p)
	}
	if v := c.version(); v.Major != 0 {
		c.major = v.Major
	}
	c.installFatalErrorHandler.call(onFatal())
	return c, nil
}

// tune gives the library the options of an architecture, which hold until done is
// called. They are those of its programs' command lines, and hold for all who use it
// in this process. One that it does not know ends that.
func (c *capi) tune(arch string) (done func()) {
	c.tuning.RLock()
	for c.tuned != arch {
		c.tuning.RUnlock()
		c.tuning.Lock()
		if c.tuned != arch {
			c.set(generator(Version{Major: c.major}, arch))
			c.tuned = arch
		}
		c.tuning.Unlock()
		c.tuning.RLock()
	}
	return c.tuning.RUnlock
}

func (c *capi) set(options []string) {
	if len(options) == 0 {
		return
	}
	args := []*byte{cString("ltc")} // a program's name comes first
	for _, o := range options {
		args = append(args, cString(o))
	}
	c.parseCommandLineOptions.call(uintptr(len(args)), uintptr(unsafe.Pointer(&args[0])), 0)
	runtime.KeepAlive(args)
}

func (c *capi) version() Version {
	p, err := purego.Dlsym(c.handle, "LLVMGetVersion") // from 16 on
	if err != nil {
		return Version{}
	}
	var v [3]uint32
	fn(p).call(uintptr(unsafe.Pointer(&v[0])), uintptr(unsafe.Pointer(&v[1])), uintptr(unsafe.Pointer(&v[2])))
	return Version{int(v[0]), int(v[1]), int(v[2])}
}

func (c *capi) compile(text string, o Options, between func()) ([]byte, error) {
	tm, err := c.targetMachine(o)
	if err != nil {
		return nil, err
	}
	defer c.release(o.triple(), tm)
	defer c.tune(o.arch())()
	context := c.contextCreate.call()
	defer c.contextDispose.call(context)
	c.contextSetDiagnosticHandler.call(context, onDiagnostic(), 0)
	m, err := c.parse(context, text)
	if err != nil {
		return nil, err
	}
	defer c.disposeModule.call(m)
	if o.Verify {
		if err := c.verify(m); err != nil {
			return nil, err
		}
	}
	between()
	triple := cString(o.triple())
	c.setTarget.call(m, uintptr(unsafe.Pointer(triple)))
	layout := c.createTargetDataLayout.call(tm)
	c.setModuleDataLayout.call(m, layout)
	c.disposeTargetData.call(layout)
	if err := c.passes(m, tm); err != nil {
		return nil, err
	}
	between()
	return c.emit(m, tm, o.Assembly)
}

// mostIdle is how many target machines of a triple are kept: as many as compile at once.
const mostIdle = 4

// targetMachine returns what makes code for the target of o, which is the caller's until
// release. One that has been used knows the processors of the functions it has seen, and is
// ready in a fraction of the time.
func (c *capi) targetMachine(o Options) (uintptr, error) {
	if err := c.initialise(o.arch()); err != nil {
		return 0, err
	}
	c.mu.Lock()
	idle := c.idle[o.triple()]
	if last := len(idle) - 1; last >= 0 {
		tm := idle[last]
		c.idle[o.triple()] = idle[:last]
		c.mu.Unlock()
		return tm, nil
	}
	c.mu.Unlock()
	triple := cString(o.triple())
	var target, message uintptr
	if truth(c.getTargetFromTriple.call(uintptr(unsafe.Pointer(triple)), uintptr(unsafe.Pointer(&target)), uintptr(unsafe.Pointer(&message)))) {
		return 0, fmt.Errorf("target %s: %s", o.triple(), c.take(message))
	}
	const positionIndependent, small = 2, 3
	none := cString("") // the processor, and features: those of functions count
	tm := c.createTargetMachine.call(target, uintptr(unsafe.Pointer(triple)), uintptr(unsafe.Pointer(none)),
		uintptr(unsafe.Pointer(none)), codegen, positionIndependent, small)
	if tm == 0 {
		return 0, fmt.Errorf("target %s: no target machine", o.triple())
	}
	return tm, nil
}

// release takes back what targetMachine returned.
func (c *capi) release(triple string, tm uintptr) {
	c.mu.Lock()
	kept := len(c.idle[triple]) < mostIdle
	if kept {
		c.idle[triple] = append(c.idle[triple], tm)
	}
	c.mu.Unlock()
	if !kept {
		c.disposeTargetMachine.call(tm)
	}
}

// initialise makes the library's code generator for an architecture known to
// it.
func (c *capi) initialise(arch string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err, done := c.initialised[arch]
	if !done {
		for _, part := range []string{"TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser"} {
			name := "LLVMInitialize" + arch + part
			p, missing := purego.Dlsym(c.handle, name)
			if missing != nil {
				err = fmt.Errorf("this libLLVM makes no code for %s", arch)
				break
			}
			fn(p).call()
		}
		c.initialised[arch] = err
	}
	return err
}

func (c *capi) parse(context uintptr, text string) (uintptr, error) {
	name := cString(bufferName)
	buffer := c.createMemoryBufferWithMemoryRangeCopy.call(uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(len(text)), uintptr(unsafe.Pointer(name)))
	runtime.KeepAlive(text)
	var m, message uintptr
	if truth(c.parseIRInContext.call(context, buffer, uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&message)))) { // owns buffer
		return 0, parseFailed(c.take(message), text)
	}
	return m, nil
}

func (c *capi) verify(m uintptr) error {
	const returnStatus = 2
	var message uintptr
	bad := truth(c.verifyModule.call(m, returnStatus, uintptr(unsafe.Pointer(&message))))
	if text := c.take(message); bad {
		return fmt.Errorf("verify: %s", strings.TrimSpace(text))
	}
	return nil
}

func (c *capi) passes(m, tm uintptr) error {
	options := c.createPassBuilderOptions.call()
	defer c.disposePassBuilderOptions.call(options)
	for _, set := range []fn{c.setLoopVectorization, c.setSLPVectorization, c.setLoopUnrolling, c.setLoopInterleaving} {
		set.call(options, 1)
	}
	pipeline := cString(pipeline(Version{Major: c.major}))
	if e := c.runPasses.call(m, uintptr(unsafe.Pointer(pipeline)), tm, options); e != 0 {
		message := c.getErrorMessage.call(e) // owns e
		defer c.disposeErrorMessage.call(message)
		return fmt.Errorf("passes: %s", goString(message))
	}
	return nil
}

func (c *capi) emit(m, tm uintptr, assembly bool) ([]byte, error) {
	kind := uintptr(1)
	if assembly {
		kind = 0
	}
	var buffer, message uintptr
	if truth(c.emitToMemoryBuffer.call(tm, m, kind, uintptr(unsafe.Pointer(&message)), uintptr(unsafe.Pointer(&buffer)))) {
		return nil, fmt.Errorf("make code: %s", c.take(message))
	}
	defer c.disposeMemoryBuffer.call(buffer)
	return goBytes(c.getBufferStart.call(buffer), int(c.getBufferSize.call(buffer)))
}

// take copies a string of the library's and gives it back.
func (c *capi) take(message uintptr) string { return take(message, c.disposeMessage) }

// take copies a string that a library has made and has the library free it.
func take(message uintptr, dispose fn) string {
	if message == 0 {
		return ""
	}
	defer dispose.call(message)
	return goString(message)
}
