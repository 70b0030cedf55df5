package lapack_test

import (
	"context"
	"fmt"
	"log"

	"ltc/backends"
	_ "ltc/backends/reference"  // the backend cpu
	_ "ltc/integrations/lapack" // what JAX's exports call
	"ltc/ir/types"
	"ltc/soa"
)

// A program as jax.scipy.linalg.lu_factor is exported.
const program = `func.func public @main(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi32>) {
  %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi32>, tensor<i32>)
  return %0#0, %0#1 : tensor<2x2xf32>, tensor<2xi32>
}`

func Example() {
	b, err := backends.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	e, err := b.Compile(context.Background(), backends.NewModule(program), backends.Options{})
	if err != nil {
		log.Fatal(err)
	}
	a, err := soa.Borrow([]float32{1, 2, 4, 2}, types.Of(types.F32, 2, 2))
	if err != nil {
		log.Fatal(err)
	}
	call := &backends.Call{Args: []soa.View{a}}
	if err := e.Execute(context.Background(), call); err != nil {
		log.Fatal(err)
	}
	fmt.Println("factors", soa.Slice[float32](call.Results[0]))
	fmt.Println("rows exchanged", soa.Slice[int32](call.Results[1]))
	// Output:
	// factors [4 2 0.25 1.5]
	// rows exchanged [2 2]
}
