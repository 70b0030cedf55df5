//go:build linux && (amd64 || arm64)

package libllvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A library of a version that no test has seen may end the process that uses it,
// in its constructors or when it compiles. So a child process tries it first.
//
// The child is this program again, under a name that no program has. It is started from
// /proc/self/exe, which is the program that runs even if its file has been replaced. When
// it is started under that name, this package's init tries the library and ends the
// process. That is before main, after the inits of what this package imports, and those of
// packages whose import paths sort before it. No other program has to be found, and the
// program's author has nothing to do. Several things keep a child from being more than
// that. The name is the only sign, so nothing is inherited by processes further down. The
// child never starts another; it reads nothing, writes no core file, and is killed when it
// takes long. A program that cannot start itself does without libraries of unknown
// versions.

// childName is what the program is called when it is to try a library.
const childName = "ltc: probe of a libLLVM"

// childGood is what a child prints, before the version, when all went well.
const childGood = "good "

// childTime is how long a child may take: reading a library from a slow disk
// takes seconds.
const childTime = 30 * time.Second

func init() {
	if len(os.Args) == 2 && os.Args[0] == childName {
		child(os.Args[1])
	}
}

// child tries the library of a name and ends the process.
func child(name string) {
	syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	version, err := try(name)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(childGood + version.String())
	os.Exit(0)
}

// try compiles a program in every way that there is, and one with a mistake.
func try(name string) (Version, error) {
	l, err := load(name, nameVersion(name), false)
	if err != nil {
		return Version{}, err
	}
	for _, o := range []Options{{}, {Verify: true}, {Assembly: true}} {
		if err := tries(l, o); err != nil {
			return Version{}, err
		}
	}
	var wrong *SyntaxError
	if _, err := l.Compile(context.Background(), trial+"\nmistake", Options{}); !errors.As(err, &wrong) {
		return Version{}, fmt.Errorf("a mistake in a text came back as %v", err)
	}
	return l.version, nil
}

// tries compiles a program.
func tries(l *Library, o Options) error {
	ctx, cancel := context.WithTimeout(context.Background(), childTime)
	defer cancel()
	object, err := l.Compile(ctx, trial, o)
	if err == nil && !o.Assembly && !bytes.HasPrefix(object, []byte("\x7fELF")) {
		return errors.New("what it makes is no ELF object")
	}
	return err
}

// trial is a program with what emitters write: vectors, bfloat, masks, intrinsics,
// a loop with invariants, and a function to inline.
const trial = `
define internal float @scale(float %x) alwaysinline nounwind {
  %y = fmul float %x, 2.0
  ret float %y
}
define i32 @trial(ptr noalias %args) nounwind "no-builtins" {
entry:
  %n = load i64, ptr %args
  %xp = getelementptr i64, ptr %args, i64 1
  %x = load ptr, ptr %xp
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %c = load volatile float, ptr %args
  %d = call float @scale(float %c)
  %s = insertelement <8 x float> poison, float %d, i32 0
  %b = shufflevector <8 x float> %s, <8 x float> poison, <8 x i32> zeroinitializer
  %left = sub i64 %n, %i
  %mask = call <8 x i1> @llvm.get.active.lane.mask.v8i1.i64(i64 0, i64 %left)
  %p = getelementptr float, ptr %x, i64 %i
  %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %r = call <8 x float> @llvm.fma.v8f32(<8 x float> %v, <8 x float> %b, <8 x float> %v)
  %h = fptrunc <8 x float> %r to <8 x bfloat>
  %w = fpext <8 x bfloat> %h to <8 x float>
  call void @llvm.masked.store.v8f32.p0(<8 x float> %w, ptr %p, i32 4, <8 x i1> %mask)
  %next = add i64 %i, 8
  br label %head
done:
  ret i32 0
}
declare <8 x i1> @llvm.get.active.lane.mask.v8i1.i64(i64, i64)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
`

// probe has a child process try the library of a name.
func probe(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), childTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", name)
	cmd.Args[0] = childName
	var out, complaint head
	cmd.Stdout, cmd.Stderr = &out, &complaint
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	said := strings.TrimSpace(string(out))
	switch {
	case err == nil && strings.HasPrefix(said, childGood):
		return nil
	case said == errMissing.Error():
		return errMissing
	case err == nil:
		return fmt.Errorf("a process that tried it ended early: %s", brief(said, complaint))
	}
	return fmt.Errorf("a process that tried it ended: %w: %s", err, brief(said, complaint))
}

// brief returns the first lines that a child has written.
func brief(said string, complaint head) string {
	lines := strings.FieldsFunc(said+"\n"+string(complaint), func(r rune) bool { return r == '\n' })
	return strings.Join(lines[:min(3, len(lines))], "; ")
}

// head keeps the first KiB that is written to it.
type head []byte

func (h *head) Write(p []byte) (int, error) {
	room := 1<<10 - len(*h)
	*h = append(*h, p[:min(room, len(p))]...)
	return len(p), nil
}
