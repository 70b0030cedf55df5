// The declaration of a function without a body in call_cgocall.go asks for a
// file of assembly in the package.
