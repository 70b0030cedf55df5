package exec

import (
	"context"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/tiles"
)

// HostCode returns the code of a kernel that a target has none for, in plain Go: it runs on
// the host, on the host's memory.
func HostCode(ctx context.Context, k *kernel.Kernel) (kernel.Code, error) {
	codes, err := tiles.Compiler{}.Compile(ctx, []*kernel.Kernel{k})
	if err != nil {
		return nil, err
	}
	return codes[0], nil
}
