package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// paper is a work that a figure belongs to.
type paper struct{ key, name string }

// The works with figures; keys are those of literature.bib.
var (
	mitzenmacher = paper{"Mitzenmacher2001", "Mitzenmacher 2001"}
	gast2017     = paper{"GastVanHoudt2017", "Gast, Van Houdt 2017"}
	gast2019     = paper{"GastBortolussiTribastone2019", "Gast, Bortolussi, Tribastone 2019"}
	hellemans    = paper{"HellemansVanHoudt2018", "Hellemans, Van Houdt 2018"}
	guptaWalton  = paper{"GuptaWalton2019", "Gupta, Walton 2019"}
	liuGongYing  = paper{"LiuGongYing2022", "Liu, Gong, Ying 2022"}
	gamarnik2018 = paper{"GamarnikTsitsiklisZubeldia2018", "Gamarnik, Tsitsiklis, Zubeldia 2018"}
	gamarnik2020 = paper{"GamarnikTsitsiklisZubeldia2020", "Gamarnik, Tsitsiklis, Zubeldia 2020"}
	zhou2017     = paper{"ZhouWuTanSunShroff2017", "Zhou, Wu, Tan, Sun, Shroff 2017"}
	zhou2021     = paper{"ZhouShroffWierman2021", "Zhou, Shroff, Wierman 2021"}
)

// The annotations of a figure's command.
const (
	paperName = "paper"
	paperKey  = "paper key"
)

// of makes a figure known by its paper too: the authors, the year and what it
// shows, such as gupta-walton-2019-price.
func (p paper) of(shows string, c *cobra.Command) *cobra.Command {
	c.Annotations = map[string]string{paperName: p.name, paperKey: p.key}
	c.Aliases = []string{p.alias(shows)}
	return c
}

func (p paper) alias(shows string) string {
	words := strings.FieldsFunc(strings.ToLower(p.name), func(r rune) bool { return r == ',' || r == ' ' })
	return strings.Join(append(words, shows), "-")
}

// completeFigures offers the figures by their papers where a name of that kind
// was begun; their own names are offered anyway.
func completeFigures(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if len(args) > 0 || begun == "" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, f := range c.Commands() {
		for _, alias := range f.Aliases {
			if strings.HasPrefix(alias, begun) {
				names = append(names, alias+"\t"+f.Short)
			}
		}
	}
	slices.Sort(names)
	return names, cobra.ShellCompDirectiveNoFileComp
}
