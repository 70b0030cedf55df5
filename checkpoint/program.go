package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"ltc/internal/files"
	"ltc/lazy"
	"ltc/soa"
)

// programHash is the name of the metadata that says of which text the constants are: its SHA-256.
const programHash = "ltc.program"

// Program is a StableHLO text, and its constants in a file that stays mapped.
type Program struct {
	Text      string
	Constants map[string]soa.View // by argument (ltc.name), as model.New takes them

	file *File
}

// Close ends the use of the constants: see [File.Close]. That of nil, and of a program of no file, does nothing.
func (p *Program) Close() {
	if p != nil && p.file != nil {
		p.file.Close()
	}
}

// SaveProgram writes what [lazy.Function.Export] returns: the text as path, whose name ends in .mlir,
// and the constants as a file of safetensors beside it. Constants that are variables of a network have
// their names there, so that [Load] reads them into another such network. The files replace those
// that are there. A program that is killed between the two leaves constants of another text, which
// [OpenProgram] refuses. A file of safetensors that has no program's constants, such as a checkpoint
// of training, is not replaced: that is an error.
func SaveProgram(path string, x *lazy.Exported) error {
	weights, err := ConstantsPath(path)
	if err == nil && x == nil {
		err = errors.New("there is no program, it is nil")
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	if err := replaceable(weights); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	s := &State{Metadata: Metadata{programHash: hashOf(x.Text)}}
	for _, name := range slices.Sorted(maps.Keys(x.Constants)) {
		if err := s.Add(name, x.Constants[name]); err != nil {
			return fmt.Errorf("save %s: %w", path, err)
		}
	}
	if err := Save(weights, s); err != nil {
		return err
	}
	return files.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, x.Text)
		return err
	})
}

// OpenProgram reads the text at path, whose name ends in .mlir, and maps the constants beside it. The
// error, if they are of another text, says so.
func OpenProgram(path string) (*Program, error) {
	weights, err := ConstantsPath(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := files.AtMost(path, f, files.MostPiped)
	if err != nil {
		return nil, err
	}
	file, err := Open(weights)
	if err != nil {
		return nil, fmt.Errorf("open %s: its constants: %w", path, err)
	}
	p := &Program{Text: string(text), Constants: map[string]soa.View{}, file: file}
	if err := p.fill(weights); err != nil {
		file.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return p, nil
}

func (p *Program) fill(weights string) error {
	var of string
	if err := p.file.Metadata.Value(programHash, &of); err != nil {
		return fmt.Errorf("%s has no metadata %q: SaveProgram did not write it; save the program again", weights, programHash)
	}
	if of != hashOf(p.Text) {
		return fmt.Errorf("%s has the constants of another text: save the program again", weights)
	}
	for name, t := range p.file.All() {
		v, err := t.View()
		if err != nil {
			return err
		}
		p.Constants[name] = v
	}
	return nil
}

// replaceable returns an error if there is a file that has not the constants of a program.
func replaceable(weights string) error {
	f, err := Open(weights)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var of string
	if err == nil {
		defer f.Close()
		err = f.Metadata.Value(programHash, &of)
	}
	if err != nil {
		return fmt.Errorf("its constants would replace %s, which is no program's: save under another name: %w", weights, err)
	}
	return nil
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// ConstantsPath returns the path of the constants that [SaveProgram] writes beside the program at path.
func ConstantsPath(path string) (string, error) {
	name, ok := strings.CutSuffix(path, ".mlir")
	if !ok {
		return "", errors.New("the name of a program ends in .mlir")
	}
	return name + ".safetensors", nil
}
