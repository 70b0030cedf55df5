package gemm

// The words of the block that a product's kernels take, eight bytes each.
// Pointers come first. Strides count bytes. A word that a kernel does not use
// may hold anything.
const (
	wordA         = iota // element (0, 0) of A's first matrix, of the rows and the block of k at hand
	wordB                // the first panel of B
	wordEdge             // the panel of the last N mod columns columns, padded
	wordC                // where sums are kept: element (0, 0), columns next to each other
	wordRows             // scratch for Chunk rows of A, if PackA is not 0
	wordTile             // scratch for one block of results
	wordPackA            // a function that packs rows of A; 0 takes them as they are
	wordPrologue         // what PackA takes besides
	wordEpilogue         // a function that is given finished sums; 0 for none
	wordOperands         // what Epilogue takes besides
	wordPrologueB        // what a kernel takes that reads B as it lies, or the offsets of an image
	wordBatch            // how many matrices
	wordM                // rows
	wordN                // columns
	wordSteps            // units of k
	wordK                // elements of k
	wordABatch           // strides
	wordARow             //
	wordAK               // between elements of k, for PackA
	wordBBatch           //
	wordBPanel           // between panels
	wordBStep            // between units of k in a panel
	wordEdgeBatch        //
	wordEdgeStep         //
	wordCBatch           //
	wordCRow             // between rows of a strip
	wordCStrip           // between rows of two strips: wordCRow, or 0 if all are in one place
	wordCPanel           // between panels: their bytes, or 0 likewise
	wordRowsRow          // of the scratch for A
	wordChunk            // rows that PackA is called for at a time
	wordGroup            // panels between calls of Epilogue
	wordAhead            // cache lines of rows of A to ask for with each panel, before they are read
	wordDrip             // or the bytes of rows that lie next to each other, of which each step asks for some
	wordNext             // cache lines of the next matrix of B to ask for with each panel
	wordNextRow          // bytes of these for each row of A
	wordFar              // how far ahead rows of B's panels are asked for, 0 if they are not
	wordMore             // 0: store sums; else add them to what C holds
	wordFirstB           // the place in the whole product of what is at hand,
	wordFirstM           // for prologue and epilogue
	wordFirstN           //
	wordFirstK           //
	words
)

// The words of the block that the packers of B take.
const (
	packFrom      = iota // element (0, 0) of B's first matrix, of the columns and the block of k at hand
	packTo               // the first panel
	packOperands         // of the prologue
	packBatch            // how many matrices
	packK                // elements of k
	packN                // columns
	packFromBatch        // strides
	packFromK            //
	packFromN            //
	packToBatch          //
	packToPanel          //
	packFirstB           // the place in the whole product of what is at hand, for the prologue
	packFirstK           //
	packFirstN           //
	packWords
)
