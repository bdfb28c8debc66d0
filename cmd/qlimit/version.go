package main

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker where the build carries no version control
// information: -ldflags "-X main.version=v1.2.3".
var version string

// unreleased is the version of a build that nothing is known about.
const unreleased = "devel"

func programVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return unreleased
	}
	return info.Main.Version
}

type versionOptions struct {
	*environment
}

func newVersionCommand(env *environment, run func(context.Context, *versionOptions) error) *cobra.Command {
	o := &versionOptions{environment: env}
	return leaf(&cobra.Command{
		Use:     "version",
		Short:   "Version of the program, of Go and of the modules it is built from",
		Example: `  qlimit version --format json`,
	}, func(ctx context.Context) error { return run(ctx, o) })
}

func runVersion(_ context.Context, o *versionOptions) error {
	r := &report{command: "version"}
	r.work = []fact{
		{"version", programVersion()},
		{"revision", revision()},
		{"go", runtime.Version()},
		{"os", runtime.GOOS},
		{"arch", runtime.GOARCH},
		{"dependencies", dependencies()},
	}
	return o.show(r)
}

// revision is the commit the program was built from, nil if unknown.
func revision() any {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return nil
}

// dependencies lists the modules the program is built from as path@version.
func dependencies() []string {
	list := []string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return list
	}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		list = append(list, module.Path+"@"+module.Version)
	}
	return list
}
