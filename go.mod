module ltc

go 1.26.0

require (
	github.com/alecthomas/participle/v2 v2.1.4
	github.com/google/go-cmp v0.7.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/tools v0.38.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect
