package torch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// The functions and classes that a pickle may call.
var (
	rebuildTensor    = global{"torch._utils", "_rebuild_tensor_v2"}
	rebuildTyped     = global{"torch._utils", "_rebuild_tensor_v3"}
	rebuildParameter = global{"torch._utils", "_rebuild_parameter"}
	orderedDict      = global{"collections", "OrderedDict"}
	torchSize        = global{"torch", "Size"}
	torchDevice      = global{"torch", "device"}
	numpyDType       = global{"numpy", "dtype"}
	encode           = global{"_codecs", "encode"}
	numpyScalar      = global{"numpy._core.multiarray", "scalar"}
	numpyScalar1     = global{"numpy.core.multiarray", "scalar"} // of NumPy 1
)

var callable = []global{rebuildTensor, rebuildTyped, rebuildParameter, orderedDict, torchSize, torchDevice, numpyDType, encode, numpyScalar, numpyScalar1}

type (
	// dtypeName is a dtype of PyTorch, such as float32.
	dtypeName string
	// encoded is bytes, which protocol 2 has no opcode for.
	encoded []byte
	// numpyType is a dtype of NumPy, by its kind and size as in f8, and its byte order.
	numpyType struct{ kind, order string }
)

// storages are the dtypes of PyTorch's classes of storages. An UntypedStorage counts bytes.
var storages = map[string]types.DType{
	"FloatStorage": types.F32, "DoubleStorage": types.F64, "HalfStorage": types.F16, "BFloat16Storage": types.BF16,
	"LongStorage": types.I64, "IntStorage": types.I32, "ShortStorage": types.I16, "CharStorage": types.I8,
	"ByteStorage": types.U8, "BoolStorage": types.Bool, "ComplexFloatStorage": types.C64, "ComplexDoubleStorage": types.C128,
	untyped: types.U8,
}

const untyped = "UntypedStorage"

// dtypes are PyTorch's names.
var dtypes = map[dtypeName]types.DType{
	"float32": types.F32, "float64": types.F64, "float16": types.F16, "bfloat16": types.BF16,
	"int64": types.I64, "int32": types.I32, "int16": types.I16, "int8": types.I8,
	"uint8": types.U8, "uint16": types.U16, "uint32": types.U32, "uint64": types.U64,
	"bool": types.Bool, "complex64": types.C64, "complex128": types.C128,
	"float8_e4m3fn": types.F8E4M3FN, "float8_e5m2": types.F8E5M2,
}

// otherDTypes are names of dtypes that values may have, and no tensor.
var otherDTypes = []dtypeName{"float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "complex32", "quint8", "qint8", "qint32"}

// known returns the value of a global that may be named.
func known(g global) (any, bool) {
	name := dtypeName(g.name)
	_, storage := storages[g.name]
	_, dtype := dtypes[name]
	switch {
	case slices.Contains(callable, g):
		return g, true
	case storage && (g.module == "torch" || g.module == "torch.cuda" || g.module == "torch.storage"):
		return g, true
	case g.module == "torch" && (dtype || slices.Contains(otherDTypes, name)):
		return name, true
	}
	return nil, false
}

// reduce returns what the call of g gives.
func reduce(g global, args tuple) (any, error) {
	switch g {
	case rebuildTensor:
		return tensorOf(args, "")
	case rebuildTyped:
		if len(args) < 7 {
			return nil, fmt.Errorf("%s, want 7", diag.Count(len(args), "argument"))
		}
		name, ok := args[6].(dtypeName)
		if !ok {
			return nil, fmt.Errorf("the dtype is %s", describe(args[6]))
		}
		return tensorOf(slices.Delete(slices.Clone(args), 6, 7), name)
	case rebuildParameter:
		if len(args) >= 1 {
			if t, ok := args[0].(*Tensor); ok {
				return t, nil
			}
		}
		return nil, errors.New("the first argument is no tensor")
	case orderedDict:
		if len(args) > 0 {
			return nil, errors.New("want no arguments")
		}
		return &dict{}, nil
	case torchSize:
		if len(args) == 1 {
			if t, ok := args[0].(tuple); ok {
				return t, nil
			}
		}
		return nil, errors.New("want one argument, a tuple")
	case torchDevice:
		return deviceOf(args)
	case numpyDType, encode, numpyScalar, numpyScalar1:
		return numpyOf(g, args)
	}
	return nil, errors.New("this class is not called")
}

// deviceOf returns the name of a device, as in cuda:0.
func deviceOf(args tuple) (any, error) {
	if len(args) > 0 {
		name, ok := args[0].(string)
		switch {
		case ok && len(args) == 1:
			return name, nil
		case ok && len(args) == 2:
			if i, ok := args[1].(int64); ok {
				return fmt.Sprintf("%s:%d", name, i), nil
			}
		}
	}
	return nil, errors.New("want a name and a number")
}

// maxEncoded bounds the bytes of a scalar of NumPy.
const maxEncoded = 64

// numpyOf returns what makes a scalar of NumPy: a dtype, its bytes, and the scalar.
func numpyOf(g global, args tuple) (any, error) {
	if len(args) < 2 {
		return nil, fmt.Errorf("%s, want 2", diag.Count(len(args), "argument"))
	}
	switch g {
	case numpyDType:
		kind, ok := args[0].(string)
		if !ok {
			return nil, fmt.Errorf("the dtype is %s", describe(args[0]))
		}
		return &numpyType{kind: kind}, nil
	case encode:
		text, ok := args[0].(string)
		if name, _ := args[1].(string); !ok || name != "latin1" || len(text) > maxEncoded {
			return nil, fmt.Errorf("want a text of at most %s, and latin1", diag.Count(maxEncoded, "byte"))
		}
		var b encoded
		for _, r := range text {
			if r > 0xff {
				return nil, fmt.Errorf("%q is not in latin1", r)
			}
			b = append(b, byte(r))
		}
		return b, nil
	}
	t, ok1 := args[0].(*numpyType)
	b, ok2 := args[1].(encoded)
	if !ok1 || !ok2 {
		return nil, errors.New("want a dtype and bytes")
	}
	return t.scalar(b)
}

// scalar returns the number of the type that b is.
func (t *numpyType) scalar(b []byte) (any, error) {
	if t.order == ">" {
		return nil, errors.New("a big-endian scalar: want a little-endian one")
	}
	sizes := map[string]int{"b1": 1, "i1": 1, "u1": 1, "i2": 2, "u2": 2, "f2": 2, "i4": 4, "u4": 4, "f4": 4, "i8": 8, "u8": 8, "f8": 8}
	n, ok := sizes[t.kind]
	if !ok {
		return nil, fmt.Errorf("a scalar of NumPy's dtype %q is not read", t.kind)
	}
	if len(b) != n {
		return nil, fmt.Errorf("a scalar of %s has %s", t.kind, diag.Count(len(b), "byte"))
	}
	var wide [8]byte
	copy(wide[:], b)
	u := binary.LittleEndian.Uint64(wide[:])
	shift := 64 - 8*n
	switch t.kind[0] {
	case 'b':
		return u != 0, nil
	case 'i':
		return int64(u<<shift) >> shift, nil
	case 'u':
		if u > math.MaxInt64 {
			return integer(append(wide[:], 0)), nil
		}
		return int64(u), nil
	}
	switch n {
	case 2:
		return float64(types.Float16(u).Float32()), nil
	case 4:
		return float64(math.Float32frombits(uint32(u))), nil
	}
	return math.Float64frombits(u), nil
}
