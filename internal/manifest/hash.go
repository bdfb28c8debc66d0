package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// HashFile returns size and SHA-256 of a file. Errors: a file that cannot be
// read.
func HashFile(name string) (File, error) {
	file, err := os.Open(name)
	if err != nil {
		return File{}, err
	}
	defer file.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	if err != nil {
		return File{}, err
	}
	return File{Name: name, Bytes: size, SHA256: hex.EncodeToString(hash.Sum(nil))}, nil
}

// HashText returns the SHA-256 of a text.
func HashText(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// modifiedMark follows the revision of a build from changed files.
const modifiedMark = "+modified"

// ThisProgram identifies the running program.
func ThisProgram(version string) Program {
	p := Program{Version: version, Executable: executable(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Dependencies: []Module{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return p
	}
	modified := false
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			p.Revision = setting.Value
		case "vcs.modified":
			modified = setting.Value == "true"
		}
	}
	if modified {
		p.Revision += modifiedMark
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		p.Dependencies = append(p.Dependencies, Module{Path: m.Path, Version: m.Version, Sum: m.Sum})
	}
	return p
}

// executable is the hash of the program file: it tells builds apart that carry
// no revision.
var executable = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	file, err := HashFile(name)
	if err != nil {
		return ""
	}
	return file.SHA256
})

// Code names the source and the compiler that a program was built from, as far
// as the build says: by the revision of unmodified files, else by the program
// file.
func (p Program) Code() string {
	if p.Revision == "" || strings.HasSuffix(p.Revision, modifiedMark) {
		return p.Version + " " + p.Go + " executable " + p.Executable
	}
	return p.Version + " " + p.Go + " revision " + p.Revision
}

// SameCode tells whether two programs have the same code, as far as the builds
// say.
func (p Program) SameCode(q Program) bool { return p.Code() == q.Code() }
