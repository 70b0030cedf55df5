package arrow_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	ltcarrow "ltc/integrations/arrow"
	"ltc/soa"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// events is a record batch, as files and services give them.
func events() arrow.RecordBatch {
	f32 := arrow.PrimitiveTypes.Float32
	schema := arrow.NewSchema([]arrow.Field{{Name: "pt", Type: f32}, {Name: "eta", Type: f32}, {Name: "hits", Type: arrow.LargeListOf(f32)}}, nil)
	const rows = `[{"pt": 250, "eta": 0.5, "hits": [1, 2]}, {"pt": 30, "eta": -1.5, "hits": [3]}]`
	r, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	check(err)
	return r
}

func Example() {
	record := events() // an arrow.RecordBatch
	b, err := ltcarrow.Columns(record)
	check(err)
	record.Release() // the columns keep its memory

	in := soa.NewCollection(b.Len())
	check(in.Add("kinematics", b.Col("pt"), b.Col("eta")))
	check(in.AddRagged("hits", b.Col("hits")))
	fmt.Println(b.Copied(), "bytes copied")

	type Reco struct{ Score float32 }
	reco := soa.Of[Reco](b.Len()) // what a model writes
	result, err := ltcarrow.RecordBatch(b.Col("pt"), reco.Col("Score"))
	check(err)
	defer result.Release()
	fmt.Println(result.Schema().Field(1).Name, result.Column(1))
	// Output:
	// 0 bytes copied
	// Score [0 0]
}
